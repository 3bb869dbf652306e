"""``closeread calibrate RUNS --out FILE``: learn a calibrator, and tell what it gives."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from closeread.cli.calibrate.changes import few, print_changes, worse
from closeread.cli.calibrate.runs import LEVEL, Sought, intervals, own_confidences, right_answers
from closeread.cli.terminal.output import as_json, remark
from closeread.errors import UsageError
from closeread.formats.files.output_place import must_take_file
from closeread.readers.confidence.calibrate import (
    Calibrator,
    Linear,
    Model,
    Steps,
    Threshold,
    save_calibrator,
)
from closeread.readers.confidence.features import detect_scale
from closeread.runs.calibrated import answering_readers, calibration_record
from closeread.runs.recalibrate import grade_run, must_take, recalibrate_run
from closeread.runs.store import Run, open_run
from closeread.types import Passage, Prediction, Question
from closeread.wording import count_of

if TYPE_CHECKING:
    from closeread.training.confidence.learn import Learned

_TOLD_WEIGHTS = 8
_OF_ORDER = ("auroc", "aurc", "coverage@80", "coverage@90")


def learn(
    paths: Sequence[Path], out: Path, sought: Sought, settings: dict[str, Any], *, json_: bool
) -> None:
    """Learn a calibrator from runs, save it, and print what it gives on passages held out."""
    from closeread.training.confidence.learn import ConfidenceSettings, make_example
    from closeread.training.confidence.learn import learn as fitted

    must_take_file(out)
    if sought.held_out is not None:
        must_take(sought.held_out, paths[0], overwrite=sought.overwrite)
    runs = [own_confidences(open_run(path, moved=sought.moved)) for path in paths]
    rows = [row for run in runs for row in grade_run(run, sought.metric)]
    correct = right_answers(rows, sought)
    _must_part(sought.right_from, [row.correct for row in rows], correct)
    scale = detect_scale([row.prediction for row in rows])
    examples = [
        make_example(
            row.passage,
            row.question,
            row.prediction,
            scale,
            part=row.part,
            unit=row.unit,
            correct=right,
        )
        for row, right in zip(rows, correct, strict=True)
    ]
    options = msgspec.convert(settings | {"level": LEVEL}, ConfidenceSettings)
    learned = fitted(examples, scale, options)
    calibrator = msgspec.structs.replace(
        learned.calibrator,
        datasets={run.info.dataset.name: run.info.dataset.sha256 for run in runs},
        readers=answering_readers([run.info.reader for run in runs]),
        predictions=tuple(run.info.predictions_sha256 for run in runs),
        settings=settings
        | {
            "metric": sought.metric or "by-kind",
            "right_from": sought.right_from,
            "n_questions": len(examples),
            "n_passages": learned.n_parts,
            "n_kept_back": learned.n_kept_back,
        },
    )
    save_calibrator(out, calibrator)
    if sought.held_out is not None:
        held_out = {
            row.prediction.question_id: sure
            for row, sure in zip(rows, learned.confidences, strict=True)
        }
        record = calibration_record(out.read_bytes(), calibrator, selective=False) | {
            "held_out": True
        }
        _write_held_out(
            runs[0], sought.held_out, held_out, calibrator, record, overwrite=sought.overwrite
        )
    warnings = few(learned.n_parts, sought.resamples) + _worse(calibrator, learned)
    if json_:
        more = {"warnings": warnings, "intervals": intervals(sought)}
        as_json(_as_printed(out, calibrator, learned) | more)
    else:
        _print(out, calibrator, learned, sought)
        for warning in warnings:
            remark(warning)


def _must_part(line: float | None, values: Sequence[float], correct: Sequence[bool]) -> None:
    """Refuse a line above or below all values: more questions would not help."""
    least, most = min(values), max(values)
    if line is not None and len(set(correct)) == 1 and least < most:
        raise UsageError(
            f"--right-from {line:g} counts {'every' if correct[0] else 'no'} answer as right",
            expected=f"a value between {least:.2f} and {most:.2f}, the range found here",
        )


def _write_held_out(
    run: Run,
    out: Path,
    held_out: Mapping[str, float],
    calibrator: Calibrator,
    record: dict[str, Any],
    *,
    overwrite: bool,
) -> None:
    """Write the run that was learned from with confidences from calibrators that did not see it.

    Answers without gold were learned from by none, so that the calibrator itself judges them.
    """

    def confidence(passage: Passage, question: Question, prediction: Prediction) -> float:
        known = held_out.get(prediction.question_id)
        return calibrator.confidence(passage, question, prediction) if known is None else known

    recalibrate_run(run, out, confidence, record=record, overwrite=overwrite)


def _worse(calibrator: Calibrator, learned: "Learned") -> list[str]:
    """Say what got worse, but for an order that the calibrator keeps.

    The folds' curves differ, so that of all folds together the order gets worse by that alone.
    """
    found = dict(learned.changes)
    if _rises(calibrator.model):
        found = {name: one for name, one in found.items() if name not in _OF_ORDER}
    return worse(found, calibrator.method)


def _rises(model: Model) -> bool:
    """Whether it is a curve over the reader's own confidence that leaves its order alone."""
    if isinstance(model, Linear):
        return len(model.weights) == 1 and model.weights[0] > 0
    return isinstance(model, Steps)


def _as_printed(out: Path, calibrator: Calibrator, learned: "Learned") -> dict[str, Any]:
    return {
        "calibrator": str(out),
        "method": calibrator.method,
        "n_questions": len(learned.confidences),
        "n_passages": learned.n_parts,
        "n_kept_back": learned.n_kept_back,
        "held_out": {name: vars(change) for name, change in learned.changes.items()},
        "threshold": calibrator.threshold,
    }


def _print(out: Path, calibrator: Calibrator, learned: "Learned", sought: Sought) -> None:
    answers = count_of(len(learned.confidences), "answer")
    remark(
        f"{answers} over {count_of(learned.n_parts, 'passage')}, "
        f"each judged by a calibrator ({calibrator.method}) that did not see its passage"
        + (f"; {LEVEL:.0%} intervals by {sought.resamples:,} resamples" if sought.resamples else "")
    )
    print_changes("held out", learned.changes)
    if isinstance(calibrator.model, Linear) and len(calibrator.features) > 1:
        pairs = zip(calibrator.model.weights, calibrator.features, strict=True)
        ranked = sorted(pairs, key=lambda pair: -abs(pair[0]))[:_TOLD_WEIGHTS]
        told = ", ".join(f"{name} {weight:+.2f}" for weight, name in ranked)
        click.echo(f"\nweighs most (features of spread 1): {told}")
    if (chosen := calibrator.threshold) is not None:
        promise = f"at most {100 * chosen.risk:g}% (sure to {100 * (1 - chosen.delta):g}%)"
        click.echo(
            f"\nto be wrong in {promise}: answer from confidence {chosen.value:.3f} on, which "
            f"answers {chosen.n_answered:,} of {count_of(chosen.n_questions, 'question')} kept back"
            if chosen.n_answered
            else f"\nno threshold was found above which {promise} are wrong, as far as "
            f"{count_of(chosen.n_questions, 'question')} kept back can show: "
            "--selective withholds every answer; " + _what_helps(chosen)
        )
    click.echo(f"\n{out}")


def _what_helps(chosen: Threshold) -> str:
    from closeread.training.confidence.threshold import min_answers

    least = min_answers(chosen.risk, chosen.delta)
    if chosen.n_questions < least:
        return (
            f"even {count_of(chosen.n_questions, 'right answer')} would not be enough, {least:,} "
            "could be: fit on more questions, or raise --risk"
        )
    return "fit on more questions, or raise --risk"
