"""Beam search for chains of sentences, the best few of each length (section 3.4)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 9  # closer scores are ties: sums in another order must not decide


class Chain(NamedTuple):
    """Sentences in the order in which they were found, and the sum of their scores."""

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
    Chains of the same sentences count once. Of equal scores that of the better beginning wins, and
    then that of the earlier sentence.

    Args:
        first: Each sentence's score against the query, shape (sentences,); ``-inf`` where it
            cannot be scored.
        extend: Takes chains; returns every sentence's score against each chain's updated query,
            shape (chains, sentences); rows of ``-inf`` where nothing is left to look for.
        steps: Sentences in a chain at most.
        beam: Chains kept a step.
    """
    import numpy as np

    kept = _best([Chain((), 0.0)], first[np.newaxis, :], beam)
    found = [kept] if kept else []
    while kept and len(found) < steps:
        kept = _best(kept, extend(kept), beam)
        if kept:
            found.append(kept)
    return found


def _best(chains: Sequence[Chain], scores: "NDArray[Any]", beam: int) -> list[Chain]:
    import numpy as np

    totals = scores + np.array([[chain.score] for chain in chains])
    for row, chain in enumerate(chains):
        totals[row, list(chain.sentences)] = -np.inf
    flat = np.round(totals, _DIGITS).ravel()
    order = np.argsort(-flat, kind="stable")
    kept: list[Chain] = []
    seen: set[frozenset[int]] = set()
    for place in order.tolist():
        if len(kept) == beam or flat[place] == -np.inf:
            break
        row, sentence = divmod(place, scores.shape[1])
        members = (*chains[row].sentences, sentence)
        if frozenset(members) not in seen:
            seen.add(frozenset(members))
            kept.append(Chain(members, float(totals[row, sentence])))
    return kept
