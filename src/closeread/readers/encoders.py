"""Encoders through sentence-transformers: the torch side of dense retrieval and reranking.

Models are folders or hub names; there is no default model. Their code is not run
(``trust_remote_code`` off), the encoder's weights are read from safetensors only (small layers
after it also from pickles of tensors, ``weights_only``), and HF_HUB_OFFLINE keeps the library from
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
_TRAINED_TO = {
    "SentenceTransformer": "to return one vector for each text",
    "CrossEncoder": "to return one score for each pair of texts",
}
_COPY_AGAIN = "download or copy the model again, or use another one"


def bi_encoder(model: PathText = "", device: str = "cpu", batch_size: int = 64) -> "BiEncoder":
    """Make a Sentence-BERT encoder.

    Args:
        model: A folder, or a hub name (the paper's: distiluse-base-multilingual-cased-v1).
        device: Such as ``cpu`` or ``cuda:0``.
        batch_size: Texts per batch.
    """
    return BiEncoder(_open_model("SentenceTransformer", model, device), batch_size, model)


def cross_encoder(
    model: PathText = "", device: str = "cpu", batch_size: int = 64
) -> "CrossEncoder":
    """Make a cross-encoder; options as for ``bi_encoder``."""
    return CrossEncoder(_open_model("CrossEncoder", model, device), batch_size, model)


class BiEncoder:
    """Computes one vector per text.

    Args:
        model: An opened sentence-transformers model.
        batch_size: Texts per batch.
        name: The model's name as the user gave it.
    """

    def __init__(self, model: Any, batch_size: int, name: str) -> None:
        self._model = model
        self._batch_size = batch_size
        self.models = _used_models(model, name)

    def encode(self, texts: Sequence[str]) -> "NDArray[Any]":
        """Return the vectors of texts, shape (texts, dimensions).

        Raises:
            InputError: The model fails on the texts, or some numbers are not finite.
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
    """Computes one score per pair of texts; arguments as for ``BiEncoder``."""

    def __init__(self, model: Any, batch_size: int, name: str) -> None:
        self._model = model
        self._batch_size = batch_size
        self.models = _used_models(model, name)

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[Any]":
        """Return the scores of pairs, shape (pairs,).

        Raises:
            UsageError: The model returns several numbers per pair.
            InputError: The model fails on the texts, or some numbers are not finite.
        """
        import numpy as np

        with _report_failure(self.models[0].name):
            scores = np.asarray(
                self._model.predict(
                    list(pairs), batch_size=self._batch_size, show_progress_bar=False
                )
            )
        if scores.ndim != 1:
            raise UsageError(
                f"the cross-encoder returns {scores.shape[1]} scores for each pair of texts",
                where=self.models[0].name,
                expected="one score",
                cure="use a cross-encoder with one output, as trained for reranking",
            )
        return _check_finite(scores, self.models[0].name)


@contextmanager
def _report_failure(name: str) -> Iterator[None]:
    try:
        with reporting_tokenizer_crash(name):
            yield
    except InputError:
        raise
    except Exception as error:  # models raise many types of errors
        raise InputError(
            f"the model failed on the texts: {first_line(error)}",
            where=name,
            expected="a model with the tokenizer that it was trained with",
            cure="check the model's files; if memory ran out, give a smaller batch_size",
        ) from error


def _check_finite(outputs: "NDArray[Any]", name: str) -> "NDArray[Any]":
    import numpy as np

    if not np.isfinite(outputs).all():
        raise InputError(
            "the model's outputs are not finite (NaN or infinity)",
            where=name,
            expected="undamaged weights",
            cure=_COPY_AGAIN,
        )
    return outputs


def _used_models(model: Any, name: str) -> tuple[UsedModel, ...]:
    size = sum(int(parameter.numel()) for parameter in model.parameters())
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

    options = loading_options(model)
    disable_progress_bar()  # commands show their own progress
    try:
        with silence_library():  # missing weights are reported below
            encoder = getattr(sentence_transformers, kind)(
                model, device=device, model_kwargs=dict(_SAFE), **options
            )
            missing = find_missing_weights(encoder, options)
    except Exception as error:  # broken files make the libraries raise many types of errors
        problem, expected, cure = diagnose_opening_error(Path(model), str(error)) or (
            first_line(error),
            _EXPECTED,
            suggest_cure(model),
        )
        raise InputError(
            f"the model cannot be opened: {problem}", where=model, expected=expected, cure=cure
        ) from error
    if kind == "SentenceTransformer":  # its vectors do not use the pooler
        missing = [weight for weight in missing if "pooler" not in weight]
    if missing:
        raise InputError(
            f"the checkpoint has no weights for {', '.join(missing[:4])}, which would be random",
            where=model,
            expected=f"a model trained {_TRAINED_TO[kind]}",
            cure=_COPY_AGAIN,
        )
    tokenizer = getattr(encoder, "tokenizer", None)
    if hasattr(tokenizer, "added_tokens_decoder"):  # static embeddings have another tokenizer
        check_vocabulary(model, tokenizer)
    return encoder
