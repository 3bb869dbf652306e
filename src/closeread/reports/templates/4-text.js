// Marks in a passage, and differences. Offsets from the data are code points.
const HAN = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/;
const points = (text) => (/[\ud800-\udfff]/.test(text) ? Array.from(text) : text);
const piece = (from, a, b) => { const got = from.slice(a, b); return typeof got === "string" ? got : got.join(""); };

// marks: [{start, end, class, badge, title}]; the result is paragraphs of plain spans. What is framed
// is one span around its parts, or every part would have a frame of its own.
function marked(text, marks, language) {
  const from = points(text);
  const good = marks.filter((m) => m.start >= 0 && m.end <= from.length && m.start < m.end);
  const edges = [...new Set([0, from.length, ...good.flatMap((m) => [m.start, m.end])])].sort((a, b) => a - b);
  const made = [];
  let paragraph = null, frame = null;
  const into = () => { if (!paragraph) { paragraph = h("p", { lang: language }); frame = null; made.push(paragraph); } return frame?.node ?? paragraph; };
  const framed = (mark) => {
    if (!paragraph || frame?.mark === mark) return;
    frame = mark ? { mark, node: h("span", { class: mark.class, "data-numbers": mark.badge || null }) } : null;
    if (frame) paragraph.append(frame.node);
  };
  // Places in `good` of the marks that begin at an edge, and of those that lie over the part behind it.
  const begins = new Map();
  good.forEach((m, k) => { if (begins.has(m.start)) begins.get(m.start).push(k); else begins.set(m.start, [k]); });
  let over = [];
  for (let e = 0; e + 1 < edges.length; e++) {
    const [a, b] = [edges[e], edges[e + 1]];
    over = over.filter((k) => good[k].end > a);
    if (begins.has(a)) over = [...over, ...begins.get(a)].sort((x, y) => x - y);
    const on = over.map((k) => good[k]);
    const around = on.find((m) => m.class.includes("ev-gold")), inside = on.filter((m) => m !== around);
    if (frame?.mark !== around) framed(null);
    for (const m of on) {
      if (m.start === a && m.badge) into().append(h("span", { class: "badge", title: m.title, "data-badge": m.badge }, m.badge));
    }
    piece(from, a, b).split("\n").forEach((line, k) => {
      if (k > 0) paragraph = null;
      if (!line.trim() && !paragraph) return;
      // Text that is indented by its own blanks is not indented again.
      if (!paragraph && line.startsWith("\u3000")) into().classList.add("set");
      into();
      framed(around);
      const lit = inside.map((m) => m.class).join(" ");
      const numbers = inside.map((m) => m.badge).filter(Boolean).join(" ");
      into().append(lit ? h("span", { class: lit, "data-numbers": numbers || null }, line) : line);
    });
  }
  return made;
}

// A text that stands in the passage exactly once has its place there, even if nobody said where.
function onlyPlace(text, passage) {
  const at = text.length > 1 ? passage.indexOf(text) : -1;
  if (at < 0 || passage.indexOf(text, at + 1) >= 0) return [];
  const start = Array.from(passage.slice(0, at)).length;
  return [[start, start + Array.from(text).length]];
}

// A longest common subsequence by characters where the text is Chinese, by words elsewhere.
function difference(old, now) {
  const units = (text) => (HAN.test(old + now) ? Array.from(text) : text.match(/\s+|[\p{L}\p{N}]+|[^\s]/gu) || []);
  let a = units(old), b = units(now), head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const start = a.slice(0, head), finish = tail ? a.slice(a.length - tail) : [];
  a = a.slice(head, a.length - tail); b = b.slice(head, b.length - tail);
  const steps = [];
  const step = (kind, unit) => {
    const last = steps[steps.length - 1];
    if (last && last.kind === kind) last.text += unit; else steps.push({ kind, text: unit });
  };
  start.forEach((u) => step("same", u));
  if (a.length * b.length > 4e6) { step("del", a.join("")); step("ins", b.join("")); }
  else {
    const width = b.length + 1, longest = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = b.length - 1; j >= 0; j--) {
        longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1] + 1 : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
      }
    }
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) { step("same", a[i]); i++; j++; }
      else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) step("del", a[i++]);
      else step("ins", b[j++]);
    }
  }
  finish.forEach((u) => step("same", u));
  return shownSteps(steps);
}
// A lone character in common between two changes is chance: it joins them, or the eye finds no word.
function shownSteps(steps) {
  const changed = (k) => k in steps && steps[k].kind !== "same";
  const out = [];
  let gone = "", fresh = "";
  const flush = () => { if (gone) out.push(h("del", null, gone)); if (fresh) out.push(h("ins", null, fresh)); gone = fresh = ""; };
  let common = 0, whole = 0;
  steps.forEach(({ kind, text }, k) => {
    const chance = kind === "same" && changed(k - 1) && changed(k + 1) && text.trim().length < 2;
    if (kind !== "del") whole += text.length;
    if (kind === "del" || chance) gone += text;
    if (kind === "ins" || chance) fresh += text;
    if (kind === "same" && !chance) { flush(); out.push(text); common += text.length; }
  });
  flush();
  // Written anew rather than changed: what went would only hide what came.
  if (common < whole * 0.25) return [h("ins", null, steps.filter((it) => it.kind !== "del").map((it) => it.text).join(""))];
  return out;
}
