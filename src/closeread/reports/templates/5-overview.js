// The first screen: the number, its interval and what limits trust in it; then its breakdowns.
function barFigure(summary, width, labelled) {
  const left = 1, right = width - 1, xOf = (x) => left + (right - left) * Math.min(1, Math.max(0, x));
  const y = 14;
  const parts = [s("line", { class: "axis", x1: left, x2: right, y1: y, y2: y })];
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(s("line", { class: "axis", x1: xOf(tick), x2: xOf(tick), y1: y - 4, y2: y + 4 }));
    if (labelled) parts.push(s("text", { x: xOf(tick), y: y + 20, "text-anchor": tick === 0 ? "start" : tick === 1 ? "end" : "middle" }, String(tick * 100)));
  }
  if (typeof summary.low === "number" && typeof summary.high === "number") {
    parts.push(s("rect", { x: xOf(summary.low), y: y - 9, width: Math.max(2, xOf(summary.high) - xOf(summary.low)), height: 18, rx: 2, fill: "var(--accent)", opacity: 0.35 }));
  }
  if (typeof summary.value === "number") parts.push(s("circle", { class: "dot", cx: xOf(summary.value), cy: y, r: 4.5 }));
  return s("svg", { class: "bar-figure", viewBox: `0 0 ${width} ${labelled ? 38 : 28}`, role: "img", "aria-label": t("interval-of", { value: typeof summary.value === "number" ? percent(summary.value) : DASH, low: typeof summary.low === "number" ? percent(summary.low) : DASH, high: typeof summary.high === "number" ? percent(summary.high) : DASH }) }, parts);
}
const shortName = (metric) => translateName("metric", metric.split("~")[0].split(".").slice(1).join(".") || metric);
function counts(summary, evidenceOnly) {
  return h("p", { class: "counts" },
    h("span", null, "n = ", h("b", null, count(summary.n_questions)), ` ${t("unit." + summary.unit)}`),
    summary.n_scored !== summary.n_questions && h("span", null, t("scored"), " ", h("b", null, count(summary.n_scored))),
    !evidenceOnly && h("span", null, t("answered"), " ", h("b", null, count(summary.n_answered))),
    h("span", { class: summary.n_failed ? "bad" : null }, t("failed"), " ", h("b", null, count(summary.n_failed || 0))));
}
function headline(run) {
  const chief = run.metrics[run.headline];
  if (!chief) return h("div", null, h("p", { class: "soft" }, t("no-metrics")));
  const hasValue = typeof chief.value === "number";
  return h("div", null,
    h("p", { class: "figure-label" }, shortName(run.headline), " ", h("code", null, run.headline)),
    h("p", { class: "figure", title: hasValue ? null : translateNote(chief.note) || t("no-value") }, hasValue ? percent(chief.value) : DASH, hasValue && h("small", null, "%")),
    barFigure(chief, 400, true),
    typeof chief.low === "number" && h("p", { class: "soft" }, t("interval-line", { level: run.level, low: percent(chief.low), high: percent(chief.high) })),
    counts(chief, run.evidenceOnly), chief.note && h("p", { class: "soft note" }, translateNote(chief.note)));
}
// One or a few runs: a row per metric, a column per run. Many runs: transposed.
function metricsTable(runs) {
  let names = [...new Set(runs.flatMap((run) => Object.keys(run.metrics)))];
  if (!names.length) return null;
  // With many metrics, most variants and values by answer type are hidden first.
  const first = new Set(runs.flatMap((run) => run.first));
  names = [...first, ...names.filter((name) => !first.has(name))];
  const crowded = names.length > 9;
  const chief = runs[0].headline;
  const many = runs.length > 1;
  const missing = (run) => h("span", { title: t("not-computed", { run: run.name }) }, DASH);
  if (runs.length > 5) {
    names = names.filter((name) => first.has(name)).sort((a, b) => (b === chief) - (a === chief)); // the table may be wider than the page
    return h("div", { class: "scroll" }, h("table", null,
      h("thead", null, h("tr", null, h("th", null, t("run")), names.map((name) => h("th", { class: "n" }, name)))),
      h("tbody", null, runs.map((run) => h("tr", null, h("td", null, h("bdi", null, run.name)),
        names.map((name) => h("td", { class: "n", title: run.metrics[name]?.signature }, run.metrics[name] ? interval(run.metrics[name]) : missing(run))))))));
  }
  const body = h("tbody");
  for (const name of names) {
    const proof = h("tr", { class: "proof", hidden: true }, h("td", { colspan: 2 + runs.length },
      runs.filter((run) => run.metrics[name]).map((run) => {
        const summary = run.metrics[name];
        return h("p", null, many && h("b", null, h("bdi", null, run.name), ": "), h("code", null, summary.signature), h("br"),
          t("proof", { n: count(summary.n_questions), scored: count(summary.n_scored), answered: count(summary.n_answered), failed: count(summary.n_failed || 0), unit: t("unit." + summary.unit) }),
          summary.note && [" ", translateNote(summary.note)]);
      })));
    const button = h("button", { class: "metric", type: "button", "aria-expanded": "false", title: t("show-signature"), on: { click: () => {
      proof.hidden = !proof.hidden;
      button.setAttribute("aria-expanded", String(!proof.hidden));
    } } }, name);
    body.append(h("tr", { class: [name === chief && "chief", crowded && !first.has(name) && "rest"].filter(Boolean).join(" ") || null, hidden: crowded && !first.has(name) }, h("td", null, button),
      runs.map((run) => h("td", { class: "n" }, run.metrics[name] ? interval(run.metrics[name]) : missing(run))),
      !many && h("td", { class: "n soft scored" }, count(runs[0].metrics[name].n_scored))), proof);
  }
  const rest = body.querySelectorAll("tr.rest");
  const more = rest.length > 0 && h("button", { class: "quiet more", type: "button", on: { click: () => { for (const line of rest) line.hidden = false; more.remove(); } } }, t("all-metrics", { n: names.length }));
  return h("div", { class: "scroll" + (runs.length > 2 ? " stacked" : "") }, h("table", null, h("thead", null, h("tr", null, h("th", null, t("metric")),
    runs.map((run) => h("th", { class: "n" }, many ? h("bdi", null, run.name) : t("value-interval"))), !many && h("th", { class: "n scored" }, "n"))), body), more);
}
function facts() {
  const rows = [];
  const describeReader = (run) => {
    const options = Object.entries(run.options).map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
    const { method, least, elsewhere } = run.confidences ?? {};
    const calibration = method && ` · ${t("recalibrated", { method })}${elsewhere ? `, ${t("elsewhere")}` : ""}${least ? `, ${t(least === "none" ? "silent" : "silent-below", { least })}` : ""}`;
    return (options && ` (${options})`) + (run.address && ` · ${run.address}`) + (calibration ?? "");
  };
  const readers = new Set(DATA.runs.map((run) => run.reader + describeReader(run)));
  if (DATA.runs.length === 1 || (haveOwnDatasets() && readers.size === 1)) {
    const run = DATA.runs[0];
    rows.push([t(run.evidenceOnly ? "retriever" : "reader"), [h("b", null, run.reader), describeReader(run)]]);
  } else {
    DATA.runs.forEach((run, r) => rows.push([`${t("run")} ${r + 1}`, [h("b", null, h("bdi", null, run.name)), " · ", run.reader, describeReader(run), DATA.datasets.length > 1 && ` · ${DATA.datasets[run.dataset].name}`]]));
  }
  const hasSeveral = DATA.datasets.length > 1;
  for (const set of DATA.datasets) {
    const licence = set.license ? h("bdi", null, set.license) : t("licence-unknown");
    rows.push([t("dataset"), [h("b", null, set.name), set.version && set.version !== set.name && ` ${set.version}`, ` · ${set.format} · `, t("n-questions", { n: count(set.n_questions) }), hasSeveral && [` · ${t("licence")}: `, licence]]]);
    if (!hasSeveral) rows.push([t("licence"), licence]);
  }
  const factList = h("dl", { class: "facts" }, rows.map(([dt, dd]) => [h("dt", null, dt), h("dd", null, dd)]));
  return rows.length <= 9 ? factList : h("details", null, h("summary", null, t("runs-and-sets", { n: DATA.runs.length, sets: DATA.datasets.length })), factList);
}
function notices() {
  if (!DATA.notices.length) return null;
  const renderNotice = ({ code, params, run }) => h("li", null, DATA.runs.length > 1 && run !== null && [h("bdi", null, DATA.runs[run].name), ": "],
    t("notice." + code, params),
    params.items && ` (${params.items.map(([name, n]) => `${translateName("defect", name)} ${count(n)}`).join(", ")})`,
    params.filter && [" ", h("a", { href: hashOf({ ...EMPTY, lang: state.lang, view: "questions", run: String(run ?? 0), status: params.filter }) }, t("show-them"))]);
  return h("aside", { class: "notices", "aria-label": t("trust") }, h("h2", null, t("trust")), h("ul", null, DATA.notices.map(renderNotice)));
}
// Links to questions worth reading, each a filter of the list.
function readingLinks(run) {
  const tally = { right: 0, partly: 0, wrong: 0, unanswered: 0, failed: 0, differ: 0 };
  for (let i = 0; i < Q().n; i++) {
    if (!covers(run, i)) continue;
    tally[statusOf(run, i)]++;
    if (DATA.runs.length > 1 && disagreement(i) > 0) tally.differ++;
  }
  const hasConfidence = Q().runs[run].confidence.some((c) => c !== null);
  const entries = [["wrong", { status: "wrong", sort: hasConfidence ? "-confidence" : "" }, "wrong", hasConfidence && "surest-first"], ["partly", { status: "partly", sort: "score" }, "partly", "worst-first"],
    ["right", { status: "right", sort: hasConfidence ? "confidence" : "" }, "right", hasConfidence && "unsure-first"], ["unanswered", { status: "unanswered" }, "unanswered"],
    ["failed", { status: "failed" }, "failed"], ["differ", { status: "differ", sort: "-disagreement" }, "differ", "most-first"]];
  const available = entries.filter(([name]) => tally[name]);
  return available.length > 0 && h("nav", { class: "reading" }, h("h2", null, t("which-to-read"), DATA.runs.length > 1 && !haveOwnDatasets() && [" · ", h("bdi", null, DATA.runs[run].name)]), h("div", { class: "ways" }, available.map(([name, patch, label, first]) =>
    h("a", { href: hashOf({ ...EMPTY, lang: state.lang, run: String(run), view: "questions", ...patch }) },
      h("b", null, count(tally[name])), h("span", null, name === "differ" ? null : [icon(name), " "], t("status." + label), first && h("small", null, t("way." + first)))))));
}
// Paired comparisons: the runs' intervals do not show that they share their questions.
function comparisonTables() {
  const comparison = DATA.differences[lang];
  if (!comparison) return null;
  const cellAttributes = (table, k) => (k < table.left ? null : { class: "n" });
  const row = (table, cells, k) => h("tr", table.parts.includes(k) ? { class: "part" } : null, cells.map((text, c) => h("td", cellAttributes(table, c), h("bdi", null, text))));
  return h("section", { class: "differences" }, h("h2", null, comparison.title), comparison.tables.map((table) => [h("h3", null, h("bdi", null, table.caption)),
    h("div", { class: "scroll" }, h("table", null,
      h("thead", null, h("tr", null, table.headings.map((text, c) => h("th", cellAttributes(table, c), h("bdi", null, text))))),
      h("tbody", null, table.rows.map((cells, k) => row(table, cells, k))))),
    h("p", { class: "soft" }, table.note)]),
    comparison.remarks.length > 0 && h("ul", { class: "soft" }, comparison.remarks.map((text) => h("li", null, h("bdi", null, text)))));
}
function mrqaTable() {
  const table = DATA.mrqa;
  if (!table) return null;
  const hasSeveral = table.systems.length > 1;
  const cell = (pair, reason, n) => h("td", { class: "n" }, pair ? [h("b", null, decimal(pair[0])), " / ", decimal(pair[1]), n ? h("span", { class: "between" }, `n ${count(n)}`) : null] : h("span", { title: reason }, DASH));
  const row = (label, it, strong) => h("tr", null, h("td", null, strong ? h("b", null, label) : label), it.published.map((pair) => cell(pair, t("mrqa.none"))), it.ours.map((pair, k) => cell(pair, t("mrqa.no-run"), it.questions && it.questions[k])));
  const heads = [...table.models, ...(hasSeveral ? table.systems : [t("mrqa.ours")])];
  const isPartial = table.rows.some((it) => it.questions.some((n) => n !== null));
  return h("section", null, h("h2", null, t("mrqa.title")), h("p", { class: "soft" }, t("mrqa.lead")),
    h("div", { class: "scroll" }, h("table", null,
      h("thead", null, h("tr", null, h("th", null, t("dataset")), heads.map((name) => h("th", { class: "n" }, h("bdi", null, name))))),
      h("tbody", null, table.rows.map((it) => row(`${it.dataset} (${t("mrqa." + it.domain)})`, it)),
        table.averages.map((it) => row(t("mrqa.average-" + it.over), it, true))))),
    isPartial && h("p", { class: "soft" }, t("mrqa.part")));
}
// A few runs, each on its own data set, are shown side by side and not compared.
const haveOwnDatasets = () => DATA.runs.length > 1 && DATA.runs.length <= 3 && DATA.datasets.length === DATA.runs.length;
function renderMetrics() {
  const linksOf = (run) => Q().n > 0 && readingLinks(run);
  if (DATA.runs.length === 1) return h("div", { class: "first" }, h("div", null, headline(DATA.runs[0]), linksOf(0)), metricsTable(DATA.runs));
  if (haveOwnDatasets()) {
    return h("div", { class: "first apart" }, DATA.runs.map((run, r) => h("div", null, h("h2", null, h("bdi", null, DATA.datasets[run.dataset].name)), headline(run), linksOf(r), metricsTable([run]))));
  }
  if (!DATA.runs.some((run) => run.headline)) return linksOf(Number(state.run));
  const figure = (plot) => h("figure", { class: "plot" }, h("figcaption", null, h("h2", null, plotTitle(plot)), h("p", null, t("plot-note.runs", plot.params))), drawPlot(plot));
  return h("div", { class: "first many" }, DATA.runsPlots.map(figure), metricsTable(DATA.runs), comparisonTables(), linksOf(Number(state.run)));
}
function overview() {
  const names = [...new Set(DATA.runs.map((run) => run.reader))];
  const title = DATA.runs.length === 1 ? DATA.runs[0].name : haveOwnDatasets() && names.length === 1 ? names[0] : t("n-runs", { n: DATA.runs.length });
  return h("main", { class: "overview" }, h("h1", null, h("bdi", null, title)), facts(), notices(),
    renderMetrics(), joinedScores(), mrqaTable(),
    DATA.plots.length > 0 && h("section", null, h("h2", { class: "sr" }, t("where-from")), h("div", { class: "plots" }, DATA.plots.map(plotFigure))),
    h("footer", null, t("made-by", { version: DATA.version }), " · ", [...new Set(DATA.runs.map((run) => run.created))].sort().filter((_, k, all) => k === 0 || k === all.length - 1).join(" – "),
      DATA.datasets.map((set) => set.sha256 && [" · ", set.name, " sha256 ", h("code", null, set.sha256.slice(0, 16))])));
}
