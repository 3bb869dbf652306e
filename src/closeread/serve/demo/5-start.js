// The page as a whole, its language, and its keys.
const app = document.getElementById("app");
const status = h("div", { class: "sr", role: "status" });
document.body.append(status);
const tell = (text) => { status.textContent = text; };
function showActions() { document.getElementById("actions")?.replaceChildren(...[actions()].flat()); }
function bringIntoView(node) {
  const { top, bottom } = node.getBoundingClientRect();
  if (top > innerHeight * 0.7 || bottom < 0) node.scrollIntoView({ block: "start", behavior: "instant" });
}
// A long passage has a scroll bar of its own, and what is marked may lie far down, its last lines below the window.
function markIntoView() {
  const box = document.getElementById("marked"), mark = box?.querySelector(".said-here, .badge");
  if (!mark) return;
  const around = box.getBoundingClientRect(), at = mark.getBoundingClientRect();
  if (at.top < around.top || at.bottom > around.bottom) box.scrollTop += at.top - around.top - around.height / 3;
  if (mark.getBoundingClientRect().bottom > innerHeight) box.scrollIntoView({ block: "end", behavior: "instant" });
}

function example(one) {
  Object.assign(draft, { passage: one.passage, question: one.question, options: [...(one.options ?? [])], asks: asksFor(one.question), chosen: false });
  answered = null;
  editing = { passage: true, options: true };
  trouble = null;
  stale = false;
  problems = {};
  render();
  ask();
}
// The page's own language first.
const examples = () => [...DATA.examples].sort((a, b) => (languageOf(b.passage) === lang) - (languageOf(a.passage) === lang));

function speak(language) {
  lang = language;
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.title = `${t("title")} · closeread`;
  problems = {};
  render();
}
function render() {
  const scrolled = document.getElementById("marked")?.scrollTop ?? 0;
  const [before, after] = t("lead", { reader: "\u0000" }).split("\u0000");
  app.replaceChildren(
    h("header", { class: "bar" }, h("span", { class: "brand" }, "closeread"), h("span", { class: "about" }, DATA.reader),
      h("span", { class: "end" }, h("button", { class: "quiet", type: "button", id: "language", lang: lang === "zh" ? "en" : "zh-CN", on: { click: () => {
        const other = lang === "zh" ? "en" : "zh";
        keptLanguage.set(other);
        speak(other);
        document.getElementById("language").focus();
      } } }, t("other-language")))),
    h("main", { class: "demo" },
      h("div", { class: "opening" },
        h("div", null, h("h1", null, t("title")), h("p", null, before, h("b", null, h("bdi", null, DATA.reader)), after)),
        h("div", { class: "examples", role: "group", "aria-label": t("try") }, t("try"), examples().map((one) => h("button", { class: "chip", type: "button", lang: languageOf(one.title), disabled: Boolean(busy), on: { click: () => example(one) } }, one.title)))),
      h("div", { class: "asking" }, passageSide(), questionSide()),
      h("footer", null, h("span", null, t("made-by", { version: DATA.version })), h("a", { href: "docs" }, t("interface")))));
  document.getElementById("result").classList.toggle("stale", stale && !trouble);
  if (stale && !trouble) document.getElementById("result").prepend(h("p", { class: "changed" }, t("changed")));
  document.querySelectorAll("textarea:not(.long)").forEach(grow);
  document.getElementById("marked")?.scrollTo(0, scrolled);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ask(); }
  if (event.key === "Escape" && busy) busy.stop.abort();
});
const wanted = keptLanguage.get() ?? (navigator.language || "en");
speak(wanted.startsWith("zh") ? "zh" : "en");
