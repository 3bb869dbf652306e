"""Passages that share thirteen words, or thirty characters, in a row with a training set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from closeread.audits.findings import Table
from closeread.types import Dataset, Passage

WORDS = 13
CHARACTERS = 30
_MAX_ROWS = 50


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """A passage that shares text with a training passage.

    Attributes:
        may_be_chance: Whether space-separated words are shared: thirty characters are only five or
            six words, which may be a name, a date or a common phrase.
    """

    test_id: str
    train_id: str
    by: str
    text: str
    may_be_chance: bool = False


def shared_passages(passages: Mapping[str, Passage], train: Dataset) -> list[Overlap]:
    """Return each passage that shares 13 words in a row, or 30 characters, with a training one.

    Words are compared in lower case, without punctuation; characters without white space. The
    training set is streamed. Each passage is returned once, preferably with an overlap that
    cannot be chance.
    """
    words, characters = _RunIndex(WORDS), _RunIndex(CHARACTERS)
    for name, passage in passages.items():
        words.add(name, _words(passage.text))
        characters.add(name, "".join(passage.text.split()))
    certain: dict[str, Overlap] = {}
    doubtful: dict[str, Overlap] = {}
    last_text = ""
    for passage, _ in train:
        if passage.text == last_text:  # formats with one question a row repeat the passage
            continue
        last_text = passage.text
        for test_id, shared_run in words.shared(_words(passage.text), certain):
            certain[test_id] = Overlap(
                test_id=test_id,
                train_id=passage.passage_id,
                by="13 words",
                text=" ".join(shared_run),
            )
        for test_id, shared_run in characters.shared("".join(passage.text.split()), certain):
            piece = "".join(shared_run)
            may_be_chance = sum(map(_is_wide, piece)) * 2 < CHARACTERS
            (doubtful if may_be_chance else certain).setdefault(
                test_id,
                Overlap(
                    test_id=test_id, train_id=passage.passage_id, by="30 characters", text=piece,
                    may_be_chance=may_be_chance,
                ),
            )  # fmt: skip
    return [
        *certain.values(),
        *(overlap for name, overlap in doubtful.items() if name not in certain),
    ]


def overlap_table(overlaps: Sequence[Overlap]) -> Table:
    """Return the passages, what they share and with which training passage."""
    notes = []
    if len(overlaps) > _MAX_ROWS:
        notes.append(f"the first {_MAX_ROWS} of {len(overlaps):,}")
    if any(overlap.may_be_chance for overlap in overlaps):
        notes.append("30 characters of space-separated words may be a common phrase")
    return Table(
        title="Passages that share text with the training set",
        headings=("passage", "training passage", "shared", "text"),
        rows=tuple(
            (overlap.test_id, overlap.train_id, overlap.by, overlap.text[:60])
            for overlap in overlaps[:_MAX_ROWS]
        ),
        note="; ".join(notes),
    )


@dataclass
class _RunIndex:
    """An index to find runs of ``length`` items that other texts share with its texts.

    Every run of ``2 * half - 1`` items contains a block of ``half`` items at a multiple of
    ``half``. Indexing only those blocks needs a fraction of the memory of all offsets.
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
        """Yield the texts, except known ones, that share a run with these items, and the run."""
        half, length, find_block = self.half, self.length, self.blocks.get
        for start in range(len(items) - half + 1):
            for name, offset in find_block(items[start : start + half], ()):
                if name in known:
                    continue
                text_items = self.texts[name]
                n_common_before = _common_length_before(items, start, text_items, offset, length)
                run = items[start - n_common_before : start - n_common_before + length]
                if (
                    len(run) == length
                    and text_items[offset - n_common_before : offset - n_common_before + length]
                    == run
                ):
                    yield name, run


def _common_length_before(
    left: Sequence[str], start: int, right: Sequence[str], offset: int, limit: int
) -> int:
    """Return the number of equal items before two offsets, at most ``limit``."""
    n_common = 0
    while (
        n_common < min(start, offset, limit)
        and left[start - n_common - 1] == right[offset - n_common - 1]
    ):
        n_common += 1
    return n_common


def _words(text: str) -> tuple[str, ...]:
    stripped = (raw.strip(".,;:!?\"'()[]“”‘’—–-") for raw in text.lower().split())
    return tuple(word for word in stripped if word)


def _is_wide(character: str) -> bool:
    return character > "\u2e7f"
