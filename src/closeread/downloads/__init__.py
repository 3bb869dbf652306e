"""Downloads published sets: addresses, checksums, resumption. Importing downloads nothing."""

from closeread.downloads.cache import fetch_cached
from closeread.downloads.published import Member, PublishedFile, PublishedSet
from closeread.downloads.receive import Received, get
from closeread.downloads.selection import get_command, select
from closeread.downloads.sets import SETS

__all__ = [
    "SETS",
    "Member",
    "PublishedFile",
    "PublishedSet",
    "Received",
    "fetch_cached",
    "get",
    "get_command",
    "select",
]
