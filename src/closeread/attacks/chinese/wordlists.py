"""The word lists of the Chinese strategies, as compiled patterns."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from closeread.attacks.statements import Rewording

_MACROS = {
    "{S}": r"(?<![^，。；：！？,;:!?\s])",
    "{E}": r"(?![^，。；：！？,;:!?\s])",
    # The verb of a clause, with nothing right before it that makes it part of something else.
    "{M}": (
        "(?<![不没未并所而且地都也还又更得被才就曾将会能要既即是的个种一力重步大分显入遍极刻泛渐接同度])"
    ),
    "{C}": "[^，。；：！？,;:!?“”\ue000]",
}
_NEVER = r"(?!)"


class Swap(NamedTuple):
    """Rewordings that turn the truth, where the evidence is as they need it."""

    rule: str
    rewordings: tuple[Rewording, ...]
    seen: re.Pattern[str]
    unseen: re.Pattern[str]


class Side(NamedTuple):
    """One of two words that exclude each other: how it is found, and what is written."""

    found: re.Pattern[str]
    words: str


class Restoring(NamedTuple):
    """What a false statement says, and what the evidence has in its stead."""

    rule: str
    said: re.Pattern[str]
    stands: re.Pattern[str]


@cache
def rewordings(strategy: str, table: str = "same") -> tuple[Rewording, ...]:
    """Return a strategy's rewordings of one kind; those of ``same`` leave the truth as it is."""
    return tuple(_rewording(row) for row in _tables()[strategy].get(table, ()))


@cache
def swaps(strategy: str, table: str = "opposite") -> tuple[Swap, ...]:
    """Return a strategy's rewordings that turn the truth, from the table named."""
    return tuple(
        Swap(
            row["rule"],
            tuple(map(_rewording, row["swaps"])),
            compiled(row.get("seen", "")),
            compiled(row.get("unseen", _NEVER)),
        )
        for row in _tables()[strategy].get(table, ())
    )


@cache
def restorings(strategy: str) -> tuple[Restoring, ...]:
    """Return what false statements of a strategy are restored by, pairs left out."""
    return tuple(
        Restoring(row["rule"], longest_first(row["said"]), longest_first(row["stands"]))
        for row in _tables()[strategy].get("restored", ())
    )


@cache
def pairs(strategy: str, table: str = "pairs") -> tuple[tuple[Side, Side], ...]:
    """Return the words that mean the contrary of each other.

    Those of the table ``restored_pairs`` are put where the evidence has them, and nowhere else.
    """
    return tuple(
        (Side(compiled(one), words), Side(compiled(other), contrary))
        for one, words, other, contrary in _tables()[strategy].get(table, ())
    )


@cache
def rows(strategy: str) -> tuple[tuple[str, ...], ...]:
    """Return rows of words that exclude each other."""
    return tuple(tuple(row.split()) for row in _tables()[strategy].get("rows", ()))


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern whose macros stand for what they mean."""
    for macro, meaning in _MACROS.items():
        pattern = pattern.replace(macro, meaning)
    return re.compile(pattern)


def longest_first(words: str) -> re.Pattern[str]:
    """Return a pattern of alternatives, of which the longest that fits is found."""
    return re.compile("|".join(sorted(words.split("|"), key=len, reverse=True)))


def _rewording(row: list[str]) -> Rewording:
    return Rewording(compiled(row[0]), row[1])


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
