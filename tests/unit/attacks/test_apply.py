import pytest

from closeread.attacks.apply import apply, apply_edits
from closeread.errors import UsageError
from closeread.types import Answer, Edit, Evidence, Option, Passage, Question, Span

TEXT = "One. Two. Three."
PASSAGE = Passage(passage_id="p", text=TEXT)
QUESTION = Question(
    question_id="q", passage_id="p", text="Which?", kind="span",
    options=(Option(label="A", text="some birds"), Option(label="B", text="fish")),
    answers=(Answer(kind="span", texts=("Two",), spans=(Span(5, 8),)),),
    gold_evidence=(Evidence(spans=(Span(5, 9), Span(10, 16))),),
)  # fmt: skip


def make_edit(place: str, start: int, end: int, words: str, label: str = "") -> Edit:
    return Edit(
        strategy="s", rule="r", place=place, label=label, span=Span(start, end), words=words
    )  # type: ignore[arg-type]


def test_edits_change_only_the_option_and_the_stem() -> None:
    edits = [make_edit("option", 0, 4, "all", "A"), make_edit("question", 0, 5, "What")]
    passage, question = apply(PASSAGE, QUESTION, edits)
    assert passage is PASSAGE
    assert [one.text for one in question.options] == ["all birds", "fish"]
    assert question.text == "What?"
    assert question.answers == QUESTION.answers


@pytest.mark.parametrize(
    "edits",
    [
        [make_edit("passage", 0, 0, "Zero. ")],
        [make_edit("passage", 9, 9, " Between.")],
        [make_edit("passage", 16, 16, " Four.")],
        [
            make_edit("passage", 0, 3, "A"),
            make_edit("passage", 9, 9, " Between."),
            make_edit("passage", 5, 5, "+"),
        ],
    ],
)
def test_spans_in_an_edited_passage_are_shifted(edits: list[Edit]) -> None:
    passage, question = apply(PASSAGE, QUESTION, edits)
    assert passage.text != TEXT
    assert [span.of(passage.text) for span in question.answers[0].spans] == ["Two"]
    moved = [span.of(passage.text) for span in question.gold_evidence[0].spans]
    assert moved == ["Two.", "Three."]


def test_an_edited_passage_gets_an_id_with_the_question() -> None:
    passage, question = apply(PASSAGE, QUESTION, [make_edit("passage", 0, 0, "Zero. ")])
    assert passage.passage_id == question.passage_id == "p#q"


def test_several_edits_of_one_text_use_original_offsets() -> None:
    assert (
        apply_edits("abc", [make_edit("question", 2, 3, "Z"), make_edit("question", 0, 1, "XX")])
        == "XXbZ"
    )


@pytest.mark.parametrize("wrong", [(2, 9), (-1, 1)])
def test_an_edit_outside_the_text_is_rejected(wrong: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="in a text of 3"):
        apply_edits("abc", [make_edit("question", *wrong, "")])


def test_overlapping_edits_are_rejected() -> None:
    with pytest.raises(UsageError, match="after an edit that ends at 2"):
        apply_edits("abc", [make_edit("question", 0, 2, ""), make_edit("question", 1, 3, "")])


def test_an_edit_of_an_unknown_option_is_rejected() -> None:
    with pytest.raises(UsageError, match="the option 'C'"):
        apply(PASSAGE, QUESTION, [make_edit("option", 0, 1, "", "C")])
