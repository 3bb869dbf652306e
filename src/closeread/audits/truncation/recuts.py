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
        n_changed: The number of answers that differ from the saved ones.
        f1_of: F1 by question id.
    """

    stop: str | None
    n_changed: int
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
        """The cut with the highest F1; of several, the one that changes the fewest answers."""
        return max(self.recuts, key=lambda row: (row.f1, -row.n_changed))

    @property
    def gain(self) -> float:
        """The F1 gained by the best cut or extraction; at least 0."""
        extracted_f1 = 0.0 if self.extracted is None else self.extracted.f1
        return max(self.best.f1, extracted_f1) - self.saved.f1


def within_number(head: str, stop: str, rest: str) -> bool:
    """Whether a stop between two parts of a text is the point of a decimal number."""
    return stop == "." and head[-1:].isdigit() and rest[:1].isdigit()


def describe_stop(stop: str | None) -> str:
    """Return a stop as tables and sentences show it."""
    if stop is None:
        return "as saved"
    return "no stop" if stop == NO_STOP else repr(stop).replace("'", '"')


def candidate_stops(run: Subject) -> list[str]:
    """Return the stops that occur in any text, and those that the run used.

    If the run cuts whole texts itself, ``NO_STOP`` is one more candidate.
    """
    texts = [generated_text(prediction) for _, prediction in run.answered()]
    stops = [stop for stop in STOPS if any(stop in text for text in texts)]
    stops = list(dict.fromkeys([*stops, *run.stops, *run.own_stops]))  # a server's are a run's too
    return stops + [NO_STOP] * bool(run.own_stops)


def recut(
    question: Question, prediction: Prediction, stop: str | None, rule: str | None = None
) -> Prediction:
    """Return a prediction whose answer is taken from its text, cut at a stop.

    Args:
        question: The question, which some rules need.
        prediction: Returned unchanged if the cut does not change its answer.
        stop: None keeps the saved answer; the empty string extracts from the whole text.
        rule: The run's extraction rule; None if unknown. Then the answer is kept if the cut text
            still contains it or the text never did (``[invalid]``); otherwise the answer is the
            whole cut text.
    """
    if stop is None:
        return prediction
    return extract_until(question, prediction, (stop,) if stop else (), rule)


def extract_until(
    question: Question, prediction: Prediction, stops: tuple[str, ...], rule: str | None
) -> Prediction:
    """Return a prediction whose answer is taken from its text before the first of several stops.

    The arguments are as for ``recut``, which has a single stop.
    """
    if prediction.error:
        return prediction
    extraction = Extraction(stops=stops, rule=rule or "none")
    answer = prediction.answer
    if prediction.generation is None:
        if answer is None:
            return prediction
        texts = tuple(map(extraction.cut, answer.texts))
        cut_answer: Answer | None = Answer(kind=answer.kind, texts=texts)
        return prediction if texts == answer.texts else _replace_answer(prediction, cut_answer)
    text = prediction.generation.text
    if rule is not None:
        return _replace_answer(prediction, extraction.answer(text, question))
    cut_text = extraction.cut(text)
    if cut_text == text:
        return prediction
    if answer is not None and (
        all(answer_text in cut_text for answer_text in answer.texts)
        or not is_taken_from(answer, text)
    ):
        return prediction
    return _replace_answer(prediction, Answer(kind="span", texts=(cut_text,)))


def is_taken_from(answer: Answer, text: str) -> bool:
    """Whether an answer is not empty and occurs in the text, ignoring marks, blanks and case."""
    letters = _letters(text)
    return any(answer.texts) and all(
        answer_text in text
        or (bool(answer_letters := _letters(answer_text)) and answer_letters in letters)
        for answer_text in answer.texts
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
    n_changed = 0
    f1_of: dict[str, float] = {}
    for question in run.questions:
        prediction = run.predictions.get(question.question_id)
        if prediction is not None:
            changed_prediction = change(question, prediction)
            n_changed += _answer_texts(changed_prediction) != _answer_texts(prediction)
            prediction = changed_prediction
        values = metric.score(question, prediction).values
        accuracy = values.get("accuracy")  # of an option it is all that there is
        exact += values.get("em", accuracy) or 0.0
        f1_of[question.question_id] = values.get("f1", accuracy) or 0.0
    n = len(run.questions)
    return Recut(stop, n_changed, exact / n, sum_in_order(f1_of.values()) / n, f1_of)


def _answer_texts(prediction: Prediction) -> tuple[str, ...]:
    answer = prediction.answer
    return () if answer is None else (answer.label,) if answer.label else answer.texts


def _replace_answer(prediction: Prediction, answer: Answer | None) -> Prediction:
    return msgspec.structs.replace(prediction, answer=answer, candidates=(), confidence=None)
