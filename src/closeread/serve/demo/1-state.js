// What the person has written, what was asked and answered last, and what goes on now.
const DATA = JSON.parse(document.getElementById("data").textContent);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const draft = { passage: "", question: "", options: [], asks: "choice", chosen: false };
let answered = null; // { asked, reply, took }
let editing = { passage: true, options: true };
let stale = false;
let problems = {};
let trouble = null; // { what, told }
let busy = null; // { stop, since, until }
let showing = ""; // the option whose evidence is marked; empty for all

const languageOf = (text) => (HAN.test(text) ? "zh" : "en");
const kept = (area, name) => ({ get: () => { try { return window[area].getItem(name); } catch { return null; } },
  set: (value) => { try { window[area].setItem(name, value); } catch { /* a private window, or full: not kept */ } } });
const keptLanguage = kept("localStorage", "closeread-lang"), keptDraft = kept("sessionStorage", `closeread-draft-${DATA.version}`);

// Whoever comes back to the page, or loads it again, finds what was written; what no draft can be is left.
function recalled() {
  try {
    const found = JSON.parse(keptDraft.get());
    return found.options.concat(found.passage, found.question).every((text) => typeof text === "string") && found;
  } catch { return null; }
}
Object.assign(draft, recalled());
for (const event of ["pagehide", "visibilitychange"]) addEventListener(event, () => keptDraft.set(JSON.stringify(draft)));

// What a stem asks for, by the package's own rules; none where the browser cannot read them.
const RULES = (() => {
  try { return Object.fromEntries(Object.entries(DATA.rules).map(([name, rule]) => [name, new RegExp(rule, name.startsWith("en") ? "i" : "")])); } catch { return null; }
})();
// Nothing here looks again and again to the end of what is written: it is asked at every key.
function bareStem(stem) {
  const last = Object.fromEntries(Object.entries(DATA.asides).map(([opens, closes]) => [opens, stem.lastIndexOf(closes)]));
  let kept = "", at = 0;
  for (let begun = 0; begun < stem.length; begun++) {
    if (begun < at || !(last[stem[begun]] > begun)) continue;
    kept += stem.slice(at, begun);
    at = stem.indexOf(DATA.asides[stem[begun]], begun + 1) + 1;
  }
  return (kept + stem.slice(at)).replace(/[\u3400-\u9fff]/g, (character) => DATA.spelled[character] ?? character);
}
function verifiesInChinese(line) {
  const begun = 1 + Math.max(...DATA.rules.zh_other.split("|").map((word) => line.lastIndexOf(word))), rest = line.slice(begun);
  return (RULES.zh_statement.test(rest) && RULES.zh_verdict.test(rest)) || (!begun && namesNothing(line));
}
function namesNothing(line) {
  const clauses = line.split(RULES.clause).filter((clause) => clause.trim()), asking = clauses.pop() ?? "";
  return RULES.zh_which.test(asking) && clauses.every((clause) => RULES.zh_frame.test(clause));
}
const followed = (line, first, then) => { const found = first.exec(line); return found && then.test(line.slice(found.index + found[0].length)); };
const verifiesInEnglish = (line) => RULES.en_alone.test(line) || followed(line, RULES.en_which, RULES.en_which_then) || followed(line, RULES.en_we_can, RULES.en_we_can_then);
function asksFor(stem) {
  if (!RULES) return "choice";
  let bare = bareStem(stem);
  const english = !RULES.han.test(bare);
  if (english) bare = bare.replace(/_+/g, " _ ").replace(/[^\S\n]+/g, " ");
  const lines = bare.split("\n");
  if (english) return !lines.some(verifiesInEnglish) ? "choice" : RULES.en_negative.test(bare.split(RULES.en_passed_over).join(" ")) ? "contradicted" : "supported";
  if (!lines.some(verifiesInChinese)) return "choice";
  const clauses = bare.split(RULES.clause).filter((clause) => clause.trim());
  const judging = clauses.findLast((clause) => RULES.zh_judged.test(clause)) ?? clauses[clauses.length - 1] ?? "";
  return RULES.zh_negative.test(judging.split(RULES.zh_passed_over).join(" ")) ? "contradicted" : "supported";
}

// A half of a pair of code units alone cannot be sent.
const whole = (text) => new TextDecoder().decode(new TextEncoder().encode(text));

function request() {
  const asked = { passage: whole(draft.passage), question: whole(draft.question), options: draft.options.map(whole), asks: draft.asks };
  const options = asked.options.map((text, k) => ({ label: LETTERS[k], text }));
  const kind = !options.length ? "span" : asked.asks === "choice" ? "choice" : "verification";
  const question = { question_id: "q", text: asked.question, kind, ...(options.length && { options }), ...(kind === "verification" && { asks_for: asked.asks }) };
  return { asked, body: { items: [{ passage: { text: asked.passage }, questions: [question] }], n_best: 30, evidence: true } };
}

// What the server would refuse is said at its place, and before anything is sent.
const tooLong = (texts, most) => { const n = texts.reduce((sum, text) => sum + Array.from(text).length, 0); return n > most && t("too-long", { n: count(n), most: count(most) }); };
function check() {
  problems = {};
  const passage = tooLong([draft.passage], DATA.limits.passage), question = tooLong([draft.question, ...draft.options], DATA.limits.question);
  if (passage) problems.passage = passage;
  if (question) problems.question = question;
  if (!draft.passage.trim()) problems.passage = t("passage-missing");
  if (!draft.question.trim()) problems.question = t("question-missing");
  const empty = draft.options.findIndex((text) => !text.trim());
  if (draft.options.length === 1) problems.options = t("options-missing");
  else if (empty >= 0) problems.options = t("option-empty", { label: LETTERS[empty] });
  return !Object.keys(problems).length;
}
