"""Grade a run's answers, and write a run again with other confidences."""

import hashlib
import shutil
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import UsageError
from closeread.items import iter_questions
from closeread.metrics.selective import Selective
from closeread.metrics.units import passage_unit, question_unit
from closeread.protocols import Advance, uncounted
from closeread.readers.confidence.calibrate import with_confidence
from closeread.runs.claim import REPLACEABLE, claim_folder, must_be_free
from closeread.runs.plan import strip_question
from closeread.runs.predict import finish_run
from closeread.runs.records import RunInfo, utc_now
from closeread.runs.score import as_submission
from closeread.runs.selection import ONLY
from closeread.runs.store import LOG_SCORES, LOG_SHOWN, Run
from closeread.types import Passage, Prediction, Question
from closeread.version import __version__

ConfidenceOf = Callable[[Passage, Question, Prediction], float]


@dataclass(frozen=True)
class GradedPrediction:
    """A prediction with its question, without gold, and its correctness from 0 to 1.

    Attributes:
        part: Key of the passages that always stay in one fold: those with the same text, and
            their variants.
        unit: Key that the question shares with its variants.
    """

    passage: Passage
    question: Question
    prediction: Prediction
    correct: float
    part: str
    unit: str


def submitted_predictions(run: Run) -> Iterator[Prediction]:
    """Yield a run's predictions as submitted, in the order of its file, one at a time."""
    yield from as_submission(run, run.dataset()).predictions.values()


def grade_run(
    run: Run, metric: str = "", advance: Advance = uncounted
) -> Iterator[GradedPrediction]:
    """Yield a run's graded answers, without failed ones and those without gold.

    Args:
        run: A finished run whose data set still exists.
        metric: The value that grades an answer, such as ``squad.em``; if empty, by the
            question's kind, as in ``selective``.
        advance: Called with the number of questions read since the last call.

    Raises:
        UsageError: The metric has no such value.
    """
    judge = Selective(base=metric)
    dataset = run.dataset()
    predictions = as_submission(run, dataset).predictions
    parts: dict[str, str] = {}
    for _, passage, question in iter_questions(dataset, run.info.dataset.limit):
        advance(1)
        part = hashlib.sha256(passage.text.encode("utf-8", "surrogatepass")).hexdigest()
        if (original := passage_unit(question)) == question.passage_id:
            parts[original] = part
        else:  # the original may be missing; its variants still belong to one part
            part = parts.setdefault(original, part)
        prediction = predictions.get(question.question_id)
        if prediction is None or prediction.error or not question.has_gold:
            continue
        correct = judge.score(question, prediction).values["correct"]
        if correct is not None:
            yield GradedPrediction(
                passage,
                strip_question(question),
                prediction,
                correct,
                part=part,
                unit=question_unit(question),
            )


def recalibrate_run(
    run: Run,
    out: Path,
    confidence: ConfidenceOf,
    *,
    record: Mapping[str, Any],
    least: float | None = None,
    overwrite: bool = False,
    advance: Advance = uncounted,
) -> Run:
    """Write a run's predictions again with other confidences; answers stay unchanged.

    Failed predictions stay unchanged.

    Args:
        run: A finished run whose data set still exists.
        out: The new run folder.
        confidence: Computes a prediction's confidence; the question has no gold.
        record: Stored in the new ``run.json`` under the reader's ``record.calibrated``.
        least: Answers with a lower confidence are withheld; None withholds none.
        overwrite: Discard an existing run.
        advance: Called with the number of predictions written since the last call.

    Raises:
        UsageError: The folder is taken, or is the run's own.
        StorageError: It cannot be written.
    """
    must_take(out, run.path, overwrite=overwrite)
    dataset = run.dataset()
    predictions = as_submission(run, dataset).predictions
    with claim_folder(out, _info(run, record), overwrite=overwrite) as (info, ledger):
        for name in (LOG_SCORES, LOG_SHOWN, ONLY):
            if (run.path / name).exists():
                shutil.copyfile(run.path / name, out / name)
        offsets, n_failed = array("q"), 0
        for _, passage, question in iter_questions(dataset, run.info.dataset.limit):
            prediction = predictions.get(question.question_id)
            if prediction is None:  # the submission lacks it
                prediction = Prediction(
                    question_id=question.question_id, error="the submission has no prediction"
                )
            if not prediction.error:
                new_confidence = confidence(passage, strip_question(question), prediction)
                prediction = with_confidence(prediction, new_confidence, least)
            offsets.append(ledger.append(msgspec.json.encode(prediction)))
            n_failed += bool(prediction.error)
            advance(1)
        return finish_run(out, info, ledger, offsets, n_failed)


def must_take(out: Path, source: Path, *, overwrite: bool) -> None:
    """Check that a run can be written here, before its confidences are computed.

    Raises:
        UsageError: The folder is taken, or is the run's own.
        StorageError: It cannot be written.
    """
    if out.resolve() == source.resolve():
        raise UsageError(
            "a calibrated run cannot overwrite the run that it is made from",
            where=str(out),
            cure="write to another folder with --out",
        )
    must_be_free(out, allowed=overwrite, cure=REPLACEABLE)


def _info(run: Run, record: Mapping[str, Any]) -> RunInfo:
    info = run.info
    source = {"run": str(run.path), "predictions_sha256": info.predictions_sha256}
    return msgspec.structs.replace(
        info,
        closeread=__version__,
        created=utc_now(),
        dataset=msgspec.structs.replace(
            info.dataset, path=str((run.moved or run.path / info.dataset.path).absolute())
        ),
        reader=msgspec.structs.replace(
            info.reader, record=info.reader.record | {"calibrated": source | dict(record)}
        ),
        submission=(),
        rest={},
        complete=False,
        n_predictions=0,
        n_failed=0,
        predictions_sha256="",
    )
