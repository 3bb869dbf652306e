"""The settings under ``[train]`` for readers with learned encoders, and their checks."""

from math import inf
from typing import Any, Literal

import msgspec

from closeread.errors import UsageError
from closeread.readers.lineage import Maker
from closeread.types import Record

_MAX_WEIGHT = 1000  # passes over a set in one epoch: each takes memory for the order
_MAX_EPOCHS = 1_000_000
# Counts and their minima; the maximum below fits the integers of the libraries.
_MIN_COUNTS = {
    "max_steps": 1, "batch_size": 1, "accumulation": 1, "keep": 1,
    "evaluate_every": 0, "save_every": 0, "patience": 0,
}  # fmt: skip
_MAX_COUNT = 1_000_000_000
Precision = Literal["float32", "bfloat16", "float16"]
Tracker = Literal["wandb", "mlflow", "trackio", "tensorboard"]


class Source(Record, frozen=True, kw_only=True):
    """A data set for training or for the dev metric.

    Attributes:
        path: As on the command line.
        format: Guessed if empty.
        at_most: How many questions to draw, by ``seed``; None takes all. The draw from a ``dev``
            set does not depend on the seed and keeps groups together.
        weight: How often an epoch passes over the set: 2 is twice, 0.5 one half.
    """

    path: str
    format: str = ""
    at_most: int | None = None
    weight: float = 1.0


class Beside(Record, frozen=True, kw_only=True):
    """``[train.beside]``: natural language inference as a second task, with a head of its own.

    Attributes:
        datasets: Premises and hypotheses; ``weight`` sets how often an epoch passes over them.
        max_length: Maximum tokens of premise and hypothesis together.
    """

    datasets: tuple[Source, ...]
    max_length: int = 128


class NeuralSettings(Record, frozen=True, kw_only=True):
    """The settings of a neural training.

    Attributes:
        model: The checkpoint to start from: a folder, or a hub name.
        datasets: The training data.
        pickled: Also load weights that are not safetensors. Such files can run code.
        dev: Sets for the dev metric, which chooses the best state; without one the last is kept.
        exclude: Evaluation sets: training questions that overlap them are left out.
        temperature: Data sets are sampled in proportion to their size times ``weight``, to the
            power of ``1 / temperature``: 1 keeps the proportions, larger values even them out,
            smaller ones sharpen them. The epoch keeps its length. Sizes are counted after
            ``at_most``.
        epochs: Passes over the data.
        max_steps: Optimizer steps after which training ends, whatever ``epochs`` is.
        batch_size: Questions per batch and device.
        accumulation: Batches per optimizer step.
        learning_rate: The peak; it decays linearly to 0.
        warmup: Share of the steps in which the rate rises.
        weight_decay: As AdamW takes it.
        max_gradient_norm: Gradients with a larger norm are clipped; 0 for no limit.
        attention_dropout: Replaces the model's own; on a CPU, 0 halves the time of long sequences,
            because a mask is drawn for every pair of tokens.
        precision: ``bfloat16`` and ``float16`` are mixed precision.
        gradient_checkpointing: Recompute activations to save memory.
        group_by_length: Put sequences of similar length into a batch; False mixes lengths.
        evaluate_every: Steps between two dev evaluations; 0 evaluates after each epoch.
        save_every: Steps between two saved states, besides those after each dev evaluation, or
            after each epoch without ``dev``.
        keep: Saved states to keep besides the best.
        patience: Dev evaluations without a better metric after which training ends; 0 for never.
        metric: The dev metric, such as ``mrqa.f1``; empty for the reader's default.
        seed: Seed of everything that is drawn.
        head_seed: Seed of a new head; None for ``seed``.
        soup: How many trainings to average, with ``seed`` and the numbers after it.
        device: Such as ``cpu``; empty for an accelerator if there is one.
        track: Trackers that receive the training curve, besides the folder.
        beside: A second task on the same encoder; readers use only the first.
        made_by: Who wrote the training data, as you declare it: maps a data set (as named in
            ``datasets``), the model or a teacher to ``people`` or to the model that wrote it.
        options: Further settings of the task.
    """

    model: str
    datasets: tuple[Source, ...]
    pickled: bool = False
    dev: tuple[Source, ...] = ()
    exclude: tuple[str, ...] = ()
    temperature: float = 1.0
    epochs: float = 2.0
    max_steps: int | None = None
    batch_size: int = 16
    accumulation: int = 1
    learning_rate: float = 3e-5
    warmup: float = 0.1
    weight_decay: float = 0.0
    max_gradient_norm: float = 1.0
    attention_dropout: float | None = None
    precision: Precision = "float32"
    gradient_checkpointing: bool = False
    group_by_length: bool = True
    evaluate_every: int = 0
    save_every: int = 0
    keep: int = 1
    patience: int = 0
    metric: str = ""
    seed: int = 0
    head_seed: int | None = None
    soup: int = 1
    device: str = ""
    track: tuple[Tracker, ...] = ()
    beside: Beside | None = None
    made_by: dict[str, str | Maker] = msgspec.field(default_factory=dict)
    options: dict[str, Any] = msgspec.field(default_factory=dict)


def check_settings(settings: NeuralSettings, where: str = "", within: str = "") -> None:
    """Check every number before anything is opened.

    Args:
        settings: The recipe's ``[train]``.
        where: The recipe, for messages.
        within: The prefix of the keys in messages, such as ``before[0].``.

    Raises:
        UsageError: A number is out of range, or a setting needs ``dev`` and there is none.
    """
    prefix = f"{within}train."
    beside = settings.beside.datasets if settings.beside else ()
    dropout = settings.attention_dropout
    max_soup = 1 if settings.beside else 2**32 - settings.seed
    wrong = {
        "datasets": not settings.datasets and "at least one",
        "beside.datasets": settings.beside is not None and not beside and "at least one",
        "beside.max_length": settings.beside is not None
        and settings.beside.max_length < 8
        and "at least 8",
        "temperature": not 0.01 <= settings.temperature < inf and "0.01 or more",
        "epochs": not 0 < settings.epochs <= _MAX_EPOCHS and f"above 0, at most {_MAX_EPOCHS:,}",
        "learning_rate": not 0 < settings.learning_rate < 1 and "between 0 and 1",
        "warmup": not 0 <= settings.warmup < 1 and "from 0 to below 1",
        "weight_decay": not 0 <= settings.weight_decay < 1 and "from 0 to below 1",
        "max_gradient_norm": not 0 <= settings.max_gradient_norm < inf and "0 (no limit) or more",
        "attention_dropout": dropout is not None and not 0 <= dropout < 1 and "from 0 to below 1",
        "seed": not 0 <= settings.seed < 2**32 and "from 0 to 2**32 - 1",
        "head_seed": not 0 <= (settings.head_seed or 0) < 2**32 and "from 0 to 2**32 - 1",
        "soup": not 1 <= settings.soup <= max_soup
        and ("1, with train.beside" if settings.beside else f"from 1 to {max_soup:,}"),
    }
    for name, minimum in _MIN_COUNTS.items():
        count = getattr(settings, name)
        is_out_of_range = count is not None and not minimum <= count <= _MAX_COUNT
        wrong[name] = is_out_of_range and f"from {minimum} to {_MAX_COUNT:,}"
    sources = {"datasets": settings.datasets, "dev": settings.dev, "beside.datasets": beside}
    for name, group in sources.items():
        for index, source in enumerate(group):
            is_too_few = source.at_most is not None and source.at_most < 1
            is_bad_weight = not 0 < source.weight <= _MAX_WEIGHT
            wrong[f"{name}[{index}].weight"] = is_bad_weight and f"above 0, at most {_MAX_WEIGHT:,}"
            wrong[f"{name}[{index}].at_most"] = is_too_few and "at least 1"
    for name, expected in wrong.items():
        if expected:
            raise out_of_range(f"{prefix}{name}", where, expected)
    for name in ("evaluate_every", "patience", "metric"):
        if getattr(settings, name) and not settings.dev:
            raise UsageError(
                f"{prefix}{name} is set, but there is no dev set to evaluate on",
                where=where,
                expected=f"a data set under [[{'before.' if within else ''}train.dev]]",
                cure=f"add a dev set, or remove {name}",
            )
    if ":" in settings.device:
        raise UsageError(
            f"{prefix}device is {settings.device}",
            where=where,
            expected="cpu, or empty for the accelerator",
            cure="choose one of several accelerators with CUDA_VISIBLE_DEVICES",
        )


def out_of_range(name: str, where: str, expected: str) -> UsageError:
    """Return the error for a number of a recipe that is out of range."""
    return UsageError(
        f"{name} is out of range", where=where, expected=expected, cure=f"change {name}"
    )
