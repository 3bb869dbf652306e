// The state of the view is in the hash of the URL, so that a link leads to it.
const EMPTY = { view: "overview", q: "", d: "", run: "0", text: "", status: "", tag: "", cell: "", sort: "", ev: "", opt: "", lang: "" };
function readState() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const values = { ...EMPTY };
  for (const name of Object.keys(EMPTY)) if (parameters.has(name)) values[name] = parameters.get(name);
  if (values.q && !parameters.has("view")) values.view = "questions";
  if (values.view !== "questions") values.view = "overview";
  if (!(Number(values.run) in DATA.runs)) values.run = "0";
  return values;
}
let state;
// The run shown with a question: the selected one, or the first on the question's data set.
const runAt = (i) => (covers(Number(state.run), i) ? Number(state.run) : runsOf(i)[0] ?? 0);
function hashOf(patch) {
  const next = { ...state, ...patch };
  const parameters = new URLSearchParams();
  for (const [name, empty] of Object.entries(EMPTY)) if (next[name] !== empty) parameters.set(name, next[name]);
  return "#" + parameters.toString();
}
// Steps that the browser's Back should undo are pushed; typing and j/k replace the entry.
function navigate(patch, replace) {
  const hash = hashOf(patch);
  if (hash === (location.hash || "#")) return;
  if (replace) history.replaceState(null, "", hash); else history.pushState(null, "", hash);
  render();
}
const questionState = (i) => ({ view: "questions", q: Q().id[i], d: DATA.datasets.length > 1 ? String(datasetOf(i)) : "" });
const currentQuestion = () => (state.q ? indexOf(state.q, state.d === "" ? undefined : state.d) : -1);
