"""``closeread train``: learn what a reader needs, as a recipe says."""

from pathlib import Path

import click


@click.command("train")
@click.argument("recipe", type=click.Path(path_type=Path))
@click.option("--out", metavar="FILE", help="Instead of the recipe's.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(*, recipe: Path, out: str | None, json_: bool) -> None:
    """Train a reader from data sets, as a recipe (a TOML file) says.

    The reader `cues` learns in seconds; its weights are one file, read back with
    `closeread read DATASET --reader cues -o weights=FILE`.
    """
    from closeread.cli.datasets import open_dataset
    from closeread.cli.output import as_json, remark
    from closeread.errors import UsageError
    from closeread.readers.cues import save_weights
    from closeread.training.cues import CueSettings, train
    from closeread.training.recipe import load_recipe, section

    found = load_recipe(recipe)
    if found.reader.name != "cues":
        raise UsageError(f"the reader {found.reader.name!r} cannot be trained", expected="cues")
    settings = section(recipe, found.train, CueSettings, "train.")
    learned = train(settings, found.reader.options, open_dataset)
    path = Path(out or found.out)
    save_weights(path, learned.weights)
    told = {
        "reader": "cues",
        "weights": str(path),
        "n_questions": learned.n_questions,
        "n_excluded": learned.n_excluded,
        "held_out_accuracy": learned.accuracy,
        "calibration_error": learned.calibration_error,
    }
    threshold = learned.weights.threshold
    if threshold is not None:
        told["threshold"] = {name: getattr(threshold, name) for name in threshold.__struct_fields__}
    if json_:
        as_json(told)
        return
    click.echo(path)
    remark(
        f"{learned.n_questions:,} questions learned from, {learned.n_excluded:,} left out for "
        f"overlap; of passages held out, {learned.accuracy:.1%} right, calibration error "
        f"{learned.calibration_error:.1%}"
    )
    if threshold is not None:
        remark(
            f"to be wrong in at most {threshold.risk:.0%} (sure to {1 - threshold.delta:.0%}): "
            f"answer from confidence {threshold.value:.2f} on, which answers "
            f"{threshold.n_answered:,} of {threshold.n_questions:,}"
            if threshold.n_answered
            else f"no threshold keeps wrong answers to {threshold.risk:.0%}"
        )
