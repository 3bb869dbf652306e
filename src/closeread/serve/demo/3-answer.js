// The answer with its confidence, its evidence, and what the evidence does not cover.
const predictionOf = () => ({ evidence: [], candidates: [], option_scores: [], note: "", error: "", ...lastAnswer.reply.predictions[0] });
const coverageOf = (label) => (lastAnswer.reply.coverage?.[0] ?? []).filter((one) => (one.option_label ?? "") === label);
const sentencesOf = () => numberEvidence(predictionOf().evidence.flatMap((one) => (one.spans ?? []).map(([start, end]) => ({ start, end, label: one.option_label ?? "" }))));

// The spans of a claim that all of its evidence leaves uncovered.
function uncoveredIn(claim, label) {
  const pieces = coverageOf(label).filter((one) => one.claim === claim);
  if (!pieces.length) return [];
  const counts = new Uint16Array(codePoints(claim).length + 1);
  for (const one of pieces) for (const [start, end] of one.uncovered ?? []) for (let at = start; at < end; at++) counts[at]++;
  const spans = [];
  counts.forEach((count, at) => {
    if (count !== pieces.length) return;
    const last = spans[spans.length - 1];
    if (last && last[1] === at) last[1]++; else spans.push([at, at + 1]);
  });
  return spans;
}

// The covered spans of a claim: [start, end] in it and in the passage, without overlaps.
function coveredIn(claim, label) {
  const spans = coverageOf(label).filter((one) => one.claim === claim).flatMap((one) => (one.covered ?? []).map((match) => [...match.option_span, ...match.passage_span]));
  spans.sort((x, y) => x[0] - y[0] || y[1] - x[1]);
  let lastEnd = 0;
  return spans.filter(([start, end]) => { const isFree = start >= lastEnd; if (isFree) lastEnd = end; return isFree; });
}
const renderOption = (claim, label, sentences) => renderClaim(claim, uncoveredIn(claim, label), coveredIn(claim, label), sentences.filter((one) => one.label === label));

function renderPassage() {
  const { asked } = lastAnswer, { answer } = predictionOf(), text = asked.passage;
  const sentences = sentencesOf(), evidence = sentences.filter((one) => !shownOption || one.label === shownOption);
  const first = new Map(evidence.map((one) => [one.number, one]).reverse());
  const marks = [...first.values()].map((one) => ({ ...one, class: "ev", badge: String(one.number), title: t("evidence-n", { n: one.number }) }));
  if (shownOption || !asked.options.length) {
    const claim = shownOption ? asked.options[LETTERS.indexOf(shownOption)] : asked.question;
    for (const [, , start, end] of coveredIn(claim, shownOption)) {
      const number = numberAt(evidence, start);
      if (number) marks.push({ start, end, class: hueOf(number), title: t("said-n", { n: number }) });
    }
  }
  if (answer && !["choice", "none"].includes(answer.kind)) {
    const spans = answer.spans?.length ? answer.spans : (answer.texts ?? []).flatMap((one) => uniqueOccurrence(one, text));
    for (const [start, end] of spans) marks.push({ start, end, class: "said-here", title: t("answer") });
  }
  const language = languageOf(text);
  return h("article", { class: "passage", id: "marked", lang: language, dir: "auto", tabindex: "0", "aria-label": t("passage") }, renderMarked(text, marks, language));
}

// Scores that sum to at most one are shown as percentages, others unchanged.
function scoreScale(candidates) {
  const sum = candidates.reduce((all, one) => all + one.score, 0);
  const shares = candidates.length > 0 && candidates.every((one) => one.score >= 0) && sum <= 1.001;
  const scores = candidates.map((one) => one.score), low = shares ? 0 : Math.min(...scores), high = shares ? 1 : Math.max(...scores);
  const places = scores.every(Number.isInteger) ? 0 : 3;
  return { format: (score) => (shares ? `${percent(score)}%` : score.toFixed(places).replace("-", "−")), share: (score) => (high > low ? (score - low) / (high - low) : 1) };
}

// Without an answer, a reader with candidates or scores was unsure; one without cannot answer such questions.
function silenceReason({ answer, candidates, option_scores: scores, note }) {
  if (/(^|; )withheld: /.test(note)) return "no-answer-unsure";
  if (candidates.length || scores.length) return answer ? "no-answer-why" : "no-answer-unsure";
  return lastAnswer.asked.options.length ? "no-answer-choice" : "no-answer-options";
}

function renderAnswer(prediction) {
  const { answer } = prediction, { options } = lastAnswer.asked;
  if (!answer || answer.kind === "none" || !(answer.label || answer.texts?.length)) {
    return h("p", { class: "told" }, h("span", { class: "filled none" }, t("no-answer")), h("span", { class: "with soft" }, t(silenceReason(prediction))));
  }
  if (answer.kind === "choice") {
    return h("p", { class: "told" }, h("span", { class: "filled" }, answer.label), h("span", { class: "with" }, options[LETTERS.indexOf(answer.label)] ?? (answer.texts ?? []).join(" ")));
  }
  return h("p", { class: "told" }, answer.texts.map((text, k) => [k > 0 && " ", h("span", { class: "filled" }, text)]));
}
const answerText = ({ answer }) => (!answer || answer.kind === "none" ? t("no-answer") : answer.label || list(answer.texts ?? []));

function confidenceBox(confidence) {
  if (typeof confidence !== "number") return null;
  const isShare = confidence >= 0 && confidence <= 1;
  return h("div", { class: "sure" }, h("h2", null, t("confidence")), h("b", null, isShare ? `${percent(confidence)}%` : formatScore(confidence).replace("-", "\u2212")), isShare && h("i", { style: { "--share": confidence } }));
}

// A button that shows an option's evidence; evidence that is not marked is marked first.
function evidenceButton(number, label) {
  const button = numberButton(number);
  if (shownOption && shownOption !== label) button.addEventListener("click", () => { shownOption = label; render(); document.getElementById(`show-${label}`).focus({ preventScroll: true }); scrollToEvidence(number); });
  return button;
}

function optionRows(prediction, sentences) {
  const { options } = lastAnswer.asked, byLabel = new Map(prediction.candidates.map((one) => [one.answer.label, one.score]));
  const hasAllScores = options.every((_, k) => byLabel.has(LETTERS[k]));
  const scores = hasAllScores ? options.map((_, k) => byLabel.get(LETTERS[k])) : prediction.option_scores;
  const { format, share } = scoreScale(scores.map((score) => ({ score })));
  const row = (text, k) => {
    const label = LETTERS[k], isChosen = prediction.answer?.label === label;
    const numbers = uniqueNumbers(sentences.filter((one) => one.label === label));
    const raw = prediction.option_scores[k];
    return h("li", { class: "option" + (shownOption === label ? " on" : "") },
      h("span", { class: "mark" + (isChosen ? " said" : ""), title: isChosen ? t("chosen") : null }, label, isChosen && h("span", { class: "sr" }, t("chosen"))),
      h("div", { class: "says" }, renderOption(text, label, sentences), numbers.length > 0 && [" ", numbers.map((number) => evidenceButton(number, label))]),
      scores.length ? h("div", { class: "score share" + (isChosen ? " top" : ""), title: raw === undefined ? null : t("score-why", { score: formatScore(raw) }), style: { "--share": share(scores[k]) } }, format(scores[k]), h("i")) : h("span"));
  };
  const labelled = LETTERS.slice(0, options.length).split("").filter((label) => sentences.some((one) => one.label === label));
  const showOption = (label) => { shownOption = label; render(); scrollToMark(); document.getElementById(`show-${label}`).focus(); };
  return h("div", { class: "part" },
    h("div", { class: "label" }, h("h2", null, t("options")), h("button", { class: "link", type: "button", on: { click: () => startEditing("options", "option-0") } }, t("edit-options"))),
    h("p", { class: "polarity" }, t("asks"), " ", h("b", null, t(`asks.${lastAnswer.asked.asks}`))),
    h("ul", { class: "options" }, options.map(row)),
    scores.length > 0 && scoreRemark(),
    labelled.length > 0 && h("div", { class: "evbar" }, t("evidence-of"), h("span", { class: "segment", role: "group", "aria-label": t("evidence-of") },
      ["", ...labelled].map((label) => h("button", { type: "button", id: `show-${label}`, "aria-pressed": String(label === shownOption), on: { click: () => showOption(label) } }, label || t("evidence.every"))))));
}

// Only the answer's confidence is calibrated; the remark says that the scores are not probabilities.
const scoreRemark = () => DATA.learned.length > 0 && h("p", { class: "soft own" }, t("own-numbers"));

// One row per text: a reader may find it at several places, each with its own score.
function groupByText(candidates) {
  const rows = new Map();
  for (const { answer, score } of candidates) {
    const text = answer.kind === "none" ? "" : answer.label || list(answer.texts ?? []), row = rows.get(text);
    if (row) row.places++; else rows.set(text, { says: text, score, places: 1 });
  }
  return [...rows.values()].slice(0, 5);
}
function otherAnswers({ candidates }) {
  const rows = groupByText(candidates);
  if (rows.length < 2) return null;
  const { format, share } = scoreScale(candidates);
  return h("div", { class: "part" }, h("h2", { class: "label" }, t("alternatives")),
    h("ol", { class: "others" }, rows.map(({ says, score, places }, k) => h("li", null,
      says ? h("span", { class: "says" }, says, places > 1 && h("span", { class: "soft" }, ` ${t("places", { n: places })}`)) : h("span", { class: "none" }, t("no-answer")),
      h("span", { class: "score share" + (k ? "" : " top"), style: { "--share": share(score) } }, format(score), h("i"))))), scoreRemark());
}

function evidencePart(sentences) {
  const from = codePoints(lastAnswer.asked.passage);
  const numbers = uniqueNumbers(sentences).map((number) => sentences.find((one) => one.number === number));
  return h("div", { class: "part" }, h("h2", { class: "label" }, t("evidence")),
    numbers.length ? h("ul", { class: "sentences" }, numbers.map((one) => h("li", null, numberButton(one.number), h("span", { class: "says", lang: languageOf(lastAnswer.asked.passage) }, sliceText(from, one.start, one.end)))))
      : h("p", { class: "soft" }, t("evidence.none")));
}

function claimPart(sentences) {
  const { question } = lastAnswer.asked;
  if (!coverageOf("").some((one) => one.claim === question)) return null;
  return h("div", { class: "part" }, h("h2", { class: "label" }, t("claim")), h("p", { class: "claim", lang: languageOf(question) }, renderOption(question, "", sentences)));
}

function marksKey(sentences) {
  const { options } = lastAnswer.asked, coverages = options.length ? [...LETTERS.slice(0, options.length)].flatMap(coverageOf) : coverageOf("");
  const marks = [sentences.length && h("span", null, h("span", { class: "ev" }, t("key.evidence"))),
    coverages.some((one) => one.covered?.length) && h("span", null, h("span", { class: hueOf(1) }, t(options.length ? "said" : "said-question")), h("sup", { class: "cov-n" }, "n")),
    coverages.some((one) => one.uncovered?.length) && h("span", { class: "loose" }, t("loose"))].filter(Boolean);
  return marks.length > 0 && h("div", { class: "key" }, marks);
}

// Says which retriever found the evidence, because readers of the page would assume the reader did.
function retrieverNote() {
  const name = (lastAnswer.reply.coverage?.[0] ?? []).find((one) => one.found_by)?.found_by;
  return name && h("p", { class: "soft found-by" }, t("found-by", { name }));
}

function renderResult() {
  if (failure) return failureBox();
  if (!lastAnswer) return h("p", { class: "empty soft" }, t("empty"));
  const prediction = predictionOf(), sentences = sentencesOf(), { asked, reply, took } = lastAnswer;
  const time = took < 1000 ? `${Math.max(1, Math.round(took))} ms` : `${(took / 1000).toFixed(1)} s`;
  return [
    h("div", { class: "verdict" }, h("div", null, h("h2", null, t("answer")), renderAnswer(prediction)), confidenceBox(prediction.confidence)),
    typeof prediction.confidence === "number" && h("p", { class: "why soft" }, DATA.learned.length ? t(DATA.elsewhere ? "confidence-elsewhere" : "confidence-learned", { sets: list(DATA.learned) }) : t("confidence-why")),
    asked.options.length ? optionRows(prediction, sentences) : [evidencePart(sentences), claimPart(sentences), otherAnswers(prediction)],
    marksKey(sentences),
    retrieverNote(),
    prediction.note && h("details", { class: "note" }, h("summary", null, t("reasons")), h("p", null, prediction.note)),
    h("p", { class: "took" }, t("took", { reader: reply.reader, time })),
  ];
}
function failureBox() {
  return h("div", { class: "trouble", role: "alert" }, h("h2", null, t(failure.what)), failure.details.map((line) => h("p", null, line)),
    h("button", { class: "link", type: "button", id: "again", on: { click: sendQuestion } }, t("again")));
}
