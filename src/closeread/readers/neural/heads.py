"""Finds a checkpoint's head by its configuration, and the reader for it.

Shapes of weights do not identify a head: different heads have a layer of the same name, and heads
for options and for pairs may both have one output.
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
    """Return whether a model's configuration names a head (a key of ``KINDS``)."""
    return any(
        architecture.endswith(f"For{KINDS[head]}") for architecture in config.architectures or ()
    )


def check_head(name: str, config: Any, head: str, missing: Sequence[str]) -> None:
    """Reject a checkpoint with another head than the one it is opened with, or with none.

    Args:
        name: The folder or hub name.
        config: The model's configuration.
        head: The head it was opened with.
        missing: Names of weights that the checkpoint lacks.

    Raises:
        InputError: The configuration names only another head, or weights are missing.
    """
    kind, reader = _other_head(config, head)
    if kind:
        raise _missing_head_error(name, head, f"it is a {kind}", f"read it with --reader {reader}")
    if missing:
        problem = f"{', '.join(missing[:4])} would be random"
        raise _missing_head_error(
            name, head, problem, "train one with `closeread train` (docs/training.md)"
        )


def check_encoder(name: str, prefix: str, missing: Sequence[str]) -> None:
    """Reject a checkpoint for training that lacks weights of the encoder, not only of the head.

    Args:
        name: The folder or hub name.
        prefix: Prefix of the names of the encoder's weights, ``base_model_prefix``.
        missing: Names of weights that the checkpoint lacks.

    Raises:
        InputError: Some of them belong to the encoder, other than its pooler, which is trained
            with the head.
    """
    encoder_weights = [
        weight for weight in missing if weight.startswith(f"{prefix}.") and "pooler" not in weight
    ]
    if encoder_weights:
        raise InputError(
            f"the checkpoint has no weights for {len(encoder_weights)} tensors of its encoder, "
            f"which would be random: {', '.join(encoder_weights[:3])}, ...",
            where=name,
            expected=ONE_MODEL,
            cure=COPY_BOTH,
        )


def shape_error(name: str, config: Any, head: str, *, new_head: bool) -> InputError:
    """Return the error for weights of other shapes, which usually belong to another head.

    Args:
        name: The folder or hub name.
        config: The model's configuration.
        head: The head it was to be opened with.
        new_head: Whether training would replace the head.
    """
    kind, reader = _other_head(config, head)
    if kind:
        problem = f"it is a {kind}, whose head has another shape"
        cure = "start from the encoder that it was trained from"
        return _missing_head_error(
            name, head, problem, cure if new_head else f"read it with --reader {reader}"
        )
    return InputError(
        OTHER_SHAPES,
        where=name,
        expected=ONE_MODEL,
        cure=COPY_BOTH,
    )


def _other_head(config: Any, head: str) -> tuple[str, str]:
    """Return architecture and reader of another head; empty if it is ``head`` or unknown."""
    if not has_head(config, head):
        for architecture in config.architectures or ():
            for other, kind in KINDS.items():
                if architecture.endswith(f"For{kind}"):
                    return architecture, _READERS[other]
    return "", ""


def _missing_head_error(name: str, head: str, problem: str, cure: str) -> InputError:
    return InputError(
        f"the checkpoint has no {head} head: {problem}",
        where=name,
        expected=f"a model trained for it (AutoModelFor{KINDS[head]})",
        cure=cure,
    )
