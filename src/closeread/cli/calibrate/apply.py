"""``closeread calibrate RUN --with FILE``: apply a calibrator, with warnings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from closeread.cli.calibrate.changes import (
    format_measure,
    print_changes,
    warn_few_passages,
    warn_worse,
)
from closeread.cli.calibrate.runs import (
    LEVEL,
    ON_INTERRUPT,
    CalibrationOptions,
    intervals_as_json,
    is_right,
    require_uncalibrated,
)
from closeread.cli.terminal.output import print_json, remark
from closeread.cli.terminal.reading import StartProgress, show_progress
from closeread.protocols import uncounted
from closeread.readers.confidence.calibrate import Calibrator, load_calibrator
from closeread.readers.confidence.features import reader_confidence
from closeread.runs.calibrated import (
    add_warnings,
    calibration_record,
    get_threshold,
    warn_of_other_readers,
)
from closeread.runs.recalibrate import grade_run, must_take, recalibrate_run
from closeread.runs.store import Run, open_run
from closeread.wording import count_of, in_one_line

if TYPE_CHECKING:
    from closeread.training.confidence.before_after import Change
    from closeread.training.confidence.threshold import Risk


class _Measured(NamedTuple):
    """The confidences of a run before and after calibration.

    Attributes:
        changes: The measures by name; empty without gold answers.
        risk: Of the answers that are not withheld; None without gold answers, or if none is.
        warnings: About narrow intervals.
    """

    changes: "Mapping[str, Change]"
    risk: "Risk | None"
    warnings: list[str]


class _Answer(NamedTuple):
    """A graded answer; its passage and prediction are not kept.

    Attributes:
        part: Key of the passages that stay in one fold.
        unit: Key that the question shares with its variants.
        own: The reader's confidence; None if it gives none.
        calibrated: The calibrator's.
        right: Whether the answer is right.
    """

    part: str
    unit: str
    own: float | None
    calibrated: float
    right: bool


@dataclass(frozen=True, kw_only=True)
class _Applied:
    """A run that was written again with a calibrator's confidences.

    Attributes:
        run: The run as it was.
        written: The run with the new confidences.
        least: The confidence below which answers are withheld; None withholds none.
        n_withheld: Answers withheld.
    """

    run: Run
    written: Run
    calibrator: Calibrator
    least: float | None
    n_withheld: int
    measured: _Measured
    warnings: list[str]


def apply(
    path: Path, file: Path, out: Path, sought: CalibrationOptions, *, selective: bool, json_: bool
) -> None:
    """Write a run again with a calibrator's confidences, and warn where its guarantee ends.

    If the run's questions have gold answers, the confidences are evaluated.
    """
    calibrator = load_calibrator(file)
    run = require_uncalibrated(open_run(path, moved=sought.moved))
    least = get_threshold(file, calibrator, selective=selective)
    must_take(out, path, overwrite=sought.overwrite)
    others = warn_of_other_readers(calibrator, run.info.reader)
    record = add_warnings(
        calibration_record(file.read_bytes(), calibrator, selective=selective), others
    )
    n_questions = run.info.dataset.n_questions
    with show_progress("answers", ON_INTERRUPT) as begin:
        measured = _measure(run, calibrator, sought, least, begin)
        written = recalibrate_run(
            run,
            out,
            calibrator.confidence,
            record=record,
            least=least,
            overwrite=sought.overwrite,
            advance=begin(n_questions, "writing"),
        )
    applied = _Applied(
        run=run,
        written=written,
        calibrator=calibrator,
        least=least,
        n_withheld=0 if least is None else _count_withheld(written, least),
        measured=measured,
        warnings=[
            *_transfer_warnings(run, calibrator),
            *others,
            *measured.warnings,
            *warn_worse(measured.changes, calibrator.method),
            *_broken_guarantees(calibrator, measured.risk),
        ],
    )
    if json_:
        print_json(_as_json(applied, sought))
    else:
        _print(applied, sought)


def _broken_guarantees(calibrator: Calibrator, risk: "Risk | None") -> list[str]:
    """Return a warning if the answers are certainly wrong more often than the threshold allows."""
    threshold = calibrator.threshold
    if threshold and risk and risk.low is not None and risk.low > threshold.risk:
        return [f"the guarantee of at most {100 * threshold.risk:g}% wrong does not hold here"]
    return []


def _count_withheld(run: Run, least: float) -> int:
    return sum(
        prediction.answer is None
        and not prediction.error
        and (prediction.confidence or 0.0) < least
        for prediction in run.predictions()
    )


def _as_json(applied: _Applied, sought: CalibrationOptions) -> dict[str, Any]:
    measured = applied.measured
    return {
        "run": str(applied.written.path),
        "withheld": applied.n_withheld,
        "n_questions": applied.written.info.n_predictions,
        "measured": {name: vars(change) for name, change in measured.changes.items()},
        "answered": vars(measured.risk) if measured.risk else None,
        "intervals": intervals_as_json(sought),
        "warnings": applied.warnings,
    }


def _print(applied: _Applied, sought: CalibrationOptions) -> None:
    calibrator, risk, least = applied.calibrator, applied.measured.risk, applied.least
    if applied.measured.changes:
        print_changes(applied.run.info.dataset.name, applied.measured.changes)
    else:
        judge = sought.metric or calibrator.settings.get("metric", "by-kind")
        remark(
            f"nothing was measured: no answer has a gold answer that "
            f"{_describe_metric(judge)} could score"
        )
    threshold = calibrator.threshold
    if threshold and risk and risk.value is not None:
        measure = format_measure("risk", risk.value, (risk.low or 0.0, risk.high or 1.0))
        click.echo(
            f"\nwrong, % of the {risk.n_answered:,} that are answered: {measure}, where at most "
            f"{100 * threshold.risk:g} were guaranteed (at {100 * (1 - threshold.delta):g}% "
            "confidence)"
        )
    for warning in applied.warnings:
        remark(in_one_line(warning))
    if threshold is not None and least is not None:
        where = f"below {least:.3f}" if threshold.n_answered else "because no threshold was found"
        answers = count_of(applied.written.info.n_predictions, "answer")
        remark(f"{applied.n_withheld:,} of {answers} withheld {where}")
    click.echo(applied.written.path)


def _describe_metric(metric: str) -> str:
    return "the metric of its kind" if metric in ("", "by-kind") else metric


def _measure(
    run: Run,
    calibrator: Calibrator,
    sought: CalibrationOptions,
    least: float | None,
    begin: StartProgress,
) -> _Measured:
    """Evaluate confidences before and after, and the risk of answers from ``least`` on.

    What counts as right is as when the calibrator was fitted, unless the user chose otherwise.
    """
    from closeread.training.confidence.before_after import measure_changes
    from closeread.training.confidence.threshold import risk_of

    known = calibrator.settings
    metric = sought.metric or str(known.get("metric", "")).replace("by-kind", "")
    line = known.get("right_from") if sought.right_from is None else sought.right_from
    as_fitted = replace(sought, metric=metric, right_from=line)
    answers = [
        _Answer(
            part=row.part,
            unit=row.unit,
            own=reader_confidence(row.question, row.prediction, calibrator.scale),
            calibrated=calibrator.confidence(row.passage, row.question, row.prediction),
            right=is_right(row.correct, as_fitted),
        )
        for row in grade_run(run, metric, advance=begin(run.info.dataset.n_questions))
    ]
    if not answers:
        return _Measured({}, None, [])
    warnings = warn_few_passages(len({answer.part for answer in answers}), sought.resamples)
    changes = measure_changes(
        [answer.part for answer in answers],
        [answer.own for answer in answers],
        [answer.calibrated for answer in answers],
        [answer.right for answer in answers],
        resamples=sought.resamples,
        level=LEVEL,
        seed=sought.seed,
        advance=begin(sought.resamples, "resamples") if sought.resamples else uncounted,
    )
    if least is None:
        return _Measured(changes, None, warnings)
    answered = [answer for answer in answers if answer.calibrated >= least]
    units = [(answer.part, answer.unit) for answer in answered]
    risk = risk_of([answer.right for answer in answered], LEVEL, units)
    return _Measured(changes, risk, warnings)


def _transfer_warnings(run: Run, calibrator: Calibrator) -> list[str]:
    """Return a warning about the data on which the calibrator was fitted."""
    if run.info.predictions_sha256 in calibrator.predictions:
        return [
            "the calibrator was fitted on these same answers, so these numbers are too "
            "optimistic; fit with --held-out for unbiased ones"
        ]
    if run.info.dataset.sha256 in calibrator.datasets.values():
        return [
            "the calibrator was fitted on this data set: on the same questions the numbers are "
            "too optimistic"
        ]
    return [
        f"fitted on {', '.join(calibrator.datasets)}, applied to {run.info.dataset.name}: "
        "confidences and threshold are guaranteed only for questions from the same distribution"
    ]
