// The list of questions: filtered, sorted, and only as many rows in the page as can be seen.
const ROW = 62;
let shownIds = [];
let listKey = null;
let pane = null;

function matches(i, run, words, tag) {
  if (state.status === "differ") { if (disagreement(i) <= 0) return false; }
  else if (state.status && (!covers(run, i) || status(run, i) !== state.status)) return false;
  if (state.cell && !inCell(run, i, state.cell)) return false;
  if (tag && tagOf(tag.column, i) !== tag.value) return false;
  return words.every((word) => haystack(i).includes(word));
}
const SORTS = {
  score: (i, run) => Q().runs[run].value[i],
  confidence: (i, run) => Q().runs[run].confidence[i],
  disagreement: (i) => disagreement(i),
};
function chosenTag() {
  const cut = state.tag.indexOf(":");
  const column = Q().tags.find((c) => c.name === state.tag.slice(0, cut));
  return column ? { column, value: state.tag.slice(cut + 1) } : null;
}
function selection() {
  const run = Number(state.run), tag = chosenTag();
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let i = 0; i < Q().n; i++) if (matches(i, run, words, tag)) found.push(i);
  const name = state.sort.replace(/^-/, "");
  if (SORTS[name]) {
    const down = state.sort.startsWith("-") ? -1 : 1;
    const keys = new Map(found.map((i) => [i, SORTS[name](i, run)]));
    // What has no value stands at the end, whichever way the list runs.
    found.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return (x - y) * down || a - b;
    });
  }
  return found;
}
function answerLine(i) {
  const gold = Q().gold[i], run = runAt(i), said = covers(run, i) ? Q().runs[run].answer[i] : null;
  if (hasOptions(i)) {
    const golds = lettersOf(gold), saids = lettersOf(said), says = golds.length === 1 && Q().options[i][labelsOf(i).indexOf(golds[0])];
    return [golds.map((one) => [letter(one, saids.includes(one) ? "gold said" : "gold"), " "]), saids.filter((one) => !golds.includes(one)).map((one) => [letter(one, "said"), " "]), says && h("bdi", null, says.slice(0, 120))];
  }
  const told = shown(said);
  if (gold !== 0 && told !== null && told === shown(gold)) return h("span", { class: "iso" }, "▣ ", told);
  return [gold !== 0 && h("span", { class: "iso" }, "▢ ", shown(gold)), told !== null && h("span", { class: "iso" }, "   ● ", told)];
}
function row(i, top) {
  const run = runAt(i), told = Q().runs[run];
  const value = covers(run, i) ? told.value[i] : null, sure = covers(run, i) ? told.confidence[i] : null;
  return h("a", { class: "row", href: hashOf(place(i)), "data-i": i, "aria-current": i === looked() ? "true" : null, style: { top: top + "px" },
    on: { click: (event) => { if (!event.metaKey && !event.ctrlKey) { event.preventDefault(); go(place(i)); } } } },
    h("span", { class: "marks" }, runsOf(i).slice(0, 4).map((r) => icon(status(r, i), DATA.runs.length > 1 ? DATA.runs[r].name : ""))),
    h("span", { class: "say" }, h("span", null, Q().text[i].slice(0, 300) || Q().id[i]), h("span", null, answerLine(i))),
    h("span", { class: "num" }, value !== null && value > 0 && value < 1 ? h("div", null, percent(value)) : null,
      sure !== null && h("div", { title: t("confidence") }, spot(sure))));
}
function paintRows() {
  if (!pane) return;
  const { box, rows } = pane;
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 6);
  const last = Math.min(shownIds.length, Math.ceil((box.scrollTop + (box.clientHeight || 600)) / ROW) + 6);
  const made = [];
  for (let k = first; k < last; k++) made.push(row(shownIds[k], k * ROW));
  rows.replaceChildren(...made);
}
function reveal(i) {
  const k = shownIds.indexOf(i);
  if (!pane || k < 0) return;
  const { box } = pane, top = k * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
}
function select(name, label, choices) {
  return h("select", { "aria-label": label, on: { change: (event) => go({ [name]: event.target.value }, true) } }, choices.map(([value, text, inside]) =>
    inside ? h("optgroup", { label: text }, inside.map(([v, x]) => h("option", { value: v, selected: state[name] === v }, x)))
      : h("option", { value, selected: state[name] === value }, text)));
}
function chips() {
  const run = Number(state.run), tally = {};
  for (let i = 0; i < Q().n; i++) if (covers(run, i)) { const kind = status(run, i); tally[kind] = (tally[kind] || 0) + 1; }
  const all = ["right", "partly", "wrong", "unanswered", "failed", "unscored"].filter((kind) => tally[kind]);
  if (DATA.runs.length > DATA.datasets.length) all.push("differ");
  return h("div", { class: "chips", role: "group", "aria-label": t("filter-status") }, all.map((kind) => h("button", { class: "chip", type: "button", "data-status": kind, "aria-pressed": String(state.status === kind),
    on: { click: () => go({ status: state.status === kind ? "" : kind }, true) } }, kind === "differ" ? t("status.differ") : [t("status." + kind), " ", h("b", null, count(tally[kind]))])));
}
function filters() {
  const counts = (column) => { const tally = new Array(column.values.length).fill(0); for (const code of column.codes) if (code >= 0) tally[code]++; return tally; };
  const tags = Q().tags.map((column) => { const tally = counts(column); return ["", named("tag", column.name), column.values.map((value, k) => [`${column.name}:${value}`, `${named("value", value)} (${count(tally[k])})`])]; });
  const sure = Q().runs[Number(state.run)].confidence.some((c) => c !== null);
  const sorts = [["", t("sort.order")], ["score", t("sort.score")], ...(sure ? [["confidence", t("sort.confidence")]] : []), ...(DATA.runs.length > DATA.datasets.length ? [["disagreement", t("sort.disagreement")]] : [])];
  const name = state.sort.replace(/^-/, "");
  const sort = h("select", { "aria-label": t("sort"), on: { change: (event) => go({ sort: event.target.value && (event.target.value === "score" ? "" : "-") + event.target.value }, true) } }, sorts.map(([value, text]) => h("option", { value, selected: value === name }, text)));
  return h("div", { class: "filters" },
    h("input", { type: "search", id: "search", placeholder: t("filter"), "aria-label": t("filter"), value: state.text, autocomplete: "off", spellcheck: "false", on: { input: (event) => go({ text: event.target.value }, true) } }),
    DATA.runs.length > 1 && select("run", t("run"), DATA.runs.map((run, r) => [String(r), `${r + 1}. ${run.name}`])),
    chips(), cellFilter(),
    h("div", { class: tags.length ? "pair" : "" }, tags.length > 0 && select("tag", t("tag"), [["", t("all-tags")], ...tags]),
      h("div", { class: "withbutton" }, sort, h("button", { type: "button", title: t("turn-round"), "aria-label": t("turn-round"), disabled: !name, on: { click: () => go({ sort: state.sort.startsWith("-") ? name : "-" + name }, true) } }, state.sort.startsWith("-") ? "↓" : "↑"))),
    h("div", { class: "found", "aria-live": "polite" }, h("span", { id: "found" }), h("span", null, (state.text || state.status || state.tag || state.cell) && h("a", { href: hashOf({ text: "", status: "", tag: "", cell: "" }) }, t("clear")))));
}
function drawList() {
  const key = [state.run, state.text, state.status, state.tag, state.cell, state.sort, lang].join("\u0000");
  if (key !== listKey) {
    const typing = document.activeElement?.id === "search" ? document.activeElement.selectionStart : null;
    listKey = key;
    shownIds = selection();
    const fresh = filters();
    pane.filters.replaceWith(fresh);
    pane.filters = fresh;
    if (typing !== null) { const box = document.getElementById("search"); box.focus(); box.setSelectionRange(typing, typing); }
    document.getElementById("found").textContent = t("n-of", { n: count(shownIds.length), all: count(Q().n) });
    pane.rows.style.setProperty("height", shownIds.length * ROW + "px");
    pane.box.scrollTop = 0;
    pane.none.hidden = shownIds.length > 0;
  }
  reveal(current());
  paintRows();
}
// The question that is shown: the one in the address, or where there is room the first of the list.
const looked = () => (state.q || innerWidth <= 760 ? current() : shownIds[0] ?? -1);
function step(by) {
  const at = shownIds.indexOf(looked());
  const next = at < 0 ? 0 : at + by;
  if (next >= 0 && next < shownIds.length) go(place(shownIds[next]), state.view === "questions" && state.q !== "");
}
