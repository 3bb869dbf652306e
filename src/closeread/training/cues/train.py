"""``closeread train`` for the reader ``cues``; it writes one file of weights."""

from closeread.errors import InputError, UsageError
from closeread.formats.files.output_place import must_take_file
from closeread.readers.cues.reader import load_weights, save_weights
from closeread.training.cues.settings import CueSettings, StageSettings, check_settings
from closeread.training.recipe import parse_table, stage_prefix
from closeread.training.request import Request, Trained, as_stateless
from closeread.types import Dataset
from closeread.wording import count_of


@as_stateless
def train(request: Request) -> Trained:
    """Learn the weights and write them to a file."""
    _check_out(request)
    settings = request.parse_table(request.recipe.train, CueSettings, "train")
    stages = _parse_stages(request)
    options = request.recipe.reader.options
    check_settings(settings, options, stages)
    from closeread.training.cues.learn import learn  # imports scipy; after the recipe is checked

    licenses: dict[str, str] = {}

    def open_and_note_license(name: str, format: str | None = None, /) -> Dataset:  # noqa: A002
        dataset = request.open_dataset(name, format)
        licenses[name] = dataset.license or "unknown"
        return dataset

    learned = learn(settings, options, open_and_note_license, stages, request.say)
    save_weights(request.out, learned.weights)
    summary = {
        "reader": "cues",
        "weights": str(request.out),
        "licenses": {name: licenses[name] for name in learned.weights.learned_from},
        "n_questions": learned.n_questions,
        "n_excluded": learned.n_excluded,
        "held_out_accuracy": learned.accuracy,
        "calibration_error": learned.calibration_error,
    }
    calibration_sets = ", ".join(settings.calibrate) or "held-out passages"
    remarks = [
        f"{count_of(learned.n_questions, 'question')} learned from, {learned.n_excluded:,} left "
        f"out for overlap; on {calibration_sets}: accuracy {learned.accuracy:.1%}, calibration "
        f"error {learned.calibration_error:.1%}",
        "terms of the training data: "
        + "; ".join(dict.fromkeys(licenses[name] for name in learned.weights.learned_from)),
    ]
    threshold = learned.weights.threshold
    if threshold is not None:
        summary["threshold"] = {
            name: getattr(threshold, name) for name in threshold.__struct_fields__
        }
        remarks.append(
            f"answering from confidence {threshold.value:.2f} on keeps wrong answers to "
            f"{100 * threshold.risk:g}% (with {100 * (1 - threshold.delta):g}% certainty) and "
            f"answers {threshold.n_answered:,} of {threshold.n_questions:,}"
            if threshold.n_answered
            else f"no threshold keeps wrong answers to {100 * threshold.risk:g}%"
        )
    return Trained(out=request.out, summary=summary, remarks=tuple(remarks))


def _check_out(request: Request) -> None:
    """Check that the output file is free or holds weights; ``--overwrite`` allows any file.

    Raises:
        UsageError: The file holds something else.
        StorageError: The file cannot be written.
    """
    must_take_file(request.out)
    if request.overwrite or not request.out.exists():
        return
    try:
        load_weights(request.out)
    except InputError as error:
        raise UsageError(
            "the file already exists and holds no cues weights",
            where=str(request.out),
            cure="name another file, or use --overwrite",
        ) from error


def _parse_stages(request: Request) -> list[StageSettings]:
    """Return the settings of each stage.

    Raises:
        UsageError: A stage trains another reader, or has reader options.
    """
    for index, stage in enumerate(request.recipe.before):
        if stage.reader.name != "cues" or stage.reader.options:
            raise UsageError(
                f"{stage_prefix(index)}reader is {stage.reader.name}"
                + (" with options" if stage.reader.options else ""),
                where=str(request.path),
                expected='{ name = "cues" }, which uses the retriever of the last training',
                cure="name cues without options, or remove this [[before]]",
            )
    return [
        parse_table(request.path, stage.train, StageSettings, f"{stage_prefix(index)}train.")
        for index, stage in enumerate(request.recipe.before)
    ]
