"""``closeread calibrate RUN --with FILE``: apply a calibrator, with warnings."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from closeread.cli.calibrate.changes import (
    format_measure,
    print_changes,
    warn_few_passages,
    warn_worse,
)
from closeread.cli.calibrate.runs import (
    LEVEL,
    CalibrationOptions,
    intervals_as_json,
    judge_answers,
    require_uncalibrated,
)
from closeread.cli.terminal.output import print_json, remark
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


def apply(
    path: Path, file: Path, out: Path, sought: CalibrationOptions, *, selective: bool, json_: bool
) -> None:
    """Write a run again with a calibrator's confidences, and warn where its guarantee ends.

    If the run's questions have gold answers, the confidences are evaluated.
    """
    calibrator = load_calibrator(file)
    run = require_uncalibrated(open_run(path, moved=sought.moved))
    threshold = calibrator.threshold
    least = get_threshold(file, calibrator, selective=selective)
    must_take(out, path, overwrite=sought.overwrite)
    others = warn_of_other_readers(calibrator, run.info.reader)
    record = add_warnings(
        calibration_record(file.read_bytes(), calibrator, selective=selective), others
    )
    measured, risk, warned = _measure(run, calibrator, sought, least)
    made = recalibrate_run(
        run, out, calibrator.confidence, record=record, least=least, overwrite=sought.overwrite
    )
    warnings = (
        _transfer_warnings(run, calibrator)
        + others
        + warned
        + warn_worse(measured, calibrator.method)
    )
    if threshold and risk and risk.low is not None and risk.low > threshold.risk:
        warnings.append(
            f"the guarantee of at most {100 * threshold.risk:g}% wrong does not hold here"
        )
    withheld = 0
    if least is not None:
        withheld = sum(
            one.answer is None and not one.error and (one.confidence or 0.0) < least
            for one in made.predictions()
        )
    if json_:
        print_json(
            {
                "run": str(made.path),
                "withheld": withheld,
                "n_questions": made.info.n_predictions,
                "measured": {name: vars(change) for name, change in measured.items()},
                "answered": vars(risk) if risk else None,
                "intervals": intervals_as_json(sought),
                "warnings": warnings,
            }
        )
        return
    if measured:
        print_changes(run.info.dataset.name, measured)
    else:
        judge = sought.metric or calibrator.settings.get("metric", "by-kind")
        remark(
            f"nothing was measured: no answer has a gold answer that "
            f"{_describe_metric(judge)} could score"
        )
    if threshold and risk and risk.value is not None:
        found = format_measure("risk", risk.value, (risk.low or 0.0, risk.high or 1.0))
        click.echo(
            f"\nwrong, % of the {risk.n_answered:,} that are answered: {found}, where at most "
            f"{100 * threshold.risk:g} were guaranteed (at {100 * (1 - threshold.delta):g}% "
            "confidence)"
        )
    for warning in warnings:
        remark(in_one_line(warning))
    if threshold is not None and least is not None:
        where = f"below {least:.3f}" if threshold.n_answered else "because no threshold was found"
        of = count_of(made.info.n_predictions, "answer")
        remark(f"{withheld:,} of {of} withheld {where}")
    click.echo(made.path)


def _describe_metric(metric: str) -> str:
    return "the metric of its kind" if metric in ("", "by-kind") else metric


def _measure(
    run: Run, calibrator: Calibrator, sought: CalibrationOptions, least: float | None
) -> "tuple[dict[str, Change], Risk | None, list[str]]":
    """Evaluate confidences before and after, and the risk of answers from ``least`` on.

    Both are empty without gold answers, the risk also if nothing is withheld. What counts as right
    is as when the calibrator was fitted, unless the user chose otherwise. The third value holds
    warnings about narrow intervals.
    """
    from closeread.training.confidence.before_after import measure_changes
    from closeread.training.confidence.threshold import risk_of

    known = calibrator.settings
    metric = sought.metric or str(known.get("metric", "")).replace("by-kind", "")
    line = known.get("right_from") if sought.right_from is None else sought.right_from
    rows = list(grade_run(run, metric))
    if not rows:
        return {}, None, []
    warned = warn_few_passages(len({row.part for row in rows}), sought.resamples)
    confidences = [calibrator.confidence(row.passage, row.question, row.prediction) for row in rows]
    right = judge_answers(rows, replace(sought, metric=metric, right_from=line))
    found = measure_changes(
        [row.part for row in rows],
        [reader_confidence(row.question, row.prediction, calibrator.scale) for row in rows],
        confidences,
        right,
        resamples=sought.resamples,
        level=LEVEL,
        seed=sought.seed,
    )
    if least is None:
        return found, None, warned
    answered = [place for place, one in enumerate(confidences) if one >= least]
    units = [(rows[place].part, rows[place].unit) for place in answered]
    return found, risk_of([right[place] for place in answered], LEVEL, units), warned


def _transfer_warnings(run: Run, calibrator: Calibrator) -> list[str]:
    """Return warnings if the calibrator is applied to its own data or to another data set."""
    learned_from = ", ".join(calibrator.datasets)
    found = []
    if run.info.predictions_sha256 in calibrator.predictions:
        found.append(
            "the calibrator was fitted on these same answers, so these numbers are too "
            "optimistic; fit with --held-out for unbiased ones"
        )
    elif run.info.dataset.sha256 in calibrator.datasets.values():
        found.append(
            "the calibrator was fitted on this data set: on the same questions the numbers are "
            "too optimistic"
        )
    else:
        found.append(
            f"fitted on {learned_from}, applied to {run.info.dataset.name}: confidences and "
            "threshold are guaranteed only for questions from the same distribution"
        )
    return found
