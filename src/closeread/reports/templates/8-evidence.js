// Evidence of several sources beside gold (as in Table 4 of Zhang et al. 2021), the query of a masking
// retriever at each step (its Figure 1), and answers by evidence.
const evidenceSpans = (evidence) => (evidence || []).flatMap((e) => (e.spans || []).map(([start, end]) => ({ start, end, label: e.option_label || "" })));

// The sources of evidence: "gold", the numbers of runs, or "all"; only those that have any.
function evidenceSources(it) {
  const sources = [];
  if (evidenceSpans(it.gold_evidence).length) sources.push(["gold", t("evidence.gold")]);
  it.runs.forEach((prediction, r) => { if (prediction && evidenceSpans(prediction.evidence).length) sources.push([String(r), DATA.runs.length > 1 || DATA.runs[r].evidenceOnly ? DATA.runs[r].name : t("evidence.predicted")]); });
  return sources.length > 1 ? [...sources, ["all", t("evidence.all")]] : sources;
}
const evidenceOf = (it, source) => evidenceSpans(source === "gold" ? it.gold_evidence : it.runs[Number(source)].evidence).map((e) => ({ ...e, source }));
const uncoveredOf = (it, source) => (source === "gold" ? it.loose : it.runs[Number(source)]?.loose) || [];
const coveredOf = (it, source) => (source === "gold" ? it.said : it.runs[Number(source)]?.said) || [];
const questionCoverageOf = (it, source) => (source === "gold" ? it.asked : it.runs[Number(source)]?.asked);
// Marks where the passage covers an option, or a question without options, in the same colours.
function coveredMarks(covered, evidence) {
  return covered?.flatMap(([, , start, end]) => { const number = numberAt(evidence, start); return number ? [{ start, end, class: hueOf(number), title: t("said-n", { n: number }) }] : []; }) || [];
}

// One mark per number in the passage: gold is framed, a method's evidence has a background.
function evidenceMarks(evidence, names) {
  const byNumber = new Map();
  for (const e of evidence) (byNumber.get(e.number) ?? byNumber.set(e.number, []).get(e.number)).push(e);
  const several = names.length > 1;
  return [...byNumber.values()].map((all) => {
    const first = all[0], sources = new Set(all.map((e) => e.source));
    const classes = several ? [sources.has("gold") && "ev-gold", (sources.size > 1 || !sources.has("gold")) && "ev"].filter(Boolean).join(" ") : "ev";
    const methodNames = several ? ": " + list(names.filter(([source]) => sources.has(source)).map(([, name]) => name)) : "";
    return { start: first.start, end: first.end, class: classes, badge: String(first.number), title: t("evidence-n", { n: first.number }) + methodNames };
  });
}
// If not exactly one option is right, the question's gold belongs to no single option: it is compared
// with the evidence of all of them, as in `evidence.*`.
const sharedGold = (i, evidence) => typeof Q().gold[i] !== "string" && evidence.some((e) => e.source === "gold" && !e.label);
// The gold of one option; the question's gold belongs to the right option, or to a question without options.
function goldFor(evidence, label, isRight) {
  const gold = evidence.filter((e) => e.source === "gold"), own = gold.filter((e) => e.label === label);
  return own.length ? own : label === "" || isRight ? gold.filter((e) => !e.label) : [];
}
function methodComparison(evidence, names, label, isRight) {
  const gold = uniqueNumbers(goldFor(evidence, label, isRight));
  const line = ([source, name]) => {
    const numbers = source === "gold" ? gold : uniqueNumbers(evidence.filter((e) => e.source === source && (e.label === label || !e.label)));
    const missed = source === "gold" ? [] : gold.filter((n) => !numbers.includes(n));
    const kindOf = (n) => (source === "gold" ? "is-gold" : !gold.length ? "plain" : missed.includes(n) ? "missed" : gold.includes(n) ? "hit" : "extra");
    const shown = [...numbers, ...missed].sort((a, b) => a - b);
    return [h("dt", null, h("bdi", null, name)), h("dd", null, shown.length ? shown.map((n) => findingButton(n, kindOf(n))) : h("span", { title: t("evidence.nothing") }, DASH))];
  };
  // Evidence of the question as a whole is shown only where there is gold to compare it with.
  const shownSources = names.filter(([source]) => gold.length || evidence.some((e) => e.source === source && e.source !== "gold" && e.label));
  if (!shownSources.length && label) return null;
  return h("dl", { class: "methods", "data-option": label }, shownSources.map(line));
}
function findingButton(number, kind) {
  const button = numberButton(number);
  button.className = "finding " + kind;
  button.title = button.ariaLabel = `${t("evidence-n", { n: number })}: ${t("finding." + kind)}`;
  return button;
}
const findingsKey = (gold) => h("div", { class: "key" }, (gold ? ["is-gold", "hit", "extra", "missed"] : ["plain"]).map((kind) => h("span", null, h("span", { class: "finding " + kind }, "n"), " ", t("finding." + kind))));

// The query with each word shaded by its weight within the step; the weights are listed below.
function attentionDetails(it, evidence, label, i) {
  const runs = it.runs.map((prediction, r) => [r, prediction?.attention?.[label]]).filter(([, attention]) => attention?.steps.length);
  return runs.map(([r, attention]) => h("details", { class: "attention", open: label === state.opt || null }, h("summary", null, t("attention"), DATA.runs.length > 1 && [": ", h("bdi", null, DATA.runs[r].name)]),
    h("ol", null, attention.steps.map((step) => attentionStep(attention.query, step, evidence, passageOf(i)?.text)))));
}
const LISTED = 8;
const truncate = (text) => (text.length > 40 ? text.slice(0, 39) + "…" : text);
function attentionStep(query, { words, found }, evidence, text) {
  const from = codePoints(query), level = new Array(from.length).fill(0);
  const most = Math.max(...words.map(([, , weight]) => weight), 1e-9);
  for (const [start, end, weight] of words) for (let k = start; k < end; k++) level[k] = Math.max(level[k], weight / most);
  const shades = [];
  for (let a = 0; a < from.length;) {
    let b = a + 1;
    while (b < from.length && level[b] === level[a]) b++;
    const says = sliceText(from, a, b);
    shades.push(level[a] ? h("span", { class: "shade", title: (level[a] * most).toFixed(2), style: { "--share": level[a].toFixed(3) } }, says) : says);
    a = b;
  }
  const heaviest = [...words].sort((a, b) => b[2] - a[2] || a[0] - b[0]).slice(0, LISTED);
  const sentence = evidence.find((e) => isSame(e, { start: found[0], end: found[1] }));
  return h("li", null, h("p", { class: "query", dir: "auto" }, shades),
    h("p", { class: "weights" }, heaviest.map(([start, end, weight]) => h("span", { class: "nowrap" }, h("bdi", null, sliceText(from, start, end)), ` ${weight.toFixed(2)}`))),
    (sentence || text) && h("p", { class: "weights" }, t("attention.found"), " ", sentence ? numberButton(sentence.number) : h("bdi", null, truncate(sliceText(codePoints(text), found[0], found[1])))));
}

// Four cells that link to the list: right or wrong answer by right or wrong evidence.
const CELLS = ["both", "answer_only", "evidence_only", "neither"];
function joinedTable(run, r) {
  const runHeading = DATA.runs.length > 1 && h("h3", null, h("bdi", null, run.name));
  if (run.notJoined) return h("div", { class: "joined" }, runHeading, h("p", { class: "soft" }, t("joined.missing", run.notJoined)));
  if (!run.joined) return null;
  const { metrics, breakdowns } = run.joined, tally = [0, 0, 0, 0];
  Q().runs[r].cell.forEach((cell) => { if (cell >= 0) tally[cell]++; });
  const cell = (k) => h("td", { class: "n" }, tally[k] ? h("a", { href: hashOf({ ...EMPTY, lang: state.lang, run: String(r), view: "questions", cell: CELLS[k] }), title: t("cell." + CELLS[k]) }, count(tally[k])) : h("span", { class: "zero" }, "0"), h("br"), interval(metrics[CELLS[k]]));
  const line = (k, label) => h("tr", null, h("th", { scope: "row" }, label), cell(k), cell(k + 1));
  const groups = ["sentences", "distance"].flatMap((by) => Object.entries(breakdowns[by] || {}).map(([value, it]) => h("tr", null, h("td", { class: "nowrap" }, t("joined." + by), " ", translateName("value", value)), h("td", { class: "n" }, interval(it)), h("td", { class: "n soft scored" }, /over (\d+) options/.exec(it.note || "")?.[1] ?? count(it.n_scored)))));
  return h("div", { class: "joined" }, runHeading,
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
