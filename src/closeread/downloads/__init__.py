"""Published sets: where they lie, their sums, resumed downloads. Nothing is fetched on import."""

from closeread.downloads.cache import cached
from closeread.downloads.published import Member, PublishedFile, PublishedSet
from closeread.downloads.receive import Received, get
from closeread.downloads.selection import select, what_gets
from closeread.downloads.sets import SETS

__all__ = [
    "SETS",
    "Member",
    "PublishedFile",
    "PublishedSet",
    "Received",
    "cached",
    "get",
    "select",
    "what_gets",
]
