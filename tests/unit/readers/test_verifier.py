"""What a verifier's retriever is given, before torch is needed."""

import pytest

from closeread.errors import UsageError
from closeread.readers.verifier import PAPER, check_retriever


class Longest:
    def retrieve(self, question, passage, option, k=None): ...


def test_external_retrievers_are_not_given_the_paper_s_splitter():
    """Who never named the option is told how it is left out."""
    mine = f"{__name__}:Longest"
    check_retriever(mine, "", {})
    with pytest.raises(UsageError, match="no option 'sentences'") as caught:
        check_retriever(mine, "", {"sentences": PAPER["sentences"]})
    assert "-o sentences= " in caught.value.cure
    check_retriever("bm25", "", {"sentences": PAPER["sentences"]})
