"""Recognises published sets that no format reads directly, and says what to do."""

from collections.abc import Iterable
from typing import NamedTuple

from closeread.formats.files.head import Head


class Unsupported(NamedTuple):
    """A set that is recognised by the names in its first record."""

    names: frozenset[str]
    description: str
    cure: str


_KNOWN = (
    Unsupported(
        frozenset(("documents", "question", "question_type", "fact_or_opinion")),
        "rows of DuReader 2.0, with several documents and free-form answers",
        "name the columns: "
        "rows,passage=documents.paragraphs,question=question,answer=answers,id=question_id",
    ),
    Unsupported(
        frozenset(("passages", "query", "answers", "query_id")),
        "rows of MS MARCO, with several passages and free-form answers, one of which is "
        "`No Answer Present.`",
        "name the columns: "
        "rows,passage=passages.passage_text,question=query,answer=answers,id=query_id",
    ),
    Unsupported(
        frozenset(
            ("QuestionId", "QuestionSource")
        ),  # in `Data`; other names are too far from the beginning
        "TriviaQA, whose passages are in other files",
        "convert both to SQuAD's form with TriviaQA's utils/convert_to_squad_format.py; or use "
        "the rows of `datasets` (rc.wikipedia), or MRQA's (closeread get mrqa)",
    ),
    Unsupported(
        frozenset(("story_text", "question", "answer_char_ranges")),
        "NewsQA as a table, with answers as character ranges",
        "use combined-newsqa-data-v1.json, which NewsQA's tools write beside this file",
    ),
    Unsupported(
        frozenset(("story_text", "question", "answer_token_ranges")),
        "a split of NewsQA, with answers as token ranges",
        "use combined-newsqa-data-v1.json, which NewsQA's tools also write: its field `type` names "
        "the split",
    ),
)
_OTHER_COLUMNS = {"id", "question_id", "choices", "options", "answerKey", "subject", "explanation"}
_ANSWERS = frozenset(("answer", "answers"))


def find_unsupported(head: Head, columns: Iterable[str]) -> Unsupported | None:
    """Return the set that the first record belongs to; None if it is unknown.

    Args:
        head: The beginning of the file, whose first record may lie in its first member, a list.
        columns: The names in the first record, or a table's columns.
    """
    names, inner = frozenset(columns), head.first(0, 0)
    for unsupported_set in _KNOWN:
        if unsupported_set.names <= names | (inner.keys() if isinstance(inner, dict) else set()):
            return unsupported_set
    other_names = names - _ANSWERS - _OTHER_COLUMNS
    if other_names == {"question"} and len(names) > 1:
        return Unsupported(
            names,
            "questions without a passage",
            "add a column `passage` with the text that each question is about; closeread does not "
            "retrieve passages",
        )
    return None
