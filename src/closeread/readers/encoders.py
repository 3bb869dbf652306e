"""Encoders through sentence-transformers: the torch side of dense retrieval and reranking.

Models are folders or hub names and are never chosen for the user. Their code is not run
(``trust_remote_code`` off), the encoder's weights are read from safetensors only (small layers
behind it also from pickles of tensors, ``weights_only``), and HF_HUB_OFFLINE keeps the library from
the network.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from closeread.errors import InputError, UsageError
from closeread.evidence.used import UsedModel
from closeread.parts.extras import missing_extra
from closeread.parts.making import PathText
from closeread.readers.places import (
    check_place,
    check_words,
    first_line,
    from_disk_alone,
    one_at_a_time,
    what_helps,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAFE = {"use_safetensors": True}


def bi_encoder(model: PathText = "", device: str = "cpu", batch_size: int = 64) -> "BiEncoder":
    """Make a Sentence-BERT encoder.

    Args:
        model: A folder, or a hub name (the paper's: distiluse-base-multilingual-cased-v1).
        device: Where it runs.
        batch_size: Texts at a time.
    """
    return BiEncoder(_opened("SentenceTransformer", model, device), batch_size, model)


def cross_encoder(
    model: PathText = "", device: str = "cpu", batch_size: int = 64
) -> "CrossEncoder":
    """Make a cross-encoder; options as for ``bi_encoder``."""
    return CrossEncoder(_opened("CrossEncoder", model, device), batch_size, model)


class BiEncoder:
    """One vector a text.

    Args:
        model: Opened.
        batch_size: Texts at a time.
        name: How the user named it.
    """

    def __init__(self, model: Any, batch_size: int, name: str) -> None:
        self._model = model
        self._batch_size = batch_size
        self.models = _models(model, name)

    def encode(self, texts: Sequence[str]) -> "NDArray[Any]":
        """Return one row a text, shape (texts, dimensions)."""
        rows: NDArray[Any] = self._model.encode(
            list(texts),
            batch_size=self._batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return rows


class CrossEncoder:
    """One number a pair of texts; arguments as for ``BiEncoder``."""

    def __init__(self, model: Any, batch_size: int, name: str) -> None:
        self._model = model
        self._batch_size = batch_size
        self.models = _models(model, name)

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[Any]":
        """Return one score a pair, shape (pairs,).

        Raises:
            UsageError: The model gives several numbers a pair.
        """
        import numpy as np

        found = np.asarray(
            self._model.predict(list(pairs), batch_size=self._batch_size, show_progress_bar=False)
        )
        if found.ndim != 1:
            raise UsageError(
                f"the cross-encoder gives {found.shape[1]} numbers a pair", expected="one"
            )
        return found


def _models(model: Any, name: str) -> tuple[UsedModel, ...]:
    size = sum(int(one.numel()) for one in model.parameters())
    return (UsedModel(name=name, n_parameters=size),)


@one_at_a_time
def _opened(kind: str, model: str, device: str) -> Any:
    if not model:
        raise UsageError(
            "no model is named for the encoder",
            expected="-o model=PATH or a hub name",
            cure="without weights work integrate=overlap, where a retriever has it, and other ones",
        )
    try:
        import sentence_transformers
    except ModuleNotFoundError as error:
        name = error.name or "sentence_transformers"
        raise missing_extra("the encoder", name, "dense") from error
    check_place(model)
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # progress is the verb's to show
    try:
        opened = getattr(sentence_transformers, kind)(
            model,
            device=device,
            trust_remote_code=False,
            local_files_only=from_disk_alone(model),
            model_kwargs=dict(_SAFE),
        )
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
        raise InputError(
            f"the model cannot be opened: {first_line(error)}",
            where=model,
            expected="a folder of a sentence-transformers model with safetensors, or a hub name",
            cure=what_helps(model),
        ) from error
    tokenizer = getattr(opened, "tokenizer", None)
    if hasattr(tokenizer, "added_tokens_decoder"):  # some models have words of another kind
        check_words(model, tokenizer)
    return opened
