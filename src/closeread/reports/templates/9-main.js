// Putting it together: the bar, the two views, the keyboard.
const app = document.getElementById("app");
let madeFor = null;
let detailKey = null;

function bar() {
  const tab = (view, label) => h("a", { href: hashOf({ view, q: "", d: "" }), "aria-current": state.view === view ? "page" : null }, label);
  return h("header", { class: "bar" }, h("a", { class: "brand", href: hashOf({ ...EMPTY, lang: state.lang }) }, "closeread"),
    h("nav", null, tab("overview", t("overview")), Q().n > 0 && tab("questions", `${t("questions")} ${count(Q().n)}`)),
    state.view === "questions" && h("span", { class: "about" }, h("bdi", null, DATA.runs.map((run) => run.name).join(", "))),
    h("span", { class: "end" }, h("button", { class: "quiet", type: "button", lang: lang === "zh" ? "en" : "zh", on: { click: () => go({ lang: lang === "zh" ? "en" : "zh" }, true) } }, lang === "zh" ? "English" : "中文"),
      h("button", { class: "quiet", type: "button", title: t("help"), "aria-label": t("help"), on: { click: help } }, "?")));
}
function help() {
  const keys = [["j", "next"], ["k", "previous"], ["/", "key.filter"], ["o", "key.overview"], ["?", "help"], ["Esc", "key.close"]];
  const box = h("dialog", { "aria-label": t("help"), on: { close: () => box.remove() } }, h("h2", null, t("keys")), h("dl", null, keys.map(([key, says]) => [h("dt", null, h("kbd", null, key)), h("dd", null, t(says))])),
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
  let waiting = false;
  box.addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; paintRows(); }); } }, { passive: true });
  return main;
}
function render() {
  state = readState();
  lang = state.lang === "en" || state.lang === "zh" ? state.lang : DATA.lang;
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  const key = `${state.view} ${lang} ${state.view === "overview" ? state.run : ""}`;
  const fresh = key !== madeFor;
  if (fresh) {
    madeFor = key;
    drawn.length = 0;
    pane = null;
    const body = state.view === "overview" ? overview() : questionsView();
    app.replaceChildren(h("div", null), body);
    if (state.view === "overview") { drawAll(); scrollTo(0, 0); }
  }
  app.firstChild.replaceWith(bar());
  if (state.view !== "questions") return;
  pane.main.classList.toggle("open", current() >= 0);
  drawList();
  const i = looked();
  const wanted = `${i} ${state.run} ${state.ev} ${state.opt} ${lang} ${listKey}`;
  if (wanted === detailKey) return;
  const moved = detailKey === null || detailKey.split(" ")[0] !== String(i);
  detailKey = wanted;
  pane.side.replaceChildren(...fillDetail(i));
  if (moved) {
    pane.side.scrollTop = 0;
    // Where the passage scrolls by itself, it opens at its first mark.
    const passage = pane.side.querySelector(".passage"), mark = passage?.querySelector(".gold-span, .said-span, .ev");
    if (mark && passage.scrollHeight > passage.clientHeight && mark.offsetTop > passage.clientHeight - 60) passage.scrollTop = mark.offsetTop - 90;
  }
}
function fillDetail(i) {
  if (i < 0) return [h("p", { class: "empty" }, state.q ? t("no-such-question", { id: state.q }) : t("choose"))];
  return question(i).filter(Boolean);
}
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "Escape" && typing) { event.target.blur(); return; }
  if (typing || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return;
  // From the overview, j opens the list at its first question.
  const walk = (by) => { if (state.view === "questions") step(by); else { go({ view: "questions" }); if (looked() < 0) step(1); } };
  const acts = {
    j: () => walk(1), k: () => walk(-1), o: () => go({ view: "overview", q: "", d: "" }),
    "/": () => { if (state.view !== "questions" || (current() >= 0 && innerWidth <= 760)) go({ view: "questions", q: "", d: "" }); document.getElementById("search").focus(); }, "?": help,
  };
  if (acts[event.key] && (Q().n > 0 || event.key === "?" || event.key === "o")) { event.preventDefault(); acts[event.key](); }
});
addEventListener("popstate", render);
addEventListener("hashchange", render);
let resizing = 0;
addEventListener("resize", () => { clearTimeout(resizing); resizing = setTimeout(() => { drawAll(); paintRows(); }, 60); });
addEventListener("beforeprint", drawAll);
render();
