// Marks in a passage, and differences of texts. Offsets in the data are code points.
const HAN = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/;
const codePoints = (text) => (/[\ud800-\udfff]/.test(text) ? Array.from(text) : text);
const sliceText = (from, a, b) => { const slice = from.slice(a, b); return typeof slice === "string" ? slice : slice.join(""); };

// marks: [{start, end, class, badge, title}]; returns paragraphs of flat spans. A framed mark is one
// span around its parts, because else each part would have its own frame.
function renderMarked(text, marks, language) {
  const from = codePoints(text);
  const valid = marks.filter((m) => m.start >= 0 && m.end <= from.length && m.start < m.end);
  const edges = [...new Set([0, from.length, ...valid.flatMap((m) => [m.start, m.end])])].sort((a, b) => a - b);
  const paragraphs = [];
  let paragraph = null, frame = null;
  const target = () => { if (!paragraph) { paragraph = h("p", { lang: language }); frame = null; paragraphs.push(paragraph); } return frame?.node ?? paragraph; };
  const setFrame = (mark) => {
    if (!paragraph || frame?.mark === mark) return;
    frame = mark ? { mark, node: h("span", { class: mark.class, "data-numbers": mark.badge || null }) } : null;
    if (frame) paragraph.append(frame.node);
  };
  // Indices in `valid` of the marks that begin at an edge, and of those that cover the part after it.
  const byStart = new Map();
  valid.forEach((m, k) => { if (byStart.has(m.start)) byStart.get(m.start).push(k); else byStart.set(m.start, [k]); });
  let covering = [];
  for (let e = 0; e + 1 < edges.length; e++) {
    const [a, b] = [edges[e], edges[e + 1]];
    covering = covering.filter((k) => valid[k].end > a);
    if (byStart.has(a)) covering = [...covering, ...byStart.get(a)].sort((x, y) => x - y);
    const active = covering.map((k) => valid[k]);
    const frameMark = active.find((m) => m.class.includes("ev-gold")), inside = active.filter((m) => m !== frameMark);
    if (frame?.mark !== frameMark) setFrame(null);
    for (const m of active) {
      if (m.start === a && m.badge) target().append(h("span", { class: "badge", title: m.title, "data-badge": m.badge }, m.badge));
    }
    sliceText(from, a, b).split("\n").forEach((line, k) => {
      if (k > 0) paragraph = null;
      if (!line.trim() && !paragraph) return;
      // Text with its own indentation is not indented again.
      if (!paragraph && line.startsWith("\u3000")) target().classList.add("set");
      target();
      setFrame(frameMark);
      const lit = inside.map((m) => m.class).join(" ");
      const numbers = inside.map((m) => m.badge).filter(Boolean).join(" ");
      target().append(lit ? h("span", { class: lit, "data-numbers": numbers || null }, line) : line);
    });
  }
  return paragraphs;
}

// The span of a text that occurs exactly once in the passage, for answers without spans.
function uniqueOccurrence(text, passage) {
  const index = text.length > 1 ? passage.indexOf(text) : -1;
  if (index < 0 || passage.indexOf(text, index + 1) >= 0) return [];
  const start = Array.from(passage.slice(0, index)).length;
  return [[start, start + Array.from(text).length]];
}

// The longest common subsequence, by characters in Chinese and by words otherwise.
function renderDifference(old, now) {
  const units = (text) => (HAN.test(old + now) ? Array.from(text) : text.match(/\s+|[\p{L}\p{N}]+|[^\s]/gu) || []);
  let a = units(old), b = units(now), head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const start = a.slice(0, head), finish = tail ? a.slice(a.length - tail) : [];
  a = a.slice(head, a.length - tail); b = b.slice(head, b.length - tail);
  const steps = [];
  const addStep = (kind, unit) => {
    const last = steps[steps.length - 1];
    if (last && last.kind === kind) last.text += unit; else steps.push({ kind, text: unit });
  };
  start.forEach((u) => addStep("same", u));
  if (a.length * b.length > 4e6) { addStep("del", a.join("")); addStep("ins", b.join("")); }
  else {
    const width = b.length + 1, longest = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = b.length - 1; j >= 0; j--) {
        longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1] + 1 : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
      }
    }
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) { addStep("same", a[i]); i++; j++; }
      else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) addStep("del", a[i++]);
      else addStep("ins", b[j++]);
    }
  }
  finish.forEach((u) => addStep("same", u));
  return renderSteps(steps);
}
// A single common character between two changes is chance: it is shown as part of them, for legibility.
function renderSteps(steps) {
  const isChange = (k) => k in steps && steps[k].kind !== "same";
  const nodes = [];
  let deleted = "", inserted = "";
  const flush = () => { if (deleted) nodes.push(h("del", null, deleted)); if (inserted) nodes.push(h("ins", null, inserted)); deleted = inserted = ""; };
  let common = 0, total = 0;
  steps.forEach(({ kind, text }, k) => {
    const isChance = kind === "same" && isChange(k - 1) && isChange(k + 1) && text.trim().length < 2;
    if (kind !== "del") total += text.length;
    if (kind === "del" || isChance) deleted += text;
    if (kind === "ins" || isChance) inserted += text;
    if (kind === "same" && !isChance) { flush(); nodes.push(text); common += text.length; }
  });
  flush();
  // Rewritten rather than changed: the deleted text would only distract.
  if (common < total * 0.25) return [h("ins", null, steps.filter((step) => step.kind !== "del").map((step) => step.text).join(""))];
  return nodes;
}
