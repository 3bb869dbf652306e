// Everything that is looked at stands in the address's hash, so that a link leads to it.
const EMPTY = { view: "overview", q: "", d: "", run: "0", text: "", status: "", tag: "", cell: "", sort: "", ev: "", opt: "", lang: "" };
function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  const found = { ...EMPTY };
  for (const name of Object.keys(EMPTY)) if (given.has(name)) found[name] = given.get(name);
  if (found.q && !given.has("view")) found.view = "questions";
  if (found.view !== "questions") found.view = "overview";
  if (!(Number(found.run) in DATA.runs)) found.run = "0";
  return found;
}
let state;
// The run that a question is looked at with: the chosen one, or the first on the question's own data set.
const runAt = (i) => (covers(Number(state.run), i) ? Number(state.run) : runsOf(i)[0] ?? 0);
function hashOf(patch) {
  const next = { ...state, ...patch };
  const out = new URLSearchParams();
  for (const [name, empty] of Object.entries(EMPTY)) if (next[name] !== empty) out.set(name, next[name]);
  return "#" + out.toString();
}
// A step that the browser's Back should undo is pushed; typing and j/k replace.
function go(patch, replace) {
  const hash = hashOf(patch);
  if (hash === (location.hash || "#")) return;
  if (replace) history.replaceState(null, "", hash); else history.pushState(null, "", hash);
  render();
}
const place = (i) => ({ view: "questions", q: Q().id[i], d: DATA.datasets.length > 1 ? String(datasetOf(i)) : "" });
const current = () => (state.q ? indexOf(state.q, state.d === "" ? undefined : state.d) : -1);
