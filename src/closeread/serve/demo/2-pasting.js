// Paste a question with its options in one piece: each goes to its own field.
const LABEL = "(?:[(（[【][ \\t]*([A-ZＡ-Ｚ])[ \\t]*[)）\\]】][.．、]?|([A-ZＡ-Ｚ])[ \\t]*[.．、:：)）])";
// Labels are at the beginning of a line or after a wide gap. After a single space (A. one B. two C. three) there must be
// three: of two, one may be an initial.
const BEFORE = [["(?:^|\\n)[^\\S\\n]*|[^\\S\\n]{2}|\\t|\\u3000", 2], ["^|\\s", 3]];

// The text before the first label, and the options, from A on without a gap.
function splitOptions(text) {
  for (const [before, minLabels] of BEFORE) {
    const labels = [];
    for (const match of text.matchAll(new RegExp(`(?:${before})${LABEL}`, "g"))) {
      if ((match[1] ?? match[2]).normalize("NFKC") === LETTERS[labels.length]) labels.push(match);
    }
    if (labels.length < minLabels) continue;
    const ends = [...labels.slice(1).map((match) => match.index), text.length];
    return { stem: text.slice(0, labels[0].index).trim(), options: labels.map((match, k) => text.slice(match.index + match[0].length, ends[k]).trim()) };
  }
  return null;
}

// Pasting must not destroy text: it may replace a field that is empty or fully selected, and options already answered.
const mayReplace = ({ value, selectionStart, selectionEnd }) => !value.trim() || (selectionStart === 0 && selectionEnd === value.length);
const optionsReplaceable = () => !draft.options.some((option) => option.trim()) || (lastAnswer && isEqual(draft.options, lastAnswer.asked.options));

let lastPaste = null; // { id, text, pastedOptions, question, options }: the last paste that was split, and the draft before it

function onPaste(event) {
  const node = event.target, optionIndex = node.id.startsWith("option-") ? Number(node.id.slice(7)) : -1;
  if (!node.matches("textarea.short, .choice textarea") || !mayReplace(node)) return;
  const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n"), parts = splitOptions(text);
  const ownLabel = optionIndex >= 0 && new RegExp(`^\\s*${LABEL}\\s*`).exec(text);
  if (parts && Boolean(parts.stem) === optionIndex < 0 && optionsReplaceable()) {
    event.preventDefault();
    lastPaste = { id: node.id, text, pastedOptions: parts.options, question: draft.question, options: draft.options };
    if (parts.stem) draft.question = parts.stem;
    replaceOptions(parts.options, `option-${parts.options.length - 1}`);
    announce(t("options-pasted", { n: parts.options.length }));
  } else if (!parts && ownLabel && (ownLabel[1] ?? ownLabel[2]).normalize("NFKC") === LETTERS[optionIndex]) {
    event.preventDefault();
    document.execCommand("insertText", false, text.slice(ownLabel[0].length).trim());
  }
}
function replaceOptions(options, id) {
  draft.options = options;
  editing.options = true;
  if (!draft.chosen) draft.asks = asksFor(draft.question);
  onDraftChange();
  render();
  document.getElementById(id).focus();
}

// Letters may be initials, not labels (A. Smith, B. Jones and C. Brown): undo inserts the text in one piece.
function onUndo(event) {
  if (lastPaste?.pastedOptions !== draft.options || !/^z$/i.test(event.key) || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  const { id, text, question, options } = lastPaste;
  lastPaste = null;
  draft.question = question;
  replaceOptions(options, id);
  document.activeElement.select();
  document.execCommand("insertText", false, text);
}
document.addEventListener("paste", onPaste);
document.addEventListener("keydown", onUndo);
// After further input, undo must not discard it.
document.addEventListener("input", () => { lastPaste = null; });
