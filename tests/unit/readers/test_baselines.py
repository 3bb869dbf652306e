"""Floors answer by their rule."""

from collections import Counter

import pytest

from closeread.readers import make
from closeread.types import Answer, Option, Passage, Question

PASSAGE = Passage(passage_id="p", text="Six ferries ran. One sank.")


def make_question(question_id: str, *texts: str) -> Question:
    options = tuple(
        Option(label=label, text=text) for label, text in zip("ABCDE", texts, strict=False)
    )
    return Question(
        question_id=question_id, passage_id="p", text="Which?", kind="choice", options=options
    )


def answer(name, question, **options):
    (prediction,) = make(name, options)[0].read([(PASSAGE, question)])
    return prediction.answer


def test_first_sentence():
    """The first sentence, with its place."""
    found = answer("first-sentence", make_question("q"))
    assert found.texts == ("Six ferries ran.",)
    assert found.spans[0].of(PASSAGE.text) == "Six ferries ran."


def test_longest_option():
    """The longest option, the first of equals."""
    assert answer("longest-option", make_question("q", "a", "bcd", "efg", "h")).label == "B"


def test_majority():
    """The label that was named; a question without such a label fails and says so."""
    assert answer("majority", make_question("q", "a", "b", "c"), label="B").label == "B"
    reader, _ = make("majority", {"label": "Z"})
    (found,) = reader.read([(PASSAGE, make_question("q", "a", "b", "c"))])
    assert found.answer is None
    assert found.error == "no option has the label 'Z'; the labels are A, B, C"


def test_random_option_is_uniform_and_fixed_by_seed():
    """Every option comes up about as often; the same seed and id give the same option."""
    found = [answer("random-option", make_question(f"q{n}", *"abcd")).label for n in range(2000)]
    assert found == [
        answer("random-option", make_question(f"q{n}", *"abcd")).label for n in range(2000)
    ]
    assert found != [
        answer("random-option", make_question(f"q{n}", *"abcd"), seed=1).label for n in range(2000)
    ]
    assert all(430 < count < 570 for count in Counter(found).values())
    assert len(set(found)) == 4


@pytest.mark.parametrize("name", ["random-option", "longest-option", "majority"])
def test_without_options_a_question_fails(name):
    """A floor over options says why a question without them has no answer; others go on."""
    reader, _ = make(name)
    bare, whole = reader.read(
        [(PASSAGE, make_question("bare")), (PASSAGE, make_question("q", "a", "b"))]
    )
    assert bare.answer is None
    assert bare.error == "the question has no options to pick from"
    assert whole.answer is not None
    assert not whole.error


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[DOC] [TLE] Lamps [PAR] Lit at six. Put out.", "Lit at six."),
        ("[PAR] [TLE] Lamps [SEP] Lit at six.", "Lit at six."),
        ("[TLE] Lamps", "Lamps"),
    ],
)
def test_a_title_is_not_a_first_sentence_unless_alone(text, told):
    """A title is short: as an answer to everything it would be a lower floor than any sentence."""
    passage = Passage(passage_id="p", text=text)
    question = Question(question_id="q", passage_id="p", text="When?", kind="span")
    (found,) = make("first-sentence")[0].read([(passage, question)])
    assert found.answer.text == told


def test_an_empty_passage_has_no_first_sentence():
    """Nothing is said to be the answer where there is no text."""
    reader, _ = make("first-sentence")
    (found,) = reader.read([(Passage(passage_id="p", text=" "), make_question("q"))])
    assert found.answer == Answer(kind="none")
