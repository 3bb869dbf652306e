"""Caches of results by word or text, whose memory is bounded whatever the texts."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

_MAX_WORD_LENGTH = 64

T = TypeVar("T")


class WordCache(dict[str, T], Generic[T]):
    """A dictionary of the results of a function by word, computed when a word is new.

    A service may receive a "word" as long as a passage: results of long words are not kept. When
    the dictionary is full, it is cleared.
    """

    def __init__(self, compute: Callable[[str], T], max_words: int = 1 << 16) -> None:
        super().__init__()
        self._compute = compute
        self._max_words = max_words

    def __missing__(self, word: str) -> T:
        result = self._compute(word)
        if len(word) <= _MAX_WORD_LENGTH:
            if len(self) >= self._max_words:
                self.clear()
            self[word] = result
        return result


class TextCache(Generic[T]):
    """A cache of the results of a function for the most recent texts."""

    def __init__(
        self, compute: Callable[..., T], max_results: int = 16, max_characters: int = 400_000
    ) -> None:
        """Cache the results of ``compute``.

        Args:
            compute: Called with a text and all else that its result depends on, by position.
            max_results: Maximum number of results.
            max_characters: Maximum number of characters of all their texts together; the last text
                is kept whatever its length. A result takes about a hundred times the memory of
                its text.
        """
        self._compute = compute
        self._max_results = max(1, max_results)
        self._max_characters = max_characters
        self._results: OrderedDict[tuple[Any, ...], T] = OrderedDict()
        self._n_characters = 0
        self._lock = Lock()

    def __call__(self, text: str, *other_arguments: Any) -> T:
        """Return the result for a text, computed if it is not cached."""
        key = (text, *other_arguments)
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        result = self._compute(*key)
        with self._lock:
            if key not in self._results:
                self._n_characters += len(text)
            self._results[key] = result
            while len(self._results) > self._max_results or self._is_too_large():
                (oldest, *_), _ = self._results.popitem(last=False)
                self._n_characters -= len(oldest)
        return result

    def _is_too_large(self) -> bool:
        return self._n_characters > self._max_characters and len(self._results) > 1

    def clear(self) -> None:
        """Remove all results."""
        with self._lock:
            self._results.clear()
            self._n_characters = 0
