"""Ids of questions: those that come twice are noticed, and those that are missing are made."""

import hashlib

from closeread.types import Defects


def content_id(text: str) -> str:
    """Return a stable id for a text that its publishers gave none."""
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[
        :12
    ]


class Ids:
    """Notices question ids that come twice."""

    def __init__(self, defects: Defects) -> None:
        self._defects = defects
        self._seen: set[str] = set()

    def note(self, name: str, *, line: int | None = None) -> str:
        """Return the id; counts ``duplicate-id`` when it was there before."""
        if name in self._seen:
            self._defects.add(
                "duplicate-id", f"the id {name} occurs twice", question_id=name, line=line
            )
        self._seen.add(name)
        return name


class ContentIds:
    """Makes ids from content, for rows that have none; repeats get ``-2``, ``-3``, ..."""

    def __init__(self, defects: Defects) -> None:
        self._defects = defects
        self._seen: dict[str, int] = {}

    def make(self, *texts: str, line: int | None = None) -> str:
        """Return the row's id; counts ``duplicate-question`` when all texts were there before."""
        name = content_id("\0".join(texts))
        times = self._seen[name] = self._seen.get(name, 0) + 1
        if times > 1:
            self._defects.add(
                "duplicate-question", f"occurs {times} times", question_id=name, line=line
            )
        return numbered_id(name, times)


def numbered_id(name: str, times: int) -> str:
    """Return the id of what has a name for the nth time: the name itself, ``name-2``, ..."""
    return name if times == 1 else f"{name}-{times}"
