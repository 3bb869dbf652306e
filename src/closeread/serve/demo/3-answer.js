// The answer: what was said, how surely, on which sentences, and what they do not cover.
const predictionOf = () => ({ evidence: [], candidates: [], option_scores: [], note: "", error: "", ...answered.reply.predictions[0] });
const coverageOf = (label) => (answered.reply.coverage?.[0] ?? []).filter((one) => (one.option_label ?? "") === label);
const sentencesOf = () => numbered(predictionOf().evidence.flatMap((one) => (one.spans ?? []).map(([start, end]) => ({ start, end, label: one.option_label ?? "" }))));

// What none of a claim's evidence says: the places that every piece of it leaves uncovered.
function looseIn(claim, label) {
  const told = coverageOf(label).filter((one) => one.claim === claim);
  if (!told.length) return [];
  const counts = new Uint16Array(points(claim).length + 1);
  for (const one of told) for (const [start, end] of one.uncovered ?? []) for (let at = start; at < end; at++) counts[at]++;
  const found = [];
  counts.forEach((count, at) => {
    if (count !== told.length) return;
    const last = found[found.length - 1];
    if (last && last[1] === at) last[1]++; else found.push([at, at + 1]);
  });
  return found;
}

// What the evidence says of a claim: [start, end] in it and in the passage, no two over one another.
function saidOf(claim, label) {
  const found = coverageOf(label).filter((one) => one.claim === claim).flatMap((one) => (one.covered ?? []).map((match) => [...match.option_span, ...match.passage_span]));
  found.sort((x, y) => x[0] - y[0] || y[1] - x[1]);
  let at = 0;
  return found.filter(([start, end]) => { const free = start >= at; if (free) at = end; return free; });
}
const laid = (claim, label, sentences) => laidOver(claim, looseIn(claim, label), saidOf(claim, label), sentences.filter((one) => one.label === label));

function passageMarked() {
  const { asked } = answered, { answer } = predictionOf(), text = asked.passage;
  const sentences = sentencesOf(), evidence = sentences.filter((one) => !showing || one.label === showing);
  const first = new Map(evidence.map((one) => [one.number, one]).reverse());
  const marks = [...first.values()].map((one) => ({ ...one, class: "ev", badge: String(one.number), title: t("evidence-n", { n: one.number }) }));
  if (showing || !asked.options.length) {
    const claim = showing ? asked.options[LETTERS.indexOf(showing)] : asked.question;
    for (const [, , start, end] of saidOf(claim, showing)) {
      const number = numberAt(evidence, start);
      if (number) marks.push({ start, end, class: hueOf(number), title: t("said-n", { n: number }) });
    }
  }
  if (answer && !["choice", "none"].includes(answer.kind)) {
    const spans = answer.spans?.length ? answer.spans : (answer.texts ?? []).flatMap((one) => onlyPlace(one, text));
    for (const [start, end] of spans) marks.push({ start, end, class: "said-here", title: t("answer") });
  }
  const language = languageOf(text);
  return h("article", { class: "passage", id: "marked", lang: language, dir: "auto", tabindex: "0", "aria-label": t("passage") }, marked(text, marks, language));
}

// Scores that add up to one are shares, and shown as such; others are shown as they are.
function scale(candidates) {
  const sum = candidates.reduce((all, one) => all + one.score, 0);
  const shares = candidates.length > 0 && candidates.every((one) => one.score >= 0) && sum <= 1.001;
  const scores = candidates.map((one) => one.score), low = shares ? 0 : Math.min(...scores), high = shares ? 1 : Math.max(...scores);
  const places = scores.every(Number.isInteger) ? 0 : 3;
  return { told: (score) => (shares ? `${percent(score)}%` : score.toFixed(places).replace("-", "−")), part: (score) => (high > low ? (score - low) / (high - low) : 1) };
}

// A reader that weighed something found nothing or was not sure; one that did not takes no such question.
function whySilent({ answer, candidates, option_scores: scores, note }) {
  if (/(^|; )withheld: /.test(note)) return "no-answer-unsure";
  if (candidates.length || scores.length) return answer ? "no-answer-why" : "no-answer-unsure";
  return answered.asked.options.length ? "no-answer-choice" : "no-answer-options";
}

function saying(prediction) {
  const { answer } = prediction, { options } = answered.asked;
  if (!answer || answer.kind === "none" || !(answer.label || answer.texts?.length)) {
    return h("p", { class: "told" }, h("span", { class: "filled none" }, t("no-answer")), h("span", { class: "with soft" }, t(whySilent(prediction))));
  }
  if (answer.kind === "choice") {
    return h("p", { class: "told" }, h("span", { class: "filled" }, answer.label), h("span", { class: "with" }, options[LETTERS.indexOf(answer.label)] ?? (answer.texts ?? []).join(" ")));
  }
  return h("p", { class: "told" }, answer.texts.map((text, k) => [k > 0 && " ", h("span", { class: "filled" }, text)]));
}
const spoken = ({ answer }) => (!answer || answer.kind === "none" ? t("no-answer") : answer.label || list(answer.texts ?? []));

function sure(confidence) {
  if (typeof confidence !== "number") return null;
  const share = confidence >= 0 && confidence <= 1;
  return h("div", { class: "sure" }, h("h2", null, t("confidence")), h("b", null, share ? `${percent(confidence)}%` : spot(confidence).replace("-", "\u2212")), share && h("i", { style: { "--share": confidence } }));
}

// A number of an option whose evidence is not marked now: it is marked first.
function toEvidence(number, label) {
  const button = numberButton(number);
  if (showing && showing !== label) button.addEventListener("click", () => { showing = label; render(); document.getElementById(`show-${label}`).focus({ preventScroll: true }); jump(number); });
  return button;
}

function optionRows(prediction, sentences) {
  const { options } = answered.asked, byLabel = new Map(prediction.candidates.map((one) => [one.answer.label, one.score]));
  const has = options.every((_, k) => byLabel.has(LETTERS[k]));
  const scores = has ? options.map((_, k) => byLabel.get(LETTERS[k])) : prediction.option_scores;
  const { told, part } = scale(scores.map((score) => ({ score })));
  const row = (text, k) => {
    const label = LETTERS[k], said = prediction.answer?.label === label;
    const own = uniqueNumbers(sentences.filter((one) => one.label === label));
    const raw = prediction.option_scores[k];
    return h("li", { class: "option" + (showing === label ? " on" : "") },
      h("span", { class: "mark" + (said ? " said" : ""), title: said ? t("chosen") : null }, label, said && h("span", { class: "sr" }, t("chosen"))),
      h("div", { class: "says" }, laid(text, label, sentences), own.length > 0 && [" ", own.map((number) => toEvidence(number, label))]),
      scores.length ? h("div", { class: "score share" + (said ? " top" : ""), title: raw === undefined ? null : t("score-why", { score: spot(raw) }), style: { "--share": part(scores[k]) } }, told(scores[k]), h("i")) : h("span"));
  };
  const labelled = LETTERS.slice(0, options.length).split("").filter((label) => sentences.some((one) => one.label === label));
  const show = (label) => { showing = label; render(); markIntoView(); document.getElementById(`show-${label}`).focus(); };
  return h("div", { class: "part" },
    h("div", { class: "label" }, h("h2", null, t("options")), h("button", { class: "link", type: "button", on: { click: () => edit("options", "option-0") } }, t("edit-options"))),
    h("p", { class: "polarity" }, t("asks"), " ", h("b", null, t(`asks.${answered.asked.asks}`))),
    h("ul", { class: "options" }, options.map(row)),
    scores.length > 0 && ownNumbers(),
    labelled.length > 0 && h("div", { class: "evbar" }, t("evidence-of"), h("span", { class: "segment", role: "group", "aria-label": t("evidence-of") },
      ["", ...labelled].map((label) => h("button", { type: "button", id: `show-${label}`, "aria-pressed": String(label === showing), on: { click: () => show(label) } }, label || t("evidence.every"))))));
}

// A calibrator speaks of the answer alone: beside its number these would be taken for chances.
const ownNumbers = () => DATA.learned.length > 0 && h("p", { class: "soft own" }, t("own-numbers"));

// One row a text: a reader may have found it in several places, each with a score of its own.
function byText(candidates) {
  const rows = new Map();
  for (const { answer, score } of candidates) {
    const says = answer.kind === "none" ? "" : answer.label || list(answer.texts ?? []), row = rows.get(says);
    if (row) row.places++; else rows.set(says, { says, score, places: 1 });
  }
  return [...rows.values()].slice(0, 5);
}
function alternatives({ candidates }) {
  const rows = byText(candidates);
  if (rows.length < 2) return null;
  const { told, part } = scale(candidates);
  return h("div", { class: "part" }, h("h2", { class: "label" }, t("alternatives")),
    h("ol", { class: "others" }, rows.map(({ says, score, places }, k) => h("li", null,
      says ? h("span", { class: "says" }, says, places > 1 && h("span", { class: "soft" }, ` ${t("places", { n: places })}`)) : h("span", { class: "none" }, t("no-answer")),
      h("span", { class: "score share" + (k ? "" : " top"), style: { "--share": part(score) } }, told(score), h("i"))))), ownNumbers());
}

function evidencePart(sentences) {
  const from = points(answered.asked.passage);
  const numbers = uniqueNumbers(sentences).map((number) => sentences.find((one) => one.number === number));
  return h("div", { class: "part" }, h("h2", { class: "label" }, t("evidence")),
    numbers.length ? h("ul", { class: "sentences" }, numbers.map((one) => h("li", null, numberButton(one.number), h("span", { class: "says", lang: languageOf(answered.asked.passage) }, piece(from, one.start, one.end)))))
      : h("p", { class: "soft" }, t("evidence.none")));
}

function claimPart(sentences) {
  const { question } = answered.asked;
  if (!coverageOf("").some((one) => one.claim === question)) return null;
  return h("div", { class: "part" }, h("h2", { class: "label" }, t("claim")), h("p", { class: "claim", lang: languageOf(question) }, laid(question, "", sentences)));
}

function key(sentences) {
  const { options } = answered.asked, told = options.length ? [...LETTERS.slice(0, options.length)].flatMap(coverageOf) : coverageOf("");
  const marks = [sentences.length && h("span", null, h("span", { class: "ev" }, t("key.evidence"))),
    told.some((one) => one.covered?.length) && h("span", null, h("span", { class: hueOf(1) }, t(options.length ? "said" : "said-question")), h("sup", { class: "cov-n" }, "n")),
    told.some((one) => one.uncovered?.length) && h("span", { class: "loose" }, t("loose"))].filter(Boolean);
  return marks.length > 0 && h("div", { class: "key" }, marks);
}

// Whoever reads that a sentence is evidence takes it for the reader's, unless told otherwise.
function foundBy() {
  const name = (answered.reply.coverage?.[0] ?? []).find((one) => one.found_by)?.found_by;
  return name && h("p", { class: "soft found-by" }, t("found-by", { name }));
}

function result() {
  if (trouble) return troubleBox();
  if (!answered) return h("p", { class: "empty soft" }, t("empty"));
  const prediction = predictionOf(), sentences = sentencesOf(), { asked, reply, took } = answered;
  const time = took < 1000 ? `${Math.max(1, Math.round(took))} ms` : `${(took / 1000).toFixed(1)} s`;
  return [
    h("div", { class: "verdict" }, h("div", null, h("h2", null, t("answer")), saying(prediction)), sure(prediction.confidence)),
    typeof prediction.confidence === "number" && h("p", { class: "why soft" }, DATA.learned.length ? t(DATA.elsewhere ? "confidence-elsewhere" : "confidence-learned", { sets: list(DATA.learned) }) : t("confidence-why")),
    asked.options.length ? optionRows(prediction, sentences) : [evidencePart(sentences), claimPart(sentences), alternatives(prediction)],
    key(sentences),
    foundBy(),
    prediction.note && h("details", { class: "note" }, h("summary", null, t("reasons")), h("p", null, prediction.note)),
    h("p", { class: "took" }, t("took", { reader: reply.reader, time })),
  ];
}
function troubleBox() {
  return h("div", { class: "trouble", role: "alert" }, h("h2", null, t(trouble.what)), trouble.told.map((line) => h("p", null, line)),
    h("button", { class: "link", type: "button", id: "again", on: { click: ask } }, t("again")));
}
