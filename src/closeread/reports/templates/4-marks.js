// Numbers of the passage's sentences, the same at a mark and at the claims that it supports.
// Two spans that share more than half of the longer one count as one sentence.
const isSame = (a, b) => 2 * (Math.min(a.end, b.end) - Math.max(a.start, b.start)) > Math.max(a.end - a.start, b.end - b.start);
function numberEvidence(evidence) {
  const distinct = [];
  for (const e of evidence) if (!distinct.some((it) => isSame(it, e))) distinct.push(e);
  distinct.sort((a, b) => a.start - b.start || a.end - b.end);
  return evidence.map((e) => ({ ...e, number: 1 + distinct.findIndex((it) => isSame(it, e)) }));
}
const uniqueNumbers = (evidence) => [...new Set(evidence.map((e) => e.number))].sort((a, b) => a - b);

function highlight(number, on) {
  for (const node of document.querySelectorAll(`[data-numbers~="${number}"]`)) node.classList.toggle("lit", on);
}
function scrollToEvidence(number) {
  const target = document.querySelector(`[data-badge="${number}"]`);
  if (!target) return;
  target.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  highlight(number, true);
  setTimeout(() => highlight(number, false), 1600);
}
const numberButton = (number) => h("button", { class: "badge", type: "button", title: t("to-evidence", { n: number }), "aria-label": t("to-evidence", { n: number }), on: { click: () => scrollToEvidence(number), mouseenter: () => highlight(number, true), mouseleave: () => highlight(number, false) } }, number);

const HUES = 5;
const hueOf = (number) => "cov h" + (1 + ((number - 1) % HUES));
const numberAt = (evidence, offset) => evidence.find((e) => e.start <= offset && offset < e.end)?.number;

// An option whose parts have the colour and number of the sentence that covers them, or a mark if none does.
function renderClaim(text, uncovered, covered, evidence) {
  const from = codePoints(text), nodes = [];
  const parts = covered.map(([a, b, place]) => [a, b, numberAt(evidence, place)]).filter(([, , number]) => number);
  const all = [...parts, ...uncovered.map(([a, b]) => [a, b, 0])].sort((x, y) => x[0] - y[0]);
  let at = 0;
  all.forEach(([a, b, number], k) => {
    nodes.push(sliceText(from, at, a));
    const says = sliceText(from, a, b), next = all[k + 1];
    nodes.push(number ? h("span", { class: hueOf(number), title: t("said-n", { n: number }) }, says) : h("span", { class: "loose", title: t("loose") }, says));
    // Adjacent parts of one sentence share its number.
    if (number && !(next && next[2] === number && next[0] - b <= 2)) nodes.push(h("sup", { class: "cov-n" }, number));
    at = b;
  });
  return [...nodes, sliceText(from, at, from.length)];
}
