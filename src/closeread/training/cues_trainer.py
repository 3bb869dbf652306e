"""``closeread train`` for the reader ``cues``: its weights are one file."""

from closeread.errors import UsageError
from closeread.readers.cues import save_weights
from closeread.training.cues import CueSettings, StageSettings
from closeread.training.cues import train as learn
from closeread.training.recipe import section
from closeread.training.request import Request, Trained, without_resuming


def train(request: Request) -> Trained:
    """Learn weights from questions with options, in seconds."""
    without_resuming(request)
    settings = section(request.path, request.recipe.train, CueSettings, "train.")
    stages = _stages(request)
    options = request.recipe.reader.options
    learned = learn(settings, options, request.open_dataset, stages, request.say)
    save_weights(request.out, learned.weights)
    told = {
        "reader": "cues",
        "weights": str(request.out),
        "n_questions": learned.n_questions,
        "n_excluded": learned.n_excluded,
        "held_out_accuracy": learned.accuracy,
        "calibration_error": learned.calibration_error,
    }
    remarks = [
        f"{learned.n_questions:,} questions learned from, {learned.n_excluded:,} left out for "
        f"overlap; of passages held out, {learned.accuracy:.1%} right, calibration error "
        f"{learned.calibration_error:.1%}"
    ]
    threshold = learned.weights.threshold
    if threshold is not None:
        told["threshold"] = {name: getattr(threshold, name) for name in threshold.__struct_fields__}
        remarks.append(
            f"to be wrong in at most {threshold.risk:.0%} (sure to {1 - threshold.delta:.0%}): "
            f"answer from confidence {threshold.value:.2f} on, which answers "
            f"{threshold.n_answered:,} of {threshold.n_questions:,}"
            if threshold.n_answered
            else f"no threshold keeps wrong answers to {threshold.risk:.0%}"
        )
    return Trained(out=request.out, told=told, remarks=tuple(remarks))


def _stages(request: Request) -> list[StageSettings]:
    """Return what comes first.

    Raises:
        UsageError: Another reader's training does, or one with options of its own.
    """
    for number, stage in enumerate(request.recipe.before, 1):
        if stage.reader.name != "cues" or stage.reader.options:
            raise UsageError(
                f"before.{number}.reader is {stage.reader.name}"
                + (" with options" if stage.reader.options else ""),
                where=str(request.path),
                expected='{ name = "cues" }; it takes the retriever of the last training',
            )
    return [
        section(request.path, stage.train, StageSettings, f"before.{number}.train.")
        for number, stage in enumerate(request.recipe.before, 1)
    ]
