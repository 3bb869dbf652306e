// The form: passage, question, options, and the button.
function grow(node) {
  node.style.setProperty("height", "auto");
  node.style.setProperty("height", `${node.scrollHeight + 2}px`);
}
function written(name, value, props, then) {
  const node = h("textarea", { id: name, spellcheck: "false", autocomplete: "off", lang: languageOf(value), dir: "auto", ...props,
    on: { input: () => { node.lang = languageOf(node.value); then(node.value); changed(); } } });
  node.value = value;
  return node;
}
function problem(name) {
  return h("p", { class: "problem", id: `${name}-problem` }, problems[name]);
}
const wrong = (name, here = true) => ({ "aria-invalid": problems[name] && here ? "true" : null, "aria-describedby": `${name}-problem` });

function passageSide() {
  const label = (end, to) => h("div", { class: "label" }, h(to ? "label" : "span", to && { for: to }, t("passage")), end);
  if (answered && !editing.passage) {
    return h("div", null,
      label(h("button", { class: "link", type: "button", id: "edit-passage", on: { click: () => edit("passage", "passage") } }, t("edit-passage"))),
      h("div", { class: "reading-of" }, passageMarked()));
  }
  const count = h("span", { class: "soft" });
  const counted = () => { count.textContent = draft.passage ? t("characters", { n: Array.from(draft.passage).length.toLocaleString("en-US") }) : ""; };
  counted();
  return h("div", null, label(count, "passage"),
    written("passage", draft.passage, { class: "long", placeholder: t("passage-hint"), ...wrong("passage") }, (value) => { draft.passage = value; counted(); }),
    problem("passage"));
}

function questionSide() {
  const question = written("question", draft.question, { class: "short", rows: 2, placeholder: t("question-hint"), ...wrong("question") }, (value) => {
    draft.question = value;
    grow(question);
    if (!draft.chosen) {
      draft.asks = asksFor(value);
      document.querySelector(".asks")?.replaceWith(asks());
    }
  });
  return h("div", null,
    h("div", { class: "label" }, h("label", { for: "question" }, t("question"))), question, problem("question"),
    answered && !editing.options && draft.options.length ? null : options(),
    h("div", { class: "actions", id: "actions" }, actions()),
    h("div", { class: "result", id: "result" }, result()));
}

function asks() {
  const choose = (name) => { draft.asks = name; draft.chosen = true; document.querySelector(".asks").replaceWith(asks()); document.getElementById(`asks-${name}`).focus(); changed(); };
  return h("div", { class: "asks", role: "group", "aria-label": t("asks") }, t("asks"),
    h("span", { class: "segment" }, ["choice", "supported", "contradicted"].map((name) =>
      h("button", { type: "button", id: `asks-${name}`, "aria-pressed": String(draft.asks === name), on: { click: () => choose(name) } }, t(`asks.${name}`)))));
}

function options() {
  const more = (count) => {
    draft.options.push(...Array(count).fill(""));
    editing.options = true;
    if (!draft.chosen) draft.asks = asksFor(draft.question);
    changed();
    render();
    document.getElementById(`option-${draft.options.length - count}`).focus();
  };
  const less = (k) => {
    draft.options.splice(k, 1);
    changed();
    render();
    (document.getElementById(`option-${Math.min(k, draft.options.length - 1)}`) ?? document.getElementById("add-option")).focus();
  };
  if (!draft.options.length) {
    return h("div", { class: "below-choices alone" }, h("button", { class: "link", type: "button", id: "add-option", on: { click: () => more(2) } }, t("add-options")), t("options-why"));
  }
  const row = (text, k) => h("div", { class: "choice" },
    h("span", { class: "mark", "aria-hidden": "true" }, LETTERS[k]),
    written(`option-${k}`, text, { rows: 1, "aria-label": t("option-n", { label: LETTERS[k] }), ...wrong("options", !text.trim() || draft.options.length < 2) }, (value) => { draft.options[k] = value; grow(document.getElementById(`option-${k}`)); }),
    h("button", { class: "quiet", type: "button", title: t("remove-option", { label: LETTERS[k] }), "aria-label": t("remove-option", { label: LETTERS[k] }), on: { click: () => less(k) } }, "×"));
  return h("div", null, asks(),
    h("div", { class: "choices", role: "group", "aria-label": t("options") }, draft.options.map(row)),
    h("div", { class: "below-choices" }, draft.options.length < LETTERS.length && h("button", { class: "link", type: "button", id: "add-option", on: { click: () => more(1) } }, t("add-option")), problem("options")));
}

function waited() {
  const seconds = Math.max(0, Math.round((busy.until ? busy.until - Date.now() : Date.now() - busy.since) / 1000));
  return t(busy.until ? "busy" : "reading", { seconds });
}
// The words alone: who is about to press the button beside them keeps it.
const tick = () => { document.getElementById("waited").textContent = waited(); };

function actions() {
  const keys = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ ↵" : "Ctrl ↵";
  const button = h("button", { class: "go", type: "button", id: "go", disabled: Boolean(busy), on: { click: ask } }, t("answer-it"));
  if (!busy) return [button, h("kbd", null, keys)];
  return [button, h("span", { class: "now" }, h("span", { class: "turning", "aria-hidden": "true" }), h("span", { id: "waited" }, waited()),
    h("button", { class: "link", type: "button", id: "cancel", on: { click: () => busy?.stop.abort() } }, t("cancel")))];
}

function edit(what, id) {
  editing[what] = true;
  render();
  document.getElementById(id)?.focus();
}
function changed() {
  problems = {};
  for (const node of document.querySelectorAll("[aria-invalid]")) node.removeAttribute("aria-invalid");
  for (const node of document.querySelectorAll(".problem")) node.textContent = "";
  if (answered && !stale) {
    stale = true;
    if (trouble) return;
    const node = document.getElementById("result");
    node.classList.add("stale");
    node.prepend(h("p", { class: "changed" }, t("changed")));
    tell(t("changed"));
  }
}
