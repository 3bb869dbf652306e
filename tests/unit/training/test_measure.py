"""What a training is watched by is the number that `closeread score` gives."""

import pytest
from msgspec.structs import replace

from closeread.errors import UsageError
from closeread.training.neural.dev_metric import check_metric, default_metric, measure_dev
from closeread.types import Answer, Option, Passage, Prediction, Question

PASSAGE = Passage(passage_id="p", text="The ferry left at six.")
TEXT = Question(
    question_id="t",
    passage_id="p",
    text="When did it leave?",
    kind="span",
    answers=(Answer(kind="span", texts=("at six",)),),
)
CHOICE = Question(
    question_id="c",
    passage_id="p",
    text="What left?",
    kind="choice",
    options=(Option(label="A", text="a ferry"), Option(label="B", text="")),
    answers=(Answer(kind="choice", label="B", texts=("",)),),
)
MIXED = [(PASSAGE, TEXT), (PASSAGE, CHOICE)]


class Points:
    """Points at the time; of questions with options it says nothing."""

    def read(self, items):
        for _, question in items:
            said = Answer(kind="none") if question.options else Answer(kind="span", texts=("six",))
            yield Prediction(question_id=question.question_id, answer=said)


@pytest.mark.parametrize("name", ["squad.f1", "squad2.f1", "mrqa.f1"])
def test_options_are_ignored_by_text_metrics(name):
    assert measure_dev(Points(), MIXED, name) == measure_dev(Points(), MIXED[:1], name) == 2 / 3


def test_the_development_metric_fits_and_shows_progress():
    """A part of a Chinese answer is worth something, and so is silence where there is no answer."""
    chinese = (replace(PASSAGE, text="渡船六点出发。", language="zh"),
               replace(TEXT, answers=(Answer(kind="span", texts=("六点出发",)),)))  # fmt: skip
    silent = (PASSAGE, replace(TEXT, answers=(Answer(kind="none"),)))
    names = [default_metric("squad.f1", [one]) for one in (MIXED[0], chinese, silent)]
    assert names == ["squad.f1", "cmrc.f1~mixed", "squad2.f1"]
    assert default_metric("squad2.f1", [chinese]) == "cmrc.f1~mixed"
    assert default_metric("choice.accuracy", [chinese, silent]) == "choice.accuracy"

    class Begins:
        def read(self, items):
            for _, question in items:
                said = Answer(kind="span", texts=("六点",))
                yield Prediction(question_id=question.question_id, answer=said)

    assert measure_dev(Begins(), [chinese], "squad.f1") == 0.0
    assert measure_dev(Begins(), [chinese], names[1]) == pytest.approx(2 / 3)
    for one, name in zip((chinese, silent), names[1:], strict=True):
        check_metric([one], name, lambda question: True, "span")


def test_the_development_reader_sees_no_gold():
    """The best state would be chosen by answers that it was shown."""

    class Looks:
        def read(self, items):
            for _, question in items:
                assert not (question.answers or question.option_truth or question.gold_evidence)
                yield Prediction(question_id=question.question_id)

    told = replace(CHOICE, option_truth=(False, True))
    assert measure_dev(Looks(), [(PASSAGE, TEXT)], "squad.f1") == 0.0
    assert measure_dev(Looks(), [(PASSAGE, told)], "choice.accuracy") == 0.0


def test_texts_are_ignored_by_option_metrics():
    assert measure_dev(Points(), MIXED, "choice.accuracy") == 0.0


def test_a_metric_variant_can_be_the_development_metric():
    """`gcrc.acc0~strict` is of a family of its own."""
    group = [
        (PASSAGE, Question(
            question_id=role, passage_id="p", text="下列说法正确的一项是", kind="verification",
            group_id="g", role=role, options=CHOICE.options, answers=CHOICE.answers,
        ))
        for role in ("original", "positive", "negative")
    ]  # fmt: skip
    check_metric(group, "gcrc.acc0~strict", lambda question: True, "choice")
    assert measure_dev(Points(), group, "gcrc.acc0~strict") == 0.0


def test_a_lower_is_better_metric_is_rejected():
    """The highest value would choose the worst state, and end a training as it gets better."""
    given = ([(PASSAGE, CHOICE)], "selective.aurc", lambda question: True, "choice")
    with pytest.raises(UsageError, match=r"lower is better for selective\.aurc"):
        check_metric(*given)
    check_metric(given[0], "selective.coverage@80", *given[2:])
