"""Ask a reader about a batch of questions, and return one prediction for each of them."""

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

    If the reader raises, the questions without a prediction are read again one at a time, so that
    one bad question does not affect the others.

    Raises:
        CloseReadError: The reader cannot continue (its endpoint is gone, its budget is used up),
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
            except Exception as second_error:
                if _is_fatal(second_error):
                    raise
                name = planned.shown[1].question_id
                if pending.pop(name, None) is not None:
                    yield Prediction(
                        question_id=planned.question_id, error=format_error(second_error)
                    )
    for planned in pending.values():
        yield Prediction(question_id=planned.question_id, error=error)


def _is_fatal(error: Exception) -> bool:
    """Whether the reader cannot continue; a user's own reader may fail on a single question."""
    return isinstance(error, CloseReadError) and not isinstance(error, OutsideError)


def _ask_reader(
    reader: Reader, batch: list[Planned], pending: dict[str, Planned]
) -> Iterator[Prediction]:
    predictions: Any = reader.read([planned.shown for planned in batch])
    if not isinstance(predictions, Iterable):  # the word `yield` is missing
        raise UsageError(
            f"the reader gave {type(predictions).__name__} for its predictions",
            expected="an iterator with one Prediction per item (docs/extend.md)",
        )
    for prediction in predictions:
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
        valid = _validate_prediction(prediction, *planned.shown)
        del pending[prediction.question_id]
        yield msgspec.structs.replace(valid, question_id=planned.question_id)


def _validate_prediction(
    prediction: Prediction, passage: Passage, question: Question
) -> Prediction:
    """Return the prediction with valid fields and quoted evidence, or else as a failure.

    A failure keeps the generated text, so that answers can be extracted from it again.
    """
    try:
        valid = validate_record(prediction)
    except (TypeError, ValueError) as error:
        return Prediction(question_id=prediction.question_id, error=format_error(error))
    try:
        _check_prediction(valid, passage, question)
    except ValueError as error:
        return Prediction(
            question_id=valid.question_id,
            generation=valid.generation,
            others=valid.others,
            seconds=valid.seconds,
            error=format_error(error),
        )
    return msgspec.structs.replace(
        valid, evidence=tuple(quote_evidence(evidence, passage) for evidence in valid.evidence)
    )


def _check_prediction(prediction: Prediction, passage: Passage, question: Question) -> None:
    """Check numbers, spans and option labels of a prediction.

    Raises:
        ValueError: A number is not finite, a span is outside the passage, or an option is unknown.
    """
    numbers = {
        "the confidence": [prediction.confidence],
        "the score of an option": prediction.option_scores,
        "the score of a candidate": [candidate.score for candidate in prediction.candidates],
        "the score of evidence": [evidence.score for evidence in prediction.evidence],
    }
    for name, values in numbers.items():
        for value in values:
            if value is not None and not math.isfinite(value):
                raise ValueError(f"{name} is {value}")
    if len(prediction.option_scores) not in (0, len(question.options)):
        scores = count_of(len(prediction.option_scores), "score")
        raise ValueError(f"{scores} for {count_of(len(question.options), 'option')}")
    answers = [candidate.answer for candidate in prediction.candidates]
    if prediction.answer is not None:
        answers.append(prediction.answer)
    for answer in answers:
        _check_label(answer.label, question)
        _check_spans(answer.spans, passage)
    for evidence in prediction.evidence:
        _check_label(evidence.option_label, question)
        _check_spans(evidence.spans, passage)


def _check_label(label: str, question: Question) -> None:
    if label and not any(option.label == label for option in question.options):
        labels = ", ".join(option.label for option in question.options)
        raise ValueError(f"{label!r} is not one of the options {labels}".rstrip())


def _check_spans(spans: Iterable[Span], passage: Passage) -> None:
    """Check that spans lie in the passage.

    Raises:
        ValueError: A span does not.
    """
    for span in spans:
        if not 0 <= span.start <= span.end <= len(passage.text):
            raise ValueError(
                f"the span [{span.start}, {span.end}) is outside the passage of "
                f"{len(passage.text):,} characters"
            )


def quote_evidence(evidence: Evidence, passage: Passage) -> Evidence:
    """Return evidence with the texts of its spans, because some scorers get no passage."""
    if evidence.texts or not evidence.spans:
        return evidence
    texts = tuple(span.of(passage.text) for span in evidence.spans)
    return msgspec.structs.replace(evidence, texts=texts)


def encode_prediction(prediction: Prediction) -> tuple[bytes, bool]:
    """Return the prediction as a JSON line without loss, and whether it is a failure."""
    try:
        return msgspec.json.encode(prediction), bool(prediction.error)
    except (ValueError, TypeError) as error:  # such as an unpaired surrogate
        failed = Prediction(question_id=prediction.question_id, error=format_error(error))
        return msgspec.json.encode(failed), True


def format_error(error: BaseException) -> str:
    """Return the text of an error for ``Prediction.error``: type and message, of bounded length."""
    # An outside error's text leaves out the path of the user's file, which differs by machine.
    message = error.found if isinstance(error, OutsideError) else f"{type(error).__name__}: {error}"
    text = message[:_MAX_ERROR]
    return text.encode("utf-8", "backslashreplace").decode()
