// The form: passage, question, options and the button.
function fitHeight(node) {
  node.style.setProperty("height", "auto");
  node.style.setProperty("height", `${node.scrollHeight + 2}px`);
}
function textField(name, value, props, onInput) {
  const node = h("textarea", { id: name, spellcheck: "false", autocomplete: "off", lang: languageOf(value), dir: "auto", ...props,
    on: { input: () => { node.lang = languageOf(node.value); onInput(node.value); onDraftChange(); } } });
  node.value = value;
  return node;
}
function problemText(name) {
  return h("p", { class: "problem", id: `${name}-problem` }, problems[name]);
}
const problemProps = (name, applies = true) => ({ "aria-invalid": problems[name] && applies ? "true" : null, "aria-describedby": `${name}-problem` });

function passagePanel() {
  const label = (extra, fieldId) => h("div", { class: "label" }, h(fieldId ? "label" : "span", fieldId && { for: fieldId }, t("passage")), extra);
  if (lastAnswer && !editing.passage) {
    return h("div", null,
      label(h("button", { class: "link", type: "button", id: "edit-passage", on: { click: () => startEditing("passage", "passage") } }, t("edit-passage"))),
      h("div", { class: "reading-of" }, renderPassage()));
  }
  const count = h("span", { class: "soft" });
  const showCount = () => { count.textContent = draft.passage ? t("characters", { n: Array.from(draft.passage).length.toLocaleString("en-US") }) : ""; };
  showCount();
  return h("div", null, label(count, "passage"),
    textField("passage", draft.passage, { class: "long", placeholder: t("passage-hint"), ...problemProps("passage") }, (value) => { draft.passage = value; showCount(); }),
    problemText("passage"));
}

function questionPanel() {
  const question = textField("question", draft.question, { class: "short", rows: 2, placeholder: t("question-hint"), ...problemProps("question") }, (value) => {
    draft.question = value;
    fitHeight(question);
    if (!draft.chosen) {
      draft.asks = asksFor(value);
      document.querySelector(".asks")?.replaceWith(asksSelector());
    }
  });
  return h("div", null,
    h("div", { class: "label" }, h("label", { for: "question" }, t("question"))), question, problemText("question"),
    lastAnswer && !editing.options && draft.options.length ? null : optionEditor(),
    h("div", { class: "actions", id: "actions" }, actionButtons()),
    h("div", { class: "result", id: "result" }, renderResult()));
}

function asksSelector() {
  const choose = (name) => { draft.asks = name; draft.chosen = true; document.querySelector(".asks").replaceWith(asksSelector()); document.getElementById(`asks-${name}`).focus(); onDraftChange(); };
  return h("div", { class: "asks", role: "group", "aria-label": t("asks") }, t("asks"),
    h("span", { class: "segment" }, ["choice", "supported", "contradicted"].map((name) =>
      h("button", { type: "button", id: `asks-${name}`, "aria-pressed": String(draft.asks === name), on: { click: () => choose(name) } }, t(`asks.${name}`)))));
}

function optionEditor() {
  const addOptions = (count) => {
    draft.options.push(...Array(count).fill(""));
    editing.options = true;
    if (!draft.chosen) draft.asks = asksFor(draft.question);
    onDraftChange();
    render();
    document.getElementById(`option-${draft.options.length - count}`).focus();
  };
  const removeOption = (k) => {
    draft.options.splice(k, 1);
    onDraftChange();
    render();
    (document.getElementById(`option-${Math.min(k, draft.options.length - 1)}`) ?? document.getElementById("add-option")).focus();
  };
  if (!draft.options.length) {
    return h("div", { class: "below-choices alone" }, h("button", { class: "link", type: "button", id: "add-option", on: { click: () => addOptions(2) } }, t("add-options")), t("options-why"));
  }
  const row = (text, k) => h("div", { class: "choice" },
    h("span", { class: "mark", "aria-hidden": "true" }, LETTERS[k]),
    textField(`option-${k}`, text, { rows: 1, "aria-label": t("option-n", { label: LETTERS[k] }), ...problemProps("options", !text.trim() || draft.options.length < 2) }, (value) => { draft.options[k] = value; fitHeight(document.getElementById(`option-${k}`)); }),
    h("button", { class: "quiet", type: "button", title: t("remove-option", { label: LETTERS[k] }), "aria-label": t("remove-option", { label: LETTERS[k] }), on: { click: () => removeOption(k) } }, "×"));
  return h("div", null, asksSelector(),
    h("div", { class: "choices", role: "group", "aria-label": t("options") }, draft.options.map(row)),
    h("div", { class: "below-choices" }, draft.options.length < LETTERS.length && h("button", { class: "link", type: "button", id: "add-option", on: { click: () => addOptions(1) } }, t("add-option")), problemText("options")));
}

function waitingText() {
  const seconds = Math.max(0, Math.round((pending.until ? pending.until - Date.now() : Date.now() - pending.since) / 1000));
  return t(pending.until ? "busy" : "reading", { seconds });
}
// Update only the text, so that the button beside it keeps the focus.
const updateWaiting = () => { document.getElementById("waited").textContent = waitingText(); };

function actionButtons() {
  const shortcut = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ ↵" : "Ctrl ↵";
  const button = h("button", { class: "go", type: "button", id: "go", disabled: Boolean(pending), on: { click: sendQuestion } }, t("answer-it"));
  if (!pending) return [button, h("kbd", null, shortcut)];
  return [button, h("span", { class: "now" }, h("span", { class: "turning", "aria-hidden": "true" }), h("span", { id: "waited" }, waitingText()),
    h("button", { class: "link", type: "button", id: "cancel", on: { click: () => pending?.stop.abort() } }, t("cancel")))];
}

function startEditing(field, id) {
  editing[field] = true;
  render();
  document.getElementById(id)?.focus();
}
function onDraftChange() {
  problems = {};
  for (const node of document.querySelectorAll("[aria-invalid]")) node.removeAttribute("aria-invalid");
  for (const node of document.querySelectorAll(".problem")) node.textContent = "";
  if (lastAnswer && !isStale) {
    isStale = true;
    if (failure) return;
    const node = document.getElementById("result");
    node.classList.add("stale");
    node.prepend(h("p", { class: "changed" }, t("changed")));
    announce(t("changed"));
  }
}
