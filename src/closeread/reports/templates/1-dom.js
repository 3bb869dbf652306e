// Create nodes and phrases. Text becomes text nodes only, so that no passage is parsed as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else if (name === "style") for (const [key, set] of Object.entries(value)) node.style.setProperty(key, set);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(3)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}
const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

let lang = "en";
function t(key, params) {
  const phrase = DATA.words[lang][key] ?? DATA.words.en[key] ?? key;
  return phrase.replace(/\{(\w+)\}/g, (whole, name) => (params && name in params ? params[name] : whole));
}
// A name from a file (a defect's code, a tag's name) is translated, or shown unchanged.
// Strategies applied together (typo+distractor) are translated one by one.
function translateName(category, name) {
  const words = String(name).split("+").map((part) => DATA.words[lang][`${category}.${part}`]);
  return words.includes(undefined) ? name : words.join("+");
}

// Notes on numbers come in English; those without a translation stay so.
const translateNote = (note) => (lang === "zh" && DATA.notes[note]) || note;

const count = (n) => n.toLocaleString("en-US");
// Rounds halves to even, as the terminal does: 6.25 is 6.2 (only quarters are exact).
const decimal = (x) => (Math.abs((x * 4) % 2) === 1 ? (2 * Math.round(x * 5)) / 10 : x).toFixed(1);
const percent = (x) => decimal(x * 100);
const DASH = "—";
const formatScore = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(3)); // aligned in columns

function interval(summary) {
  if (summary.value === null || summary.value === undefined) {
    return h("span", { title: translateNote(summary.note) || t("no-value") }, DASH);
  }
  const known = typeof summary.low === "number" && typeof summary.high === "number";
  return [
    h("b", null, percent(summary.value)),
    known ? h("span", { class: "between" }, `[${percent(summary.low)}, ${percent(summary.high)}]`)
      : h("span", { class: "between", title: t("no-interval") }, DASH),
  ];
}

const DRAW = {
  right: () => [s("circle", { cx: 8, cy: 8, r: 7, fill: "currentColor" }),
    s("path", { class: "inner", d: "M4.6 8.3l2.3 2.3 4.5-4.8", fill: "none", "stroke-width": 1.8 })],
  wrong: () => [s("path", { d: "M3.2 3.2l9.6 9.6M12.8 3.2l-9.6 9.6", stroke: "currentColor", "stroke-width": 2.6 })],
  partly: () => [s("circle", { cx: 8, cy: 8, r: 6.2, fill: "none", stroke: "currentColor", "stroke-width": 1.6 }),
    s("path", { d: "M8 1.8a6.2 6.2 0 0 1 0 12.4z", fill: "currentColor" })],
  unanswered: () => [s("circle", { cx: 8, cy: 8, r: 6.2, fill: "none", stroke: "currentColor", "stroke-width": 1.6 })],
  failed: () => [s("path", { d: "M8 1.5L15.2 14.5H.8z", fill: "currentColor" }),
    s("path", { class: "inner", d: "M8 6v4M8 11.4v1.6", fill: "none", "stroke-width": 1.7 })],
  unscored: () => [s("path", { d: "M4 8h8", stroke: "currentColor", "stroke-width": 1.8 })],
};
function icon(status, runName) {
  const label = (runName ? runName + ": " : "") + t("status." + status);
  return s("svg", { class: "icon " + status, viewBox: "0 0 16 16", role: "img", "aria-label": label },
    s("title", null, label), DRAW[status]());
}

const letter = (label, kinds) => h("span", { class: "letter " + kinds }, label);
const list = (texts) => texts.join(lang === "zh" ? "；" : "; ");
