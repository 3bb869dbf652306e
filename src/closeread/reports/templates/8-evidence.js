// Evidence of several sources beside gold (Table 4 of Zhang et al. 2021), what a masking retriever
// looked for at each step (its Figure 1), and answers by evidence.
const ranges = (evidence) => (evidence || []).flatMap((e) => (e.spans || []).map(([start, end]) => ({ start, end, label: e.option_label || "" })));

// Where to take the evidence from: "gold", a run's number, or all; only those that have any.
function sources(it) {
  const found = [];
  if (ranges(it.gold_evidence).length) found.push(["gold", t("evidence.gold")]);
  it.runs.forEach((told, r) => { if (told && ranges(told.evidence).length) found.push([String(r), DATA.runs.length > 1 || DATA.runs[r].evidenceOnly ? DATA.runs[r].name : t("evidence.predicted")]); });
  return found.length > 1 ? [...found, ["all", t("evidence.all")]] : found;
}
const evidenceOf = (it, source) => ranges(source === "gold" ? it.gold_evidence : it.runs[Number(source)].evidence).map((e) => ({ ...e, source }));
const looseOf = (it, source) => (source === "gold" ? it.loose : it.runs[Number(source)]?.loose) || [];
const saidOf = (it, source) => (source === "gold" ? it.said : it.runs[Number(source)]?.said) || [];
const askedOf = (it, source) => (source === "gold" ? it.asked : it.runs[Number(source)]?.asked);
// Where the passage says what one option, or a question without options, says: the same colours.
function saidMarks(said, evidence) {
  return said?.flatMap(([, , start, end]) => { const number = numberAt(evidence, start); return number ? [{ start, end, class: hueOf(number), title: t("said-n", { n: number }) }] : []; }) || [];
}

// One mark a number in the passage: gold has a frame, what a method found a ground; both, both.
function evidenceMarks(evidence, names) {
  const byNumber = new Map();
  for (const e of evidence) (byNumber.get(e.number) ?? byNumber.set(e.number, []).get(e.number)).push(e);
  const several = names.length > 1;
  return [...byNumber.values()].map((all) => {
    const at = all[0], by = new Set(all.map((e) => e.source));
    const look = several ? [by.has("gold") && "ev-gold", (by.size > 1 || !by.has("gold")) && "ev"].filter(Boolean).join(" ") : "ev";
    const who = several ? ": " + list(names.filter(([source]) => by.has(source)).map(([, name]) => name)) : "";
    return { start: at.start, end: at.end, class: look, badge: String(at.number), title: t("evidence-n", { n: at.number }) + who };
  });
}
// Where not one option is the right one, the question's gold is no single one's: it is compared with
// what was found for all of them, as `evidence.*` does.
const sharedGold = (i, evidence) => typeof Q().gold[i] !== "string" && evidence.some((e) => e.source === "gold" && !e.label);
// Gold of one option; that of the question belongs to the right option, or to a question without.
function goldFor(evidence, label, right) {
  const gold = evidence.filter((e) => e.source === "gold"), own = gold.filter((e) => e.label === label);
  return own.length ? own : label === "" || right ? gold.filter((e) => !e.label) : [];
}
function methods(evidence, names, label, right) {
  const gold = uniqueNumbers(goldFor(evidence, label, right));
  const line = ([source, name]) => {
    const found = source === "gold" ? gold : uniqueNumbers(evidence.filter((e) => e.source === source && (e.label === label || !e.label)));
    const missed = source === "gold" ? [] : gold.filter((n) => !found.includes(n));
    const kind = (n) => (source === "gold" ? "is-gold" : !gold.length ? "plain" : missed.includes(n) ? "missed" : gold.includes(n) ? "hit" : "extra");
    const shown = [...found, ...missed].sort((a, b) => a - b);
    return [h("dt", null, h("bdi", null, name)), h("dd", null, shown.length ? shown.map((n) => finding(n, kind(n))) : h("span", { title: t("evidence.nothing") }, DASH))];
  };
  // What was found for the question, and for no option, stands where there is gold to compare it with.
  const some = names.filter(([source]) => gold.length || evidence.some((e) => e.source === source && e.source !== "gold" && e.label));
  if (!some.length && label) return null;
  return h("dl", { class: "methods", "data-option": label }, some.map(line));
}
function finding(number, kind) {
  const button = numberButton(number);
  button.className = "finding " + kind;
  button.title = button.ariaLabel = `${t("evidence-n", { n: number })}: ${t("finding." + kind)}`;
  return button;
}
const findingsKey = (gold) => h("div", { class: "key" }, (gold ? ["is-gold", "hit", "extra", "missed"] : ["plain"]).map((kind) => h("span", null, h("span", { class: "finding " + kind }, "n"), " ", t("finding." + kind))));

// The query, each word shaded by its weight among those of the step; the numbers stand below it.
function attentions(it, evidence, label, i) {
  const runs = it.runs.map((told, r) => [r, told?.attention?.[label]]).filter(([, one]) => one?.steps.length);
  return runs.map(([r, one]) => h("details", { class: "attention", open: label === state.opt || null }, h("summary", null, t("attention"), DATA.runs.length > 1 && [": ", h("bdi", null, DATA.runs[r].name)]),
    h("ol", null, one.steps.map((step) => attentionStep(one.query, step, evidence, passageOf(i)?.text)))));
}
const LISTED = 8;
const beginning = (text) => (text.length > 40 ? text.slice(0, 39) + "…" : text);
function attentionStep(query, { words, found }, evidence, text) {
  const from = points(query), level = new Array(from.length).fill(0);
  const most = Math.max(...words.map(([, , weight]) => weight), 1e-9);
  for (const [start, end, weight] of words) for (let k = start; k < end; k++) level[k] = Math.max(level[k], weight / most);
  const shades = [];
  for (let a = 0; a < from.length;) {
    let b = a + 1;
    while (b < from.length && level[b] === level[a]) b++;
    const says = piece(from, a, b);
    shades.push(level[a] ? h("span", { class: "shade", title: (level[a] * most).toFixed(2), style: { "--share": level[a].toFixed(3) } }, says) : says);
    a = b;
  }
  const heaviest = [...words].sort((a, b) => b[2] - a[2] || a[0] - b[0]).slice(0, LISTED);
  const sentence = evidence.find((e) => alike(e, { start: found[0], end: found[1] }));
  return h("li", null, h("p", { class: "query", dir: "auto" }, shades),
    h("p", { class: "weights" }, heaviest.map(([start, end, weight]) => h("span", { class: "nowrap" }, h("bdi", null, piece(from, start, end)), ` ${weight.toFixed(2)}`))),
    (sentence || text) && h("p", { class: "weights" }, t("attention.found"), " ", sentence ? numberButton(sentence.number) : h("bdi", null, beginning(piece(points(text), found[0], found[1])))));
}

// Four cells, each a way into the list: right or wrong answer by right or wrong evidence.
const CELLS = ["both", "answer_only", "evidence_only", "neither"];
function joinedTable(run, r) {
  const whose = DATA.runs.length > 1 && h("h3", null, h("bdi", null, run.name));
  if (run.notJoined) return h("div", { class: "joined" }, whose, h("p", { class: "soft" }, t("joined.missing", run.notJoined)));
  if (!run.joined) return null;
  const { metrics, breakdowns } = run.joined, tally = [0, 0, 0, 0];
  Q().runs[r].cell.forEach((cell) => { if (cell >= 0) tally[cell]++; });
  const cell = (k) => h("td", { class: "n" }, tally[k] ? h("a", { href: hashOf({ ...EMPTY, lang: state.lang, run: String(r), view: "questions", cell: CELLS[k] }), title: t("cell." + CELLS[k]) }, count(tally[k])) : "0", h("br"), interval(metrics[CELLS[k]]));
  const line = (k, label) => h("tr", null, h("th", { scope: "row" }, label), cell(k), cell(k + 1));
  const groups = ["sentences", "distance"].flatMap((by) => Object.entries(breakdowns[by] || {}).map(([value, it]) => h("tr", null, h("td", { class: "nowrap" }, t("joined." + by), " ", named("value", value)), h("td", { class: "n" }, interval(it)), h("td", { class: "n soft scored" }, /over (\d+) options/.exec(it.note || "")?.[1] ?? count(it.n_scored)))));
  return h("div", { class: "joined" }, whose,
    h("div", { class: "scroll" }, h("table", { class: "cells" }, h("thead", null, h("tr", null, h("th"), h("th", { class: "n" }, t("joined.evidence-right")), h("th", { class: "n" }, t("joined.evidence-wrong")))),
      h("tbody", null, line(0, t("joined.answer-right")), line(2, t("joined.answer-wrong")))),
    h("p", { class: "soft overall" }, t("joined.overall"), " ", interval(metrics.overall_f1))),
    groups.length > 0 && h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null, h("th", null, t("joined.gold")), h("th", { class: "n" }, t("joined.f1")), h("th", { class: "n scored" }, t("joined.options")))), h("tbody", null, groups))));
}
function joinedScores() {
  if (!DATA.runs.some((run) => run.joined || run.notJoined)) return null;
  return h("section", { class: "joint" }, h("h2", null, t("joined.title")), h("p", { class: "soft" }, t("joined.lead")), DATA.runs.map(joinedTable));
}
const inCell = (run, i, cell) => covers(run, i) && Q().runs[run].cell?.[i] === CELLS.indexOf(cell);
function cellFilter() {
  const run = Number(state.run), column = Q().runs[run].cell;
  if (!column) return null;
  const tally = (name) => column.filter((cell) => cell === CELLS.indexOf(name)).length;
  return select("cell", t("joined.title"), [["", t("joined.all")], ...CELLS.map((name) => [name, `${t("cell." + name)} (${count(tally(name))})`])]);
}
