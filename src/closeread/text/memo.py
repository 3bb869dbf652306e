"""What is worked out once for texts that come again, within bounds that no text can stretch."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

_LONGEST_WORD = 64

T = TypeVar("T")


class WordCache(dict[str, T], Generic[T]):
    """What a function says of a word, looked up as in a dictionary and worked out where it is new.

    A service is sent any text, and a "word" of it may be as long as a passage. Such are not kept,
    and where too many are kept, all are forgotten.
    """

    def __init__(self, make: Callable[[str], T], most: int = 1 << 16) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, word: str) -> T:
        made = self._make(word)
        if len(word) <= _LONGEST_WORD:
            if len(self) >= self._most:
                self.clear()
            self[word] = made
        return made


class TextCache(Generic[T]):
    """What a function makes of a text, not made again of the texts last seen."""

    def __init__(self, make: Callable[..., T], most: int = 16, characters: int = 400_000) -> None:
        """Keep what ``make`` makes.

        Args:
            make: Called with a text and whatever else its result depends on, by position.
            most: Results kept at most.
            characters: Their texts have no more together, but for the last one: it is kept however
                long it is. What is made of a text takes some hundred times its room.
        """
        self._make = make
        self._most = max(1, most)
        self._characters = characters
        self._kept: OrderedDict[tuple[Any, ...], T] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    def __call__(self, text: str, *more: Any) -> T:
        """Return what the function makes of a text."""
        key = (text, *more)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = self._make(*key)
        with self._lock:
            if key not in self._kept:
                self._held += len(text)
            self._kept[key] = made
            while len(self._kept) > self._most or self._is_stretched():
                (oldest, *_), _ = self._kept.popitem(last=False)
                self._held -= len(oldest)
        return made

    def _is_stretched(self) -> bool:
        return self._held > self._characters and len(self._kept) > 1

    def forget(self) -> None:
        """Make everything anew from now on."""
        with self._lock:
            self._kept.clear()
            self._held = 0
