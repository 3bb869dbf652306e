// One question: the marked passage, the options or answers, each run's prediction, and its variants.
function answerMarks(it, passage, run) {
  const marks = [];
  const spansOf = (answer) => (answer.kind === "choice" || answer.kind === "none" ? [] : answer.spans?.length ? answer.spans : (answer.texts || []).flatMap((text) => uniqueOccurrence(text, passage)));
  const golds = it.answers.flatMap(spansOf);
  const isNested = ([a, b]) => golds.some(([c, d]) => c <= a && b <= d && d - c > b - a);
  for (const [start, end] of golds) if (!isNested([start, end])) marks.push({ start, end, class: "gold-span", title: t("gold") });
  const prediction = it.runs[run];
  if (prediction?.answer) for (const [start, end] of spansOf(prediction.answer)) marks.push({ start, end, class: "said-span" + statusClass(it.statuses[run]), title: t("predicted") });
  return marks;
}
const statusClass = (kind) => (kind === "right" ? "" : kind === "partly" ? " part" : kind === "unscored" ? " open" : " off");
// A chosen option is right or wrong by gold, whatever the run's metric; it is never partly right.
const choiceClass = (kind, label, golds) => (kind === "unscored" ? " open" : golds.length ? (golds.includes(label) ? "" : " off") : kind === "partly" ? " off" : statusClass(kind));
function optionList(i, it, evidence, ev, names) {
  const texts = Q().options[i], labels = labelsOf(i), hasSeveralRuns = runsOf(i).length > 1, run = runAt(i);
  const scores = it.runs[run]?.option_scores || [], golds = lettersOf(Q().gold[i]);
  const maxScore = Math.max(...scores.map(Math.abs), 1e-9);
  return h("ul", { class: "options" }, texts.map((text, k) => {
    const label = labels[k], isGold = golds.includes(label), ownEvidence = evidence.filter((e) => e.label === label);
    const uncovered = uncoveredOf(it, names[0]?.[0]);
    const pickers = runsOf(i).filter((r) => lettersOf(Q().runs[r].answer[i]).includes(label));
    const isPicked = pickers.includes(run);
    const truth = it.option_truth[k], tags = Object.entries(it.option_tags[k] || {});
    const meaning = [isGold && t("gold"), isPicked && t("predicted")].filter(Boolean).join(", ");
    return h("li", { class: "option" + (isGold ? " is-gold" : "") },
      h("span", { class: "mark" + (isPicked ? " said" + choiceClass(it.statuses[run], label, golds) : ""), title: meaning || null }, label.length > 2 ? "" : label, meaning && h("span", { class: "sr" }, meaning)),
      h("div", { class: "says" }, renderClaim(text, uncovered[k] || [], coveredOf(it, names[0]?.[0])[k] || [], evidence.filter((e) => e.source === names[0]?.[0])), ev !== "all" && ownEvidence.length > 0 && [" ", uniqueNumbers(ownEvidence).map(numberButton)]),
      scores.length ? h("div", { class: "score", title: t("option-score") }, formatScore(scores[k] ?? 0), h("i", { style: { width: Math.round((44 * Math.max(0, scores[k] ?? 0)) / maxScore) + "px" } })) : h("span"),
      h("div", { class: "under" }, truth !== null && truth !== undefined && h("span", null, t(truth ? "true" : "false")),
        tags.map(([name, value]) => h("span", null, name === "truth" ? translateName("value", value) : `${translateName("tag", name)}: ${translateName("value", value)}`)),
        hasSeveralRuns && pickers.length > 0 && h("span", null, pickers.map((r) => [h("span", { class: "says-run" + choiceClass(it.statuses[r], label, golds), title: DATA.runs[r].name }, r + 1), " "]))),
      ev === "all" && methodComparison(evidence, names, label, isGold && !sharedGold(i, evidence)), attentionDetails(it, evidence, label, i));
  }));
}
function answerList(i, it) {
  const texts = it.answers.map((a) => (a.kind === "none" ? t("no-answer") : a.kind === "choice" ? a.label : list(a.texts || [])));
  const distinct = [...new Set(texts)];
  return h("dl", { class: "answers" },
    h("dt", null, t("gold")), h("dd", null, distinct.length ? distinct.map((text) => h("span", { class: "framed" + (it.answers[texts.indexOf(text)].kind === "none" ? " none" : ""), title: t("n-references", { n: texts.filter((x) => x === text).length }) }, text)) : h("span", { title: t("no-gold") }, DASH)),
    runsOf(i).filter((r) => !DATA.runs[r].evidenceOnly).map((r) => {
      const answer = formatAnswer(Q().runs[r].answer[i]);
      return [h("dt", null, runsOf(i).length > 1 ? h("bdi", null, DATA.runs[r].name) : t("predicted")),
        h("dd", null, icon(it.statuses[r]), answer === null ? h("span", { title: t("status." + it.statuses[r]) }, DASH) : h("span", { class: "filled" + statusClass(it.statuses[r]) }, answer || "“”"))];
    }));
}
function generationDetails(prediction) {
  const generation = prediction.generation;
  const text = generation.text || "";
  const stops = (generation.stops || []).map((stop) => (stop ? text.indexOf(stop) : -1)).filter((at) => at >= 0);
  const end = stops.length ? Math.min(...stops) : text.length;
  return h("details", { open: text.length < 600 }, h("summary", null, t("generation"), generation.finish_reason && ` · ${generation.finish_reason}`, generation.completion_tokens ? ` · ${count(generation.completion_tokens)} ${t("tokens")}` : ""),
    h("div", { class: "generation" }, text.slice(0, end), end < text.length && h("del", { title: t("cut-by-stop") }, text.slice(end)), generation.finish_reason === "length" && h("span", { class: "bad" }, ` ⟂ ${t("cut-by-length")}`)));
}
function predictionBox(r, i, it) {
  const prediction = it.runs[r];
  if (!prediction) return null;
  const values = Object.entries(prediction.scores || {});
  return h("div", { class: "runbox" }, h("h3", null, icon(it.statuses[r]), h("bdi", null, DATA.runs.length > 1 ? `${r + 1}. ${DATA.runs[r].name}` : DATA.runs[r].reader)),
    h("p", { class: "line" }, values.map(([name, value]) => h("span", null, name, " ", h("b", null, value === null ? DASH : percent(value)))),
      typeof prediction.confidence === "number" && h("span", null, t("confidence"), " ", h("b", null, formatScore(prediction.confidence))), typeof prediction.seconds === "number" && h("span", null, prediction.seconds < 0.1 ? `${Number((prediction.seconds * 1000).toPrecision(2))} ms` : `${Number(prediction.seconds.toPrecision(3))} s`)),
    prediction.error && h("p", { class: "error" }, prediction.error), prediction.note && h("p", { class: "soft" }, translateNote(prediction.note)),
    prediction.candidates?.length > 0 && h("details", { open: prediction.candidates.length <= 5 && !hasOptions(i) }, h("summary", null, t("n-best", { n: prediction.candidates.length })),
      h("table", null, prediction.candidates.slice(0, 20).map(({ answer, score }) => h("tr", null, h("td", { class: "iso" }, answer.label || (answer.texts || []).join(" | ") || t("no-answer")), h("td", { class: "n" }, formatScore(score)))))),
    prediction.generation && generationDetails(prediction));
}
function variantsSection(i) {
  const members = groupMembers(i);
  if (members.length < 2) return null;
  const order = ["original", "positive", "negative"], role = (k) => Q().role[k];
  const sorted = [...members].sort((a, b) => order.indexOf(role(a)) - order.indexOf(role(b)) || a - b).slice(0, 6);
  const first = sorted[0], run = runAt(i), base = labelsOfAll(first);
  const column = (k) => {
    const tags = detail(k).option_tags, gold = Q().gold[k], said = covers(run, k) ? Q().runs[run].answer[k] : null, golds = lettersOf(gold), saids = lettersOf(said);
    return h("div", { class: k === i ? "here" : "" }, h("h3", null, covers(run, k) && icon(statusOf(run, k)), k === i ? t("role." + (role(k) || "none")) : h("a", { href: hashOf(questionState(k)) }, t("role." + (role(k) || "none")))),
      h("p", { class: "stem" }, k === first ? Q().text[k] : renderDifference(Q().text[first], Q().text[k])),
      hasOptions(k) ? h("ul", null, Q().options[k].map((text, o) => {
        const label = labelsOf(k)[o], origin = base.get(tags[o]?.origin || label), kinds = (golds.includes(label) ? "gold " : "") + (saids.includes(label) ? "said" : "");
        const changeLabel = [tags[o]?.truth, tags[o]?.strategy].filter(Boolean).map((v) => translateName("value", v)).join(" · ");
        return h("li", null, letter(label, kinds), h("div", null, k === first || origin === undefined ? text : renderDifference(origin, text), changeLabel && k !== first && h("div", { class: "soft" }, changeLabel)));
      })) : h("p", null, h("span", { class: "framed" }, formatAnswer(Q().gold[k]) ?? DASH), " ", formatAnswer(said)));
  };
  return h("section", { class: "triple" }, h("h2", null, t("side-by-side")), h("p", { class: "soft" }, t("side-note")), h("div", { class: "side" }, sorted.map(column)));
}
const labelsOfAll = (k) => new Map(hasOptions(k) ? Q().options[k].map((text, o) => [labelsOf(k)[o], text]) : []);

function renderQuestion(i) {
  const run = runAt(i);
  const it = { gold_evidence: [], option_truth: [], option_tags: [], answers: [], ...detail(i) };
  it.statuses = DATA.runs.map((_, r) => (covers(r, i) ? statusOf(r, i) : null));
  const passage = passageOf(i), sources = evidenceSources(it);
  // With several methods, or evidence only, preselect the comparison.
  const preselected = sources[sources.length > 3 || DATA.runs[run].evidenceOnly ? sources.length - 1 : 0]?.[0];
  const source = sources.some(([name]) => name === state.ev) ? state.ev : preselected;
  const names = sources.filter(([name]) => name !== "all" && (source === "all" || name === source));
  const evidence = numberEvidence(names.flatMap(([name]) => evidenceOf(it, name)));
  // Show only one option's evidence if one is selected.
  const labelled = [...new Set(evidence.map((e) => e.label))].filter(Boolean).sort();
  const opt = labelled.includes(state.opt) ? state.opt : "";
  const marks = evidenceMarks(evidence.filter((e) => !opt || e.label === opt), names);
  const first = evidence.filter((e) => e.source === names[0]?.[0]), questionCoverage = questionCoverageOf(it, names[0]?.[0]);
  if (opt) marks.push(...coveredMarks(coveredOf(it, names[0]?.[0])[labelsOf(i).indexOf(opt)], first));
  if (questionCoverage) marks.push(...coveredMarks(questionCoverage.said, first));
  const listIndex = shownIds.indexOf(i), language = passage?.language || DATA.lang;
  const stepButton = (by, sign, label) => h("button", { class: "quiet", type: "button", title: label, "aria-label": label, disabled: listIndex < 0 || !(listIndex + by in shownIds), on: { click: () => moveBy(by) } }, sign);
  const tags = Q().tags.map((column) => [column.name, tagOf(column, i)]).filter(([, value]) => value !== null);
  return [
    h("div", { class: "where" }, h("a", { class: "back", href: hashOf({ q: "", d: "" }) }, "‹ ", t("list")), h("span", { class: "id" }, h("bdi", null, Q().id[i])), listIndex >= 0 && h("span", null, `${count(listIndex + 1)} / ${count(shownIds.length)}`),
      h("span", { class: "end" }, stepButton(-1, "↑ k", t("previous")), stepButton(1, "↓ j", t("next")))),
    h("div", { class: "two" },
      h("article", { class: "passage", lang: language, dir: "auto" }, passage ? [passage.title && h("h2", null, passage.title), renderMarked(passage.text, [...marks, ...answerMarks(it, passage.text, run)], language)] : h("p", { class: "soft" }, t("no-passage"))),
      h("div", null, h("h2", { class: "ask", lang: language, dir: "auto" }, questionCoverage ? renderClaim(Q().text[i], questionCoverage.loose, questionCoverage.said, first) : Q().text[i] || Q().id[i]),
        it.asks_for && h("p", { class: "polarity" }, t("asks-for"), " ", h("b", null, t("polarity." + it.asks_for))),
        sources.length > 0 && h("div", { class: "evbar" }, t("evidence"), h("span", { class: "segment" }, sources.map(([name, label]) => h("button", { type: "button", "aria-pressed": String(name === source), on: { click: () => navigate({ ev: name }, true) } }, label))),
          labelled.length > 1 && h("span", { class: "segment", role: "group", "aria-label": t("evidence.option") }, ["", ...labelled].map((label) => h("button", { type: "button", "aria-pressed": String(label === opt), on: { click: () => navigate({ opt: label }, true) } }, label || t("evidence.every")))),
          source !== "all" && uniqueNumbers(evidence.filter((e) => !e.label)).map(numberButton)),
        hasOptions(i) ? [optionList(i, it, evidence, source, names), source === "all" && sharedGold(i, evidence) && [h("p", { class: "polarity" }, t("evidence.shared")), methodComparison(evidence.map((e) => ({ ...e, label: "" })), names, "", true)]] : [answerList(i, it), source === "all" && methodComparison(evidence, names, "", true), attentionDetails(it, evidence, "", i)],
        source === "all" && findingsKey(names[0][0] === "gold"),
        h("div", { class: "key" }, h("span", null, h("span", { class: "framed" }, t("gold"))), !DATA.runs[run].evidenceOnly && h("span", null, t("predicted"), " ", h("span", { class: "filled" }, t("status.right")), " ", !hasOptions(i) && [h("span", { class: "filled part" }, t("status.partly")), " "], h("span", { class: "filled off" }, t("status.wrong")), Object.values(it.statuses).includes("unscored") && [" ", h("span", { class: "filled open" }, t("status.unscored"))]),
          (questionCoverage || hasOptions(i)) && evidence.length > 0 && [h("span", null, h("span", { class: hueOf(1) }, t("said")), h("sup", { class: "cov-n" }, "n")), h("span", { class: "loose" }, t("loose"))]),
        runsOf(i).map((r) => predictionBox(r, i, it)),
        tags.length > 0 && h("div", { class: "tagline" }, tags.map(([name, value]) => h("a", { class: "chip", href: hashOf({ tag: `${name}:${value}`, text: "", status: "" }) }, `${translateName("tag", name)}: ${translateName("value", value)}`))))),
    variantsSection(i),
  ];
}
