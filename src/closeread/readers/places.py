"""What is looked at in any model, whatever library opens it: where it is, and its words."""

from pathlib import Path
from typing import Any

from closeread.errors import InputError

_EXPECTED = "a model's folder, or a hub name"
TOKENIZER = "the tokenizer that the model was trained with, such as tokenizer.json"
COPY = "copy the tokenizer's files beside the model's from where it came from"
_FETCH = "a download may have been cut short: fetch the whole model where there is a network"


def check_place(model: str) -> None:
    """Refuse a file, and a path at which there is nothing; a name that may be a hub's passes.

    The library would ask the hub for them, again and again.

    Args:
        model: A folder or a hub name, as the user gave it.

    Raises:
        InputError: It is a file, or looks like a path and is no folder.
    """
    path = Path(model)
    if path.is_dir():
        return
    if path.exists():
        raise InputError(
            "it is a file, and a model is a folder",
            where=model,
            expected=_EXPECTED,
            cure=f"name its folder: {path.parent}",
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


def check_words(model: str, tokenizer: Any) -> None:
    """Refuse a tokenizer that is made of nothing.

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
    if not any(one not in framing and one != "\u2581" for one in tokenizer.get_vocab()):
        raise InputError(
            "it has no tokenizer: the one that its configuration names knows no words",
            where=model,
            expected=TOKENIZER,
            cure=COPY if Path(model).is_dir() else _FETCH,
        )
