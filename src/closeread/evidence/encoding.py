"""Make encoders by name, and check what they return."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from closeread.errors import CloseReadError, UsageError
from closeread.evidence.models import models_of
from closeread.evidence.vectors.matrix import load
from closeread.evidence.words import Segmenter
from closeread.protocols import Encoder, PairScorer
from closeread.registry.contracts import CheckedEncoder, find_external_part
from closeread.registry.external import ExternalPart
from closeread.registry.factory import PathText, make

if TYPE_CHECKING:
    from numpy.typing import NDArray


def text_encoder(
    name: str, model: str, *, instead: str = "use -o encoder=sentence-transformers, or your own"
) -> Encoder:
    """Make a named encoder of single texts.

    Args:
        name: The encoder's name.
        model: Its model.
        instead: The cure in the message for a cross-encoder.

    Raises:
        UsageError: The name is of a cross-encoder, or the encoder lacks its model.
        UnknownNameError: There is no such encoder.
        MissingExtraError: The encoder needs an optional dependency that is not installed.
    """
    part, external = _make_encoder(name, model)
    if not isinstance(part, Encoder):
        raise UsageError(f"{name} scores pairs and cannot encode single texts", cure=instead)
    return part if external is None else CheckedEncoder(external, part)


def pair_scorer(name: str, model: str) -> PairScorer:
    """Make a named cross-encoder with its model; raises as ``text_encoder``."""
    part, external = _make_encoder(name, model)
    if not isinstance(part, PairScorer):
        raise UsageError(
            f"{name} encodes single texts and cannot score pairs",
            cure="use -o encoder=cross-encoder, or integrate=encoder",
        )
    return part if external is None else CheckedEncoder(external, part)


def _make_encoder(name: str, model: str) -> tuple[Any, ExternalPart | None]:
    """Return an encoder, and the user's part that it is, if any; that may have no ``model``."""
    external = find_external_part("encoder", name)
    options = {"model": model} if model or external is None else {}
    return make("encoder", name, options)[0], external


def check_rows(rows: "NDArray[Any]", n_texts: int, *, of_pairs: bool = False) -> "NDArray[Any]":
    """Return an encoder's output in double precision: one row per text, or one number per pair.

    Raises:
        CloseReadError: The output has another shape, or contains a value that is not finite.
    """
    import numpy as np

    try:
        array = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CloseReadError(
            f"the encoder did not return an array of numbers: {error}",
            expected="one row per text, or one number per pair (docs/extend.md)",
        ) from error
    fits = array.shape[1:] in ((), (1,)) if of_pairs else array.ndim == 2
    if not fits or array.shape[:1] != (n_texts,):
        raise CloseReadError(
            f"the encoder returned an array of shape {array.shape} for {n_texts} texts",
            expected=f"({n_texts},)" if of_pairs else f"({n_texts}, dimensions)",
        )
    if not np.isfinite(array).all():
        raise CloseReadError(
            "the encoder returned values that are not finite", cure="check the model's files"
        )
    return array


def cosines(left: "NDArray[Any]", right: "NDArray[Any]") -> "NDArray[Any]":
    """Return the cosine of every row of ``left`` with every row of ``right``.

    A row of zeros has no direction: its cosines are -inf, so that it is never chosen.
    """
    import numpy as np

    sizes = np.linalg.norm(left, axis=1)[:, None] * np.linalg.norm(right, axis=1)[None, :]
    products = left @ right.T
    result: NDArray[Any] = np.where(sizes > 0, products / np.where(sizes > 0, sizes, 1.0), -np.inf)
    return result


def word_vectors(model: PathText = "", words: str = "jieba") -> "MeanOfWords":
    """Make an encoder that averages word vectors.

    Args:
        model: Path of the word vectors.
        words: The word segmentation: ``jieba`` or ``characters``.
    """
    return MeanOfWords(model, words)


class MeanOfWords:
    """Sums the vectors of a text's words; a text with a Chinese character counts as Chinese."""

    def __init__(self, path: str, words: str) -> None:
        self._vectors = load(path)
        self.models = models_of(self._vectors)
        self._segmenter = Segmenter(words)

    def encode(self, texts: Sequence[str]) -> "NDArray[Any]":
        """Return one row per text; zeros, which are never chosen, if no word has a vector."""
        import numpy as np

        rows = np.zeros((len(texts), self._vectors.dimensions))
        for row, text in enumerate(texts):
            language = (
                "zh" if any("\u3400" <= character <= "\u9fff" for character in text) else "en"
            )
            words = self._segmenter.texts(text, language)
            self._vectors.must_know(words, "text")
            known = self._vectors.known(words)
            if known:
                rows[row] = self._vectors.vectors_of(known).sum(axis=0)
        return rows
