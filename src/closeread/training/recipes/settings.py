"""The settings under ``[train]`` for readers with learned encoders, and their checks."""

from math import inf
from typing import Any, Literal

import msgspec

from closeread.errors import UsageError
from closeread.readers.lineage import Maker
from closeread.types import Record

_MAX_WEIGHT = 1000  # over one set in an epoch, whose questions are listed in memory
_MAX_EPOCHS = 1_000_000
# Counts and the least that each may be; libraries hold them in words of a machine.
_MIN_COUNTS = {
    "max_steps": 1, "batch_size": 1, "accumulation": 1, "keep": 1,
    "evaluate_every": 0, "save_every": 0, "patience": 0,
}  # fmt: skip
_MAX_COUNT = 1_000_000_000
Precision = Literal["float32", "bfloat16", "float16"]
Tracker = Literal["wandb", "mlflow", "trackio", "tensorboard"]


class Source(Record, frozen=True, kw_only=True):
    """A data set that is learned from, or watched.

    Attributes:
        path: As on the command line.
        format: Guessed when empty.
        at_most: Questions drawn from it by ``seed``; of ``dev`` the same whatever the seed, and
            those of a group together. None takes all.
        weight: How often an epoch passes over it: 2 is twice, 0.5 one half.
    """

    path: str
    format: str = ""
    at_most: int | None = None
    weight: float = 1.0


class Beside(Record, frozen=True, kw_only=True):
    """``[train.beside]``: natural language inference as a second task, with a head of its own.

    Attributes:
        datasets: Premises and hypotheses; their ``weight`` says how much of an epoch they are.
        max_length: Tokens of both together.
    """

    datasets: tuple[Source, ...]
    max_length: int = 128


class NeuralSettings(Record, frozen=True, kw_only=True):
    """How a model is trained.

    Attributes:
        model: The checkpoint to begin from: a folder, or a hub name.
        datasets: What is learned from.
        pickled: Also begin from weights that are not safetensors. Such files can run code.
        dev: What the metric is watched on; without one the last state is kept.
        exclude: Sets to be read later: questions that overlap them are not learned from.
        temperature: Draws data sets by what ``weight`` makes of their size, to the power of
            ``1 / temperature``: 1 as they are, larger ones more evenly, smaller ones less so; the
            epoch keeps its length. Sizes count what is learned from, after ``at_most``.
        epochs: Passes over the data.
        max_steps: Steps of the optimizer after which training ends, whatever ``epochs`` says.
        batch_size: Questions of one step on one device.
        accumulation: Batches that one step of the optimizer sums up.
        learning_rate: The highest; it falls to nothing in a straight line.
        warmup: Share of the steps in which it rises.
        weight_decay: As AdamW takes it.
        max_gradient_norm: Longer gradients are cut to it.
        attention_dropout: In place of the model's own; on a processor 0 halves the time of long
            sequences, because drawing for every pair of tokens costs more than what is drawn for.
        precision: ``bfloat16`` and ``float16`` are mixed precision.
        gradient_checkpointing: Computes twice, to need less memory.
        group_by_length: Batches hold sequences of like length; False pads at random.
        evaluate_every: Steps between two looks at ``dev``; 0 looks after each epoch.
        save_every: Steps between two saved states, besides those after each look, or after each
            epoch where there is no ``dev``.
        keep: Saved states that are kept beside the best.
        patience: Looks without a better metric after which training ends; 0 never.
        metric: Instead of the reader's own, such as ``mrqa.f1``.
        seed: Of everything that is drawn.
        head_seed: Of a head that is made; None: ``seed``.
        soup: Trainings, by ``seed`` and the numbers after it, the mean of whose weights is kept.
        device: Such as ``cpu``; empty takes an accelerator where there is one.
        track: Where curves are sent besides the folder.
        beside: A second task on the same encoder; readers use the first alone.
        made_by: Who wrote what is learned from, as you declare it: a data set as named in
            ``datasets``, or the model or a teacher, to ``people`` or to the model that wrote it.
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
        UsageError: One is out of range, or needs ``dev`` and there is none.
    """
    prefix = f"{within}train."
    beside = settings.beside.datasets if settings.beside else ()
    dropout = settings.attention_dropout
    most_soup = 1 if settings.beside else 2**32 - settings.seed
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
        "soup": not 1 <= settings.soup <= most_soup
        and ("1, with train.beside" if settings.beside else f"from 1 to {most_soup:,}"),
    }
    for name, least in _MIN_COUNTS.items():
        count = getattr(settings, name)
        outside = count is not None and not least <= count <= _MAX_COUNT
        wrong[name] = outside and f"from {least} to {_MAX_COUNT:,}"
    sources = {"datasets": settings.datasets, "dev": settings.dev, "beside.datasets": beside}
    for name, group in sources.items():
        for place, one in enumerate(group):
            few = one.at_most is not None and one.at_most < 1
            much = not 0 < one.weight <= _MAX_WEIGHT
            wrong[f"{name}[{place}].weight"] = much and f"above 0, at most {_MAX_WEIGHT:,}"
            wrong[f"{name}[{place}].at_most"] = few and "at least 1"
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
