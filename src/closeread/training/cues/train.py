"""``closeread train`` for the reader ``cues``: its weights are one file."""

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
    """Learn weights from questions with options, in seconds."""
    _check_out(request)
    settings = request.parse_table(request.recipe.train, CueSettings, "train")
    stages = _parse_stages(request)
    options = request.recipe.reader.options
    check_settings(settings, options, stages)
    from closeread.training.cues.learn import learn  # scipy, which a wrong recipe need not wait for

    terms: dict[str, str] = {}

    def opened(name: str, format: str | None = None, /) -> Dataset:  # noqa: A002
        dataset = request.open_dataset(name, format)
        terms[name] = dataset.license or "unknown"
        return dataset

    learned = learn(settings, options, opened, stages, request.say)
    save_weights(request.out, learned.weights)
    told = {
        "reader": "cues",
        "weights": str(request.out),
        "licenses": {name: terms[name] for name in learned.weights.learned_from},
        "n_questions": learned.n_questions,
        "n_excluded": learned.n_excluded,
        "held_out_accuracy": learned.accuracy,
        "calibration_error": learned.calibration_error,
    }
    answered = ", ".join(settings.calibrate) or "held-out passages"
    remarks = [
        f"{count_of(learned.n_questions, 'question')} learned from, {learned.n_excluded:,} left "
        f"out for overlap; on {answered}: accuracy {learned.accuracy:.1%}, calibration error "
        f"{learned.calibration_error:.1%}",
        "terms of the training data: "
        + "; ".join(dict.fromkeys(terms[name] for name in learned.weights.learned_from)),
    ]
    threshold = learned.weights.threshold
    if threshold is not None:
        told["threshold"] = {name: getattr(threshold, name) for name in threshold.__struct_fields__}
        remarks.append(
            f"answering from confidence {threshold.value:.2f} on keeps wrong answers to "
            f"{100 * threshold.risk:g}% (with {100 * (1 - threshold.delta):g}% certainty) and "
            f"answers {threshold.n_answered:,} of {threshold.n_questions:,}"
            if threshold.n_answered
            else f"no threshold keeps wrong answers to {100 * threshold.risk:g}%"
        )
    return Trained(out=request.out, summary=told, remarks=tuple(remarks))


def _check_out(request: Request) -> None:
    """Take the place of other weights, and of nothing else unless told to.

    Raises:
        UsageError: There is something else.
        StorageError: It cannot be written.
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
    """Return what comes first.

    Raises:
        UsageError: Another reader's training does, or one with options of its own.
    """
    for place, stage in enumerate(request.recipe.before):
        if stage.reader.name != "cues" or stage.reader.options:
            raise UsageError(
                f"{stage_prefix(place)}reader is {stage.reader.name}"
                + (" with options" if stage.reader.options else ""),
                where=str(request.path),
                expected='{ name = "cues" }, which uses the retriever of the last training',
                cure="name cues without options, or remove this [[before]]",
            )
    return [
        parse_table(request.path, stage.train, StageSettings, f"{stage_prefix(place)}train.")
        for place, stage in enumerate(request.recipe.before)
    ]
