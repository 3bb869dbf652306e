"""``squad`` of Hugging Face evaluate: SQuAD 1.1's functions under another roof.

Words are what lies between blanks, and only ASCII punctuation goes, so a Chinese answer is one word
with its full-width marks on. Source: ``metrics/squad`` at a7dd338.
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
