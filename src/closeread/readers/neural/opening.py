"""Shared parts of opening models: loading options, tokenizers, error messages."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers.utils import logging

from closeread.errors import InputError, UsageError
from closeread.readers.models.location import (
    COPY_TOKENIZER,
    EXPECTED_TOKENIZER,
    check_location,
    check_vocabulary,
    first_line,
    is_local_only,
    reporting_tokenizer_crash,
    suggest_cure,
)
from closeread.readers.neural.heads import COPY_BOTH, ONE_MODEL, OTHER_SHAPES

_EXPECTED = "a folder of a model with safetensors and a tokenizer, or a hub name"
_OTHER_ARCHITECTURE = "use a model of another architecture"
_NEEDS_OWN_CODE = "which must be executed to correctly load the model"
_SHAPE_MISMATCH = "ignore_mismatched_sizes"  # part of the library's message about other shapes
_UNSAFE_PICKLE = "Weights only load failed"  # torch's message about a pickle that it rejects
_HEADLESS = re.compile(r"Unrecognized configuration class .*?(\w+)Config'>.*: AutoModelFor(\w+)\.")
_TRAINING_STATE = "training.json"  # in the folder of an unfinished `closeread train`
_LFS_POINTER = b"version https://git-lfs"  # first bytes of a Git LFS pointer
_MAX_POINTER_BYTES = 1024  # pointers are smaller


def loading_options(name: str) -> dict[str, Any]:
    """Return the library's options for loading a model: never its own code, no network if local.

    Raises:
        InputError: The name is a file, or a path that does not exist.
    """
    check_location(name)
    return {"trust_remote_code": False, "local_files_only": is_local_only(name)}


def number_type(dtype: str, *others: str) -> torch.dtype:
    """Return the floating-point type of torch with this name.

    Args:
        dtype: Such as ``float32``.
        others: Other accepted values, for the message.

    Raises:
        UsageError: There is no such type, or it is not of floating-point numbers of at least 16
            bits.
    """
    torch_type = getattr(torch, dtype, None)
    if (
        isinstance(torch_type, torch.dtype)
        and torch_type.is_floating_point
        and torch_type.itemsize > 1
    ):
        return torch_type
    expected = ", ".join((*others, "float32", "bfloat16 or float16"))
    raise UsageError(f"dtype={dtype}", expected=expected)


@contextmanager
def silence_library() -> Iterator[None]:
    """Suppress the library's warnings; callers report problems themselves."""
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)


def check_exists(name: str) -> None:
    """Check that a model exists by loading only its configuration, to fail early.

    Raises:
        InputError: It does not exist, or its configuration cannot be read.
    """
    options = loading_options(name)
    try:
        transformers.AutoConfig.from_pretrained(name, **options)
    except Exception as error:
        raise opening_error(name, error) from error


def configuration(model: Any) -> str:
    """Return a model's whole configuration as JSON, without the path of the model."""
    text: str = model.config.to_json_string(use_diff=False)

    def drop_path(settings: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in settings.items() if key != "_name_or_path"}

    return json.dumps(json.loads(text, object_hook=drop_path))


def open_tokenizer(name: str, options: dict[str, Any]) -> Any:
    """Return a model's tokenizer.

    Args:
        name: A folder, or a hub name.
        options: The ``loading_options``.

    Raises:
        InputError: There is no tokenizer, it is broken, or it has no vocabulary.
    """
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **options)
        with reporting_tokenizer_crash(name):
            tokenizer("a", verbose=False)  # some settings are checked by the first call only
    except InputError:
        raise
    except Exception as error:  # broken files make the libraries raise many types of errors
        raise opening_error(name, error) from error
    check_vocabulary(name, tokenizer)
    return tokenizer


def opening_error(name: str, error: Exception) -> InputError:
    """Return the error for a model that a library could not open."""
    folder = Path(name)
    if folder.is_dir() and not (folder / "config.json").exists():
        in_training = (folder / _TRAINING_STATE).exists()
        return InputError(
            "the model cannot be opened: "
            + ("its training is not finished" if in_training else "the folder has no config.json"),
            where=name,
            expected=_EXPECTED,
            cure="finish it: run `closeread train` with its recipe and --resume"
            if in_training
            else "give the folder that holds config.json, the weights and the tokenizer",
        )
    if problem := _diagnose_tokenizer(folder, str(error)):
        return InputError(
            f"the model cannot be opened: {problem}",
            where=name,
            expected=EXPECTED_TOKENIZER,
            cure=COPY_TOKENIZER,
        )
    if _is_pickled(folder, str(error)):
        return InputError(
            "the model cannot be opened: its weights are not safetensors",
            where=name,
            expected=_EXPECTED,
            cure="set pickled=true to read pickled weights (train.pickled in a training recipe); "
            "such files can run code",
        )
    problem, expected, cure = diagnose_opening_error(folder, str(error)) or (
        first_line(error),
        _EXPECTED,
        suggest_cure(name),
    )
    return InputError(
        f"the model cannot be opened: {problem}", where=name, expected=expected, cure=cure
    )


def find_missing_weights(opened: Any, options: dict[str, Any]) -> list[str]:
    """Return the names of weights that a checkpoint lacks and that were initialised at random.

    The library reports them only while loading, so the inner models are loaded again; with
    accelerate installed, only names and shapes are.

    Args:
        opened: A torch module that contains models of transformers.
        options: The ``loading_options`` it was loaded with.
    """
    models = [
        model for model in opened.modules() if isinstance(model, transformers.PreTrainedModel)
    ]
    inner_ids = {id(part) for model in models for part in model.modules() if part is not model}
    if transformers.utils.is_accelerate_available():
        options = options | {"device_map": "meta"}
    missing: list[str] = []
    for model in models:
        if id(model) not in inner_ids:
            _, report = type(model).from_pretrained(
                model.config.name_or_path,
                config=model.config,
                use_safetensors=True,
                output_loading_info=True,
                **options,
            )
            missing += sorted(report["missing_keys"])
    return missing


def diagnose_opening_error(folder: Path, message: str) -> tuple[str, str, str] | None:
    """Return problem, expectation and cure for a known error message; None for others.

    Args:
        folder: The model's folder; it need not exist.
        message: The library's error message.
    """
    if _SHAPE_MISMATCH in message:
        return OTHER_SHAPES, ONE_MODEL, COPY_BOTH
    if _UNSAFE_PICKLE in message:
        problem = "its pickled weights hold more than tensors and could run code"
        return problem, _EXPECTED, "get its weights as safetensors from a source that you trust"
    if _NEEDS_OWN_CODE in message:
        problem = "it needs its own code, which closeread never runs"
        return problem, "an architecture that transformers has", _OTHER_ARCHITECTURE
    if headless := _HEADLESS.search(message):
        problem = f"transformers has no {headless[2]} head for {headless[1]}"
        return problem, "a model trained for it", _OTHER_ARCHITECTURE
    for file in sorted(folder.glob("*")) if folder.is_dir() else ():
        if _is_pointer(file):
            problem = f"{file.name} is a Git LFS pointer, not the file itself"
            return problem, _EXPECTED, "run `git lfs pull` in the folder"
    return None


def _is_pointer(file: Path) -> bool:
    with suppress(OSError):  # the library reports an unreadable file
        small = file.is_file() and file.stat().st_size < _MAX_POINTER_BYTES
        return small and file.read_bytes().startswith(_LFS_POINTER)
    return False


def _is_pickled(folder: Path, message: str) -> bool:
    """Return whether, by the library's message, a model has weights but no safetensors."""
    if folder.is_dir():
        return "no file named model.safetensors found" in message and any(folder.glob("*.bin"))
    return "cannot be loaded with `safetensors`" in message


def _diagnose_tokenizer(folder: Path, message: str) -> str:
    """Return the problem of a tokenizer's files by the library's message; "" for other problems."""
    if "instantiate the backend tokenizer" in message:  # only its later lines name the cause
        return "no tokenizer can be built from its files"
    if "`vocab` and `merges`" in message:
        absent = [name for name in ("vocab.json", "merges.txt") if not (folder / name).is_file()]
        return f"its tokenizer has no {' and no '.join(absent)}"
    if message.startswith("Error while initializing BPE: "):
        return f"vocab.json or merges.txt is broken: {message.partition(': ')[2]}"
    return ""
