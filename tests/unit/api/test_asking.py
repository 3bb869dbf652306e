"""A reader asked from Python is asked as in a run, and answers in the order of the questions."""

from collections.abc import Iterator, Sequence

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


def _open(reader: object = None) -> OpenReader:
    return OpenReader(name="echo", options={}, reader=reader or Echo())


def test_one_question():
    """A question and a passage give an answer with its place in the passage."""
    told = closeread.open_reader("lexical").ask("When did it open?", "Opened in 1894. Closed soon.")
    assert (told.answer.text, told.error) == ("1894", "")
    (place,) = told.answer.spans
    assert place.of("Opened in 1894. Closed soon.") == "1894"


def test_what_a_stem_asks_for_makes_the_kind():
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


def test_questions_are_read_as_needed():
    """The first answer comes before the fifth question is looked at."""
    looked_at = []

    def asked() -> Iterator[tuple[str, str]]:
        for n in range(100):
            looked_at.append(n)
            yield f"q{n}", "p"

    told = _open().ask_all(asked())
    assert next(told).answer.text == "q0 p"
    assert len(looked_at) <= 5


def test_a_question_that_fails_costs_no_other():
    """Its prediction has the error; the others of its batch are answered."""
    told = list(_open().ask_all([("a", "p"), ("fail", "p"), ("c", "p")]))
    assert [one.answer.text if one.answer else "" for one in told] == ["a p", "", "c p"]
    assert told[1].error == "RuntimeError: no answer to this"


def test_answers_to_a_data_set_are_under_its_ids_and_gold_is_hidden():
    """Triples are never read together, and yet answers come in the data set's order."""
    echo = Echo()
    told = list(_open(echo).answers("exam/zh", limit=12))
    ids = [one.question_id for one in closeread.load("exam/zh").questions()][:12]
    assert [one.question_id for one in told] == ids
    shown = [question for batch in echo.batches for _, question in batch]
    assert not any(one.answers or one.option_truth or one.group_id or one.tags for one in shown)
    assert not {one.question_id for one in shown} & set(ids)


@pytest.mark.parametrize("options", [["alone"], "AB", [str(n) for n in range(27)]])
def test_options_that_are_none(options):
    """One option, a text instead of several, or more than there are letters."""
    with pytest.raises(UsageError, match="options"):
        _open().ask("q", "p", options)


def test_what_cannot_be_opened():
    """Names, options and files that are not there are told as on the command line."""
    with pytest.raises(UnknownNameError, match="lexcal"):
        closeread.open_reader("lexcal")
    with pytest.raises(UsageError, match="colour"):
        closeread.open_reader("lexical", colour="red")
    with pytest.raises(InputError, match="nowhere"):
        list(_open().answers("nowhere.jsonl"))
    with pytest.raises(InputError, match="nowhere"):
        closeread.load("nowhere.jsonl")
