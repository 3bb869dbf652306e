// Numbers that stand for sentences of the passage: the same one at the mark and at what rests on it.
// Two spans that share more than half of the longer are one sentence, cut a little differently.
const alike = (a, b) => 2 * (Math.min(a.end, b.end) - Math.max(a.start, b.start)) > Math.max(a.end - a.start, b.end - b.start);
function numbered(evidence) {
  const first = [];
  for (const e of evidence) if (!first.some((it) => alike(it, e))) first.push(e);
  first.sort((a, b) => a.start - b.start || a.end - b.end);
  return evidence.map((e) => ({ ...e, number: 1 + first.findIndex((it) => alike(it, e)) }));
}
const uniqueNumbers = (evidence) => [...new Set(evidence.map((e) => e.number))].sort((a, b) => a - b);

function light(number, on) {
  for (const node of document.querySelectorAll(`[data-numbers~="${number}"]`)) node.classList.toggle("lit", on);
}
function jump(number) {
  const target = document.querySelector(`[data-badge="${number}"]`);
  if (!target) return;
  target.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  light(number, true);
  setTimeout(() => light(number, false), 1600);
}
const numberButton = (number) => h("button", { class: "badge", type: "button", title: t("to-evidence", { n: number }), "aria-label": t("to-evidence", { n: number }), on: { click: () => jump(number), mouseenter: () => light(number, true), mouseleave: () => light(number, false) } }, number);

const HUES = 5;
const hueOf = (number) => "cov h" + (1 + ((number - 1) % HUES));
const numberAt = (evidence, place) => evidence.find((e) => e.start <= place && place < e.end)?.number;

// An option with what a sentence says of it in that sentence's colour and number, and what none says.
function laidOver(text, loose, said, evidence) {
  const from = points(text), out = [];
  const parts = said.map(([a, b, place]) => [a, b, numberAt(evidence, place)]).filter(([, , number]) => number);
  const all = [...parts, ...loose.map(([a, b]) => [a, b, 0])].sort((x, y) => x[0] - y[0]);
  let at = 0;
  all.forEach(([a, b, number], k) => {
    out.push(piece(from, at, a));
    const says = piece(from, a, b), next = all[k + 1];
    out.push(number ? h("span", { class: hueOf(number), title: t("said-n", { n: number }) }, says) : h("span", { class: "loose", title: t("loose") }, says));
    // Parts of one sentence that stand close together share its number.
    if (number && !(next && next[2] === number && next[0] - b <= 2)) out.push(h("sup", { class: "cov-n" }, number));
    at = b;
  });
  return [...out, piece(from, at, from.length)];
}
