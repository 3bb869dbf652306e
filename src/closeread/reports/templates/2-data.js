// The data in the page: small columns at once, passages and details block by block when looked at.
const block = (id) => JSON.parse(document.getElementById(id).textContent);
const DATA = block("index");
const kept = new Map();
function part(kind, index, size) {
  const name = `${kind}-${Math.floor(index / size)}`;
  if (!kept.has(name)) {
    if (kept.size > 40) kept.delete(kept.keys().next().value);
    kept.set(name, block(name));
  }
  return kept.get(name)[index % size];
}
const Q = () => DATA.questions;
const detail = (i) => part("details", i, DATA.part.details);
const passageOf = (i) => (Q().passage[i] < 0 ? null : part("passages", Q().passage[i], DATA.part.passages));
const datasetOf = (i) => (Q().dataset ? Q().dataset[i] : 0);
const covers = (run, i) => DATA.runs[run].dataset === datasetOf(i);
const runsOf = (i) => DATA.runs.map((_, r) => r).filter((r) => covers(r, i));
const tagOf = (column, i) => (column.codes[i] < 0 ? null : column.values[column.codes[i]]);

function status(run, i) {
  const told = Q().runs[run];
  if (told.failed[i]) return "failed";
  if (told.answer[i] === null && !DATA.runs[run].evidenceOnly) return "unanswered";
  const value = told.value[i];
  if (value === null) return "unscored";
  return value >= 1 ? "right" : value > 0 ? "partly" : "wrong";
}
const shown = (answer) => (answer === null || answer === undefined ? null : Array.isArray(answer) ? (answer.length ? list(answer) : t("no-answer")) : answer);
const hasOptions = (i) => Q().options[i] !== null && Q().options[i] !== 0;
// What of a question's options is gold or said: one label, several where any number may be right.
const lettersOf = (told) => (Array.isArray(told) ? told : told ? [told] : []);
const labelsOf = (i) => (Q().labels && Q().labels[i]) || Q().options[i].map((_, k) => String.fromCharCode(65 + k));

// How much the runs differ on a question: distinct answers first, then the spread of their values.
function disagreement(i) {
  const runs = runsOf(i);
  const answers = new Set(runs.map((r) => JSON.stringify(Q().runs[r].answer[i])));
  const values = runs.map((r) => Q().runs[r].value[i]).filter((value) => value !== null);
  return answers.size - 1 + (values.length ? Math.max(...values) - Math.min(...values) : 0);
}

let haystacks = null;
function haystack(i) {
  if (!haystacks) haystacks = new Array(Q().n);
  if (haystacks[i] === undefined) {
    const told = Q().runs.map((run) => run.answer[i]);
    haystacks[i] = [Q().id[i], Q().text[i], Q().options[i] || "", Q().gold[i] || "", told].flat(3).join("\n").toLowerCase();
  }
  return haystacks[i];
}

let groups = null;
function siblings(i) {
  if (Q().group[i] < 0) return [];
  if (!groups) {
    groups = new Map();
    Q().group.forEach((g, k) => { if (g >= 0) (groups.get(g) ?? groups.set(g, []).get(g)).push(k); });
  }
  return groups.get(Q().group[i]);
}

let places = null;
function indexOf(id, dataset) {
  if (!places) {
    places = new Map();
    for (let i = Q().n - 1; i >= 0; i--) { places.set(Q().id[i], i); places.set(`${datasetOf(i)} ${Q().id[i]}`, i); }
  }
  return places.get(dataset === undefined ? id : `${dataset} ${id}`) ?? -1;
}
