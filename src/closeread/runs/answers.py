"""Asking a reader about a batch: one prediction a question, whatever the reader does."""

import math
from collections.abc import Iterator

import msgspec

from closeread.errors import CloseReadError, UsageError
from closeread.protocols import Reader
from closeread.runs.plan import Planned
from closeread.types import Evidence, Passage, Prediction

_LONGEST_ERROR = 500


def answers(reader: Reader, batch: list[Planned]) -> Iterator[Prediction]:
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
        yield from _asked(reader, batch, pending)
    except CloseReadError:
        raise
    except Exception as raised:
        error = told(raised)
        for planned in list(pending.values()) if len(batch) > 1 else ():
            try:
                yield from _asked(reader, [planned], pending)
            except CloseReadError:
                raise
            except Exception as again:
                name = planned.shown[1].question_id
                if pending.pop(name, None) is not None:
                    yield Prediction(question_id=planned.question_id, error=told(again))
    for planned in pending.values():
        yield Prediction(question_id=planned.question_id, error=error)


def _asked(
    reader: Reader, batch: list[Planned], pending: dict[str, Planned]
) -> Iterator[Prediction]:
    for prediction in reader.read([planned.shown for planned in batch]):
        if not isinstance(prediction, Prediction):
            raise UsageError(
                f"the reader yielded a {type(prediction).__name__}", expected="a Prediction"
            )
        planned = pending.pop(prediction.question_id, None)
        if planned is None:
            raise UsageError(
                f"the reader yielded the id {prediction.question_id!r}",
                expected="the id of every question that it was given, once each",
                cure="use question.question_id of the item",
            )
        yield msgspec.structs.replace(
            prediction,
            question_id=planned.question_id,
            evidence=tuple(quoted(found, planned.shown[0]) for found in prediction.evidence),
        )


def quoted(found: Evidence, passage: Passage) -> Evidence:
    """Return evidence with its texts beside its spans: some scorers are given no passage."""
    if found.texts or not found.spans:
        return found
    texts = tuple(span.of(passage.text) for span in found.spans)
    return msgspec.structs.replace(found, texts=texts)


def encoded(prediction: Prediction) -> tuple[bytes, bool]:
    """Return the prediction as a line that reads back as it was, and whether it failed."""
    try:
        if prediction.confidence is not None and not math.isfinite(prediction.confidence):
            raise ValueError(f"the confidence is {prediction.confidence}")
        line = msgspec.json.encode(prediction)
        return line, bool(msgspec.json.decode(line, type=Prediction).error)
    except (ValueError, TypeError) as error:
        failed = Prediction(question_id=prediction.question_id, error=told(error))
        return msgspec.json.encode(failed), True


def told(error: BaseException) -> str:
    """Return an error as a prediction keeps it: its kind and its message, of bounded length."""
    text = f"{type(error).__name__}: {error}"[:_LONGEST_ERROR]
    return text.encode("utf-8", "backslashreplace").decode()
