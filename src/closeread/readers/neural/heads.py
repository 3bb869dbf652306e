"""Tells which head a checkpoint has, by its configuration, and which reader reads it.

Shapes do not tell it: heads of several kinds are a layer of one name, and one number comes out of
those for options and of those for pairs alike.
"""

from collections.abc import Sequence
from typing import Any

from closeread.errors import InputError

KINDS = {"span": "QuestionAnswering", "choice": "MultipleChoice", "pair": "SequenceClassification"}
OTHER_SHAPES = "the weights do not have the shapes that config.json gives"
ONE_MODEL = "weights and config.json of one model"
COPY_BOTH = "copy both again from the model's source"
_READERS = {"span": "span", "choice": "choice", "pair": "verifier or chunk"}


def has_head(config: Any, head: str) -> bool:
    """Whether a model's configuration tells of a head (a key of ``KINDS``)."""
    return any(one.endswith(f"For{KINDS[head]}") for one in config.architectures or ())


def check_head(name: str, config: Any, head: str, missing: Sequence[str]) -> None:
    """Refuse a checkpoint that has another head than the one it is opened with, or none.

    Args:
        name: The folder or hub name.
        config: The model's configuration.
        head: With which it was opened.
        missing: Weights that it does not have.

    Raises:
        InputError: Its configuration tells of another head alone, or weights are missing.
    """
    kind, reader = _other_head(config, head)
    if kind:
        raise _missing_head_error(name, head, f"it is a {kind}", f"read it with --reader {reader}")
    if missing:
        found = f"{', '.join(missing[:4])} would be random"
        raise _missing_head_error(
            name, head, found, "train one with `closeread train` (docs/training.md)"
        )


def check_encoder(name: str, prefix: str, missing: Sequence[str]) -> None:
    """Refuse a checkpoint to train from whose encoder would be random, not its head alone.

    Args:
        name: The folder or hub name.
        prefix: Of the encoder's weights, ``base_model_prefix``.
        missing: Weights that it does not have.

    Raises:
        InputError: Some are of the encoder, and not of the layer above it, which heads bring.
    """
    inner = [one for one in missing if one.startswith(f"{prefix}.") and "pooler" not in one]
    if inner:
        raise InputError(
            f"the checkpoint has no weights for {len(inner)} tensors of its encoder, which would "
            f"be random: {', '.join(inner[:3])}, ...",
            where=name,
            expected=ONE_MODEL,
            cure=COPY_BOTH,
        )


def shape_error(name: str, config: Any, head: str, *, new_head: bool) -> InputError:
    """Return what is wrong with weights of other shapes: as a rule they are of another head.

    Args:
        name: The folder or hub name.
        config: The model's configuration.
        head: With which it was to be opened.
        new_head: Whether for training.
    """
    kind, reader = _other_head(config, head)
    if kind:
        found = f"it is a {kind}, whose head has another shape"
        cure = "start from the encoder that it was trained from"
        return _missing_head_error(
            name, head, found, cure if new_head else f"read it with --reader {reader}"
        )
    return InputError(
        OTHER_SHAPES,
        where=name,
        expected=ONE_MODEL,
        cure=COPY_BOTH,
    )


def _other_head(config: Any, head: str) -> tuple[str, str]:
    """Return what the checkpoint is and its reader; empty where that is ``head``, or not told."""
    if not has_head(config, head):
        for one in config.architectures or ():
            for other, kind in KINDS.items():
                if one.endswith(f"For{kind}"):
                    return one, _READERS[other]
    return "", ""


def _missing_head_error(name: str, head: str, found: str, cure: str) -> InputError:
    return InputError(
        f"the checkpoint has no {head} head: {found}",
        where=name,
        expected=f"a model trained for it (AutoModelFor{KINDS[head]})",
        cure=cure,
    )
