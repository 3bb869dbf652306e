"""``closeread calibrate``: fit a confidence calibrator on runs, or apply one to a run."""

from pathlib import Path

import click

from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath

_METHODS = ("logistic", "forest", "platt", "isotonic")
_FITTING_OPTIONS = ("method", "risk", "delta", "folds")


def _options_given(*names: str) -> list[str]:
    """Return the options of these names that the user gave."""
    source_of = click.get_current_context().get_parameter_source
    return [name for name in names if source_of(name) is click.core.ParameterSource.COMMANDLINE]


@click.command("calibrate")
@click.argument("runs", nargs=-1, required=True, type=LocalPath(path_type=Path), metavar="RUN...")
@click.option(
    "--out",
    required=True,
    type=OutputPath(path_type=Path),
    help="The calibrator file to write; with --with, the new run folder.",
)
@click.option(
    "--with",
    "file",
    type=LocalPath(path_type=Path),
    metavar="FILE",
    help="Apply this calibrator instead of fitting one.",
)
@click.option("--dataset", metavar="D", help="The new path of RUN's data set, if it was moved.")
@click.option(
    "--selective", is_flag=True, help="Withhold answers below the calibrator's threshold."
)
@click.option(
    "--metric",
    default="",
    metavar="M",
    help="The metric that decides which answers are right, such as squad.em or choice.accuracy.",
)
@click.option(
    "--right-from",
    type=float,
    metavar="X",
    help="From which value of the metric an answer counts as right.",
)
@click.option("--method", type=click.Choice(_METHODS), default="logistic", show_default=True)
@click.option(
    "--risk",
    type=float,
    default=0.0,
    metavar="R",
    help="Find a threshold above which at most a share R of answers is wrong.",
)
@click.option(
    "--delta",
    type=float,
    default=0.05,
    show_default=True,
    help="Allowed probability that the --risk guarantee fails.",
)
@click.option(
    "--folds",
    type=int,
    default=5,
    show_default=True,
    help="Number of cross-validation folds over passages.",
)
@click.option(
    "--held-out",
    type=OutputPath(path_type=Path),
    metavar="RUN2",
    help="Also write RUN with cross-validated confidences to RUN2.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Resamples of the intervals; 0 for no intervals.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True)
@click.option("--overwrite", is_flag=True, help="Replace an existing run.")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    runs: tuple[Path, ...],
    out: Path,
    file: Path | None,
    dataset: str | None,
    selective: bool,
    metric: str,
    right_from: float | None,
    method: str,
    risk: float,
    delta: float,
    folds: int,
    held_out: Path | None,
    resamples: int,
    seed: int,
    overwrite: bool,
    json_: bool,
) -> None:
    """Fit a confidence calibrator on RUN, or apply one to another RUN.

    A folder of runs stands for all runs in it.

    Fitting needs gold answers. It uses the reader's confidence, its alternatives, the answer, the
    question and the evidence, and prints cross-validated results. --risk also finds a threshold, on
    passages that are held back. --with FILE writes RUN again with calibrated confidences, and
    measures them where RUN has gold answers. --held-out writes the fitted run again, each passage
    calibrated on the others.
    """
    from closeread.api.datasets import locate
    from closeread.cli.calibrate.apply import apply
    from closeread.cli.calibrate.learn import learn
    from closeread.cli.calibrate.runs import CalibrationOptions
    from closeread.cli.terminal.sources import find_run_folders, unique_paths
    from closeread.metrics.intervals import Resampling

    if resamples:
        Resampling(resamples=resamples)  # rejects too few for meaningful bounds
    once = unique_paths(found for path in runs for found in find_run_folders(path, runs))
    sought = CalibrationOptions(
        moved=locate(dataset) if dataset is not None else None,
        metric=metric,
        right_from=right_from,
        held_out=held_out,
        overwrite=overwrite,
        resamples=resamples,
        seed=seed,
    )
    if file is not None:
        if len(once) > 1 or held_out:
            raise click.UsageError("--with takes one RUN and cannot be combined with --held-out")
        if given := _options_given(*_FITTING_OPTIONS):
            raise click.UsageError(
                f"--with applies an existing calibrator, so --{given[0]} cannot be combined with it"
            )
        apply(once[0], file, out, sought, selective=selective, json_=json_)
        return
    if selective:
        raise click.UsageError("--selective needs --with FILE")
    if held_out and len(once) > 1:
        raise click.UsageError("--held-out needs exactly one RUN")
    if not risk and _options_given("risk"):
        raise click.UsageError(
            "--risk must be above 0, because no data can guarantee zero errors; try 0.1 for 10 %"
        )
    if not risk and _options_given("delta"):
        raise click.UsageError("--delta needs --risk")
    settings = {"method": method, "risk": risk, "delta": delta, "folds": folds}
    settings |= {"resamples": resamples, "seed": seed}
    learn(once, out, sought, settings, json_=json_)
