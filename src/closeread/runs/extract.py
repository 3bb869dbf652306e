"""Extract answers again from a run's saved generations, with other stop strings or rules."""

from collections.abc import Iterator, Mapping
from itertools import islice

import msgspec

from closeread.errors import InputError
from closeread.metrics.choice import picked_label
from closeread.readers.generative.extraction import (
    Extraction,
    check_rule,
    needs_question,
    parse_stops,
)
from closeread.runs.store import Predictions, Run
from closeread.types import Dataset, Prediction, Question, Summary

_SAMPLE = 100


def choose_extraction(
    run: Run, stops: tuple[str, ...] | None, rule: str | None
) -> Extraction | None:
    """Return the requested extraction, or None if nothing is requested.

    A part that is not given stays as in the run.

    Args:
        run: Its reader's options say how its answers were extracted; generations of other
            harnesses are taken whole.
        stops: Stop strings instead of the run's; the empty tuple for none.
        rule: Extraction rule instead of the run's.

    Raises:
        UnknownNameError: There is no such rule.
    """
    if stops is None and rule is None:
        return None
    options = run.info.reader.options
    if stops is None:
        stops = parse_stops(str(options.get("stop", "")))
    return Extraction(stops=stops, rule=check_rule(rule or str(options.get("extract", "none"))))


def server_stops(run: Run) -> tuple[str, ...]:
    """Return the stops that were sent to the server: text behind them is lost."""
    for prediction in islice(run.predictions(), _SAMPLE):
        if prediction.generation is not None and prediction.generation.stops:
            return prediction.generation.stops
    return ()


class ExtractedAnswers(Mapping[str, Prediction]):
    """A run's predictions with newly extracted answers, computed on access.

    Fields of the old answer (confidence, candidates) are dropped.

    Raises:
        InputError: A prediction that did not fail has no generation.
    """

    def __init__(
        self, predictions: Mapping[str, Prediction], extraction: Extraction, dataset: Dataset | None
    ) -> None:
        self._predictions = predictions
        self._extraction = extraction
        self._questions: dict[str, Question] = {}
        if dataset is not None and needs_question(extraction.rule):
            self._questions = {
                question.question_id: _strip_question(question) for question in dataset.questions()
            }

    def __getitem__(self, key: str) -> Prediction:
        return self._extract(self._predictions[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._predictions)

    def __len__(self) -> int:
        return len(self._predictions)

    def _extract(self, prediction: Prediction) -> Prediction:
        if prediction.error:
            return prediction
        if prediction.generation is None:
            raise InputError(
                "there is no generated text to extract answers from",
                where=f"question {prediction.question_id}",
                expected="predictions that keep the model's generated text",
                cure="omit --stop and --extract",
            )
        question = self._questions.get(prediction.question_id)
        generations = (prediction.generation, *prediction.others)
        answer, share = self._extraction.vote(generations, question)
        return msgspec.structs.replace(prediction, answer=answer, confidence=share, candidates=())


def count_unmatched(run: Run, extraction: Extraction) -> tuple[int, int]:
    """Count the questions with options whose extracted text matches none of the options.

    Returns:
        Their number, and the number of questions that have options and did not fail. Both are 0
        for rules that look at the options, because these find an option or nothing.
    """
    if needs_question(extraction.rule):
        return 0, 0
    dataset = run.dataset()
    predictions = ExtractedAnswers(Predictions(run), extraction, dataset)
    n_unmatched = n_read = 0
    for question in islice(dataset.questions(), run.info.dataset.limit):
        prediction = predictions.get(question.question_id) if question.options else None
        if prediction is None or prediction.error:
            continue
        n_read += 1
        has_text = prediction.answer is not None and prediction.answer.kind != "none"
        n_unmatched += has_text and picked_label(question, prediction) is None
    return n_unmatched, n_read


def add_to_signature(summary: Summary, extraction: Extraction | None) -> Summary:
    """Return the summary with the extraction in its signature, before the interval part."""
    if extraction is None:
        return summary
    parts = summary.signature.split("|")
    index = len(parts) - parts[-1].startswith("ci:")
    parts.insert(index, extraction.signature())
    return msgspec.structs.replace(summary, signature="|".join(parts))


def _strip_question(question: Question) -> Question:
    """Return the question with only the fields that the rules use."""
    return Question(
        question_id=question.question_id,
        passage_id="",
        text="",
        kind=question.kind,
        asks_for=question.asks_for,
        options=question.options,
    )
