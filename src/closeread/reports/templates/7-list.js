// The list of questions, filtered and sorted; only visible rows are in the page.
const ROW = 62;
let shownIds = [];
let listKey = null;
let pane = null;

function matchesFilters(i, run, words, tag) {
  if (state.status === "differ") { if (disagreement(i) <= 0) return false; }
  else if (state.status && (!covers(run, i) || statusOf(run, i) !== state.status)) return false;
  if (state.cell && !inCell(run, i, state.cell)) return false;
  if (tag && tagOf(tag.column, i) !== tag.value) return false;
  return words.every((word) => searchTextOf(i).includes(word));
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
function selectQuestions() {
  const run = Number(state.run), tag = chosenTag();
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const indices = [];
  for (let i = 0; i < Q().n; i++) if (matchesFilters(i, run, words, tag)) indices.push(i);
  const name = state.sort.replace(/^-/, "");
  if (SORTS[name]) {
    const direction = state.sort.startsWith("-") ? -1 : 1;
    const keys = new Map(indices.map((i) => [i, SORTS[name](i, run)]));
    // Questions without a value come last in either order.
    indices.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return (x - y) * direction || a - b;
    });
  }
  return indices;
}
function renderAnswers(i) {
  const gold = Q().gold[i], run = runAt(i), said = covers(run, i) ? Q().runs[run].answer[i] : null;
  if (hasOptions(i)) {
    const golds = lettersOf(gold), saids = lettersOf(said), says = golds.length === 1 && Q().options[i][labelsOf(i).indexOf(golds[0])];
    return [golds.map((label) => [letter(label, saids.includes(label) ? "gold said" : "gold"), " "]), saids.filter((label) => !golds.includes(label)).map((label) => [letter(label, "said"), " "]), says && h("bdi", null, says.slice(0, 120))];
  }
  const answer = formatAnswer(said);
  if (gold !== 0 && answer !== null && answer === formatAnswer(gold)) return h("span", { class: "iso" }, "▣ ", answer);
  return [gold !== 0 && h("span", { class: "iso" }, "▢ ", formatAnswer(gold)), answer !== null && h("span", { class: "iso" }, "   ● ", answer)];
}
function renderRow(i, top) {
  const run = runAt(i), columns = Q().runs[run];
  const value = covers(run, i) ? columns.value[i] : null, confidence = covers(run, i) ? columns.confidence[i] : null;
  return h("a", { class: "row", href: hashOf(questionState(i)), "data-i": i, "aria-current": i === shownQuestion() ? "true" : null, style: { top: top + "px" },
    on: { click: (event) => { if (!event.metaKey && !event.ctrlKey) { event.preventDefault(); navigate(questionState(i)); } } } },
    h("span", { class: "marks" }, runsOf(i).slice(0, 4).map((r) => icon(statusOf(r, i), DATA.runs.length > 1 ? DATA.runs[r].name : ""))),
    h("span", { class: "say" }, h("span", null, Q().text[i].slice(0, 300) || Q().id[i]), h("span", null, renderAnswers(i))),
    h("span", { class: "num" }, value !== null && value > 0 && value < 1 ? h("div", null, percent(value)) : null,
      confidence !== null && h("div", { title: t("confidence") }, formatScore(confidence))));
}
function paintRows() {
  if (!pane) return;
  const { box, rows } = pane;
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 6);
  const last = Math.min(shownIds.length, Math.ceil((box.scrollTop + (box.clientHeight || 600)) / ROW) + 6);
  const visible = [];
  for (let k = first; k < last; k++) visible.push(renderRow(shownIds[k], k * ROW));
  rows.replaceChildren(...visible);
}
function scrollToRow(i) {
  const k = shownIds.indexOf(i);
  if (!pane || k < 0) return;
  const { box } = pane, top = k * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
}
function select(name, label, choices) {
  return h("select", { "aria-label": label, on: { change: (event) => navigate({ [name]: event.target.value }, true) } }, choices.map(([value, text, inside]) =>
    inside ? h("optgroup", { label: text }, inside.map(([v, x]) => h("option", { value: v, selected: state[name] === v }, x)))
      : h("option", { value, selected: state[name] === value }, text)));
}
function statusChips() {
  const run = Number(state.run), tally = {};
  for (let i = 0; i < Q().n; i++) if (covers(run, i)) { const kind = statusOf(run, i); tally[kind] = (tally[kind] || 0) + 1; }
  const kinds = ["right", "partly", "wrong", "unanswered", "failed", "unscored"].filter((kind) => tally[kind]);
  if (DATA.runs.length > DATA.datasets.length) kinds.push("differ");
  return h("div", { class: "chips", role: "group", "aria-label": t("filter-status") }, kinds.map((kind) => h("button", { class: "chip", type: "button", "data-status": kind, "aria-pressed": String(state.status === kind),
    on: { click: () => navigate({ status: state.status === kind ? "" : kind }, true) } }, kind === "differ" ? t("status.differ") : [t("status." + kind), " ", h("b", null, count(tally[kind]))])));
}
function filters() {
  const counts = (column) => { const tally = new Array(column.values.length).fill(0); for (const code of column.codes) if (code >= 0) tally[code]++; return tally; };
  const tags = Q().tags.map((column) => { const tally = counts(column); return ["", translateName("tag", column.name), column.values.map((value, k) => [`${column.name}:${value}`, `${translateName("value", value)} (${count(tally[k])})`])]; });
  const hasConfidence = Q().runs[Number(state.run)].confidence.some((c) => c !== null);
  const sorts = [["", t("sort.order")], ["score", t("sort.score")], ...(hasConfidence ? [["confidence", t("sort.confidence")]] : []), ...(DATA.runs.length > DATA.datasets.length ? [["disagreement", t("sort.disagreement")]] : [])];
  const name = state.sort.replace(/^-/, "");
  const sort = h("select", { "aria-label": t("sort"), on: { change: (event) => navigate({ sort: event.target.value && (event.target.value === "score" ? "" : "-") + event.target.value }, true) } }, sorts.map(([value, text]) => h("option", { value, selected: value === name }, text)));
  return h("div", { class: "filters" },
    h("input", { type: "search", id: "search", placeholder: t("filter"), "aria-label": t("filter"), value: state.text, autocomplete: "off", spellcheck: "false", on: { input: (event) => navigate({ text: event.target.value }, true) } }),
    DATA.runs.length > 1 && select("run", t("run"), DATA.runs.map((run, r) => [String(r), `${r + 1}. ${run.name}`])),
    statusChips(), cellFilter(),
    h("div", { class: tags.length ? "pair" : "" }, tags.length > 0 && select("tag", t("tag"), [["", t("all-tags")], ...tags]),
      h("div", { class: "withbutton" }, sort, h("button", { type: "button", title: t("turn-round"), "aria-label": t("turn-round"), disabled: !name, on: { click: () => navigate({ sort: state.sort.startsWith("-") ? name : "-" + name }, true) } }, state.sort.startsWith("-") ? "↓" : "↑"))),
    h("div", { class: "found", "aria-live": "polite" }, h("span", { id: "found" }), h("span", null, (state.text || state.status || state.tag || state.cell) && h("a", { href: hashOf({ text: "", status: "", tag: "", cell: "" }) }, t("clear")))));
}
function drawList() {
  const key = [state.run, state.text, state.status, state.tag, state.cell, state.sort, lang].join("\u0000");
  if (key !== listKey) {
    const caret = document.activeElement?.id === "search" ? document.activeElement.selectionStart : null;
    listKey = key;
    shownIds = selectQuestions();
    const newFilters = filters();
    pane.filters.replaceWith(newFilters);
    pane.filters = newFilters;
    if (caret !== null) { const box = document.getElementById("search"); box.focus(); box.setSelectionRange(caret, caret); }
    document.getElementById("found").textContent = t("n-of", { n: count(shownIds.length), all: count(Q().n) });
    pane.rows.style.setProperty("height", shownIds.length * ROW + "px");
    pane.box.scrollTop = 0;
    pane.none.hidden = shownIds.length > 0;
  }
  scrollToRow(currentQuestion());
  paintRows();
}
// The question shown: the one in the URL or, on a wide window, the first of the list.
const shownQuestion = () => (state.q || innerWidth <= 760 ? currentQuestion() : shownIds[0] ?? -1);
function moveBy(by) {
  const index = shownIds.indexOf(shownQuestion());
  const next = index < 0 ? 0 : index + by;
  if (next >= 0 && next < shownIds.length) navigate(questionState(shownIds[next]), state.view === "questions" && state.q !== "");
}
