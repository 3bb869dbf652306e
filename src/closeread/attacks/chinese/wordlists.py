"""Load the word lists of the Chinese strategies as compiled patterns."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from closeread.attacks.statements import Rewording

_MACROS = {
    "{S}": r"(?<![^，。；：！？,;:!?\s])",
    "{E}": r"(?![^，。；：！？,;:!?\s])",
    # The verb of a clause: no negation, auxiliary or adverb stands directly before it.
    "{M}": (
        "(?<![不没未并所而且地都也还又更得被才就曾将会能要既即是的个种一力重步大分显入遍极刻泛渐接同度])"
    ),
    "{C}": "[^，。；：！？,;:!?“”\ue000]",
}
_NEVER = r"(?!)"


class Swap(NamedTuple):
    """Rewordings that change the truth of a statement, and what the evidence must contain for them.

    Attributes:
        rule: The name of the rule, as edits record it.
        rewordings: The rewordings.
        required: What the evidence must contain.
        forbidden: What the evidence must not contain.
    """

    rule: str
    rewordings: tuple[Rewording, ...]
    required: re.Pattern[str]
    forbidden: re.Pattern[str]


class Antonym(NamedTuple):
    """One of two words of opposite meaning: the pattern that finds it, and the word to write."""

    pattern: re.Pattern[str]
    word: str


class Restoring(NamedTuple):
    """A wrong word in a false statement, and the words that the evidence may have in its place."""

    rule: str
    in_statement: re.Pattern[str]
    in_evidence: re.Pattern[str]


@cache
def load_rewordings(strategy: str, table: str = "same") -> tuple[Rewording, ...]:
    """Return a strategy's rewordings from a table; those of ``same`` keep the truth."""
    return tuple(_rewording(row) for row in _tables()[strategy].get(table, ()))


@cache
def load_swaps(strategy: str, table: str = "opposite") -> tuple[Swap, ...]:
    """Return a strategy's rewordings that change the truth, from a table."""
    return tuple(
        Swap(
            row["rule"],
            tuple(map(_rewording, row["swaps"])),
            compile_pattern(row.get("required", "")),
            compile_pattern(row.get("forbidden", _NEVER)),
        )
        for row in _tables()[strategy].get(table, ())
    )


@cache
def load_restorings(strategy: str) -> tuple[Restoring, ...]:
    """Return the rules that make a false statement true, without the pairs of antonyms."""
    return tuple(
        Restoring(
            row["rule"], longest_first(row["in_statement"]), longest_first(row["in_evidence"])
        )
        for row in _tables()[strategy].get("restored", ())
    )


@cache
def load_antonyms(strategy: str, table: str = "pairs") -> tuple[tuple[Antonym, Antonym], ...]:
    """Return pairs of antonyms.

    A pair of the table ``restored_pairs`` only makes false statements true; elsewhere its words
    rarely make sense.
    """
    return tuple(
        (
            Antonym(compile_pattern(pattern), word),
            Antonym(compile_pattern(opposite_pattern), opposite),
        )
        for pattern, word, opposite_pattern, opposite in _tables()[strategy].get(table, ())
    )


@cache
def load_alternatives(strategy: str) -> tuple[tuple[str, ...], ...]:
    """Return rows of words that exclude each other, such as countries."""
    return tuple(tuple(row.split()) for row in _tables()[strategy].get("rows", ()))


@cache
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return a compiled pattern, with macros such as ``{S}`` replaced."""
    for macro, meaning in _MACROS.items():
        pattern = pattern.replace(macro, meaning)
    return re.compile(pattern)


def longest_first(alternatives: str) -> re.Pattern[str]:
    """Return a compiled pattern of alternatives (``a|b``) that prefers the longest."""
    return re.compile("|".join(sorted(alternatives.split("|"), key=len, reverse=True)))


def _rewording(row: list[str]) -> Rewording:
    return Rewording(compile_pattern(row[0]), row[1])


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
