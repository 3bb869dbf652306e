"""The ids of a data set's questions, to name those near one that no question has."""

import difflib

from closeread.errors import UnknownNameError

_MOST = 50_000  # however large the set


class KnownIds:
    """Collects ids while a set is walked through."""

    def __init__(self) -> None:
        self._ids: list[str] = []

    def add(self, question_id: str) -> None:
        """Remember an id; of very many the first ones."""
        if len(self._ids) < _MOST:
            self._ids.append(question_id)

    def unlike(self, wanted: str, where: str) -> UnknownNameError:
        """Return the error for a question that is not among them.

        Args:
            wanted: What was asked for.
            where: The data set's path.
        """
        near = difflib.get_close_matches(wanted, self._ids, n=3, cutoff=0.5)
        return UnknownNameError(
            f"no question is called {wanted!r}",
            where=where,
            expected=("perhaps " if near else "ids such as ") + ", ".join(near or self._ids[:3]),
        )
