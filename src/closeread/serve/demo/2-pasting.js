// A question and its options copied from a paper in one piece: each goes to its own place.
const LABEL = "(?:[(（[【][ \\t]*([A-ZＡ-Ｚ])[ \\t]*[)）\\]】][.．、]?|([A-ZＡ-Ｚ])[ \\t]*[.．、:：)）])";
// Labels stand at the beginning of a line or behind a wide gap. Behind a single space (A. one B. two C. three) there must
// be three: of two, one may be a name's initial.
const BEFORE = [["(?:^|\\n)[^\\S\\n]*|[^\\S\\n]{2}|\\t|\\u3000", 2], ["^|\\s", 3]];

// What stands before the first label, and the options: from A on, with no letter left out.
function lettered(text) {
  for (const [before, least] of BEFORE) {
    const labels = [];
    for (const found of text.matchAll(new RegExp(`(?:${before})${LABEL}`, "g"))) {
      if ((found[1] ?? found[2]).normalize("NFKC") === LETTERS[labels.length]) labels.push(found);
    }
    if (labels.length < least) continue;
    const ends = [...labels.slice(1).map((found) => found.index), text.length];
    return { stem: text.slice(0, labels[0].index).trim(), options: labels.map((found, k) => text.slice(found.index + found[0].length, ends[k]).trim()) };
  }
  return null;
}

// Nothing that was written is lost: what is selected as a whole is to go, and so are options that were answered.
const goes = ({ value, selectionStart, selectionEnd }) => !value.trim() || (selectionStart === 0 && selectionEnd === value.length);
const optionsGo = () => !draft.options.some((option) => option.trim()) || (answered && same(draft.options, answered.asked.options));

let dealt = null; // what was pasted last and dealt out, where, what was made of it, and what was there before

function pasted(event) {
  const node = event.target, place = node.id.startsWith("option-") ? Number(node.id.slice(7)) : -1;
  if (!node.matches("textarea.short, .choice textarea") || !goes(node)) return;
  const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n"), found = lettered(text);
  const own = place >= 0 && new RegExp(`^\\s*${LABEL}\\s*`).exec(text);
  if (found && Boolean(found.stem) === place < 0 && optionsGo()) {
    event.preventDefault();
    dealt = { id: node.id, text, made: found.options, question: draft.question, options: draft.options };
    if (found.stem) draft.question = found.stem;
    writtenAnew(found.options, `option-${found.options.length - 1}`);
    tell(t("options-pasted", { n: found.options.length }));
  } else if (!found && own && (own[1] ?? own[2]).normalize("NFKC") === LETTERS[place]) {
    event.preventDefault();
    document.execCommand("insertText", false, text.slice(own[0].length).trim());
  }
}
function writtenAnew(options, id) {
  draft.options = options;
  editing.options = true;
  if (!draft.chosen) draft.asks = asksFor(draft.question);
  changed();
  render();
  document.getElementById(id).focus();
}

// Letters in a row may be no options (A. Smith, B. Jones and C. Brown): taken back, it is all in one piece.
function takenBack(event) {
  if (dealt?.made !== draft.options || !/^z$/i.test(event.key) || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  const { id, text, question, options } = dealt;
  dealt = null;
  draft.question = question;
  writtenAnew(options, id);
  document.activeElement.select();
  document.execCommand("insertText", false, text);
}
document.addEventListener("paste", pasted);
document.addEventListener("keydown", takenBack);
// What was written since is not lost by it.
document.addEventListener("input", () => { dealt = null; });
