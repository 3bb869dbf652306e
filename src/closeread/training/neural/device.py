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

_MIN_TRANSFORMERS = "5.6"  # of transformers
# What `accelerate launch`, or the file that `accelerate config` wrote, has the Trainer do.
_LAUNCHER_PRECISION = "ACCELERATE_MIXED_PRECISION"
_PRECISIONS = {"no": "float32", "bf16": "bfloat16", "fp16": "float16"}
_MODEL_SHARDING = {
    "ACCELERATE_USE_FSDP": "FSDP",
    "ACCELERATE_USE_DEEPSPEED": "DeepSpeed",
    "ACCELERATE_USE_MEGATRON_LM": "Megatron-LM",
}


def device_of(settings: NeuralSettings) -> str:
    """Return the device that a recipe names, else an accelerator if there is one."""
    return settings.device or ("cuda" if torch.cuda.is_available() else "cpu")


def check_machine(settings: NeuralSettings, where: str, within: str = "") -> None:
    """Refuse what this machine cannot compute or lacks, before anything is read.

    Args:
        settings: What a recipe says.
        where: The recipe, for messages.
        within: Where in it they stand.

    Raises:
        UsageError: There is no such device, it does not know the precision, a launcher asks for
            something else, or a library is not there that a curve shall be sent to.
        MissingExtraError: There is a transformers that loses weights of a saved state.
    """
    _check_library(transformers.__version__)
    check_trackers(settings.track)
    _check_launcher(settings, where, within)
    is_there = torch.accelerator.is_available()
    found = torch.accelerator.current_accelerator() if is_there else None
    on_cpu = settings.device == "cpu" or found is None
    if settings.device not in ("", "cpu", found and found.type):
        raise UsageError(
            f"{within}train.device is {settings.device}, but this machine has "
            + (f"only {found.type}" if found else "no accelerator"),
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

    The Trainer would obey them, and the record would describe another training than was done.
    """
    for name, method in _MODEL_SHARDING.items():
        if os.environ.get(name, "false").lower() == "true":
            raise UsageError(
                f"the launcher requests {method}, which splits a model among devices",
                where=where,
                expected="the whole model on each device",
                cure="use accelerate launch --multi_gpu, or torchrun",
            )
    asked = os.environ.get(_LAUNCHER_PRECISION, "no")
    if asked != "no" and _PRECISIONS.get(asked) != settings.precision:
        raise UsageError(
            f"the launcher requests mixed precision {asked}, but {within}train.precision is "
            f"{settings.precision}",
            where=where,
            expected="the same precision from both",
            cure=(
                f'set {within}train.precision = "{_PRECISIONS[asked]}", or '
                if asked in _PRECISIONS
                else ""
            )
            + "use accelerate launch --mixed_precision no",
        )


def _check_library(version: str) -> None:
    """Refuse a transformers that does not restore all of a BERT's weights from a saved state.

    It would resume, and choose the best state, with other weights in their place, and only warn.
    """
    found, least = (tuple(map(int, one.split(".")[:2])) for one in (version, _MIN_TRANSFORMERS))
    if found < least:
        raise MissingExtraError(
            f"transformers {version} loses weights when a training is resumed",
            expected=f"transformers {_MIN_TRANSFORMERS} or later",
            cure=f'pip install --upgrade "transformers>={_MIN_TRANSFORMERS}"',
        )


@contextmanager
def explain_out_of_memory(what: str, cure: str) -> Iterator[None]:
    """Reword a reader's out-of-memory error with a cure that applies in training.

    The reader's own cure names an option for reading, which a training recipe does not have.

    Raises:
        UsageError: ``what`` does not fit in the device's memory.
    """
    try:
        yield
    except UsageError as error:
        if not isinstance(full := error.__cause__, torch.OutOfMemoryError):
            raise
        raise UsageError(
            f"{what} does not fit in the device's memory: {first_line(full)}",
            where=error.where,
            cure=cure,
        ) from full
