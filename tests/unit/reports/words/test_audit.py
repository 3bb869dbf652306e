"""Every sentence that a check can say is known in Chinese; what is not ours stays as it is."""

import ast
import re
from pathlib import Path

import pytest

from closeread import audits
from closeread.audits.checks import CHECKS
from closeread.reports.words.audit import FRAME, MEANINGS, QUESTIONS
from closeread.reports.words.audit_sentences import CELLS, SENTENCES
from closeread.reports.words.phrases import Phrases

FOLDER = Path(audits.__file__).parent
MODULES = (
    "disagreement/check", "disagreement/scoring", "disagreement/tables", "leakage",
    "metamorphic/check", "metamorphic/examine", "metamorphic/judge", "order", "overlaps",
    "recorded", "replan", "replan_total", "shape/check", "shape/recutting", "shortcuts",
    "truncation/check", "truncation/copies", "truncation/endings", "truncation/option_texts",
    "truncation/tables",
)  # fmt: skip
SHOWN = {"title", "headings", "headline", "note", "notes", "promise"}
NOT_SHOWN = {"UsageError", "InputError", "compile", "TypeError", "ValueError"}


def _template_of(node):
    """A string with {} for each field, or None for another node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return None


def _strings(node):
    """All strings in a tree, whole f-strings; docstrings and errors' texts left out."""
    text = _template_of(node)
    if text is not None:
        yield text
        return
    if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in (
        NOT_SHOWN
    ):
        return
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield from _strings(child)


def _sentences(path):
    """What a module shows: all its strings of several words, and every word under a heading."""
    tree = ast.parse(path.read_text("utf-8"))
    yield from (text for text in _strings(tree) if re.search(r"[a-z]{2,} [a-z{]", text))
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in SHOWN:
            yield from _strings(node.value)


def _promises():
    for name in ("relations", "corpus_relations"):
        for node in ast.walk(ast.parse((FOLDER / f"metamorphic/{name}.py").read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith("Relation"):
                yield _template_of(node.args[1])


def _blank_fields(template):
    return re.sub(r"(\{=?\w*\})+", "{}", template).strip(" ,;:")


KNOWN = {
    _blank_fields(english)
    for phrases in (FRAME, SENTENCES, CELLS)
    for english in phrases.templates()
}


# Names of demands, which are never shown; names that are the same in both languages; a beginning.
INNER = {"above zero", "not higher", "not lower", "Pearson", "Spearman", "stop at"} | {
    "gold {}: {} {}"
}


def _is_part(text):
    """Whether a string of three words or more is joined into a longer sentence that is known."""
    return len(text.split()) > 2 and any(text in known for known in KNOWN)


@pytest.mark.parametrize("name", MODULES)
def test_every_sentence_of_a_check_is_translated(name):
    """A sentence that a check gains must be given its Chinese, or this fails and names it."""
    found = {_blank_fields(text) for text in _sentences(FOLDER / f"{name}.py")}
    ours = {text for text in found if re.search(r"[a-z]{3,}", re.sub(r"\{\}", "", text))}
    assert ours
    missing = [text for text in ours - KNOWN - INNER if not _is_part(text)]
    assert sorted(missing) == []


def test_every_promise_is_translated():
    """All promises about answers and about files."""
    found = set(_promises())
    assert len(found) > 40
    assert sorted(found - KNOWN) == []


def test_every_check_has_a_name_and_a_question():
    """Each check of the audit has a heading and says what it asks."""
    for check in CHECKS:
        assert check in FRAME.say(check, "zh")
        assert FRAME.say(check, "zh") != check
        assert FRAME.say(QUESTIONS[check], "zh") != QUESTIONS[check]
    assert set(MEANINGS) == {"sound", "doubtful", "broken", "skipped"}


def test_both_languages_have_the_same_fields():
    """No value is lost or asked for that is not there."""
    for phrases in (FRAME, SENTENCES, CELLS):
        for english, chinese in phrases.templates().items():
            fields = [sorted(re.findall(r"\{=?\w+\}", text)) for text in (english, chinese)]
            assert fields[0] == fields[1], english


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("r: cutting at \".\" changes drop F1 from 1.00 to 2.50",
         "r：在 \".\" 处截断使 drop F1 从 1.00 变为 2.50"),
        ("a b: 3 of 9 predicted triples have three different letters: no sign that answers were "
         "adjusted to one another",
         "a b：9 个预测题组中有 3 个三字母互异：没有答案相互调整的迹象"),
        ("drop: 5 models are stuck between 1.0 and 2.0 while the mean of their other scores "
         "ranges from 3.0 to 4.0; zero for every model (2)",
         "drop：5 个模型停滞在 1.0 与 2.0 之间，而其余基准的平均从 3.0 升至 4.0；"
         "所有模型均为零（2）"),
        ("run, stop at \"\\n\", new extraction: 0 of 1,204 answers (0.0 %) must be generated "
         "again", "run，停止于 \"\\n\"，更换抽取规则：1,204 条答案中有 0 条（0.0 %）必须重新生成"),
        ("white space + case", "空白 + 大小写"),
        ("a stranger's own words", "a stranger's own words"),
        ("r: a stranger's own words; zero for every model (2)",
         "r: a stranger's own words; zero for every model (2)"),
    ],
)  # fmt: skip
def test_sentences_are_translated_completely(english, chinese):
    """Names and numbers are kept, nested sentences are said, the unknown is left whole."""
    assert SENTENCES.say(english, "zh") == chinese
    assert SENTENCES.say(english, "en") == english


def test_hostile_names_are_kept_and_matched_fast():
    """Thousands of separators neither nest endlessly nor lose a character."""
    for name in (": " * 5_000, "; " * 5_000, " + " * 5_000, "{run}", "{=cause}", "x" * 10_000):
        said = SENTENCES.say(f"{name}: no shortcut beats chance", "zh")
        assert name in said


@pytest.mark.parametrize("name", ["chat: qwen", "http:localhost: x", "a, b: c; d + e"])
def test_a_name_with_separators_is_kept(name):
    """Names of runs are a user's: a colon in one is no colon of ours."""
    for rest, chinese in (
        (
            "no answer was cut, and no other stop raises drop F1",
            "没有答案被截断，换停止串也不会提高 drop F1",
        ),
        ("nothing found", "未发现问题"),
    ):
        assert SENTENCES.say(f"{name}: {rest}", "zh") == f"{name}：{chinese}"


def test_templates_do_not_interpret_values():
    """A value that looks like a field is text."""
    phrases = Phrases({"{a} and {b}": "{b} 与 {a}"})
    assert phrases.say("{b} and {a}", "zh") == "{a} 与 {b}"
    assert phrases.fill("{a} and {b}", "zh", a="{b}", b="x") == "x 与 {b}"
