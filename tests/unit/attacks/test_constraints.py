import pytest

from closeread.attacks.constraints import CONSTRAINTS, NewText, NotInPassage, NotQuoted, OutsideGold
from closeread.types import Answer, Edit, Passage, Question, Span
from word_strategy import PASSAGE, question


def make_edit(start: int, end: int, words: str, truth: str = "same", label: str = "A") -> Edit:
    return Edit(
        strategy="s", rule="r", place="option", label=label, span=Span(start, end), words=words,
        truth=truth,
    )  # type: ignore[arg-type]  # fmt: skip


def test_quotations_are_not_edited() -> None:
    asked = question(options=("“有些鸟”会飞。", "有些鱼会跳。", "所有树会老。", "有些花会谢。"))
    quoted = make_edit(1, 3, "一些")
    assert not NotQuoted().allows(quoted, PASSAGE, asked)
    assert NotQuoted().allows(make_edit(5, 6, "能"), PASSAGE, asked)
    assert not NotQuoted().allows(make_edit(3, 6, "能"), PASSAGE, asked)  # ends outside
    assert not NotQuoted().allows(make_edit(0, 6, "鸟不会"), PASSAGE, asked)  # left out altogether
    assert NotQuoted().allows(make_edit(0, 7, "会飞的“有些鸟”"), PASSAGE, asked)  # moved


def test_an_option_does_not_become_equal_to_another() -> None:
    asked = question(options=("有些鸟会飞。", "一些鸟会飞。", "所有树会老。", "有些花会谢。"))
    assert not NewText().allows(make_edit(0, 2, "一些"), PASSAGE, asked)
    assert not NewText().allows(make_edit(0, 2, "有些"), PASSAGE, asked)
    assert NewText().allows(make_edit(0, 2, "若干"), PASSAGE, asked)


def test_a_falsified_statement_is_not_in_the_passage() -> None:
    asked = question(options=("所有鸟会飞。", "有些鱼会跳。", "所有树会老。", "有些花会谢。"))
    assert not NotInPassage().allows(make_edit(0, 2, "有些", "opposite"), PASSAGE, asked)
    assert NotInPassage().allows(make_edit(0, 2, "若干", "opposite"), PASSAGE, asked)
    assert NotInPassage().allows(make_edit(0, 2, "有些", "same"), PASSAGE, asked)
    # C is false: made true it may well stand there
    assert NotInPassage().allows(make_edit(0, 2, "有些", "opposite", "C"), PASSAGE, asked)


@pytest.mark.parametrize(
    ("start", "allowed"), [(0, True), (5, True), (6, False), (7, False), (8, True), (9, True)]
)
def test_no_edit_is_inside_an_answer(start: int, allowed: bool) -> None:
    passage = Passage(passage_id="p", text="One. Two. Three.")
    asked = Question(
        question_id="q", passage_id="p", text="Which?", kind="span",
        answers=(Answer(kind="span", texts=("Two",), spans=(Span(5, 8),)),),
    )  # fmt: skip
    put = Edit(strategy="s", rule="r", place="passage", span=Span(start, start), words="x")
    assert OutsideGold().allows(put, passage, asked) is allowed


def test_the_option_constraints_ignore_other_edits() -> None:
    change = Edit(strategy="s", rule="r", place="question", span=Span(0, 1), words="x")
    assert all(one.allows(change, PASSAGE, question()) for one in CONSTRAINTS)
