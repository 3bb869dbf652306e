"""SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018) and the many sets in their form.

``{"version", "data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question",
"answers": [{"text", "answer_start"}], "is_impossible", "plausible_answers"}]}]}]}``
"""

from typing import Any

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import squad_tree
from closeread.formats.registry import Format, Info


def sniff(head: Head) -> bool:
    """Whether there are articles with paragraphs, and not CMRC's ids for both, nor Quoref's one.

    Nor ROPES's two texts a paragraph.
    """
    if head.first("data") == []:
        return True
    if not head.has("paragraphs", at=("data", 0)):
        return False
    paragraph = ("data", 0, "paragraphs", 0)
    if head.has("context", "context_id", at=paragraph) or head.has("situation", at=paragraph):
        return False
    return not (head.has("id", at=("data", 0)) and head.has("id", at=paragraph))


def info(source: Source) -> Info:
    """Read the version and the other fields beside the articles."""
    document: dict[str, Any] = source.other_members("data")
    return Info(version=str(document.get("version", "")), metadata={"document": document})


FORMAT = Format(
    name="squad",
    sniff=sniff,
    read=squad_tree.read,
    write=squad_tree.write,
    info=info,
    read_gold=squad_tree.read_gold,
    metrics=("squad",),
)
