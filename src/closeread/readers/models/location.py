"""Locates models and checks their tokenizers, whichever library opens them."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import Any, ParamSpec, TypeVar

from closeread.errors import InputError, UsageError
from closeread.readers.models.files import check_files

EXPECTED_MODEL = "-o model=PATH, or a name on the Hugging Face hub"
_TRAIN = "train one with `closeread train RECIPE` (docs/training.md), or name one on the hub"
_EXPECTED = "a model folder, or a name on the Hugging Face hub"
EXPECTED_TOKENIZER = "the tokenizer that the model was trained with, such as tokenizer.json"
COPY_TOKENIZER = "copy the tokenizer's files from the model's source into this folder"
_RETRY_SECONDS = 3.0  # seconds in which a network that was just lost may come back
_CONNECTION_ERRORS = ("ConnectError", "ConnectTimeout")  # of the hub's library, in whatever version
_DOWNLOAD_AGAIN = "the download may be incomplete: download the whole model again while online"
_FIRST_IDS = 4096  # among which are others than a tokenizer's special ones
_RUST_PANIC = "PanicException"  # of a library in Rust; no Exception, and in no module
_LOADING_LOCK = RLock()
P = ParamSpec("P")
T = TypeVar("T")


def load_one_at_a_time(load: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that loads a model, so that threads load one after another.

    While transformers loads, the type that it loads is the whole process's default: two at once
    would give each other's types to a model, or to a part of it.
    """

    @wraps(load)
    def loaded(*args: P.args, **named: P.kwargs) -> T:
        with _LOADING_LOCK:
            return load(*args, **named)

    return loaded


def require_model(model: str, *, cure: str = _TRAIN) -> None:
    """Reject an empty model name.

    Args:
        model: As the user gave it.
        cure: How to get such a model.

    Raises:
        UsageError: It is empty.
    """
    if not model:
        raise UsageError("no model given", expected=EXPECTED_MODEL, cure=cure)


def check_location(model: str) -> None:
    """Reject a file and a path that does not exist; accept what may be a hub name.

    The library would ask the hub for them again and again. A folder's files are checked.

    Args:
        model: A folder or a hub name, as the user gave it.

    Raises:
        InputError: It is a file, or looks like a path and is no folder; or as of ``check_files``.
    """
    path = Path(model)
    if path.is_dir():
        check_files(path)
        return
    if path.exists():
        raise InputError(
            "this is a file; a model is a folder",
            where=model,
            expected=_EXPECTED,
            cure=f"give its folder: {path.parent}",
        )
    if _is_path(model):
        here = "" if path.parent.is_dir() else f"; there is no {path.parent} either"
        raise InputError(
            f"there is no such folder{here}", where=model, expected=_EXPECTED, cure="check the path"
        )


def _is_path(model: str) -> bool:
    """Whether no hub can have it, or the folder that it would be in is there.

    A hub's names are ``name`` or ``owner/name``.
    """
    if model.startswith((".", "/", "~")) or model.endswith("/") or model.count("/") > 1:
        return True
    return "/" in model and Path(model).parent.is_dir()


def is_offline() -> bool:
    """Whether HF_HUB_OFFLINE keeps the libraries from the network."""
    return os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0")


def is_local_only(model: str) -> bool:
    """Whether a model must be opened from what lies here: a folder, or what was fetched before.

    Where no connection to the hub can be made, its library tries again for a minute or more, file
    by file, before it says so. One that answers slowly is left to it: a connection may take as many
    seconds as HF_HUB_ETAG_TIMEOUT says (10), an answer as long as the library waits.

    Args:
        model: A folder or a hub name.
    """
    if is_offline() or Path(model).is_dir():
        return True
    began = time.monotonic()
    while _is_hub_unreachable(model):
        if time.monotonic() - began > _RETRY_SECONDS:
            return True
        time.sleep(1)
    return False


def _is_hub_unreachable(model: str) -> bool:
    """Whether not even a connection to the hub can be made; the proxy is the library's."""
    hub = import_module("huggingface_hub")
    try:
        hub.get_hf_file_metadata(hub.hf_hub_url(model, "config.json"))
    except Exception as error:  # all but these the library tells better when it is asked
        return type(error).__name__ in _CONNECTION_ERRORS
    return False


def suggest_cure(model: str) -> str:
    """Return the cure for a model that a library could not open."""
    if Path(model).is_dir():
        return "check the files in the folder: they may be truncated"
    if is_offline():
        return "HF_HUB_OFFLINE is set: give a local folder, or unset it"
    return "check the name and the network; there is no local folder of this name"


def first_line(error: BaseException) -> str:
    """Return what an error says, or its kind where it says nothing; a title with what it is of."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return " ".join(one.strip() for one in lines[: 1 + lines[0].endswith(":")])


def check_vocabulary(model: str, tokenizer: Any) -> None:
    """Reject a tokenizer without a vocabulary.

    Where its files are missing the library makes one of the kind that the model's configuration
    names, with special tokens and no words: every text would read alike.

    Args:
        model: A folder or a hub name.
        tokenizer: One of transformers.

    Raises:
        InputError: It knows no words.
    """
    framing = {*tokenizer.all_special_tokens, *map(str, tokenizer.added_tokens_decoder.values())}
    # A vocabulary of pieces has the blank even where it has nothing else.
    if not any(one not in framing and one != "\u2581" for one in _iter_vocabulary(tokenizer)):
        raise InputError(
            "the model has no tokenizer: the one that its configuration names has no vocabulary",
            where=model,
            expected=EXPECTED_TOKENIZER,
            cure=COPY_TOKENIZER if Path(model).is_dir() else _DOWNLOAD_AGAIN,
        )


def _iter_vocabulary(tokenizer: Any) -> Iterator[str]:
    """Yield what a tokenizer knows: a few words first, since to hand out millions takes long.

    Of an id that is not there some tokenizers say nothing, and some fail.
    """
    for number in range(_FIRST_IDS):
        with suppress(Exception):
            if isinstance(word := tokenizer.convert_ids_to_tokens(number), str):
                yield word
    yield from tokenizer.get_vocab()


@contextmanager
def reporting_tokenizer_crash(model: str) -> Iterator[None]:
    """Report a tokenizer that crashes on a text: its Rust library then raises no ``Exception``.

    Args:
        model: A folder or a hub name.

    Raises:
        InputError: It does.
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != _RUST_PANIC:
            raise
        raise InputError(
            f"the tokenizer crashed on a text: {first_line(error)}",
            where=model,
            expected="a tokenizer.json whose patterns always terminate",
            cure="use another model",
        ) from error
