"""``closeread score``: a run folder, or a data set against a file of predictions."""

import gc
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from closeread.cli.terminal.completion import names_of
from closeread.cli.terminal.outcome import Outcome
from closeread.cli.terminal.place import Place
from closeread.cli.terminal.reading import parsed
from closeread.errors import UsageError
from closeread.runs.records import RunSummary, ScoreSettings
from closeread.types import Dataset, Submission, Summary
from closeread.wording import count_of

if TYPE_CHECKING:
    from closeread.runs.store import Run


@click.command("score")
@click.argument("run", required=False, type=Place(path_type=Path))
@click.option("--dataset", metavar="D",
              help="A path, a URL, exam/zh or exam/en; of RUN, where it lies now.")  # fmt: skip
@click.option("--predictions", type=Place(path_type=Path), metavar="P",
              help="With --dataset: what was handed in.")  # fmt: skip
@click.option("--null-odds", type=Place(path_type=Path), help="SQuAD 2.0's side file.")
@click.option("--format", "format_", metavar="F", help="Guessed from the content by default.")
@click.option("--metric", "metrics", multiple=True, metavar="M[,KEY=VALUE]...",
              shell_complete=names_of("metric"),
              help="Such as mrqa or mrqa.f1, with its options.")  # fmt: skip
@click.option("--by", multiple=True, metavar="TAG", help="Break down by role, strategy, any tag.")
@click.option("--joined", "join", is_flag=True, help="Also answers by evidence.")
@click.option("--resamples", type=int, default=10_000, show_default=True)
@click.option("--level", type=float, default=0.95, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals.")
@click.option("--no-intervals", is_flag=True, help="Values only, faster.")
@click.option("--skip-no-answer", is_flag=True, help="MRQA's option: answered questions only.")
@click.option("--answer-language", metavar="L", help="MLQA's argument, where the set is silent.")
@click.option("--stop", "stops", multiple=True, metavar="S", help='Cut saved texts at, as "\\n".')
@click.option("--extract", "rule", metavar="R",
              help="Read answers anew: auto, letter, drop, span, first-line, last-line, "
              "answer-prefix or none.")  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, metavar="N", help="Of RUN: processes."
)
@click.option("--save", type=Outcome(path_type=Path), metavar="RUN", help="Keep the numbers.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(
    *,
    run: Path | None,
    dataset: str | None,
    predictions: Path | None,
    null_odds: Path | None,
    format_: str | None,
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    join: bool,
    resamples: int,
    level: float,
    seed: int,
    no_intervals: bool,
    skip_no_answer: bool,
    answer_language: str | None,
    stops: tuple[str, ...],
    rule: str | None,
    workers: int,
    save: Path | None,
    json_: bool,
) -> None:
    """Score RUN, or --predictions against --dataset, with intervals.

    Without --metric the scorers that the data set's publishers use are taken; docs/metrics.md tells
    their options, such as --metric squad2,na_threshold=0.5. --stop and --extract
    read the answers anew from what a language model wrote, without asking it again; what is not
    named stays as the run had it, and --stop "" is no stop.
    """
    averages: dict[str, Summary] = {}
    names = [""]
    beside: dict[str, object] = {}
    gc.disable()  # records form no cycles: the collector would walk them all for nothing
    asked, options = _with_options(metrics)
    if skip_no_answer:
        options.setdefault("mrqa", {})["skip_no_answer"] = True
    if answer_language is not None:
        options.setdefault("mlqa", {})["answer_language"] = answer_language
    settings = ScoreSettings(
        metrics=asked,
        options=options,
        by=by,
        resamples=0 if no_intervals else resamples,
        level=level,
        seed=seed,
    )
    if run is not None:
        if predictions or save or null_odds or format_:
            raise click.UsageError("give RUN, or --dataset with --predictions, not both")
        from closeread.api.datasets import locate
        from closeread.cli.terminal.reading import watched
        from closeread.cli.terminal.sources import runs_in
        from closeread.protocols import Advance, uncounted, unwatched
        from closeread.runs.macro import macro_averages
        from closeread.runs.score import score_run
        from closeread.runs.store import open_run

        where = locate(dataset) if dataset is not None else None
        runs = [open_run(path, moved=where) for path in runs_in(run)]
        found = []
        of_runs: Advance = uncounted
        of_questions: Advance = uncounted
        many = len(runs) > 1
        kept = "runs that were scored keep their numbers"
        with watched("runs" if many else "questions", kept) as begin:
            if many:
                of_runs = begin(len(runs))
            elif workers == 1:  # several tell of no question
                of_questions = begin(runs[0].info.dataset.n_questions)
            of_metrics = unwatched if many else lambda total: begin(total, "metrics")
            for opened in runs:
                anew = _read_anew(opened, settings, stops, rule)
                found.append(
                    score_run(opened, anew, workers=workers, advance=of_questions, begin=of_metrics)
                )
                of_runs(1)
        for pair in zip(runs, found, strict=True):
            _tell_changed(pair[0])
            _tell_unmatched(*pair)
        if join:
            found = [_joined_run(*pair) for pair in zip(runs, found, strict=True)]
        averages = macro_averages(runs)
        names = [str(one.path) for one in runs]
    elif workers > 1:
        raise click.UsageError("--workers needs RUN: predictions that are handed in, one scores")
    elif stops or rule:
        raise click.UsageError("--stop and --extract need RUN, which keeps what the model wrote")
    elif dataset is not None and predictions is not None:
        one, beside["misfits"] = _handed_in(
            dataset,
            predictions,
            null_odds=null_odds,
            format_=format_,
            settings=settings,
            join=join,
            save=save,
        )
        found = [one]
    else:
        raise click.UsageError("give RUN, or --dataset with --predictions")
    _print(found, names, averages, beside, json_)


def _with_options(
    metrics: tuple[str, ...],
) -> tuple[tuple[str, ...], dict[str, dict[str, object]]]:
    """Take ``NAME,KEY=VALUE,...`` apart: the names, and of a family all options that were given."""
    from closeread.metrics.subject import family

    options: dict[str, dict[str, object]] = {}
    behind: dict[str, list[str]] = {}
    for one in metrics:
        name, *own = one.split(",")
        if not all(assignment.find("=") > 0 for assignment in own):
            raise UsageError(
                f"--metric {one}",
                expected="--metric NAME,KEY=VALUE; several metrics as --metric A --metric B",
            )
        if sorted(own) != sorted(behind.setdefault(name, own)):
            raise UsageError(
                f"--metric {name} is given twice, with other options",
                expected="each metric once: two values would have one name",
                cure="call `closeread score` once for each",
            )
        for assignment in own:
            ((key, value),) = parsed((assignment,)).items()
            if options.setdefault(family(name), {}).setdefault(key, value) != value:
                raise UsageError(
                    f"--metric {family(name)} is given several values of {key}",
                    expected="one for all values of a metric",
                    cure="call `closeread score` once for each",
                )
    return tuple(behind), options


def _joined_run(run: "Run", scored: RunSummary) -> RunSummary:
    from closeread.runs.score import as_submission

    dataset = run.dataset()
    submission = as_submission(run, dataset, scored.settings.extraction)
    return _joined(scored, dataset, submission, run.info.dataset.limit)


def _joined(
    scored: RunSummary, dataset: Dataset, submission: Submission, limit: int | None = None
) -> RunSummary:
    """Return numbers with those of the answers by their evidence."""
    from msgspec.structs import replace

    from closeread.runs.extract import marked
    from closeread.runs.scoring.joined import must_join
    from closeread.runs.scoring.summaries import resampling_of

    settings = scored.settings

    def told(summaries: Mapping[str, Summary]) -> dict[str, Summary]:
        return {name: marked(one, settings.extraction) for name, one in summaries.items()}

    both = must_join(dataset, submission, resampling_of(settings), limit)
    groups = {
        tag: {value: told(of) for value, of in values.items()}
        for tag, values in both.breakdowns.items()
    }
    return replace(
        scored,
        metrics=scored.metrics | told(both.metrics),
        breakdowns=scored.breakdowns | groups,
    )


def _read_anew(
    run: "Run", settings: ScoreSettings, stops: tuple[str, ...], rule: str | None
) -> ScoreSettings:
    """Return the settings with the extraction that was asked for; say what it cannot undo."""
    from msgspec.structs import replace

    from closeread.cli.terminal.output import remark
    from closeread.readers.generative.extraction import stops_in
    from closeread.runs.extract import chosen, server_stops

    given = tuple(one for text in stops for one in stops_in(text))
    extraction = chosen(run, given if stops else None, rule)
    if extraction is not None and (lost := server_stops(run)):
        remark(
            f"{run.path}: generation stopped at {', '.join(map(repr, lost))}; what would have "
            "followed is lost, and no other --stop brings it back"
        )
    return replace(settings, extraction=extraction)


def _tell_changed(run: "Run") -> None:
    """Say where the predictions that were scored are not those that the reader gave."""
    from closeread.cli.terminal.output import remark
    from closeread.runs.fits import predictions_misfit

    for line in predictions_misfit(run):
        remark(f"{run.path}: {line}: the numbers are of the file as it is, which verify refuses")


def _tell_unmatched(run: "Run", scored: RunSummary) -> None:
    """Say where most texts, as they were read anew, are no option, and so count as wrong."""
    from closeread.metrics.subject import judges_options
    from closeread.runs.extract import unmatched

    extraction = scored.settings.extraction
    if extraction is None or not any(map(judges_options, scored.metrics)):
        return
    many, of = unmatched(run, extraction)
    if 2 * many > of:
        from closeread.cli.terminal.output import remark

        remark(
            f"{run.path}: {many:,} of {count_of(of, 'answer')} to questions with options, as the "
            f"rule {extraction.rule} reads them, are none of the options and count as wrong; "
            "--extract letter looks for the option that a text picks"
        )


def _handed_in(
    name: str,
    predictions: Path,
    *,
    null_odds: Path | None,
    format_: str | None,
    settings: ScoreSettings,
    join: bool,
    save: Path | None,
) -> tuple[RunSummary, dict[str, int]]:
    """Return the numbers, and how much of what was handed in does not fit, by kind."""
    from closeread.api.datasets import open_dataset
    from closeread.formats.submissions import load_submission
    from closeread.runs.belonging import misfits, must_belong, told
    from closeread.runs.score import score_submission

    if save is not None:
        from closeread.runs.keep import must_be_new

        must_be_new(save)
    dataset = open_dataset(name, format_)
    submission = load_submission(predictions, dataset, null_odds=null_odds)
    must_belong(dataset, submission)
    try:
        if save is None:
            found = score_submission(dataset, submission, settings)
        else:
            from closeread.runs.keep import keep_scored

            files = (predictions,) if null_odds is None else (predictions, null_odds)
            found = keep_scored(dataset, submission, files, save, settings)
    except UsageError:
        if not any(one.has_gold for one in dataset.questions()):
            _remark_all(told(misfits(dataset, submission)))  # what a team can mend is the form
        raise
    counts = _tell_misfits(dataset, submission, found)
    return (_joined(found, dataset, submission) if join else found), counts


def _remark_all(lines: Iterable[str]) -> None:
    from closeread.cli.terminal.output import remark

    for line in lines:
        remark(line)


def _tell_misfits(dataset: Dataset, submission: Submission, found: RunSummary) -> dict[str, int]:
    """Say and count what does not fit; look only where it may be."""
    from closeread.metrics.subject import family, judges_options
    from closeread.runs.belonging import KINDS, misfits, repeats_evidence, told

    n_questions = found.dataset.n_questions
    known = max((one.n_answered + one.n_failed for one in found.metrics.values()), default=0)
    all_there = known == n_questions == len(submission.predictions) >= len(submission.rows)
    judged = any(map(judges_options, found.metrics)) or (
        "evidence" in map(family, found.metrics) and repeats_evidence(submission)
    )
    if all_there and not judged:
        return dict.fromkeys(KINDS, 0)
    strange = misfits(dataset, submission)
    _remark_all(told(strange))
    return {kind: len(getattr(strange, kind)) for kind in KINDS}


def _print(
    found: list[RunSummary],
    names: list[str],
    averages: dict[str, Summary],
    beside: dict[str, object],
    json_: bool,
) -> None:
    from closeread.cli.terminal.numbers import (
        averaged,
        broken_down,
        contract,
        print_averages,
        print_summary,
    )

    if json_:
        from closeread.cli.terminal.output import as_json

        printed = [
            contract(one.dataset, one.metrics) | broken_down(one.breakdowns) for one in found
        ]
        if len(printed) == 1:
            as_json(printed[0] | beside)
            return
        several = [one | {"run": name} for name, one in zip(names, printed, strict=True)]
        as_json({"runs": several} | averaged(averages))
        return
    for place, (one, name) in enumerate(zip(found, names, strict=True)):
        if place:
            click.echo()
        print_summary(one, title=f"{name} on {one.dataset.name}" if len(found) > 1 else "")
    if averages:
        click.echo()
        print_averages(averages, len(found))
