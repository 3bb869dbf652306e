"""Encoders through sentence-transformers: the torch side of dense retrieval and reranking.

Models are folders or hub names and are never chosen for the user. Their code is not run
(``trust_remote_code`` off), the encoder's weights are read from safetensors only (small layers
behind it also from pickles of tensors, ``weights_only``), and HF_HUB_OFFLINE keeps the library from
the network.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from closeread.errors import InputError, UsageError
from closeread.evidence.models import UsedModel
from closeread.readers.models.location import (
    EXPECTED_MODEL,
    check_vocabulary,
    first_line,
    load_one_at_a_time,
    reporting_tokenizer_crash,
    suggest_cure,
)
from closeread.registry.extras import missing_extra
from closeread.registry.factory import PathText

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAFE = {"use_safetensors": True}
_EXPECTED = "a folder of a sentence-transformers model with safetensors, or a hub name"
_TRAINED = {
    "SentenceTransformer": "to return one vector for each text",
    "CrossEncoder": "to return one score for each pair of texts",
}
_COPY_AGAIN = "download or copy the model again, or use another one"


def bi_encoder(model: PathText = "", device: str = "cpu", batch_size: int = 64) -> "BiEncoder":
    """Make a Sentence-BERT encoder.

    Args:
        model: A folder, or a hub name (the paper's: distiluse-base-multilingual-cased-v1).
        device: Where it runs.
        batch_size: Texts at a time.
    """
    return BiEncoder(_open_model("SentenceTransformer", model, device), batch_size, model)


def cross_encoder(
    model: PathText = "", device: str = "cpu", batch_size: int = 64
) -> "CrossEncoder":
    """Make a cross-encoder; options as for ``bi_encoder``."""
    return CrossEncoder(_open_model("CrossEncoder", model, device), batch_size, model)


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
        self.models = _used_models(model, name)

    def encode(self, texts: Sequence[str]) -> "NDArray[Any]":
        """Return one row a text, shape (texts, dimensions).

        Raises:
            InputError: It cannot compute them, or some numbers are not finite.
        """
        with _report_failure(self.models[0].name):
            rows: NDArray[Any] = self._model.encode(
                list(texts),
                batch_size=self._batch_size,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        return _check_finite(rows, self.models[0].name)


class CrossEncoder:
    """One number a pair of texts; arguments as for ``BiEncoder``."""

    def __init__(self, model: Any, batch_size: int, name: str) -> None:
        self._model = model
        self._batch_size = batch_size
        self.models = _used_models(model, name)

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[Any]":
        """Return one score a pair, shape (pairs,).

        Raises:
            UsageError: The model gives several numbers a pair.
            InputError: It cannot compute them, or some numbers are not finite.
        """
        import numpy as np

        with _report_failure(self.models[0].name):
            found = np.asarray(
                self._model.predict(
                    list(pairs), batch_size=self._batch_size, show_progress_bar=False
                )
            )
        if found.ndim != 1:
            raise UsageError(
                f"the cross-encoder returns {found.shape[1]} scores for each pair of texts",
                where=self.models[0].name,
                expected="one score",
                cure="use a cross-encoder with one output, as trained for reranking",
            )
        return _check_finite(found, self.models[0].name)


@contextmanager
def _report_failure(name: str) -> Iterator[None]:
    try:
        with reporting_tokenizer_crash(name):
            yield
    except InputError:
        raise
    except Exception as error:  # each model has its own way to refuse
        raise InputError(
            f"the model failed on the texts: {first_line(error)}",
            where=name,
            expected="a model with the tokenizer that it was trained with",
            cure="check the model's files; if memory ran out, give a smaller batch_size",
        ) from error


def _check_finite(found: "NDArray[Any]", name: str) -> "NDArray[Any]":
    import numpy as np

    if not np.isfinite(found).all():
        raise InputError(
            "the model's outputs are not finite (NaN or infinity)",
            where=name,
            expected="undamaged weights",
            cure=_COPY_AGAIN,
        )
    return found


def _used_models(model: Any, name: str) -> tuple[UsedModel, ...]:
    size = sum(int(one.numel()) for one in model.parameters())
    return (UsedModel(name=name, n_parameters=size),)


@load_one_at_a_time
def _open_model(kind: str, model: str, device: str) -> Any:
    if not model:
        raise UsageError(
            "no model given for the encoder",
            expected=EXPECTED_MODEL,
            cure="give a sentence-transformers model, or use what needs none: the retriever cover "
            "or bm25, or integrate=overlap with a retriever that uses word vectors",
        )
    try:
        import sentence_transformers
    except ModuleNotFoundError as error:
        name = error.name or "sentence_transformers"
        raise missing_extra("the encoder", name, "dense") from error
    from transformers.utils.logging import disable_progress_bar

    from closeread.readers.neural.opening import (
        diagnose_opening_error,
        find_missing_weights,
        loading_options,
        silence_library,
    )

    given = loading_options(model)
    disable_progress_bar()  # progress is the verb's to show
    try:
        with silence_library():  # what is missing is judged below
            opened = getattr(sentence_transformers, kind)(
                model, device=device, model_kwargs=dict(_SAFE), **given
            )
            missing = find_missing_weights(opened, given)
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
        found, expected, cure = diagnose_opening_error(Path(model), str(error)) or (
            first_line(error),
            _EXPECTED,
            suggest_cure(model),
        )
        raise InputError(
            f"the model cannot be opened: {found}", where=model, expected=expected, cure=cure
        ) from error
    if kind == "SentenceTransformer":  # no vector is made of what a pooler says
        missing = [one for one in missing if "pooler" not in one]
    if missing:
        raise InputError(
            f"the checkpoint has no weights for {', '.join(missing[:4])}, which would be random",
            where=model,
            expected=f"a model trained {_TRAINED[kind]}",
            cure=_COPY_AGAIN,
        )
    tokenizer = getattr(opened, "tokenizer", None)
    if hasattr(tokenizer, "added_tokens_decoder"):  # some models have words of another kind
        check_vocabulary(model, tokenizer)
    return opened
