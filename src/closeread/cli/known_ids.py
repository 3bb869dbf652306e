"""Collects question ids, to suggest similar ones for an unknown id."""

import difflib

from closeread.errors import UnknownNameError

_MOST = 50_000  # in memory, however large the data set


class KnownIds:
    """Collects ids while a data set is read."""

    def __init__(self) -> None:
        self._ids: list[str] = []

    def add(self, question_id: str) -> None:
        """Store an id, up to a maximum."""
        if len(self._ids) < _MOST:
            self._ids.append(question_id)

    def unlike(self, wanted: str, where: str) -> UnknownNameError:
        """Return the error for an unknown id, with similar ids.

        Args:
            wanted: The unknown id.
            where: The data set's path.
        """
        near = difflib.get_close_matches(wanted, self._ids, n=3, cutoff=0.5)
        return UnknownNameError(
            f"no question has the id {wanted!r}",
            where=where,
            expected=("perhaps " if near else "ids such as ") + ", ".join(near or self._ids[:3]),
        )
