"""``closeread score``: score a run, or a prediction file against a data set."""

import gc
from pathlib import Path

import click

from closeread.cli.terminal.completion import complete_kind
from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath
from closeread.runs.records import ScoreSettings


@click.command("score")
@click.argument("run", required=False, type=LocalPath(path_type=Path))
@click.option("--dataset", metavar="D",
              help="The data set: a path, a URL, exam/zh or exam/en. With RUN: its new "
                  "path, if it was moved.")  # fmt: skip
@click.option("--predictions", type=LocalPath(path_type=Path), metavar="P",
              help="The prediction file to score against --dataset.")  # fmt: skip
@click.option(
    "--null-odds",
    type=LocalPath(path_type=Path),
    help="SQuAD 2.0 no-answer probabilities (na_prob.json).",
)
@click.option(
    "--format", "format_", metavar="F", help="The format; by default detected from the content."
)
@click.option("--metric", "metrics", multiple=True, metavar="M[,KEY=VALUE]...",
              shell_complete=complete_kind("metric"),
              help="A metric with its options, such as mrqa, mrqa.f1 or "
                  "squad2,na_threshold=0.5.")  # fmt: skip
@click.option(
    "--by",
    multiple=True,
    metavar="TAG",
    help="Break scores down by a tag, such as role or strategy.",
)
@click.option("--joined", "join", is_flag=True, help="Also score answers and evidence jointly.")
@click.option("--resamples", type=int, default=10_000, show_default=True)
@click.option("--level", type=float, default=0.95, show_default=True)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed of the intervals."
)
@click.option("--no-intervals", is_flag=True, help="Skip confidence intervals (faster).")
@click.option(
    "--skip-no-answer",
    is_flag=True,
    help="The MRQA script's option: score only answered questions.",
)
@click.option(
    "--answer-language",
    metavar="L",
    help="The MLQA script's argument, if the data set does not name the language.",
)
@click.option(
    "--stop", "stops", multiple=True, metavar="S", help='Cut the saved texts at S, such as "\\n".'
)
@click.option("--extract", "rule", metavar="R",
              help="Extract the answers again from the saved texts, by the rule auto, "
                  "letter, drop, span, first-line, last-line, answer-prefix or none.")  # fmt: skip
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Number of processes (with RUN).",
)
@click.option(
    "--save",
    type=OutputPath(path_type=Path),
    metavar="RUN",
    help="Save predictions and scores as a run folder.",
)
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
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

    Without --metric, score uses the data set's official metrics; docs/metrics.md lists all metrics
    and their options. --stop and --extract extract the answers again from a language model's saved
    texts, without running the model. Whichever of the two you omit stays as in the run; --stop ""
    means no stop string.
    """
    gc.disable()  # records form no cycles, so the collector would only cost time
    from closeread.cli.score.metric_options import parse_metric_options
    from closeread.cli.score.results import print_scores

    names, options = parse_metric_options(metrics)
    if skip_no_answer:
        options.setdefault("mrqa", {})["skip_no_answer"] = True
    if answer_language is not None:
        options.setdefault("mlqa", {})["answer_language"] = answer_language
    settings = ScoreSettings(
        metrics=names,
        options=options,
        by=by,
        resamples=0 if no_intervals else resamples,
        level=level,
        seed=seed,
    )
    if run is not None:
        if predictions or save or null_odds or format_:
            raise click.UsageError("give either RUN or --dataset with --predictions, not both")
        from closeread.cli.score.runs import score_runs

        scored = score_runs(
            run, settings, dataset=dataset, stops=stops, rule=rule, workers=workers, join=join
        )
    else:
        _refuse_run_options(workers, stops, rule)
        if dataset is None or predictions is None:
            raise click.UsageError("give either RUN or --dataset with --predictions")
        from closeread.cli.score.predictions import score_predictions

        scored = score_predictions(
            dataset,
            predictions,
            settings,
            null_odds=null_odds,
            format_=format_,
            join=join,
            save=save,
        )
    print_scores(scored, json_=json_)


def _refuse_run_options(workers: int, stops: tuple[str, ...], rule: str | None) -> None:
    """Reject options that apply only to runs."""
    if workers > 1:
        raise click.UsageError(
            "--workers needs RUN; a --predictions file is always scored in one process"
        )
    if stops or rule:
        raise click.UsageError("--stop and --extract need RUN, which stores the model's texts")
