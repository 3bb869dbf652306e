"""The device and precision of a training, checked against this machine and the launcher."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import transformers

from closeread.errors import MissingExtraError, UsageError
from closeread.readers.models.location import first_line
from closeread.training.neural.tracking.trackers import check_trackers
from closeread.training.recipes.settings import NeuralSettings

_MIN_TRANSFORMERS = "5.6"
# How `accelerate launch`, or the file that `accelerate config` writes, instructs the Trainer.
_LAUNCHER_PRECISION = "ACCELERATE_MIXED_PRECISION"
_PRECISIONS = {"no": "float32", "bf16": "bfloat16", "fp16": "float16"}
_MODEL_SHARDING = {
    "ACCELERATE_USE_FSDP": "FSDP",
    "ACCELERATE_USE_DEEPSPEED": "DeepSpeed",
    "ACCELERATE_USE_MEGATRON_LM": "Megatron-LM",
}


def device_of(settings: NeuralSettings) -> str:
    """Return the recipe's device; if it names none, ``cuda`` if available, else ``cpu``."""
    return settings.device or ("cuda" if torch.cuda.is_available() else "cpu")


def check_machine(settings: NeuralSettings, where: str, within: str = "") -> None:
    """Refuse settings that this machine does not support, before any data are read.

    Args:
        settings: The recipe's ``[train]``.
        where: The recipe, for messages.
        within: The prefix of the keys in messages, such as ``before[0].``.

    Raises:
        UsageError: There is no such device, it does not support the precision, a launcher requests
            other settings, or a tracker is not installed.
        MissingExtraError: The installed transformers loses weights of a saved state.
    """
    _check_library(transformers.__version__)
    check_trackers(settings.track)
    _check_launcher(settings, where, within)
    is_available = torch.accelerator.is_available()
    accelerator = torch.accelerator.current_accelerator() if is_available else None
    on_cpu = settings.device == "cpu" or accelerator is None
    if settings.device not in ("", "cpu", accelerator and accelerator.type):
        raise UsageError(
            f"{within}train.device is {settings.device}, but this machine has "
            + (f"only {accelerator.type}" if accelerator else "no accelerator"),
            where=where,
            expected="cpu, or empty for what this machine has",
            cure=f"remove {within}train.device",
        )
    if settings.precision == "float16" and on_cpu:
        raise UsageError(
            f"{within}train.precision is float16, which needs an accelerator",
            where=where,
            expected="float32 or bfloat16 on a CPU",
            cure=f"remove {within}train.precision",
        )
    on_cuda = device_of(settings) == "cuda"
    if settings.precision == "bfloat16" and on_cuda and not torch.cuda.is_bf16_supported():
        raise UsageError(
            f"{within}train.precision is bfloat16, which this accelerator does not support",
            where=where,
            expected="float16 or float32",
            cure=f"remove {within}train.precision",
        )


def _check_launcher(settings: NeuralSettings, where: str, within: str) -> None:
    """Refuse launcher settings that contradict the recipe.

    The Trainer would follow them, and the record of the training would be wrong.
    """
    for name, method in _MODEL_SHARDING.items():
        if os.environ.get(name, "false").lower() == "true":
            raise UsageError(
                f"the launcher requests {method}, which splits a model among devices",
                where=where,
                expected="the whole model on each device",
                cure="use accelerate launch --multi_gpu, or torchrun",
            )
    requested = os.environ.get(_LAUNCHER_PRECISION, "no")
    if requested != "no" and _PRECISIONS.get(requested) != settings.precision:
        raise UsageError(
            f"the launcher requests mixed precision {requested}, but {within}train.precision is "
            f"{settings.precision}",
            where=where,
            expected="the same precision from both",
            cure=(
                f'set {within}train.precision = "{_PRECISIONS[requested]}", or '
                if requested in _PRECISIONS
                else ""
            )
            + "use accelerate launch --mixed_precision no",
        )


def _check_library(version: str) -> None:
    """Refuse a transformers that does not restore all of a BERT's weights from a saved state.

    It would only warn, and resume, or restore the best state, with other weights in their place.
    """
    installed, minimum = (
        tuple(map(int, text.split(".")[:2])) for text in (version, _MIN_TRANSFORMERS)
    )
    if installed < minimum:
        raise MissingExtraError(
            f"transformers {version} loses weights when a training is resumed",
            expected=f"transformers {_MIN_TRANSFORMERS} or later",
            cure=f'pip install --upgrade "transformers>={_MIN_TRANSFORMERS}"',
        )


@contextmanager
def explain_out_of_memory(what: str, cure: str) -> Iterator[None]:
    """Reword a reader's out-of-memory error, with a cure that applies to training.

    The reader's own cure names a reading option, which training recipes do not have.

    Raises:
        UsageError: ``what`` does not fit in the device's memory.
    """
    try:
        yield
    except UsageError as error:
        if not isinstance(cause := error.__cause__, torch.OutOfMemoryError):
            raise
        raise UsageError(
            f"{what} does not fit in the device's memory: {first_line(cause)}",
            where=error.where,
            cure=cure,
        ) from cause
