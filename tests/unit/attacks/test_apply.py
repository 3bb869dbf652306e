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


def edit(place: str, start: int, end: int, words: str, label: str = "") -> Edit:
    return Edit(
        strategy="s", rule="r", place=place, label=label, span=Span(start, end), words=words
    )  # type: ignore[arg-type]


def test_an_option_and_the_stem_change_and_nothing_else() -> None:
    edits = [edit("option", 0, 4, "all", "A"), edit("question", 0, 5, "What")]
    passage, question = apply(PASSAGE, QUESTION, edits)
    assert passage is PASSAGE
    assert [one.text for one in question.options] == ["all birds", "fish"]
    assert question.text == "What?"
    assert question.answers == QUESTION.answers


@pytest.mark.parametrize(
    "edits",
    [
        [edit("passage", 0, 0, "Zero. ")],
        [edit("passage", 9, 9, " Between.")],
        [edit("passage", 16, 16, " Four.")],
        [
            edit("passage", 0, 3, "A"),
            edit("passage", 9, 9, " Between."),
            edit("passage", 5, 5, "+"),
        ],
    ],
)
def test_places_in_a_changed_passage_move_along(edits: list[Edit]) -> None:
    passage, question = apply(PASSAGE, QUESTION, edits)
    assert passage.text != TEXT
    assert [span.of(passage.text) for span in question.answers[0].spans] == ["Two"]
    moved = [span.of(passage.text) for span in question.gold_evidence[0].spans]
    assert moved == ["Two.", "Three."]


def test_a_changed_passage_is_another_and_named_for_the_question() -> None:
    passage, question = apply(PASSAGE, QUESTION, [edit("passage", 0, 0, "Zero. ")])
    assert passage.passage_id == question.passage_id == "p#q"


def test_several_changes_of_one_text_are_told_by_the_text_as_it_was() -> None:
    assert apply_edits("abc", [edit("question", 2, 3, "Z"), edit("question", 0, 1, "XX")]) == "XXbZ"


@pytest.mark.parametrize("wrong", [(2, 9), (-1, 1)])
def test_a_place_outside_the_text_is_refused(wrong: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="in a text of 3"):
        apply_edits("abc", [edit("question", *wrong, "")])


def test_changes_that_overlap_are_refused() -> None:
    with pytest.raises(UsageError, match="after an edit that ends at 2"):
        apply_edits("abc", [edit("question", 0, 2, ""), edit("question", 1, 3, "")])


def test_an_option_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="the option 'C'"):
        apply(PASSAGE, QUESTION, [edit("option", 0, 1, "", "C")])
