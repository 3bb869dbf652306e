// The state of the page: the draft, the last question with its answer, and the pending request.
const DATA = JSON.parse(document.getElementById("data").textContent);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const draft = { passage: "", question: "", options: [], asks: "choice", chosen: false };
let lastAnswer = null; // { asked, reply, took }
let editing = { passage: true, options: true };
let isStale = false;
let problems = {};
let failure = null; // a RequestError
let pending = null; // { stop, since, until }
let shownOption = ""; // the option whose evidence is marked; empty for all

const languageOf = (text) => (HAN.test(text) ? "zh" : "en");
const makeStorage = (area, name) => ({ get: () => { try { return window[area].getItem(name); } catch { return null; } },
  set: (value) => { try { window[area].setItem(name, value); } catch { /* a private window, or full: not stored */ } } });
const savedLanguage = makeStorage("localStorage", "closeread-lang"), savedDraft = makeStorage("sessionStorage", `closeread-draft-${DATA.version}`);

// The draft is restored when the page is reloaded; stored data of another format is ignored.
function restoreDraft() {
  try {
    const stored = JSON.parse(savedDraft.get());
    return stored.options.concat(stored.passage, stored.question).every((text) => typeof text === "string") && stored;
  } catch { return null; }
}
Object.assign(draft, restoreDraft());
for (const event of ["pagehide", "visibilitychange"]) addEventListener(event, () => savedDraft.set(JSON.stringify(draft)));

// The package's rules for what a stem asks for; null if the browser cannot compile them.
const RULES = (() => {
  try { return Object.fromEntries(Object.entries(DATA.rules).map(([name, rule]) => [name, new RegExp(rule, name.startsWith("en") ? "i" : "")])); } catch { return null; }
})();
// Linear in the length of the stem, because it runs at every key press.
function removeAsides(stem) {
  const lastClosing = Object.fromEntries(Object.entries(DATA.asides).map(([opens, closes]) => [opens, stem.lastIndexOf(closes)]));
  let result = "", position = 0;
  for (let index = 0; index < stem.length; index++) {
    if (index < position || !(lastClosing[stem[index]] > index)) continue;
    result += stem.slice(position, index);
    position = stem.indexOf(DATA.asides[stem[index]], index + 1) + 1;
  }
  return (result + stem.slice(position)).replace(/[\u3400-\u9fff]/g, (character) => DATA.spelled[character] ?? character);
}
function isVerificationZh(line) {
  const searchStart = 1 + Math.max(...DATA.rules.zh_other.split("|").map((word) => line.lastIndexOf(word))), rest = line.slice(searchStart);
  return (RULES.zh_statement.test(rest) && RULES.zh_verdict.test(rest)) || (!searchStart && asksOnlyWhich(line));
}
function asksOnlyWhich(line) {
  const clauses = line.split(RULES.clause).filter((clause) => clause.trim()), lastClause = clauses.pop() ?? "";
  return RULES.zh_which.test(lastClause) && clauses.every((clause) => RULES.zh_frame.test(clause));
}
const matchesInOrder = (line, first, second) => { const match = first.exec(line); return match && second.test(line.slice(match.index + match[0].length)); };
const isVerificationEn = (line) => RULES.en_alone.test(line) || matchesInOrder(line, RULES.en_which, RULES.en_which_then) || matchesInOrder(line, RULES.en_we_can, RULES.en_we_can_then);
function asksFor(stem) {
  if (!RULES) return "choice";
  let ownWords = removeAsides(stem);
  const isEnglish = !RULES.han.test(ownWords);
  if (isEnglish) ownWords = ownWords.replace(/_+/g, " _ ").replace(/[^\S\n]+/g, " ");
  const lines = ownWords.split("\n");
  if (isEnglish) return !lines.some(isVerificationEn) ? "choice" : RULES.en_negative.test(ownWords.split(RULES.en_passed_over).join(" ")) ? "contradicted" : "supported";
  if (!lines.some(isVerificationZh)) return "choice";
  const clauses = ownWords.split(RULES.clause).filter((clause) => clause.trim());
  const verdictClause = clauses.findLast((clause) => RULES.zh_judged.test(clause)) ?? clauses[clauses.length - 1] ?? "";
  return RULES.zh_negative.test(verdictClause.split(RULES.zh_passed_over).join(" ")) ? "contradicted" : "supported";
}

// Lone surrogates cannot be sent; they are replaced.
const wellFormed = (text) => new TextDecoder().decode(new TextEncoder().encode(text));

function buildRequest() {
  const asked = { passage: wellFormed(draft.passage), question: wellFormed(draft.question), options: draft.options.map(wellFormed), asks: draft.asks };
  const options = asked.options.map((text, k) => ({ label: LETTERS[k], text }));
  const kind = !options.length ? "span" : asked.asks === "choice" ? "choice" : "verification";
  const question = { question_id: "q", text: asked.question, kind, ...(options.length && { options }), ...(kind === "verification" && { asks_for: asked.asks }) };
  return { asked, body: { items: [{ passage: { text: asked.passage }, questions: [question] }], n_best: 30, evidence: true } };
}

// Problems that the server would refuse are shown at their field before anything is sent.
const lengthProblem = (texts, limit) => { const n = texts.reduce((sum, text) => sum + Array.from(text).length, 0); return n > limit && t("too-long", { n: count(n), most: count(limit) }); };
function validateDraft() {
  problems = {};
  const passage = lengthProblem([draft.passage], DATA.limits.passage), question = lengthProblem([draft.question, ...draft.options], DATA.limits.question);
  if (passage) problems.passage = passage;
  if (question) problems.question = question;
  if (!draft.passage.trim()) problems.passage = t("passage-missing");
  if (!draft.question.trim()) problems.question = t("question-missing");
  const empty = draft.options.findIndex((text) => !text.trim());
  if (draft.options.length === 1) problems.options = t("options-missing");
  else if (empty >= 0) problems.options = t("option-empty", { label: LETTERS[empty] });
  return !Object.keys(problems).length;
}
