// Send a request: retry while the server is busy, show other errors.
const MAX_RETRIES = 5, MAX_WAIT_SECONDS = 30;

class RequestError extends Error {
  constructor(what, details) { super(what); this.what = what; this.details = details.filter(Boolean); }
}
function delay(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}
async function post(body, signal) {
  try {
    return await fetch("v1/answer", { method: "POST", headers: { "content-type": "application/json" }, body, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RequestError("failed.network", [t("failed.network-do")]);
  }
}
async function toRequestError(response) {
  let refusal = {};
  try { refusal = (await response.json()).error ?? {}; } catch { /* not JSON: a proxy's page */ }
  const status = response.status;
  const what = status === 503 ? "failed.busy" : status === 413 ? "failed.large" : status === 504 || status === 408 ? "failed.slow" : status >= 500 ? "failed.broken" : "failed.refused";
  return new RequestError(what, [refusal.what ?? `${status} ${response.statusText}`, refusal.expected && t("expected", { what: refusal.expected }), refusal.cure]);
}
async function send(body, signal) {
  const raw = JSON.stringify(body);
  for (let retriesLeft = MAX_RETRIES; ; retriesLeft--) {
    pending.until = 0;
    const response = await post(raw, signal);
    if (response.ok) {
      const reply = await response.json().catch(() => null);
      signal.throwIfAborted();
      if (reply?.predictions?.length) return reply;
      throw new RequestError("failed.broken", [t("failed.reply")]);
    }
    if (response.status !== 503 || !retriesLeft) throw await toRequestError(response);
    const seconds = Math.min(MAX_WAIT_SECONDS, Math.max(1, Number(response.headers.get("retry-after")) || 1));
    pending.until = Date.now() + seconds * 1000;
    updateWaiting();
    await delay(seconds, signal);
  }
}

const isEqual = (first, second) => JSON.stringify(first) === JSON.stringify(second);
// The caret and its field, to be restored after the page is rendered again.
function currentCaret() {
  const { id, selectionStart, selectionEnd } = document.activeElement;
  return document.activeElement.matches("textarea") && { id, selectionStart, selectionEnd };
}
function restoreCaret({ id, selectionStart, selectionEnd }) {
  const node = document.getElementById(id);
  node?.focus({ preventScroll: true });
  node?.setSelectionRange?.(selectionStart, selectionEnd);
  return Boolean(node);
}

async function sendQuestion() {
  if (pending) return;
  if (!validateDraft()) {
    if (problems.passage) editing.passage = true;
    if (problems.options) editing.options = true;
    render();
    const firstProblem = problems.passage ? "passage" : problems.question ? "question" : `option-${Math.max(0, draft.options.findIndex((text) => !text.trim()))}`;
    document.getElementById(firstProblem).focus();
    announce(Object.values(problems).join(" "));
    return;
  }
  const { asked, body } = buildRequest(), controller = new AbortController(), startedAt = performance.now();
  failure = null;
  pending = { stop: controller, since: Date.now(), until: 0 };
  const timer = setInterval(updateWaiting, 1000);
  showActions();
  announce(t("begun"));
  let message = "";
  try {
    const reply = await send(body, controller.signal);
    const { error } = reply.predictions[0];
    if (error) throw new RequestError("failed.reader", [error]);
    lastAnswer = { asked, reply, took: performance.now() - startedAt };
    // Text written while waiting is kept.
    const newDraft = buildRequest().asked;
    editing = { passage: newDraft.passage !== asked.passage, options: !isEqual(newDraft.options, asked.options) };
    isStale = !isEqual(newDraft, asked);
    const answerLabel = predictionOf().answer?.label ?? "";
    shownOption = predictionOf().evidence.some((one) => one.option_label === answerLabel) ? answerLabel : "";
    message = t("answered", { answer: answerText(predictionOf()) });
  } catch (error) {
    if (controller.signal.aborted) message = t("cancelled");
    else if (error instanceof RequestError) failure = error;
    else throw error;
  } finally {
    clearInterval(timer);
    pending = null;
    const caret = !isEqual(buildRequest().asked, asked) && currentCaret();
    render();
    if (lastAnswer && !isStale && !failure) scrollToMark();
    if (!caret || !restoreCaret(caret)) document.getElementById("go").focus({ preventScroll: true });
    announce(message);
  }
  if (failure || (lastAnswer && !isStale)) scrollIntoView(document.getElementById("result"));
}
