"""Beam search for chains of sentences, the best few of each length (section 3.4)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 9  # closer scores are ties: the rounding of sums must not decide


class Chain(NamedTuple):
    """Sentence numbers in the order in which they were found, and the sum of their scores."""

    sentences: tuple[int, ...]
    score: float


def search(
    first: "NDArray[Any]",
    extend: Callable[[Sequence[Chain]], "NDArray[Any]"],
    *,
    steps: int,
    beam: int,
) -> list[list[Chain]]:
    """Return the chains kept at every step, the best first.

    A chain's score is the sum of its sentences' scores, each against the query of its own step.
    Chains of the same sentences count once. Ties go to the chain with the better prefix, then to
    the earlier sentence.

    Args:
        first: Each sentence's score against the query, shape (sentences,); ``-inf`` if it cannot
            be scored.
        extend: Takes chains; returns every sentence's score against each chain's updated query,
            shape (chains, sentences); a row of ``-inf`` ends a chain.
        steps: Maximum sentences in a chain.
        beam: Chains kept at each step.
    """
    import numpy as np

    kept = _best([Chain((), 0.0)], first[np.newaxis, :], beam)
    kept_by_step = [kept] if kept else []
    while kept and len(kept_by_step) < steps:
        kept = _best(kept, extend(kept), beam)
        if kept:
            kept_by_step.append(kept)
    return kept_by_step


def _best(chains: Sequence[Chain], scores: "NDArray[Any]", beam: int) -> list[Chain]:
    import numpy as np

    totals = scores + np.array([[chain.score] for chain in chains])
    for row, chain in enumerate(chains):
        totals[row, list(chain.sentences)] = -np.inf
    flat = np.round(totals, _DIGITS).ravel()
    order = np.argsort(-flat, kind="stable")
    kept: list[Chain] = []
    seen: set[frozenset[int]] = set()
    for index in order.tolist():
        if len(kept) == beam or flat[index] == -np.inf:
            break
        row, sentence = divmod(index, scores.shape[1])
        members = (*chains[row].sentences, sentence)
        if frozenset(members) not in seen:
            seen.add(frozenset(members))
            kept.append(Chain(members, float(totals[row, sentence])))
    return kept
