"""Score a run with its texts cut at other stops."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec

from closeread.audits.subject import Subject, generated_text
from closeread.protocols import Metric
from closeread.readers.generative.extraction import Extraction
from closeread.summation import sum_in_order
from closeread.types import Answer, Prediction, Question

STOPS = (".", "\n", "\n\n", ",", "Question:", "Passage:", "。")
NO_STOP = ""
EXTRACT_RULE = "auto"  # the rule by which `closeread score --extract` reads answers of every kind


@dataclass(frozen=True)
class Recut:
    """The scores of a run with its texts cut at ``stop`` (None: as they were saved).

    Attributes:
        changed: How many answers are other ones than those that were saved.
        f1_of: F1 by question id.
    """

    stop: str | None
    changed: int
    em: float
    f1: float
    f1_of: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Rescored:
    """A run scored again from its texts.

    Attributes:
        recuts: The scores as saved, then at each candidate stop.
        extracted: The scores with the answers extracted again; as ``extract_again``.
    """

    recuts: tuple[Recut, ...]
    extracted: Recut | None

    @property
    def saved(self) -> Recut:
        """The scores of the answers as they were saved."""
        return self.recuts[0]

    @property
    def best(self) -> Recut:
        """The highest F1 of all cuts; of several, the one that changes fewest answers."""
        return max(self.recuts, key=lambda row: (row.f1, -row.changed))

    @property
    def gain(self) -> float:
        """What the best cut or extraction adds to F1; at least 0."""
        again = 0.0 if self.extracted is None else self.extracted.f1
        return max(self.best.f1, again) - self.saved.f1


def within_number(head: str, stop: str, rest: str) -> bool:
    """Whether a stop between two parts of a text stands at the point of a decimal."""
    return stop == "." and head[-1:].isdigit() and rest[:1].isdigit()


def describe_stop(stop: str | None) -> str:
    """Return a stop as tables and sentences show it."""
    if stop is None:
        return "as saved"
    return "no stop" if stop == NO_STOP else repr(stop).replace("'", '"')


def candidate_stops(run: Subject) -> list[str]:
    """Return the stops that occur in some text, and those that were in force.

    If the run cuts whole texts at a stop of its own, not cutting at all is one more candidate.
    """
    texts = [generated_text(prediction) for _, prediction in run.answered()]
    found = [stop for stop in STOPS if any(stop in text for text in texts)]
    found = list(dict.fromkeys([*found, *run.stops, *run.own_stops]))  # a server's are a run's too
    return found + [NO_STOP] * bool(run.own_stops)


def recut(
    question: Question, prediction: Prediction, stop: str | None, rule: str | None = None
) -> Prediction:
    """Return a prediction whose answer is taken from its text, cut at a stop.

    Args:
        question: What the rule may look at.
        prediction: It stays as it is where the cut takes nothing of its answer.
        stop: None leaves everything; the empty string cuts nowhere.
        rule: How the run took answers from texts; None where that is not known: the answer then
            stays where the cut text still holds it, or the text never did (``[invalid]``), else it
            is the whole of the cut text.
    """
    if stop is None:
        return prediction
    return extract_until(question, prediction, (stop,) if stop else (), rule)


def extract_until(
    question: Question, prediction: Prediction, stops: tuple[str, ...], rule: str | None
) -> Prediction:
    """Return a prediction whose answer is taken, as ``recut`` does, from before several stops."""
    if prediction.error:
        return prediction
    extraction = Extraction(stops=stops, rule=rule or "none")
    answer = prediction.answer
    if prediction.generation is None:
        if answer is None:
            return prediction
        texts = tuple(map(extraction.cut, answer.texts))
        cut: Answer | None = Answer(kind=answer.kind, texts=texts)
        return prediction if texts == answer.texts else _replace_answer(prediction, cut)
    text = prediction.generation.text
    if rule is not None:
        return _replace_answer(prediction, extraction.answer(text, question))
    short = extraction.cut(text)
    if short == text:
        return prediction
    if answer is not None and (
        all(one in short for one in answer.texts) or not is_taken_from(answer, text)
    ):
        return prediction
    return _replace_answer(prediction, Answer(kind="span", texts=(short,)))


def is_taken_from(answer: Answer, text: str) -> bool:
    """Whether an answer says something, and the text holds it but for marks, blanks and case."""
    whole = _letters(text)
    return any(answer.texts) and all(
        one in text or (bool(own := _letters(one)) and own in whole) for one in answer.texts
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def score_at_stops(run: Subject, metric: Metric, stops: Sequence[str | None]) -> list[Recut]:
    """Score a run once for each stop."""
    return [
        _score_changed(run, metric, stop, partial(recut, stop=stop, rule=run.rule))
        for stop in stops
    ]


def rescore(run: Subject, metric: Metric) -> Rescored:
    """Score a run as saved, cut at each candidate stop, and with its answers extracted again."""
    return Rescored(
        recuts=tuple(score_at_stops(run, metric, [None, *candidate_stops(run)])),
        extracted=extract_again(run, metric),
    )


def extract_again(run: Subject, metric: Metric) -> Recut | None:
    """Score a run with its answers extracted from its texts by ``EXTRACT_RULE``.

    Returns:
        None if the run has no texts, or if it extracted its answers by that rule itself.
    """
    has_texts = any(prediction.generation is not None for _, prediction in run.answered())
    if run.rule == EXTRACT_RULE or not has_texts:
        return None
    change = partial(extract_until, stops=tuple(run.own_stops), rule=EXTRACT_RULE)
    return _score_changed(run, metric, None, change)


def _score_changed(
    run: Subject,
    metric: Metric,
    stop: str | None,
    change: Callable[[Question, Prediction], Prediction],
) -> Recut:
    exact = 0.0
    changed = 0
    f1_of: dict[str, float] = {}
    for question in run.questions:
        prediction = run.predictions.get(question.question_id)
        if prediction is not None:
            found = change(question, prediction)
            changed += _answer_texts(found) != _answer_texts(prediction)
            prediction = found
        values = metric.score(question, prediction).values
        right = values.get("accuracy")  # of an option it is all that there is
        exact += values.get("em", right) or 0.0
        f1_of[question.question_id] = values.get("f1", right) or 0.0
    n = len(run.questions)
    return Recut(stop, changed, exact / n, sum_in_order(f1_of.values()) / n, f1_of)


def _answer_texts(prediction: Prediction) -> tuple[str, ...]:
    answer = prediction.answer
    return () if answer is None else (answer.label,) if answer.label else answer.texts


def _replace_answer(prediction: Prediction, answer: Answer | None) -> Prediction:
    return msgspec.structs.replace(prediction, answer=answer, candidates=(), confidence=None)
