"""``closeread calibrate RUNS --out FILE``: fit a calibrator, and print cross-validated results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from closeread.cli.calibrate.changes import print_changes, warn_few_passages, warn_worse
from closeread.cli.calibrate.runs import (
    LEVEL,
    ON_INTERRUPT,
    CalibrationOptions,
    intervals_as_json,
    is_right,
    require_uncalibrated,
)
from closeread.cli.terminal.output import print_json, remark
from closeread.cli.terminal.reading import show_progress
from closeread.errors import InputError, UsageError
from closeread.formats.files.output_place import must_take_file
from closeread.protocols import Advance, uncounted
from closeread.readers.confidence.calibrate import (
    Calibrator,
    Linear,
    Model,
    Steps,
    Threshold,
    save_calibrator,
)
from closeread.readers.confidence.features import Scale, detect_scale
from closeread.runs.calibrated import answering_readers, calibration_record
from closeread.runs.recalibrate import (
    grade_run,
    must_take,
    recalibrate_run,
    submitted_predictions,
)
from closeread.runs.store import Run, open_run
from closeread.types import Passage, Prediction, Question
from closeread.wording import count_of

if TYPE_CHECKING:
    from closeread.training.confidence.learn import CalibrationResult, Example

_MAX_PRINTED_WEIGHTS = 8
_RANK_MEASURES = ("auroc", "aurc", "coverage@80", "coverage@90")


@dataclass(frozen=True)
class _Answers:
    """The graded answers of all runs, in order; all three of shape (answers,).

    Attributes:
        question_ids: The question of each answer.
        scores: The metric's value, which decides whether the answer is right.
        examples: What the calibrator is fitted on.
    """

    question_ids: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    examples: list["Example"] = field(default_factory=list)


def learn(
    paths: Sequence[Path],
    out: Path,
    sought: CalibrationOptions,
    settings: dict[str, Any],
    *,
    json_: bool,
) -> None:
    """Fit a calibrator on runs, save it, and print cross-validated results."""
    from closeread.training.confidence.learn import ConfidenceSettings
    from closeread.training.confidence.learn import learn as fitted

    must_take_file(out)
    if sought.held_out is not None:
        must_take(sought.held_out, paths[0], overwrite=sought.overwrite)
    runs = [require_uncalibrated(open_run(path, moved=sought.moved)) for path in paths]
    scale = detect_scale(prediction for run in runs for prediction in submitted_predictions(run))
    n_questions = sum(run.info.dataset.n_questions for run in runs)
    with show_progress("answers", ON_INTERRUPT) as begin:
        answers = _collect_answers(runs, scale, sought, begin(n_questions))
        _check_right_from(sought.right_from, answers)
        options = msgspec.convert(settings | {"level": LEVEL}, ConfidenceSettings)
        resampled = begin(sought.resamples, "resamples") if sought.resamples else uncounted
        learned = fitted(answers.examples, scale, options, advance=resampled)
        choices = {"metric": sought.metric or "by-kind", "right_from": sought.right_from}
        calibrator = _add_provenance(learned, runs, settings | choices)
        save_calibrator(out, calibrator)
        if sought.held_out is not None:
            record = calibration_record(out.read_bytes(), calibrator, selective=False)
            _write_held_out(
                runs[0],
                sought.held_out,
                dict(zip(answers.question_ids, learned.confidences, strict=True)),
                calibrator,
                record | {"held_out": True},
                overwrite=sought.overwrite,
                advance=begin(n_questions, "writing"),
            )
    warnings = warn_few_passages(learned.n_passages, sought.resamples) + _warn_worse_measures(
        calibrator, learned
    )
    if json_:
        more = {"warnings": warnings, "intervals": intervals_as_json(sought)}
        print_json(_as_json(out, calibrator, learned) | more)
    else:
        _print(out, calibrator, learned, sought)
        for warning in warnings:
            remark(warning)


def _collect_answers(
    runs: Sequence[Run], scale: Scale, sought: CalibrationOptions, advance: Advance
) -> _Answers:
    """Return the features of all graded answers; passages and predictions are not kept."""
    from closeread.training.confidence.learn import make_example

    answers = _Answers()
    for run in runs:
        for row in grade_run(run, sought.metric, advance=advance):
            answers.question_ids.append(row.prediction.question_id)
            answers.scores.append(row.correct)
            answers.examples.append(
                make_example(
                    row.passage,
                    row.question,
                    row.prediction,
                    scale,
                    passage_key=row.part,
                    unit=row.unit,
                    correct=is_right(row.correct, sought),
                )
            )
    if not answers.examples:
        raise InputError(
            "no answer can be scored",
            expected="a finished run on questions with gold answers",
            cure="give a run on a development set",
        )
    return answers


def _add_provenance(
    learned: "CalibrationResult", runs: Sequence[Run], settings: dict[str, Any]
) -> Calibrator:
    """Return the fitted calibrator with a record of its runs, settings and counts."""
    return msgspec.structs.replace(
        learned.calibrator,
        datasets={run.info.dataset.name: run.info.dataset.sha256 for run in runs},
        readers=answering_readers([run.info.reader for run in runs]),
        predictions=tuple(run.info.predictions_sha256 for run in runs),
        settings=settings
        | {
            "n_questions": len(learned.confidences),
            "n_passages": learned.n_passages,
            "n_kept_back": learned.n_kept_back,
        },
    )


def _check_right_from(line: float | None, answers: _Answers) -> None:
    """Reject a --right-from outside the range of values, which no further question would help."""
    outcomes = {example.correct for example in answers.examples}
    least, most = min(answers.scores), max(answers.scores)
    if line is not None and len(outcomes) == 1 and least < most:
        raise UsageError(
            f"--right-from {line:g} counts {'every' if outcomes == {True} else 'no'} answer right",
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
    advance: Advance,
) -> None:
    """Write the fitted run again with cross-validated confidences.

    Answers without gold were in no fold, so the final calibrator gives their confidences.
    """

    def confidence(passage: Passage, question: Question, prediction: Prediction) -> float:
        known = held_out.get(prediction.question_id)
        return calibrator.confidence(passage, question, prediction) if known is None else known

    recalibrate_run(run, out, confidence, record=record, overwrite=overwrite, advance=advance)


def _warn_worse_measures(calibrator: Calibrator, learned: "CalibrationResult") -> list[str]:
    """Warn about measures that got worse, except rank measures of a monotone calibrator.

    The folds' curves differ, which alone worsens the order of all folds together.
    """
    changes = dict(learned.changes)
    if _is_monotone(calibrator.model):
        changes = {name: change for name, change in changes.items() if name not in _RANK_MEASURES}
    return warn_worse(changes, calibrator.method)


def _is_monotone(model: Model) -> bool:
    """Whether the model is a function of the reader's confidence that keeps its order."""
    if isinstance(model, Linear):
        return len(model.weights) == 1 and model.weights[0] > 0
    return isinstance(model, Steps)


def _as_json(out: Path, calibrator: Calibrator, learned: "CalibrationResult") -> dict[str, Any]:
    return {
        "calibrator": str(out),
        "method": calibrator.method,
        "n_questions": len(learned.confidences),
        "n_passages": learned.n_passages,
        "n_kept_back": learned.n_kept_back,
        "held_out": {name: vars(change) for name, change in learned.changes.items()},
        "threshold": calibrator.threshold,
    }


def _print(
    out: Path, calibrator: Calibrator, learned: "CalibrationResult", sought: CalibrationOptions
) -> None:
    answers = count_of(len(learned.confidences), "answer")
    remark(
        f"{answers} over {count_of(learned.n_passages, 'passage')}, each calibrated "
        f"({calibrator.method}) without its own passage"
        + (f"; {LEVEL:.0%} intervals by {sought.resamples:,} resamples" if sought.resamples else "")
    )
    print_changes("held out", learned.changes)
    if isinstance(calibrator.model, Linear) and len(calibrator.features) > 1:
        pairs = zip(calibrator.model.weights, calibrator.features, strict=True)
        ranked = sorted(pairs, key=lambda pair: -abs(pair[0]))[:_MAX_PRINTED_WEIGHTS]
        listed = ", ".join(f"{name} {weight:+.2f}" for weight, name in ranked)
        click.echo(f"\nlargest weights (features scaled to spread 1): {listed}")
    if (chosen := calibrator.threshold) is not None:
        promise = f"at most {100 * chosen.risk:g}% (at {100 * (1 - chosen.delta):g}% confidence)"
        click.echo(
            f"\nto be wrong in {promise}: answer from confidence {chosen.value:.3f} on, which "
            f"answers {chosen.n_answered:,} of "
            f"{count_of(chosen.n_questions, 'held-back question')}"
            if chosen.n_answered
            else f"\nno threshold guarantees {promise} wrong on "
            f"{count_of(chosen.n_questions, 'held-back question')}: --selective "
            "withholds every answer; " + _suggest_cure(chosen)
        )
    click.echo(f"\n{out}")


def _suggest_cure(chosen: Threshold) -> str:
    from closeread.training.confidence.threshold import min_answers

    least = min_answers(chosen.risk, chosen.delta)
    if chosen.n_questions < least:
        return (
            f"even {count_of(chosen.n_questions, 'right answer')} would not be enough, {least:,} "
            "could be: fit on more questions, or raise --risk"
        )
    return "fit on more questions, or raise --risk"
