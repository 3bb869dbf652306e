"""Locates models and checks their tokenizers, for every library that opens models."""

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
_RETRY_SECONDS = 3.0  # a lost network may come back within this time
_CONNECTION_ERRORS = ("ConnectError", "ConnectTimeout")  # names in every version of the hub library
_DOWNLOAD_AGAIN = "the download may be incomplete: download the whole model again while online"
_FIRST_IDS = 4096  # enough to include ids that are not special tokens
_RUST_PANIC = "PanicException"  # raised by Rust libraries: a BaseException that cannot be imported
_LOADING_LOCK = RLock()
P = ParamSpec("P")
T = TypeVar("T")


def load_one_at_a_time(load: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that loads a model, so that threads load one after another.

    While transformers loads a model, it sets the default dtype of the whole process: two loads at
    the same time could give a model the other one's dtype.
    """

    @wraps(load)
    def load_locked(*args: P.args, **kwargs: P.kwargs) -> T:
        with _LOADING_LOCK:
            return load(*args, **kwargs)

    return load_locked


def require_model(model: str, *, cure: str = _TRAIN) -> None:
    """Reject an empty model name.

    Args:
        model: The model's name as the user gave it.
        cure: The advice in the error message.

    Raises:
        UsageError: The name is empty.
    """
    if not model:
        raise UsageError("no model given", expected=EXPECTED_MODEL, cure=cure)


def check_location(model: str) -> None:
    """Reject a file and a path that does not exist; accept a possible hub name.

    Without this check the library would ask the hub for them repeatedly. A folder's files are
    checked too.

    Args:
        model: A folder or a hub name, as the user gave it.

    Raises:
        InputError: It is a file, or looks like a path that does not exist, or ``check_files``
            rejects the folder.
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
        parent_note = "" if path.parent.is_dir() else f"; there is no {path.parent} either"
        raise InputError(
            f"there is no such folder{parent_note}",
            where=model,
            expected=_EXPECTED,
            cure="check the path",
        )


def _is_path(model: str) -> bool:
    """Return whether a name must be a path: hub names are ``name`` or ``owner/name``.

    ``folder/name`` counts as a path if the folder exists.
    """
    if model.startswith((".", "/", "~")) or model.endswith("/") or model.count("/") > 1:
        return True
    return "/" in model and Path(model).parent.is_dir()


def is_offline() -> bool:
    """Return whether HF_HUB_OFFLINE keeps the libraries from the network."""
    return os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0")


def is_local_only(model: str) -> bool:
    """Return whether a model must be opened without the network: from a folder or the hub's cache.

    Without a connection, the hub's library retries every file for a minute or more before it
    reports an error; this function gives up after three seconds. A hub that answers slowly is not
    treated as unreachable: connecting may take HF_HUB_ETAG_TIMEOUT seconds (10 by default), and an
    answer as long as the library waits.

    Args:
        model: A folder or a hub name.
    """
    if is_offline() or Path(model).is_dir():
        return True
    started = time.monotonic()
    while _is_hub_unreachable(model):
        if time.monotonic() - started > _RETRY_SECONDS:
            return True
        time.sleep(1)
    return False


def _is_hub_unreachable(model: str) -> bool:
    """Return whether no connection to the hub can be made, through the library's own proxy."""
    hub = import_module("huggingface_hub")
    try:
        hub.get_hf_file_metadata(hub.hf_hub_url(model, "config.json"))
    except Exception as error:  # the library reports all other errors when it loads the model
        return type(error).__name__ in _CONNECTION_ERRORS
    return False


def suggest_cure(model: str) -> str:
    """Return advice for a model that a library could not open."""
    if Path(model).is_dir():
        return "check the files in the folder: they may be truncated"
    if is_offline():
        return "HF_HUB_OFFLINE is set: give a local folder, or unset it"
    return "check the name and the network; there is no local folder of this name"


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, with the next one if it ends in a colon.

    An error without a message gives the name of its type.
    """
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return " ".join(line.strip() for line in lines[: 1 + lines[0].endswith(":")])


def check_vocabulary(model: str, tokenizer: Any) -> None:
    """Reject a tokenizer without a vocabulary.

    If tokenizer files are missing, the library creates a tokenizer of the configured type with
    special tokens only: every text would be encoded in the same way.

    Args:
        model: A folder or a hub name.
        tokenizer: A tokenizer of transformers.

    Raises:
        InputError: Its vocabulary has only special tokens.
    """
    special_tokens = {
        *tokenizer.all_special_tokens,
        *map(str, tokenizer.added_tokens_decoder.values()),
    }
    # A SentencePiece vocabulary has the space symbol even if it has nothing else.
    if not any(
        token not in special_tokens and token != "\u2581" for token in _iter_vocabulary(tokenizer)
    ):
        raise InputError(
            "the model has no tokenizer: the one that its configuration names has no vocabulary",
            where=model,
            expected=EXPECTED_TOKENIZER,
            cure=COPY_TOKENIZER if Path(model).is_dir() else _DOWNLOAD_AGAIN,
        )


def _iter_vocabulary(tokenizer: Any) -> Iterator[str]:
    """Yield a tokenizer's tokens: first those of low ids, because ``get_vocab`` may be slow."""
    for token_id in range(_FIRST_IDS):
        with suppress(Exception):  # some tokenizers raise for an unknown id, some return None
            if isinstance(token := tokenizer.convert_ids_to_tokens(token_id), str):
                yield token
    yield from tokenizer.get_vocab()


@contextmanager
def reporting_tokenizer_crash(model: str) -> Iterator[None]:
    """Turn a crash of the tokenizer's Rust library, which is no ``Exception``, into an error.

    Args:
        model: A folder or a hub name, for the message.

    Raises:
        InputError: The tokenizer crashed on a text.
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
