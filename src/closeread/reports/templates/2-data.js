// The data in the page: small columns are parsed at once, passages and details in parts when needed.
const parseBlock = (id) => JSON.parse(document.getElementById(id).textContent);
const DATA = parseBlock("index");
const loadedParts = new Map();
function loadPart(kind, index, size) {
  const name = `${kind}-${Math.floor(index / size)}`;
  if (!loadedParts.has(name)) {
    if (loadedParts.size > 40) loadedParts.delete(loadedParts.keys().next().value);
    loadedParts.set(name, parseBlock(name));
  }
  return loadedParts.get(name)[index % size];
}
const Q = () => DATA.questions;
const detail = (i) => loadPart("details", i, DATA.part.details);
const passageOf = (i) => (Q().passage[i] < 0 ? null : loadPart("passages", Q().passage[i], DATA.part.passages));
const datasetOf = (i) => (Q().dataset ? Q().dataset[i] : 0);
const covers = (run, i) => DATA.runs[run].dataset === datasetOf(i);
const runsOf = (i) => DATA.runs.map((_, r) => r).filter((r) => covers(r, i));
const tagOf = (column, i) => (column.codes[i] < 0 ? null : column.values[column.codes[i]]);

function statusOf(run, i) {
  const columns = Q().runs[run];
  if (columns.failed[i]) return "failed";
  if (columns.answer[i] === null && !DATA.runs[run].evidenceOnly) return "unanswered";
  const value = columns.value[i];
  if (value === null) return "unscored";
  return value >= 1 ? "right" : value > 0 ? "partly" : "wrong";
}
const formatAnswer = (answer) => (answer === null || answer === undefined ? null : Array.isArray(answer) ? (answer.length ? list(answer) : t("no-answer")) : answer);
const hasOptions = (i) => Q().options[i] !== null && Q().options[i] !== 0;
// The gold or predicted labels of a question's options: one, or several if any number may be right.
const lettersOf = (labels) => (Array.isArray(labels) ? labels : labels ? [labels] : []);
const labelsOf = (i) => (Q().labels && Q().labels[i]) || Q().options[i].map((_, k) => String.fromCharCode(65 + k));

// How much the runs differ on a question: by distinct answers, then by the spread of their values.
function disagreement(i) {
  const runs = runsOf(i);
  const answers = new Set(runs.map((r) => JSON.stringify(Q().runs[r].answer[i])));
  const values = runs.map((r) => Q().runs[r].value[i]).filter((value) => value !== null);
  return answers.size - 1 + (values.length ? Math.max(...values) - Math.min(...values) : 0);
}

let searchTexts = null;
function searchTextOf(i) {
  if (!searchTexts) searchTexts = new Array(Q().n);
  if (searchTexts[i] === undefined) {
    const runAnswers = Q().runs.map((run) => run.answer[i]);
    searchTexts[i] = [Q().id[i], Q().text[i], Q().options[i] || "", Q().gold[i] || "", runAnswers].flat(3).join("\n").toLowerCase();
  }
  return searchTexts[i];
}

let groups = null;
function groupMembers(i) {
  if (Q().group[i] < 0) return [];
  if (!groups) {
    groups = new Map();
    Q().group.forEach((g, k) => { if (g >= 0) (groups.get(g) ?? groups.set(g, []).get(g)).push(k); });
  }
  return groups.get(Q().group[i]);
}

let indexById = null;
function indexOf(id, dataset) {
  if (!indexById) {
    indexById = new Map();
    for (let i = Q().n - 1; i >= 0; i--) { indexById.set(Q().id[i], i); indexById.set(`${datasetOf(i)} ${Q().id[i]}`, i); }
  }
  return indexById.get(dataset === undefined ? id : `${dataset} ${id}`) ?? -1;
}
