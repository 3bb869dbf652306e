// The page as a whole, its language and its keys.
const app = document.getElementById("app");
const statusNode = h("div", { class: "sr", role: "status" });
document.body.append(statusNode);
const announce = (text) => { statusNode.textContent = text; };
function showActions() { document.getElementById("actions")?.replaceChildren(...[actionButtons()].flat()); }
function scrollIntoView(node) {
  const { top, bottom } = node.getBoundingClientRect();
  if (top > innerHeight * 0.7 || bottom < 0) node.scrollIntoView({ block: "start", behavior: "instant" });
}
// A long passage has its own scroll bar, and its marks may be far down.
function scrollToMark() {
  const box = document.getElementById("marked"), mark = box?.querySelector(".said-here, .badge");
  if (!mark) return;
  const boxRect = box.getBoundingClientRect(), markRect = mark.getBoundingClientRect();
  if (markRect.top < boxRect.top || markRect.bottom > boxRect.bottom) box.scrollTop += markRect.top - boxRect.top - boxRect.height / 3;
  if (mark.getBoundingClientRect().bottom > innerHeight) box.scrollIntoView({ block: "end", behavior: "instant" });
}

function loadExample(example) {
  Object.assign(draft, { passage: example.passage, question: example.question, options: [...(example.options ?? [])], asks: asksFor(example.question), chosen: false });
  lastAnswer = null;
  editing = { passage: true, options: true };
  failure = null;
  isStale = false;
  problems = {};
  render();
  sendQuestion();
}
// Examples in the page's language come first.
const examples = () => [...DATA.examples].sort((a, b) => (languageOf(b.passage) === lang) - (languageOf(a.passage) === lang));

function setLanguage(language) {
  lang = language;
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.title = `${t("title")} · closeread`;
  problems = {};
  render();
}
function render() {
  const scrollTop = document.getElementById("marked")?.scrollTop ?? 0;
  const [before, after] = t("lead", { reader: "\u0000" }).split("\u0000");
  app.replaceChildren(
    h("header", { class: "bar" }, h("span", { class: "brand" }, "closeread"), h("span", { class: "about" }, DATA.reader),
      h("span", { class: "end" }, h("button", { class: "quiet", type: "button", id: "language", lang: lang === "zh" ? "en" : "zh-CN", on: { click: () => {
        const other = lang === "zh" ? "en" : "zh";
        savedLanguage.set(other);
        setLanguage(other);
        document.getElementById("language").focus();
      } } }, t("other-language")))),
    h("main", { class: "demo" },
      h("div", { class: "opening" },
        h("div", null, h("h1", null, t("title")), h("p", null, before, h("b", null, h("bdi", null, DATA.reader)), after)),
        h("div", { class: "examples", role: "group", "aria-label": t("try") }, t("try"), examples().map((one) => h("button", { class: "chip", type: "button", lang: languageOf(one.title), disabled: Boolean(pending), on: { click: () => loadExample(one) } }, one.title)))),
      h("div", { class: "asking" }, passagePanel(), questionPanel()),
      h("footer", null, h("span", null, t("made-by", { version: DATA.version })), h("a", { href: "docs" }, t("interface")))));
  document.getElementById("result").classList.toggle("stale", isStale && !failure);
  if (isStale && !failure) document.getElementById("result").prepend(h("p", { class: "changed" }, t("changed")));
  document.querySelectorAll("textarea:not(.long)").forEach(fitHeight);
  document.getElementById("marked")?.scrollTo(0, scrollTop);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); sendQuestion(); }
  if (event.key === "Escape" && pending) pending.stop.abort();
});
const wantedLanguage = savedLanguage.get() ?? (navigator.language || "en");
setLanguage(wantedLanguage.startsWith("zh") ? "zh" : "en");
