// Plots as SVGs, redrawn at their actual width, so that text keeps its size.
const SHAPES = [
  (x, y) => s("circle", { class: "dot", cx: x, cy: y, r: 5 }),
  (x, y) => s("rect", { class: "dot", x: x - 4.5, y: y - 4.5, width: 9, height: 9 }),
  (x, y) => s("path", { class: "dot", d: `M${x} ${y - 6}L${x + 5.5} ${y + 4.5}H${x - 5.5}Z` }),
  (x, y) => s("path", { class: "dot", d: `M${x} ${y - 6.5}L${x + 6} ${y}L${x} ${y + 6.5}L${x - 6} ${y}Z` }),
];
const shape = (run, x, y) => SHAPES[run % SHAPES.length](x, y);
const textWidth = (text) => [...text].reduce((sum, c) => sum + (c.charCodeAt(0) > 0x2e80 ? 12 : 6.6), 0);
function fitText(text, maxWidth) {
  if (textWidth(text) <= maxWidth) return text;
  // Keep both ends, because names of runs often differ only at the end.
  const letters = [...text];
  let from = 0, to = letters.length;
  for (let out = "…"; ; ) {
    const next = from <= (letters.length - to) * 2 ? letters[from] : letters[to - 1];
    out += next;
    if (textWidth(out) > maxWidth || from >= to) break;
    if (from <= (letters.length - to) * 2) from++; else to--;
  }
  return letters.slice(0, from).join("") + "…" + letters.slice(to).join("");
}
function addAxis(parts, xOf, top, bottom, ticks = [0, 0.25, 0.5, 0.75, 1]) {
  for (const tick of ticks) {
    parts.push(s("line", { class: "axis", x1: xOf(tick), x2: xOf(tick), y1: top, y2: bottom }));
    parts.push(s("text", { x: xOf(tick), y: bottom + 15, "text-anchor": "middle" }, String(tick * 100)));
  }
}
const DASHES = [null, "7 4", "2 3", "9 3 2 3"];
const dash = (run) => DASHES[run % DASHES.length];
// For curves the key shows a piece of the line, which distinguishes them where they have no marks.
function runKey(runs, left, width, lines = false, isNamed = runs.length > 1) {
  if (!isNamed) return { parts: [], height: 0 };
  const parts = [], markWidth = lines ? 28 : 10;
  let x = left, y = 10;
  for (const [k, name] of runs.entries()) {
    const label = fitText(name, width - left - markWidth - 10), requiredWidth = textWidth(label) + markWidth + 24;
    if (x + requiredWidth > width && x > left) { x = left; y += 18; }
    if (lines) parts.push(s("path", { class: "curve", "stroke-dasharray": dash(k), d: `M${x} ${y}h${markWidth}` }));
    parts.push(shape(k, x + 1 + markWidth / 2, y), s("text", { class: "ink", x: x + markWidth + 6, y: y + 4 }, label));
    x += requiredWidth;
  }
  return { parts, height: y + 12 };
}
const DRAWINGS = {
  // A row per group, with a dot and an interval per run; the overall value is a dashed line.
  dots(plot, width) {
    const widest = Math.max(...plot.rows.map((row) => textWidth(translateName("value", row.label))));
    const countLabel = (point) => ` n ${count(point.n)}`, known = plot.rows.flatMap((row) => row.points).filter((point) => typeof point?.value === "number");
    const room = Math.max(84, ...known.map((point) => textWidth(percent(point.value) + countLabel(point)) + 12));
    const left = Math.min(widest + 14, width * 0.36), right = width - room, xOf = (x) => left + (right - left) * x;
    const key = runKey(plot.runs, 0, width), lines = plot.runs.length, pitch = lines > 1 ? 15 : 0, rowHeight = 26 + pitch * (lines - 1);
    const parts = [...key.parts], top = key.height + 4, bottom = top + rowHeight * plot.rows.length;
    addAxis(parts, xOf, top, bottom);
    if (lines === 1 && plot.whole && typeof plot.whole[0] === "number") parts.push(s("line", { class: "whole", x1: xOf(plot.whole[0]), x2: xOf(plot.whole[0]), y1: top, y2: bottom }, s("title", null, t("whole", { value: percent(plot.whole[0]) }))));
    plot.rows.forEach((row, r) => {
      const middle = top + rowHeight * r + rowHeight / 2;
      parts.push(s("text", { class: "ink", x: 0, y: middle + 4 }, fitText(translateName("value", row.label), left - 12), s("title", null, row.label)));
      row.points.forEach((point, k) => {
        const y = middle + pitch * (k - (lines - 1) / 2);
        if (!point || typeof point.value !== "number") {
          parts.push(s("text", { x: width, y: y + 4, "text-anchor": "end" }, DASH, s("title", null, t(plot.dash || "no-value"))));
          return;
        }
        if (typeof point.low === "number") parts.push(s("line", { class: "interval", x1: xOf(point.low), x2: xOf(point.high), y1: y, y2: y }));
        parts.push(shape(k, xOf(point.value), y));
        parts.push(s("text", { class: "ink", x: width, y: y + 4, "text-anchor": "end" }, percent(point.value), s("tspan", { fill: "var(--ink-soft)" }, countLabel(point))));
      });
    });
    return [parts, bottom + 22];
  },
  curve(plot, width) {
    const key = runKey(plot.curves.map((curve) => curve.run), 0, width, true, plot.named);
    const left = 34, right = width - 12, top = key.height + 20, bottom = top + 220, xOf = (x) => left + (right - left) * x, yOf = (y) => bottom - (bottom - top) * y;
    const parts = [...key.parts];
    for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
      parts.push(s("line", { class: "axis", x1: left, x2: right, y1: yOf(tick), y2: yOf(tick) }));
      parts.push(s("text", { x: left - 8, y: yOf(tick) + 4, "text-anchor": "end" }, String(tick * 100)));
      parts.push(s("text", { x: xOf(tick), y: bottom + 17, "text-anchor": "middle" }, String(tick * 100)));
    }
    // Bands are drawn below all curves, and only for up to two, since more would hide each other.
    for (const curve of plot.curves.length > 2 ? [] : plot.curves) {
      const banded = curve.points.filter((point) => point.length > 2);
      if (banded.length > 1) {
        const edge = (points, which) => points.map((point) => `${xOf(point[0]).toFixed(1)} ${yOf(point[which]).toFixed(1)}`).join("L");
        parts.push(s("path", { class: "band", d: `M${edge(banded, 2)}L${edge([...banded].reverse(), 3)}Z` }));
      }
    }
    const nearestPoint = (curve, share) => curve.points.reduce((nearest, point) => (Math.abs(point[0] - share) < Math.abs(nearest[0] - share) ? point : nearest));
    plot.curves.forEach((curve, k) => {
      parts.push(s("path", { class: "curve", "stroke-dasharray": dash(k), d: curve.points.map(([x, y], i) => `${i ? "L" : "M"}${xOf(x).toFixed(1)} ${yOf(y).toFixed(1)}`).join("") }));
      for (const mark of [0.8, 0.9]) {
        const [x, y] = nearestPoint(curve, mark);
        if (Math.abs(x - mark) > 0.05) continue; // with many equal or missing confidences no point is near
        if (plot.curves.length === 1) parts.push(s("text", { x: xOf(x), y: yOf(y) - 9, "text-anchor": mark === 0.8 ? "end" : "start" }, percent(y)));
        parts.push(shape(k, xOf(x), yOf(y)));
      }
    });
    parts.push(s("text", { x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" }, t("axis.coverage")));
    return [parts, bottom + 44];
  },
  // As everywhere, gold is a frame and a prediction a filled mark.
  ranks(plot, width) {
    const labels = plot.rows.map((_, r) => (r === 0 ? t("rank.longest") : r === plot.rows.length - 1 ? t("rank.shortest") : t("rank.nth", { n: r + 1 })));
    const left = Math.max(...labels.map(textWidth)) + 14, right = width - 92, xOf = (x) => left + (right - left) * Math.min(1, x / plot.most), parts = [], rowHeight = 40;
    const top = 24, bottom = top + rowHeight * plot.rows.length;
    const ticks = plot.most <= 0.5 ? [0, 0.25, 0.5] : [0, 0.25, 0.5, 0.75, 1];
    addAxis(parts, xOf, top, bottom, ticks);
    parts.push(s("rect", { class: "gold", x: 1, y: 4, width: 9, height: 9 }), s("text", { class: "ink", x: 16, y: 13 }, t("gold")));
    parts.push(shape(0, 30 + textWidth(t("gold")), 8.5), s("text", { class: "ink", x: 42 + textWidth(t("gold")), y: 13 }, fitText(t("predicted-by", { run: plot.run }), width - 60 - textWidth(t("gold")))));
    parts.push(s("line", { class: "whole", x1: xOf(plot.chance), x2: xOf(plot.chance), y1: top, y2: bottom }, s("title", null, t("chance"))));
    plot.rows.forEach((row, r) => {
      const middle = top + rowHeight * r + rowHeight / 2;
      parts.push(s("text", { class: "ink", x: 0, y: middle + 4 }, labels[r]));
      [["gold", -8], ["said", 8]].forEach(([source, shift]) => {
        const [value, low, high] = row[source], y = middle + shift;
        if (typeof low === "number") parts.push(s("line", { class: source === "gold" ? "gold-line" : "interval", x1: xOf(low), x2: xOf(high), y1: y, y2: y }));
        parts.push(source === "gold" ? s("rect", { class: "gold", x: xOf(value) - 4.5, y: y - 4.5, width: 9, height: 9 }) : shape(0, xOf(value), y));
        parts.push(s("text", { class: "ink", x: width, y: y + 4, "text-anchor": "end" }, percent(value)));
      });
    });
    return [parts, bottom + 22];
  },
  square(plot, width) {
    const across = Math.min(width, 420), left = Math.max(textWidth(t(plot.side + ".right")), textWidth(t(plot.side + ".wrong"))) + 14, cell = (across - left) / 2, cellHeight = 64, parts = [], top = 24;
    const total = plot.cells.flat().reduce((a, b) => a + b, 0) || 1;
    ["right", "wrong"].forEach((column, c) => parts.push(s("text", { x: left + cell * (c + 0.5), y: 14, "text-anchor": "middle" }, fitText(t(plot.above + "." + column, { run: plot.runs?.[1] ?? "" }), cell))));
    ["right", "wrong"].forEach((line, r) => {
      parts.push(s("text", { x: 0, y: top + cellHeight * (r + 0.5) + 4 }, t(plot.side + "." + line, { run: plot.runs?.[0] ?? "" })));
      plot.cells[r].forEach((n, c) => {
        const x = left + cell * c, y = top + cellHeight * r;
        parts.push(s("rect", { class: "cell" + (r === 0 && c === 1 && plot.above === "variant" ? " lost" : ""), x: x + 1, y: y + 1, width: cell - 2, height: cellHeight - 2, rx: 3 }));
        parts.push(s("text", { class: "count", x: x + cell / 2, y: y + cellHeight / 2 + 2, "text-anchor": "middle" }, count(n)));
        parts.push(s("text", { x: x + cell / 2, y: y + cellHeight / 2 + 20, "text-anchor": "middle" }, percent(n / total) + " %"));
      });
    });
    return [parts, top + cellHeight * 2 + 6];
  },
};
const redraws = [];
function drawPlot(plot) {
  const svg = s("svg", { role: "img", "aria-label": plotTitle(plot) });
  redraws.push(() => {
    const width = Math.min(svg.parentNode.clientWidth || 640, 760);
    const [parts, height] = DRAWINGS[plot.kind](plot, width);
    svg.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(height)}`);
    svg.style.setProperty("max-width", width + "px");
    svg.replaceChildren(...parts);
  });
  return svg;
}
function plotTitle(plot) {
  const title = t("plot." + plot.title, { ...plot.params, tag: translateName("tag", plot.params?.tag), role: t("role." + (plot.params?.role || "original")) });
  return plot.params?.set ? `${title} · ${plot.params.set}` : title;
}
// The overall value is drawn only for a single run: several would need as many lines.
const noteOf = (plot) => (["group", "role"].includes(plot.title) && (plot.runs.length > 1 || typeof plot.whole[0] !== "number") ? "runs" : plot.title);
function plotFigure(plot) {
  return h("figure", { class: "plot" }, h("figcaption", null, h("h2", null, plotTitle(plot)), h("p", null, t("plot-note." + noteOf(plot), plot.params), plot.params?.level && [h("br"), t("plot-note." + (["band", "bands"][plot.curves.length - 1] ?? "bounds"), plot.params)], plot.dash && [h("br"), t(plot.dash)])), drawPlot(plot),
    h("details", null, h("summary", null, t("numbers")), h("div", { class: "scroll" }, h("table", null,
      h("thead", null, h("tr", null, plot.numbers[0].map((cell, k) => h("th", { class: k ? "n" : null }, translateName("column", cell))))),
      h("tbody", null, plot.numbers.slice(1).map((line) => h("tr", null, line.map((cell, k) => h("td", { class: k ? "n" : null }, cell === "" ? DASH : cell)))))))));
}
function redrawAll() { for (const draw of redraws) draw(); }
