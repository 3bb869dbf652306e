"""What ``closeread calibrate`` does with its runs: learn and tell, or apply and warn."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from closeread.cli.numbers import aligned
from closeread.cli.output import as_json, remark
from closeread.errors import InputError, UsageError
from closeread.formats.files.outcome import must_take_file
from closeread.readers.calibrate import Calibrator, Linear, load_calibrator, save_calibrator
from closeread.readers.certainty import scale_of, signs, told_confidence
from closeread.runs.recalibrate import Graded, graded, must_take, recalibrated
from closeread.runs.store import Run, open_run
from closeread.types import Passage, Prediction, Question

if TYPE_CHECKING:
    from closeread.training.confidence import Learned
    from closeread.training.honesty import Change, Interval
    from closeread.training.threshold import Risk

_LEVEL = 0.95  # of the intervals
_TOLD_WEIGHTS = 8
_NO_PERCENT = ("brier", "auroc")
_LESS_IS_BETTER = ("ece", "brier", "aurc")
_KEEP_ORDER = ("platt", "isotonic")


@dataclass(frozen=True, kw_only=True)
class Sought:
    """What is learned from, and what is written beside the calibrator."""

    metric: str
    right_from: float | None
    held_out: Path | None
    overwrite: bool
    resamples: int
    seed: int


def learn(
    paths: Sequence[Path], out: Path, sought: Sought, settings: dict[str, Any], *, json_: bool
) -> None:
    """Learn a calibrator from runs, save it, and print what it gives on passages held out."""
    from closeread.training.confidence import ConfidenceSettings, Example
    from closeread.training.confidence import learn as fitted

    must_take_file(out, makes_folders=True)
    if sought.held_out is not None:
        must_take(sought.held_out, paths[0], overwrite=sought.overwrite)
    runs = [_own_confidences(open_run(path)) for path in paths]
    rows = [row for run in runs for row in graded(run, sought.metric)]
    correct = _right(rows, sought)
    scale = scale_of([row.prediction for row in rows])
    examples = [
        Example(
            part=hashlib.sha256(row.passage.text.encode("utf-8", "surrogatepass")).hexdigest(),
            signs=signs(row.passage, row.question, row.prediction, scale),
            told=told_confidence(row.question, row.prediction, scale),
            correct=right,
        )
        for row, right in zip(rows, correct, strict=True)
    ]
    options = msgspec.convert(settings | {"level": _LEVEL}, ConfidenceSettings)
    learned = fitted(examples, scale, options)
    calibrator = msgspec.structs.replace(
        learned.calibrator,
        datasets={run.info.dataset.name: run.info.dataset.sha256 for run in runs},
        readers=tuple(dict.fromkeys(run.info.reader.answering[0] for run in runs)),
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
        record = _record(out.read_bytes(), calibrator, selective=False) | {"held_out": True}
        _write_held_out(
            runs[0], sought.held_out, held_out, calibrator, record, overwrite=sought.overwrite
        )
    if json_:
        as_json(_as_printed(out, calibrator, learned) | {"intervals": _intervals(sought)})
    else:
        _print(out, calibrator, learned, sought)
        for warning in _worse(learned.changes, calibrator.method):
            remark(warning)


def apply(
    path: Path, file: Path, out: Path, sought: Sought, *, selective: bool, json_: bool
) -> None:
    """Write a run again with a calibrator's confidences, and say where its promise ends.

    Where the run's questions have gold, what the confidences are worth is measured.
    """
    calibrator = load_calibrator(file)
    run = _own_confidences(open_run(path))
    threshold = calibrator.threshold
    if selective and threshold is None:
        raise UsageError(
            "this calibrator has no threshold below which to stay silent",
            where=str(file),
            cure="learn it with --risk",
        )
    must_take(out, path, overwrite=sought.overwrite)
    record = _record(file.read_bytes(), calibrator, selective=selective)
    least = threshold.value if selective and threshold is not None else None
    measured, risk = _measured(run, calibrator, sought, least)
    made = recalibrated(
        run, out, calibrator.confidence, record=record, least=least, overwrite=sought.overwrite
    )
    warnings = _warnings(run, calibrator) + _worse(measured, calibrator.method)
    if threshold and risk and risk.low is not None and risk.low > threshold.risk:
        warnings.append(f"the promise of at most {threshold.risk:.0%} wrong is not kept here")
    withheld = 0
    if least is not None:
        withheld = sum(
            one.answer is None and not one.error and (one.confidence or 0.0) < least
            for one in made.predictions()
        )
    if json_:
        as_json(
            {
                "run": str(made.path),
                "withheld": withheld,
                "n_questions": made.info.n_predictions,
                "measured": {name: vars(change) for name, change in measured.items()},
                "answered": vars(risk) if risk else None,
                "intervals": _intervals(sought),
                "warnings": warnings,
            }
        )
        return
    if measured:
        _print_changes(run.info.dataset.name, measured)
    else:
        judge = sought.metric or calibrator.settings.get("metric", "by-kind")
        remark(f"nothing was measured: no answer has gold by which {_judge(judge)} could judge it")
    if threshold and risk and risk.value is not None:
        told = _told("risk", risk.value, (risk.low or 0.0, risk.high or 1.0))
        click.echo(
            f"\nwrong of {risk.n_answered:,} that are answered: {told}, where at most "
            f"{100 * threshold.risk:.1f} was promised (sure to {1 - threshold.delta:.0%})"
        )
    for warning in warnings:
        remark(warning)
    if threshold is not None and least is not None:
        where = f"below {least:.3f}" if threshold.n_answered else "because no threshold was found"
        remark(f"{withheld:,} of {made.info.n_predictions:,} answers withheld {where}")
    click.echo(made.path)


def _judge(metric: str) -> str:
    return "the metric of its kind" if metric in ("", "by-kind") else metric


def _own_confidences(run: Run) -> Run:
    """Return a run whose confidences are its reader's own.

    Raises:
        UsageError: A calibrator gave them.
    """
    calibrated = run.info.reader.record.get("calibrated")
    if calibrated:
        raise UsageError(
            "its confidences are a calibrator's already",
            where=str(run.path),
            expected="a run with its reader's own",
            cure=f"take the run that it was made of: {calibrated['run']}",
        )
    return run


def _measured(
    run: Run, calibrator: Calibrator, sought: Sought, least: float | None
) -> "tuple[dict[str, Change], Risk | None]":
    """Return what confidences are worth before and after, and the risk from ``least`` on.

    Both are nothing where there is no gold, the risk also where nothing is withheld. What is right
    is what it was when the calibrator was learned, unless the user says otherwise.
    """
    from closeread.training.honesty import changes
    from closeread.training.threshold import risk_of

    known = calibrator.settings
    metric = sought.metric or str(known.get("metric", "")).replace("by-kind", "")
    line = known.get("right_from") if sought.right_from is None else sought.right_from
    rows = list(graded(run, metric))
    if not rows:
        return {}, None
    sure = [calibrator.confidence(row.passage, row.question, row.prediction) for row in rows]
    right = _right(rows, replace(sought, metric=metric, right_from=line))
    found = changes(
        [row.passage.text for row in rows],
        [told_confidence(row.question, row.prediction, calibrator.scale) for row in rows],
        sure,
        right,
        resamples=sought.resamples,
        level=_LEVEL,
        seed=sought.seed,
    )
    if least is None:
        return found, None
    answered = [good for one, good in zip(sure, right, strict=True) if one >= least]
    return found, risk_of(answered, _LEVEL)


def _right(rows: Sequence[Graded], sought: Sought) -> list[bool]:
    """Return which answers are right; a metric that gives parts needs a line drawn."""
    if not rows:
        raise InputError(
            "no answer can be judged",
            expected="a finished run on questions with gold",
            cure="name a run on a development set",
        )
    if sought.right_from is not None:
        return [row.correct >= sought.right_from for row in rows]
    part = next((row.correct for row in rows if row.correct not in (0.0, 1.0)), None)
    if part is not None:
        raise UsageError(
            f"{sought.metric or 'the metric'} calls an answer right by {part:.2f}",
            expected="right or wrong: 1 or 0",
            cure="say from which value on an answer is right, such as --right-from 0.5",
        )
    return [row.correct == 1.0 for row in rows]


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

    recalibrated(run, out, confidence, record=record, overwrite=overwrite)


def _record(raw: bytes, calibrator: Calibrator, *, selective: bool) -> dict[str, Any]:
    """Return what ``run.json`` says of the calibrator."""
    found: dict[str, Any] = {
        "calibrator_sha256": hashlib.sha256(raw).hexdigest(),
        "method": calibrator.method,
        "learned_from": dict(calibrator.datasets),
    }
    if selective:
        found["threshold"] = msgspec.to_builtins(calibrator.threshold)
    return found


def _warnings(run: Run, calibrator: Calibrator) -> list[str]:
    """Say where confidences are no longer what they were when they were learned."""
    learned_from = ", ".join(calibrator.datasets)
    found = []
    if run.info.predictions_sha256 in calibrator.predictions:
        found.append(
            "the calibrator was learned from these very answers, so its numbers flatter here: "
            "--held-out, when learning, writes honest ones"
        )
    elif run.info.dataset.sha256 in calibrator.datasets.values():
        found.append(
            "the calibrator was learned from this data set: on the same questions numbers flatter"
        )
    else:
        found.append(
            f"learned from {learned_from}, applied to {run.info.dataset.name}: confidences and "
            "threshold hold for questions drawn as those were; on others nothing is promised"
        )
    answering, _ = run.info.reader.answering
    if answering not in calibrator.readers:
        found.append(
            f"learned from answers of {', '.join(calibrator.readers)}, applied to those of "
            f"{answering}: nothing is promised"
        )
    return found


def _worse(found: "Mapping[str, Change]", method: str) -> list[str]:
    """Say what a calibrator made worse, where the whole interval of the difference says so."""
    names = [
        name
        for name, change in found.items()
        if change.difference is not None
        and (change.difference[0] > 0 if name in _LESS_IS_BETTER else change.difference[1] < 0)
    ]
    if not names:
        return []
    cure = "more questions to learn from may help"
    if method not in _KEEP_ORDER:
        cure += ", or --method platt, which keeps their order"
    return [
        f"worse after than before: {', '.join(names)}; there the reader's own confidences are the "
        f"better ones ({cure})"
    ]


def _as_printed(out: Path, calibrator: Calibrator, learned: "Learned") -> dict[str, Any]:
    return {
        "calibrator": str(out),
        "method": calibrator.method,
        "n_questions": len(learned.confidences),
        "n_passages": learned.n_parts,
        "n_kept_back": learned.n_kept_back,
        "held_out": {name: vars(change) for name, change in learned.changes.items()},
        "warnings": _worse(learned.changes, calibrator.method),
        "threshold": calibrator.threshold,
    }


def _intervals(sought: Sought) -> dict[str, Any]:
    """Return how the intervals were made."""
    return {
        "method": "bootstrap",
        "unit": "passage",
        "level": _LEVEL,
        "resamples": sought.resamples,
        "seed": sought.seed,
    }


def _print(out: Path, calibrator: Calibrator, learned: "Learned", sought: Sought) -> None:
    remark(
        f"{len(learned.confidences):,} answers over {learned.n_parts:,} passages, each judged by "
        f"a calibrator ({calibrator.method}) that did not see its passage"
        + (
            f"; {_LEVEL:.0%} intervals by {sought.resamples:,} resamples"
            if sought.resamples
            else ""
        )
    )
    _print_changes("held out", learned.changes)
    if isinstance(calibrator.model, Linear) and len(calibrator.features) > 1:
        pairs = zip(calibrator.model.weights, calibrator.features, strict=True)
        ranked = sorted(pairs, key=lambda pair: -abs(pair[0]))[:_TOLD_WEIGHTS]
        told = ", ".join(f"{name} {weight:+.2f}" for weight, name in ranked)
        click.echo(f"\nweighs most (features of spread 1): {told}")
    if (chosen := calibrator.threshold) is not None:
        click.echo(
            f"\nto be wrong in at most {chosen.risk:.0%} (sure to {1 - chosen.delta:.0%}): answer "
            f"from confidence {chosen.value:.3f} on, which answers {chosen.n_answered:,} of "
            f"{chosen.n_questions:,} questions kept back"
            if chosen.n_answered
            else f"\nno threshold keeps wrong answers to {chosen.risk:.0%}: --selective answers "
            "nothing"
        )
    click.echo(f"\n{out}")


def _print_changes(title: str, found: "Mapping[str, Change]") -> None:
    headings = (title, "before", "after", "after - before")
    rows = [_row(name, change) for name, change in found.items()]
    click.echo("\n".join(aligned(headings, rows, left=1)))


def _row(name: str, change: "Change") -> tuple[str, ...]:
    moved = None
    if change.before is not None and change.after is not None:
        moved = change.after - change.before
    return (
        name,
        _told(name, change.before, change.before_interval),
        _told(name, change.after, change.after_interval),
        _told(name, moved, change.difference, sign="+"),
    )


def _told(name: str, value: float | None, interval: "Interval | None", sign: str = "") -> str:
    if value is None:
        return "—"
    scale, form = (1, f"{sign}.3f") if name in _NO_PERCENT else (100, f"{sign}.1f")
    text = format(scale * value, form)
    if interval is None:
        return text
    low, high = (format(scale * one, form) for one in interval)
    return f"{text} [{low}, {high}]"
