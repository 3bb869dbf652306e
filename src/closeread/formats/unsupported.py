"""Published sets that no format reads as they are: what each is, and what to do about it."""

from collections.abc import Iterable
from typing import NamedTuple

from closeread.formats.files.head import Head


class Unread(NamedTuple):
    """A set that is told by the names in its first record."""

    names: frozenset[str]
    told: str
    cure: str


_KNOWN = (
    Unread(
        frozenset(("documents", "question", "question_type", "fact_or_opinion")),
        "these are rows of DuReader 2.0, with several documents and answers in free words",
        "say which column holds what: "
        "rows,passage=documents.paragraphs,question=question,answer=answers,id=question_id",
    ),
    Unread(
        frozenset(("passages", "query", "answers", "query_id")),
        "these are rows of MS MARCO, with several passages and answers in free words, one of which "
        "is `No Answer Present.`",
        "say which column holds what: "
        "rows,passage=passages.passage_text,question=query,answer=answers,id=query_id",
    ),
    Unread(
        frozenset(("QuestionId", "QuestionSource")),  # in `Data`, what follows it is far away
        "this is TriviaQA, whose texts lie in other files",
        "make SQuAD's form of both by its own program, utils/convert_to_squad_format.py; or take "
        "the rows of `datasets` (rc.wikipedia), or MRQA's (closeread get mrqa)",
    ),
    Unread(
        frozenset(("story_text", "question", "answer_char_ranges")),
        "this is NewsQA as a table, with answers by their places",
        "take combined-newsqa-data-v1.json, which its tools write beside it",
    ),
    Unread(
        frozenset(("story_text", "question", "answer_token_ranges")),
        "this is a split of NewsQA, with answers by numbers of words",
        "take combined-newsqa-data-v1.json, which its tools write, too: `type` tells the split",
    ),
)
_ASIDE = {"id", "question_id", "choices", "options", "answerKey", "subject", "explanation"}
_ANSWERS = frozenset(("answer", "answers"))


def told(head: Head, columns: Iterable[str]) -> Unread | None:
    """Return what the first record shows; None where that is nothing known.

    Args:
        head: The beginning of the file, whose first record may lie in its first member, a list.
        columns: The names in the first record, or a table's columns.
    """
    names, inner = frozenset(columns), head.first(0, 0)
    for one in _KNOWN:
        if one.names <= names | (inner.keys() if isinstance(inner, dict) else set()):
            return one
    rest = names - _ANSWERS - _ASIDE
    if rest == {"question"} and len(names) > 1:
        return Unread(
            names,
            "these are questions without a passage",
            "add a column `passage` with the text that each is about; closeread reads texts, and "
            "looks nothing up",
        )
    return None
