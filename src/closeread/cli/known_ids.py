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

    def unknown_error(self, question_id: str, where: str) -> UnknownNameError:
        """Return the error for an unknown id, with similar ids.

        Args:
            question_id: The unknown id.
            where: The data set's path.
        """
        close_ids = difflib.get_close_matches(question_id, self._ids, n=3, cutoff=0.5)
        return UnknownNameError(
            f"no question has the id {question_id!r}",
            where=where,
            expected=("perhaps " if close_ids else "ids such as ")
            + ", ".join(close_ids or self._ids[:3]),
        )
