"""A reader asked from Python is asked as in a run, and answers in the order of the questions."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import closeread
from closeread import Answer, OpenReader, Passage, Prediction, Question
from closeread.errors import InputError, UnknownNameError, UsageError


class Echo:
    """Answers with what it is shown, the last question of a batch first."""

    batch_size = 4

    def __init__(self) -> None:
        self.batches: list[list[tuple[Passage, Question]]] = []

    def read(self, items: Sequence[tuple[Passage, Question]]) -> Iterator[Prediction]:
        self.batches.append(list(items))
        for passage, question in reversed(items):
            if "fail" in question.text:
                raise RuntimeError("no answer to this")
            text = f"{question.text} {passage.title}{passage.text}"
            yield Prediction(
                question_id=question.question_id, answer=Answer(kind="span", texts=(text,))
            )


class First(Echo):
    """Is given one question at a time."""

    batch_size = 1


def _open(reader: object = None) -> OpenReader:
    return OpenReader(name="echo", options={}, reader=reader or Echo())


def test_one_question():
    """A question and a passage give an answer with its place in the passage."""
    told = closeread.open_reader("lexical").ask("When did it open?", "Opened in 1894. Closed soon.")
    assert (told.answer.text, told.error) == ("1894", "")
    (place,) = told.answer.spans
    assert place.of("Opened in 1894. Closed soon.") == "1894"


def test_the_stem_decides_the_kind_of_question():
    """Options without a verifying stem are a choice, with one statements for or against."""
    echo = Echo()
    reader = _open(echo)
    reader.ask("Who ran?", "Ann ran.")
    reader.ask("Who ran?", "Ann ran.", ["Ann", "Bob"], title="Runs")
    reader.ask("Which statement is true?", "Ann ran.", ["Ann ran", "Bob ran"])
    reader.ask("下列说法不正确的一项是", "安跑了。", ["安跑了", "鲍勃跑了", "没人跑"])
    shown = [question for batch in echo.batches for _, question in batch]
    assert [(one.kind, one.asks_for) for one in shown] == [
        ("span", None),
        ("choice", None),
        ("verification", "supported"),
        ("verification", "contradicted"),
    ]
    assert [[option.label for option in one.options] for one in shown] == [
        [], ["A", "B"], ["A", "B"], ["A", "B", "C"],
    ]  # fmt: skip
    passages = [passage for batch in echo.batches for passage, _ in batch]
    assert [one.language for one in passages] == ["en", "en", "en", "zh"]
    assert passages[1].title == "Runs"
    assert passages[0].passage_id == passages[2].passage_id  # the same text: known again
    assert passages[0].passage_id != passages[1].passage_id  # another title


def test_many_questions_share_batches_and_keep_their_order():
    """Nine questions in batches of four come back in their order, though each batch is reversed."""
    echo = Echo()
    asked = [(f"q{n}", f"p{n}") for n in range(9)]
    told = list(_open(echo).ask_all(iter(asked)))
    assert [one.answer.text for one in told] == [f"q{n} p{n}" for n in range(9)]
    assert [one.question_id for one in told] == [str(n) for n in range(9)]
    assert [len(batch) for batch in echo.batches] == [4, 4, 1]


def test_questions_are_read_lazily():
    """The first answer comes before the fifth question is looked at."""
    looked_at = []

    def asked() -> Iterator[tuple[str, str]]:
        for n in range(100):
            looked_at.append(n)
            yield f"q{n}", "p"

    told = _open().ask_all(asked())
    assert next(told).answer.text == "q0 p"
    assert len(looked_at) <= 5


def test_a_failed_question_does_not_affect_others():
    """Its prediction has the error; the others of its batch are answered."""
    told = list(_open().ask_all([("a", "p"), ("fail", "p"), ("c", "p")]))
    assert [one.answer.text if one.answer else "" for one in told] == ["a p", "", "c p"]
    assert told[1].error == "RuntimeError: no answer to this"


def test_answers_to_a_data_set_are_under_its_ids_and_gold_is_hidden():
    """Triples are never read together, and yet answers come in the data set's order."""
    echo = Echo()
    told = list(_open(echo).answers("exam/zh", limit=10))  # the last triple whole
    ids = [one.question_id for one in closeread.load("exam/zh").questions()][:12]
    assert [one.question_id for one in told] == ids
    shown = [question for batch in echo.batches for _, question in batch]
    assert not any(one.answers or one.option_truth or one.group_id or one.tags for one in shown)
    assert not {one.question_id for one in shown} & set(ids)


@pytest.mark.parametrize(
    "options",
    [["alone"], "AB", [str(n) for n in range(27)], {"A": "x", "B": "y"}, {"x", "y"}, None],
)
def test_invalid_options_are_rejected(options):
    """One option, a text or what has no order of its own, or more than there are letters."""
    with pytest.raises(UsageError, match="option"):
        _open().ask("q", "p", options)


def test_options_may_be_any_sequence():
    """A generator's and numpy's texts are plain texts by the time that a reader sees them."""
    echo = Echo()
    for options in (iter(["x", "y"]), np.array(["x", "y"]), ("x", "y")):
        _open(echo).ask(np.str_("q"), np.str_("p"), options)
    for ((passage, question),) in echo.batches:
        texts = (passage.text, question.text, *(one.text for one in question.options))
        assert texts == ("p", "q", "x", "y")
        assert {type(one) for one in texts} == {str}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"question": "q", "context": "p"}, "question 1 is given as dict"),
        ("qp", "question 1 is given as str"),
        (("q",), "question 1 is given as tuple of 1"),
        (("q", "p", ["x", "y"], "title"), "question 1 is given as tuple of 4"),
        (5, "question 1 is given as int"),
        (("q", None), "the passage is None"),
        ((3, "p"), "the question is 3"),
        (("q", "p", [1894, 1895]), "the option A is 1894"),
    ],
)
def test_invalid_questions_are_rejected(asked, said):
    """A dictionary's keys are not asked, nor a text's letters; what came before is answered."""
    told = _open(First()).ask_all([("a", "p"), asked])
    assert next(told).answer.text == "a p"
    with pytest.raises(UsageError, match=said):
        next(told)


def test_questions_of_an_iterator_are_answered():
    """Neither a generator of passages nor one of questions is used up by the first look."""
    passage, questions = next(iter(closeread.load("exam/en")))
    once = ((passage, iter(questions)) for _ in range(1))
    told = list(_open().answers(once))
    assert [one.question_id for one in told] == [one.question_id for one in questions]


@pytest.mark.parametrize(
    "given",
    [5, None, [5], [("p", [])], [{"passage": 1}], [(Passage(passage_id="p", text=""), "q")]],
)
def test_invalid_data_sets_are_rejected(given):
    """Whatever else is given is told as what it is."""
    with pytest.raises(UsageError, match="is not a passage with questions"):
        _open().answers(given)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_rejected(limit):
    """No limit means all; a negative one does not."""
    with pytest.raises(UsageError, match="at least 1"):
        _open().answers("exam/en", limit=limit)


def test_reader_options_may_be_numpy_values_and_paths():
    """They become the plain numbers and texts that a run folder keeps."""
    opened = closeread.open_reader("lexical", sharpness=np.float32(4), retriever=Path("cover"))
    assert opened.options == {"sharpness": 4.0, "retriever": "cover"}
    assert {type(one) for one in opened.options.values()} == {float, str}


def test_readers_that_cannot_be_opened_raise():
    """Names, options and files that are not there are told as on the command line."""
    with pytest.raises(UnknownNameError, match="lexcal"):
        closeread.open_reader("lexcal")
    with pytest.raises(UsageError, match="not a reader's name"):
        closeread.open_reader(Path("checkpoints"))
    with pytest.raises(UsageError, match="no option 'name'"):
        closeread.open_reader("lexical", name="mine")
    with pytest.raises(UsageError, match="colour"):
        closeread.open_reader("lexical", colour="red")
    with pytest.raises(InputError, match="nowhere"):
        list(_open().answers("nowhere.jsonl"))
    with pytest.raises(InputError, match="nowhere"):
        closeread.load("nowhere.jsonl")


def test_errors_name_the_python_argument_for_the_format(tmp_path):
    """The cure is a call, not an option of the command line; so is that of strict reading."""
    odd = tmp_path / "odd.json"
    odd.write_text('{"nothing": "known"}', "utf-8")
    for given in (lambda: closeread.load(odd), lambda: closeread.score(odd, {"q": "a"})):
        with pytest.raises(InputError) as raised:
            given()
        assert "closeread.load(..., format=...)" in str(raised.value)
        assert "--" not in str(raised.value)
