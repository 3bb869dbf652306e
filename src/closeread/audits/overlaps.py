"""Passages that share thirteen words, or thirty characters, in a row with a training set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from closeread.audits.findings import Table
from closeread.types import Dataset, Passage

WORDS = 13
CHARACTERS = 30
_MOST_ROWS = 50


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """A passage that shares text with a training passage.

    Attributes:
        may_be_chance: Thirty characters of words written apart are five or six words: a name, a
            date or a turn of phrase may be in two texts that know nothing of each other.
    """

    test_id: str
    train_id: str
    by: str
    text: str
    may_be_chance: bool = False


def shared_passages(passages: Mapping[str, Passage], train: Dataset) -> list[Overlap]:
    """Return each passage that shares 13 words in a row, or 30 characters, with a training one.

    Words are compared in lower case, without marks; characters without white space. The training
    set is streamed. A passage is named once: what cannot be chance counts before what may be.
    """
    words, characters = _RunIndex(WORDS), _RunIndex(CHARACTERS)
    for name, passage in passages.items():
        words.add(name, _words(passage.text))
        characters.add(name, "".join(passage.text.split()))
    certain: dict[str, Overlap] = {}
    doubtful: dict[str, Overlap] = {}
    before = ""
    for passage, _ in train:
        if passage.text == before:  # formats with a question a row repeat it
            continue
        before = passage.text
        for test_id, run in words.shared(_words(passage.text), certain):
            certain[test_id] = Overlap(
                test_id=test_id, train_id=passage.passage_id, by="13 words", text=" ".join(run)
            )
        for test_id, run in characters.shared("".join(passage.text.split()), certain):
            piece = "".join(run)
            chance = sum(map(_is_wide, piece)) * 2 < CHARACTERS
            (doubtful if chance else certain).setdefault(
                test_id,
                Overlap(
                    test_id=test_id, train_id=passage.passage_id, by="30 characters", text=piece,
                    may_be_chance=chance,
                ),
            )  # fmt: skip
    return [*certain.values(), *(one for name, one in doubtful.items() if name not in certain)]


def overlap_table(overlaps: Sequence[Overlap]) -> Table:
    """Return the passages, what they share and with which training passage."""
    notes = []
    if len(overlaps) > _MOST_ROWS:
        notes.append(f"the first {_MOST_ROWS} of {len(overlaps):,}")
    if any(one.may_be_chance for one in overlaps):
        notes.append("30 characters of space-separated words may be a common phrase")
    return Table(
        title="Passages that share text with the training set",
        headings=("passage", "training passage", "shared", "text"),
        rows=tuple(
            (found.test_id, found.train_id, found.by, found.text[:60])
            for found in overlaps[:_MOST_ROWS]
        ),
        note="; ".join(notes),
    )


@dataclass
class _RunIndex:
    """Texts in which runs of so many items are looked for, kept by every second half-run.

    Of ``2 * half - 1`` items in a row some block of ``half`` stands whole at a multiple of
    ``half``: to keep those is enough, and needs a fraction of the memory that all places would.
    """

    length: int
    texts: dict[str, Sequence[str]] = field(default_factory=dict)
    blocks: dict[Sequence[str], list[tuple[str, int]]] = field(default_factory=dict)

    @property
    def half(self) -> int:
        return (self.length + 1) // 2

    def add(self, name: str, items: Sequence[str]) -> None:
        self.texts[name] = items
        for start in range(0, len(items) - self.half + 1, self.half):
            block = items[start : start + self.half]
            self.blocks.setdefault(block, []).append((name, start))

    def shared(
        self, items: Sequence[str], known: Mapping[str, object]
    ) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield texts that share a run with these items, and the run, those known left out."""
        half, length, find = self.half, self.length, self.blocks.get
        for start in range(len(items) - half + 1):
            for name, at in find(items[start : start + half], ()):
                if name in known:
                    continue
                own = self.texts[name]
                first = _common_length_before(items, start, own, at, length)
                run = items[start - first : start - first + length]
                if len(run) == length and own[at - first : at - first + length] == run:
                    yield name, run


def _common_length_before(
    left: Sequence[str], start: int, right: Sequence[str], at: int, most: int
) -> int:
    """Return how many items before two places are alike, at most ``most``."""
    alike = 0
    while alike < min(start, at, most) and left[start - alike - 1] == right[at - alike - 1]:
        alike += 1
    return alike


def _words(text: str) -> tuple[str, ...]:
    stripped = (raw.strip(".,;:!?\"'()[]“”‘’—–-") for raw in text.lower().split())
    return tuple(word for word in stripped if word)


def _is_wide(character: str) -> bool:
    return character > "\u2e7f"
