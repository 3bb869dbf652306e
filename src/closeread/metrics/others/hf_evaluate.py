"""Score as ``squad`` of Hugging Face evaluate, which has the functions of SQuAD 1.1.

Words are separated by blanks, and only ASCII punctuation is dropped, so a Chinese answer is one
word including its full-width punctuation. Source: ``metrics/squad`` at a7dd338.
"""

from collections.abc import Mapping

from closeread.metrics.matching.single import score_text
from closeread.metrics.others.foreign import ForeignScorer, Golds


def metric() -> ForeignScorer:
    """Return the metric."""
    return ForeignScorer(
        name="evaluate", version="a7dd338", keys=("squad.em", "squad.f1"), judge=_judge
    )


def _judge(texts: tuple[str, ...], golds: Golds) -> Mapping[str, float]:
    if not golds:
        return {}
    exact, f1 = score_text(texts[0] if texts else "", [gold[0] for gold in golds])
    return {"squad.em": exact, "squad.f1": f1}
