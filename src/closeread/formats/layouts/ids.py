"""Question ids: counts repeated ids, and makes ids for rows without one."""

import hashlib

from closeread.types import Defects


def content_id(text: str) -> str:
    """Return a stable id made from a text, for records without an id."""
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[
        :12
    ]


class Ids:
    """Counts question ids that occur twice."""

    def __init__(self, defects: Defects) -> None:
        self._defects = defects
        self._seen: set[str] = set()

    def note(self, name: str, *, line: int | None = None) -> str:
        """Return the id; counts ``duplicate-id`` if it was noted before."""
        if name in self._seen:
            self._defects.add(
                "duplicate-id", f"the id {name} occurs twice", question_id=name, line=line
            )
        self._seen.add(name)
        return name


class ContentIds:
    """Makes ids from content for rows without ids; repeats get ``-2``, ``-3``, ..."""

    def __init__(self, defects: Defects) -> None:
        self._defects = defects
        self._seen: dict[str, int] = {}

    def make(self, *texts: str, line: int | None = None) -> str:
        """Return the row's id; counts ``duplicate-question`` if all texts occurred before."""
        name = content_id("\0".join(texts))
        times = self._seen[name] = self._seen.get(name, 0) + 1
        if times > 1:
            self._defects.add(
                "duplicate-question", f"occurs {times} times", question_id=name, line=line
            )
        return numbered_id(name, times)


def numbered_id(name: str, times: int) -> str:
    """Return the id for the nth occurrence of a name: ``name``, ``name-2``, ..."""
    return name if times == 1 else f"{name}-{times}"
