"""Score as ``f1`` of inspect-ai, as its DROP task calls it.

Words are those of the DROP evaluator with three differences: case is folded; a token that is a
finite number without surrounding punctuation keeps its decimal point; and there is no number gate.
Gold spans are joined by a comma without a blank into one string. The answer is the first line with
``Answer:``. Source: ``scorer/_classification.py`` of 0.3.285, which counts repeated words and skips
a gold answer without words; until 499e6152 words were a set.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache, partial

from closeread.errors import UsageError
from closeread.metrics.others.foreign import ForeignScorer, Golds, extract_answer, join_spans

_AROUND = string.punctuation + string.whitespace
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


_VERSIONS = ("0.3.285", "499e6152")


def metric(*, version: str = _VERSIONS[0]) -> ForeignScorer:
    """Return the metric.

    Args:
        version: ``0.3.285`` counts repeated words, ``499e6152`` counts each word once.

    Raises:
        UsageError: The version is unknown.
    """
    if version not in _VERSIONS:
        raise UsageError(
            f"the version {version!r} is unknown", expected="one of " + ", ".join(_VERSIONS)
        )
    judge = partial(_judge, counted=version != "499e6152")
    return ForeignScorer(name="inspect", version=version, keys=("f1",), judge=judge)


def _judge(texts: tuple[str, ...], golds: Golds, *, counted: bool) -> Mapping[str, float]:
    predicted = _words(extract_answer(join_spans(texts)), counted=counted)
    best = 0.0
    for gold in golds:
        joined = ",".join(gold)
        if joined.strip():
            gold_words = _words(joined, counted=counted)
            if gold_words or not counted:
                best = max(best, _f1(predicted, gold_words))
    return {"f1": round(best, 2)}


def _f1(predicted: Counter[str], gold: Counter[str]) -> float:
    n_common = (predicted & gold).total()
    precision = n_common / predicted.total() if predicted else 1.0
    recall = n_common / gold.total() if gold else 1.0
    return 2 * precision * recall / (precision + recall) if precision or recall else 0.0


def _words(text: str, *, counted: bool) -> Counter[str]:
    tokens = text.replace("-", " ").split(" ")
    words = [word for token in tokens for word in _token(token).split()]
    return Counter(words if counted else set(words))


@lru_cache(maxsize=1 << 14)
def _token(raw: str) -> str:
    token = raw.casefold()
    if not _is_number(token):
        stripped = token.strip(_AROUND)
        token = stripped if _is_number(stripped) else token.translate(_PUNCTUATION)
    if _is_number(token):
        token = str(float(token))
    return _ARTICLE.sub(" ", token)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
