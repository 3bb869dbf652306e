"""Asking a reader about a batch: one prediction a question, whatever the reader does."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from closeread.errors import CloseReadError, OutsideError, UsageError
from closeread.protocols import Reader
from closeread.registry.external import validate_record
from closeread.runs.plan import Planned
from closeread.types import Evidence, Passage, Prediction, Question, Span
from closeread.wording import count_of

_MAX_ERROR = 500


def predict_batch(reader: Reader, batch: list[Planned]) -> Iterator[Prediction]:
    """Yield one prediction for each question, under its real id; failures become predictions.

    Where a reader breaks off, the questions still open are read again one at a time, so that one
    bad question costs no other.

    Raises:
        CloseReadError: The reader cannot go on at all (its endpoint is gone, its budget used up),
            or breaks its contract.
    """
    pending = {planned.shown[1].question_id: planned for planned in batch}
    error = "the reader gave no prediction"
    try:
        yield from _ask_reader(reader, batch, pending)
    except Exception as raised:
        if _is_fatal(raised):
            raise
        error = format_error(raised)
        for planned in list(pending.values()) if len(batch) > 1 else ():
            try:
                yield from _ask_reader(reader, [planned], pending)
            except Exception as again:
                if _is_fatal(again):
                    raise
                name = planned.shown[1].question_id
                if pending.pop(name, None) is not None:
                    yield Prediction(question_id=planned.question_id, error=format_error(again))
    for planned in pending.values():
        yield Prediction(question_id=planned.question_id, error=error)


def _is_fatal(error: Exception) -> bool:
    """Whether a reader cannot go on at all; a part of somebody else's may fail at one question."""
    return isinstance(error, CloseReadError) and not isinstance(error, OutsideError)


def _ask_reader(
    reader: Reader, batch: list[Planned], pending: dict[str, Planned]
) -> Iterator[Prediction]:
    given: Any = reader.read([planned.shown for planned in batch])
    if not isinstance(given, Iterable):  # the word `yield` is missing
        raise UsageError(
            f"the reader gave {type(given).__name__} for its predictions",
            expected="an iterator with one Prediction per item (docs/extend.md)",
        )
    for prediction in given:
        if not isinstance(prediction, Prediction):
            raise UsageError(
                f"the reader yielded a {type(prediction).__name__}", expected="a Prediction"
            )
        planned = pending.get(prediction.question_id)
        if planned is None:
            raise UsageError(
                f"the reader yielded the id {prediction.question_id!r}",
                expected="the id of each question that it was given, exactly once",
                cure="yield question.question_id of the item",
            )
        found = _validate_prediction(prediction, *planned.shown)
        del pending[prediction.question_id]
        yield msgspec.structs.replace(found, question_id=planned.question_id)


def _validate_prediction(given: Prediction, passage: Passage, question: Question) -> Prediction:
    """Return a prediction as records promise it, its evidence quoted; else a failure.

    What a language model wrote is kept, from which an answer may be read anew.
    """
    try:
        found = validate_record(given)
    except (TypeError, ValueError) as error:
        return Prediction(question_id=given.question_id, error=format_error(error))
    try:
        _check_prediction(found, passage, question)
    except ValueError as error:
        return Prediction(
            question_id=found.question_id,
            generation=found.generation,
            others=found.others,
            seconds=found.seconds,
            error=format_error(error),
        )
    return msgspec.structs.replace(
        found, evidence=tuple(quote_evidence(one, passage) for one in found.evidence)
    )


def _check_prediction(found: Prediction, passage: Passage, question: Question) -> None:
    """Check that a prediction says nothing that there is not.

    Raises:
        ValueError: A number that is not finite, a place outside the passage, another option.
    """
    numbers = {
        "the confidence": [found.confidence],
        "the score of an option": found.option_scores,
        "the score of a candidate": [one.score for one in found.candidates],
        "the score of evidence": [one.score for one in found.evidence],
    }
    for name, values in numbers.items():
        for value in values:
            if value is not None and not math.isfinite(value):
                raise ValueError(f"{name} is {value}")
    if len(found.option_scores) not in (0, len(question.options)):
        scores = count_of(len(found.option_scores), "score")
        raise ValueError(f"{scores} for {count_of(len(question.options), 'option')}")
    answers = [one.answer for one in found.candidates]
    if found.answer is not None:
        answers.append(found.answer)
    for answer in answers:
        _check_label(answer.label, question)
        _check_spans(answer.spans, passage)
    for evidence in found.evidence:
        _check_label(evidence.option_label, question)
        _check_spans(evidence.spans, passage)


def _check_label(label: str, question: Question) -> None:
    if label and not any(one.label == label for one in question.options):
        labels = ", ".join(one.label for one in question.options)
        raise ValueError(f"{label!r} is not one of the options {labels}".rstrip())


def _check_spans(spans: Iterable[Span], passage: Passage) -> None:
    """Check that spans are of a passage.

    Raises:
        ValueError: One is not.
    """
    for span in spans:
        if not 0 <= span.start <= span.end <= len(passage.text):
            raise ValueError(
                f"the span [{span.start}, {span.end}) is outside the passage of "
                f"{len(passage.text):,} characters"
            )


def quote_evidence(found: Evidence, passage: Passage) -> Evidence:
    """Return evidence with its texts beside its spans: some scorers are given no passage."""
    if found.texts or not found.spans:
        return found
    texts = tuple(span.of(passage.text) for span in found.spans)
    return msgspec.structs.replace(found, texts=texts)


def encode_prediction(prediction: Prediction) -> tuple[bytes, bool]:
    """Return the prediction as a line that reads back as it was, and whether it failed."""
    try:
        return msgspec.json.encode(prediction), bool(prediction.error)
    except (ValueError, TypeError) as error:  # half a character, for one
        failed = Prediction(question_id=prediction.question_id, error=format_error(error))
        return msgspec.json.encode(failed), True


def format_error(error: BaseException) -> str:
    """Return an error as a prediction keeps it: its kind and its message, of bounded length."""
    # of an outsider's part without the path of its file, which is this machine's
    said = error.found if isinstance(error, OutsideError) else f"{type(error).__name__}: {error}"
    text = said[:_MAX_ERROR]
    return text.encode("utf-8", "backslashreplace").decode()
