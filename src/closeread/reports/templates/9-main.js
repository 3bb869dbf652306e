// The page as a whole: the header, the two views, the keyboard.
const app = document.getElementById("app");
let renderedKey = null;
let detailKey = null;

function pageHeader() {
  const tab = (view, label) => h("a", { href: hashOf({ view, q: "", d: "" }), "aria-current": state.view === view ? "page" : null }, label);
  return h("header", { class: "bar" }, h("a", { class: "brand", href: hashOf({ ...EMPTY, lang: state.lang }) }, "closeread"),
    h("nav", null, tab("overview", t("overview")), Q().n > 0 && tab("questions", `${t("questions")} ${count(Q().n)}`)),
    state.view === "questions" && h("span", { class: "about" }, h("bdi", null, DATA.runs.map((run) => run.name).join(", "))),
    h("span", { class: "end" }, h("button", { class: "quiet", type: "button", lang: lang === "zh" ? "en" : "zh", on: { click: () => navigate({ lang: lang === "zh" ? "en" : "zh" }, true) } }, lang === "zh" ? "English" : "中文"),
      h("button", { class: "quiet", type: "button", title: t("help"), "aria-label": t("help"), on: { click: help } }, "?")));
}
function help() {
  const keys = [["j", "next"], ["k", "previous"], ["/", "key.filter"], ["o", "key.overview"], ["?", "help"], ["Esc", "key.close"]];
  const box = h("dialog", { "aria-label": t("help"), on: { close: () => box.remove() } }, h("h2", null, t("keys")), h("dl", null, keys.map(([key, phrase]) => [h("dt", null, h("kbd", null, key)), h("dd", null, t(phrase))])),
    h("p", { class: "soft" }, t("help.link")), h("p", null, h("button", { class: "chip", type: "button", on: { click: () => box.close() } }, t("close"))));
  app.append(box);
  box.showModal();
}
function questionsView() {
  const none = h("p", { class: "empty", hidden: true }, t("nothing-found"));
  const rows = h("div", { class: "rows" });
  const box = h("div", { class: "list", tabindex: -1 }, none, rows);
  const head = h("div", { class: "filters" });
  const side = h("div", { class: "detail", tabindex: -1 });
  const main = h("main", { class: "questions" }, h("div", { class: "pick" }, head, box), side);
  pane = { main, box, rows, none, filters: head, side };
  listKey = detailKey = null;
  let isScheduled = false;
  box.addEventListener("scroll", () => { if (!isScheduled) { isScheduled = true; requestAnimationFrame(() => { isScheduled = false; paintRows(); }); } }, { passive: true });
  return main;
}
function render() {
  state = readState();
  lang = state.lang === "en" || state.lang === "zh" ? state.lang : DATA.lang;
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  const key = `${state.view} ${lang} ${state.view === "overview" ? state.run : ""}`;
  const isNewView = key !== renderedKey;
  if (isNewView) {
    renderedKey = key;
    redraws.length = 0;
    pane = null;
    const body = state.view === "overview" ? overview() : questionsView();
    app.replaceChildren(h("div", null), body);
    if (state.view === "overview") { redrawAll(); scrollTo(0, 0); }
  }
  app.firstChild.replaceWith(pageHeader());
  if (state.view !== "questions") return;
  pane.main.classList.toggle("open", currentQuestion() >= 0);
  drawList();
  const i = shownQuestion();
  const wantedKey = `${i} ${state.run} ${state.ev} ${state.opt} ${lang} ${listKey}`;
  if (wantedKey === detailKey) return;
  const isOtherQuestion = detailKey === null || detailKey.split(" ")[0] !== String(i);
  detailKey = wantedKey;
  pane.side.replaceChildren(...renderDetail(i));
  if (isOtherQuestion) {
    pane.side.scrollTop = 0;
    // A passage with its own scroll bar opens at its first mark.
    const passage = pane.side.querySelector(".passage"), mark = passage?.querySelector(".gold-span, .said-span, .ev");
    if (mark && passage.scrollHeight > passage.clientHeight && mark.offsetTop > passage.clientHeight - 60) passage.scrollTop = mark.offsetTop - 90;
  }
}
function renderDetail(i) {
  if (i < 0) return [h("p", { class: "empty" }, state.q ? t("no-such-question", { id: state.q }) : t("choose"))];
  return renderQuestion(i).filter(Boolean);
}
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "Escape" && isTyping) { event.target.blur(); return; }
  if (isTyping || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return;
  // In the overview, j opens the list at its first question.
  const moveOrOpen = (by) => { if (state.view === "questions") moveBy(by); else { navigate({ view: "questions" }); if (shownQuestion() < 0) moveBy(1); } };
  const actions = {
    j: () => moveOrOpen(1), k: () => moveOrOpen(-1), o: () => navigate({ view: "overview", q: "", d: "" }),
    "/": () => { if (state.view !== "questions" || (currentQuestion() >= 0 && innerWidth <= 760)) navigate({ view: "questions", q: "", d: "" }); document.getElementById("search").focus(); }, "?": help,
  };
  if (actions[event.key] && (Q().n > 0 || event.key === "?" || event.key === "o")) { event.preventDefault(); actions[event.key](); }
});
addEventListener("popstate", render);
addEventListener("hashchange", render);
let resizeTimer = 0;
addEventListener("resize", () => { clearTimeout(resizeTimer); resizeTimer = setTimeout(() => { redrawAll(); paintRows(); }, 60); });
addEventListener("beforeprint", redrawAll);
render();
