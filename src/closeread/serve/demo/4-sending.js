// Sending a request: patient with a busy server, plain about the rest.
const PATIENCE = 5, LONGEST_WAIT_SECONDS = 30;

class Trouble extends Error {
  constructor(what, told) { super(what); this.what = what; this.told = told.filter(Boolean); }
}
function pause(seconds, signal) {
  return new Promise((done, left) => {
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener("abort", () => { clearTimeout(timer); left(signal.reason); }, { once: true });
  });
}
async function post(body, signal) {
  try {
    return await fetch("v1/answer", { method: "POST", headers: { "content-type": "application/json" }, body, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Trouble("failed.network", [t("failed.network-do")]);
  }
}
async function refusal(response) {
  let told = {};
  try { told = (await response.json()).error ?? {}; } catch { /* no JSON: a proxy's page */ }
  const status = response.status;
  const what = status === 503 ? "failed.busy" : status === 413 ? "failed.large" : status === 504 || status === 408 ? "failed.slow" : status >= 500 ? "failed.broken" : "failed.refused";
  return new Trouble(what, [told.what ?? `${status} ${response.statusText}`, told.expected && t("expected", { what: told.expected }), told.cure]);
}
async function send(body, signal) {
  const raw = JSON.stringify(body);
  for (let left = PATIENCE; ; left--) {
    busy.until = 0;
    const response = await post(raw, signal);
    if (response.ok) {
      const reply = await response.json().catch(() => null);
      signal.throwIfAborted();
      if (reply?.predictions?.length) return reply;
      throw new Trouble("failed.broken", [t("failed.reply")]);
    }
    if (response.status !== 503 || !left) throw await refusal(response);
    const wait = Math.min(LONGEST_WAIT_SECONDS, Math.max(1, Number(response.headers.get("retry-after")) || 1));
    busy.until = Date.now() + wait * 1000;
    tick();
    await pause(wait, signal);
  }
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
// Where somebody is writing, so that the page can be made anew around it.
function caret() {
  const { id, selectionStart, selectionEnd } = document.activeElement;
  return document.activeElement.matches("textarea") && { id, selectionStart, selectionEnd };
}
function putCaret({ id, selectionStart, selectionEnd }) {
  const node = document.getElementById(id);
  node?.focus({ preventScroll: true });
  node?.setSelectionRange?.(selectionStart, selectionEnd);
  return Boolean(node);
}

async function ask() {
  if (busy) return;
  if (!check()) {
    if (problems.passage) editing.passage = true;
    if (problems.options) editing.options = true;
    render();
    const first = problems.passage ? "passage" : problems.question ? "question" : `option-${Math.max(0, draft.options.findIndex((text) => !text.trim()))}`;
    document.getElementById(first).focus();
    tell(Object.values(problems).join(" "));
    return;
  }
  const { asked, body } = request(), stop = new AbortController(), since = performance.now();
  trouble = null;
  busy = { stop, since: Date.now(), until: 0 };
  const ticking = setInterval(tick, 1000);
  showActions();
  tell(t("begun"));
  let said = "";
  try {
    const reply = await send(body, stop.signal);
    const { error } = reply.predictions[0];
    if (error) throw new Trouble("failed.reader", [error]);
    answered = { asked, reply, took: performance.now() - since };
    // Whoever writes on while waiting keeps what was written.
    const now = request().asked;
    editing = { passage: now.passage !== asked.passage, options: !same(now.options, asked.options) };
    stale = !same(now, asked);
    const own = predictionOf().answer?.label ?? "";
    showing = predictionOf().evidence.some((one) => one.option_label === own) ? own : "";
    said = t("answered", { answer: spoken(predictionOf()) });
  } catch (error) {
    if (stop.signal.aborted) said = t("cancelled");
    else if (error instanceof Trouble) trouble = error;
    else throw error;
  } finally {
    clearInterval(ticking);
    busy = null;
    const writing = !same(request().asked, asked) && caret();
    render();
    if (answered && !stale && !trouble) markIntoView();
    if (!writing || !putCaret(writing)) document.getElementById("go").focus({ preventScroll: true });
    tell(said);
  }
  if (trouble || (answered && !stale)) bringIntoView(document.getElementById("result"));
}
