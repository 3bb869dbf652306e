"""What opening any model has in common: loading options, tokenizer, error messages."""

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
_SHAPES = "ignore_mismatched_sizes"  # stands in what the library says of shapes that differ
_UNSAFE_PICKLE = (
    "Weights only load failed"  # so begins what torch says of a pickle that it does not read
)
_HEADLESS = re.compile(r"Unrecognized configuration class .*?(\w+)Config'>.*: AutoModelFor(\w+)\.")
_TRAINING_STATE = "training.json"  # in a folder that `closeread train` has begun to write
_POINTER, _SMALL = b"version https://git-lfs", 1024  # how one begins; bytes, more than one has


def loading_options(name: str) -> dict[str, Any]:
    """Return how any model is loaded: no code of its own, and no network for a folder.

    Raises:
        InputError: The name is a file's, or a path's at which there is nothing.
    """
    check_location(name)
    return {"trust_remote_code": False, "local_files_only": is_local_only(name)}


def number_type(dtype: str, *others: str) -> torch.dtype:
    """Return torch's type of a name: one that models compute with.

    Args:
        dtype: Such as ``float32``.
        others: What else might have been named, for the message.

    Raises:
        UsageError: There is none of this name, or it is of whole numbers or of 8 bits.
    """
    found = getattr(torch, dtype, None)
    if isinstance(found, torch.dtype) and found.is_floating_point and found.itemsize > 1:
        return found
    expected = ", ".join((*others, "float32", "bfloat16 or float16"))
    raise UsageError(f"dtype={dtype}", expected=expected)


@contextmanager
def silence_library() -> Iterator[None]:
    """Leave unsaid what the library remarks; whoever asks it judges, and tells it in our words."""
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)


def check_exists(name: str) -> None:
    """See that a model is there, by its configuration alone: what a wrong name would cost.

    Raises:
        InputError: It is not.
    """
    given = loading_options(name)
    try:
        transformers.AutoConfig.from_pretrained(name, **given)
    except Exception as error:
        raise opening_error(name, error) from error


def configuration(model: Any) -> str:
    """Return a model's whole configuration as JSON; it is the same wherever the model lies."""
    text: str = model.config.to_json_string(use_diff=False)

    def placeless(told: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in told.items() if key != "_name_or_path"}

    return json.dumps(json.loads(text, object_hook=placeless))


def open_tokenizer(name: str, given: dict[str, Any]) -> Any:
    """Open a model's tokenizer; one that is made of nothing is refused.

    Args:
        name: A folder, or a hub name.
        given: How it is loaded: ``loading_options``.

    Raises:
        InputError: There is none, or it knows no words.
    """
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **given)
        with reporting_tokenizer_crash(name):
            tokenizer("a", verbose=False)  # some settings are looked at no sooner
    except InputError:
        raise
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
        raise opening_error(name, error) from error
    check_vocabulary(name, tokenizer)
    return tokenizer


def opening_error(name: str, error: Exception) -> InputError:
    """Return what is to be said of a model that a library could not open."""
    folder = Path(name)
    if folder.is_dir() and not (folder / "config.json").exists():
        begun = (folder / _TRAINING_STATE).exists()
        return InputError(
            "the model cannot be opened: "
            + ("its training is not finished" if begun else "the folder has no config.json"),
            where=name,
            expected=_EXPECTED,
            cure="finish it: run `closeread train` with its recipe and --resume"
            if begun
            else "give the folder that holds config.json, the weights and the tokenizer",
        )
    if wrong := _diagnose_tokenizer(folder, str(error)):
        return InputError(
            f"the model cannot be opened: {wrong}",
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
    found, expected, cure = diagnose_opening_error(folder, str(error)) or (
        first_line(error),
        _EXPECTED,
        suggest_cure(name),
    )
    return InputError(
        f"the model cannot be opened: {found}", where=name, expected=expected, cure=cure
    )


def find_missing_weights(opened: Any, given: dict[str, Any]) -> list[str]:
    """Return the weights that a model does not have and was given at random, by name.

    Only its libraries' own loading tells them, so that what they loaded is loaded once more, by
    name and shape alone where accelerate is installed.

    Args:
        opened: A module of torch in which there are models of transformers.
        given: How it was loaded: ``loading_options``.
    """
    models = [one for one in opened.modules() if isinstance(one, transformers.PreTrainedModel)]
    inner = {id(part) for one in models for part in one.modules() if part is not one}
    if transformers.utils.is_accelerate_available():
        given = given | {"device_map": "meta"}
    found: list[str] = []
    for one in models:
        if id(one) not in inner:
            _, report = type(one).from_pretrained(
                one.config.name_or_path,
                config=one.config,
                use_safetensors=True,
                output_loading_info=True,
                **given,
            )
            found += sorted(report["missing_keys"])
    return found


def diagnose_opening_error(folder: Path, told: str) -> tuple[str, str, str] | None:
    """Return what is wrong where the files are whole, what is expected, and what to do.

    Args:
        folder: The model's, if it has one.
        told: By the library that could not open it.
    """
    if _SHAPES in told:
        return OTHER_SHAPES, ONE_MODEL, COPY_BOTH
    if _UNSAFE_PICKLE in told:
        found = "its pickled weights hold more than tensors and could run code"
        return found, _EXPECTED, "get its weights as safetensors from a source that you trust"
    if _NEEDS_OWN_CODE in told:
        found = "it needs its own code, which closeread never runs"
        return found, "an architecture that transformers has", _OTHER_ARCHITECTURE
    if headless := _HEADLESS.search(told):
        found = f"transformers has no {headless[2]} head for {headless[1]}"
        return found, "a model trained for it", _OTHER_ARCHITECTURE
    for one in sorted(folder.glob("*")) if folder.is_dir() else ():
        if _is_pointer(one):
            found = f"{one.name} is a Git LFS pointer, not the file itself"
            return found, _EXPECTED, "run `git lfs pull` in the folder"
    return None


def _is_pointer(file: Path) -> bool:
    with suppress(OSError):  # one that may not be read is told by the library's own error
        small = file.is_file() and file.stat().st_size < _SMALL
        return small and file.read_bytes().startswith(_POINTER)
    return False


def _is_pickled(folder: Path, told: str) -> bool:
    """Whether a model has weights, but none that are safetensors, by what the library told."""
    if folder.is_dir():
        return "no file named model.safetensors found" in told and any(folder.glob("*.bin"))
    return "cannot be loaded with `safetensors`" in told


def _diagnose_tokenizer(folder: Path, told: str) -> str:
    """Return what is wrong with a tokenizer's files, by what the library told; else nothing."""
    if "instantiate the backend tokenizer" in told:  # its first line ends in a colon
        return "no tokenizer can be built from its files"
    if "`vocab` and `merges`" in told:
        lacking = [one for one in ("vocab.json", "merges.txt") if not (folder / one).is_file()]
        return f"its tokenizer has no {' and no '.join(lacking)}"
    if told.startswith("Error while initializing BPE: "):
        return f"vocab.json or merges.txt is broken: {told.partition(': ')[2]}"
    return ""
