"""What is worked out once for texts that come again, within bounds that no text can stretch."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

_LONGEST_WORD = 64

T = TypeVar("T")


class ByWord(dict[str, T], Generic[T]):
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


def by_text(make: Callable[..., T], most: int = 16, characters: int = 400_000) -> Callable[..., T]:
    """Return ``make``, which does not make again what it made of the texts last seen.

    Args:
        make: Called with a text and whatever else its result depends on, by position.
        most: Results kept at most.
        characters: Their texts have no more together, but for the last one: it is kept however
            long it is. What is made of a text takes some hundred times its room.
    """
    kept: OrderedDict[tuple[Any, ...], T] = OrderedDict()
    lock = Lock()
    held = 0

    def remembered(text: str, *more: Any) -> T:
        nonlocal held
        key = (text, *more)
        with lock:
            if key in kept:
                kept.move_to_end(key)
                return kept[key]
        made = make(*key)
        with lock:
            if key not in kept:
                held += len(text)
            kept[key] = made
            while len(kept) > max(1, most) or (held > characters and len(kept) > 1):
                (oldest, *_), _ = kept.popitem(last=False)
                held -= len(oldest)
        return made

    return remembered
