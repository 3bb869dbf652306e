"""A question without any gold: who could judge it, and what its data must say for them."""

import pytest

from closeread.errors import CloseReadError
from closeread.metrics.matching.references import require_gold


def test_metrics_of_unanswerable_questions_explain_how_to_mark_them():
    """`squad2` named itself as the cure."""
    with pytest.raises(CloseReadError, match="question q") as caught:
        require_gold("q", (), "squad2")
    assert "is_impossible" in caught.value.cure
    assert "squad2" not in caught.value.cure
    with pytest.raises(CloseReadError) as caught:
        require_gold("q", (), "squad")
    assert "squad2" in caught.value.cure
