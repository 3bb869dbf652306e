"""Load the word lists of the English strategies as compiled patterns of whole words."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from closeread.attacks.statements import Rewording

_LOOKAROUNDS = re.compile(r"\(\?<?[=!](?:[^()]|\([^()]*\))*\)")
_NEVER = r"(?!)"


@cache
def load_tables() -> dict[str, Any]:
    """Return the parsed ``words.toml``."""
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))


def list_entries(name: str) -> tuple[str, ...]:
    """Return the entries of a list; each is a pattern."""
    return tuple(re.split(r",\s+", load_tables()["lists"][name].strip()))


def any_of(name: str) -> str:
    """Return a pattern that matches any word of a list, to be used within other patterns."""
    return r"\b(?:" + "|".join(list_entries(name)) + r")\b"


_BEING = ("is", "are", "was", "were", "be", "became", "been")
NUMBER = rf"(?:\d[\d,.]*|{any_of('spelled')})"
_MACROS = {
    "{N}": NUMBER,
    "{DET}": any_of("determiners"),
    "{BE}": "(?:" + "|".join(rf"(?<=\b{one} )" for one in _BEING) + ")",
    "{EVENT}": any_of("events"),
    "{THAN}": r"(?=(?: [\w'’-]+){0,3} than\b)",
    "{S}": r"(?<![^.;]\s)(?<![\w,])",
    "{MASS}": rf"(?:{any_of('mass')}|%)",
    "{GRADED}": rf"(?={any_of('graded')})",
    "{CAUSE}": any_of("causes"),
}


class Swap(NamedTuple):
    """Rewordings that change the truth of a statement, and where they apply.

    Attributes:
        rule: The name of the rule, as edits record it.
        rewordings: The rewordings.
        required: What the evidence must contain.
        forbidden: What the evidence must not contain.
        forbidden_in_statement: What the statement must not contain.
    """

    rule: str
    rewordings: tuple[Rewording, ...]
    required: re.Pattern[str]
    forbidden: re.Pattern[str]
    forbidden_in_statement: re.Pattern[str]


class WordForms(NamedTuple):
    """The forms of a word, each with the same form of its antonym.

    Attributes:
        forms: The pattern of each form, and the form of the antonym that replaces it.
        pattern: Matches any of the forms.
    """

    forms: tuple[Rewording, ...]
    pattern: re.Pattern[str]


@cache
def load_rewordings(strategy: str) -> tuple[Rewording, ...]:
    """Return a strategy's rewordings that keep the truth."""
    return tuple(
        Rewording(compile_whole_words(row[0]), row[1])
        for row in load_tables()[strategy].get("same", ())
    )


@cache
def load_swaps(strategy: str) -> tuple[Swap, ...]:
    """Return a strategy's rewordings that change the truth."""
    return tuple(
        Swap(
            row["rule"],
            tuple(
                Rewording(compile_whole_words(pattern), words) for pattern, words in row["swaps"]
            ),
            compile_whole_words(row.get("required", r"\w+")),
            compile_whole_words(row.get("forbidden", _NEVER)),
            compile_whole_words(row.get("forbidden_in_statement", _NEVER)),
        )
        for row in load_tables()[strategy].get("opposite", ())
    )


@cache
def load_antonyms(strategy: str) -> tuple[tuple[WordForms, WordForms], ...]:
    """Return the pairs of antonyms, each in both directions."""
    pairs = []
    for row in load_tables()[strategy].get("contraries", ()):
        first, second = (side.split(", ") for side in row.split(" | "))
        pairs += [
            (_word_forms(first, second), _word_forms(second, first)),
            (_word_forms(second, first), _word_forms(first, second)),
        ]
    return tuple(pairs)


@cache
def load_alternatives(strategy: str, table: str = "rows") -> tuple[tuple[str, ...], ...]:
    """Return rows of words that exclude each other, such as months."""
    return tuple(tuple(row.split()) for row in load_tables()[strategy].get(table, ()))


@cache
def compile_whole_words(pattern: str) -> re.Pattern[str]:
    """Return a compiled pattern of whole words that ignores case, with macros replaced."""
    for macro, meaning in _MACROS.items():
        pattern = pattern.replace(macro, meaning)
    return re.compile(rf"(?<![\w'’-])(?:{pattern})(?:(?<=\s)|(?![\w’-]|'\w))", re.IGNORECASE)


def _word_forms(forms: list[str], opposites: list[str]) -> WordForms:
    rewordings: dict[str, Rewording] = {}
    for form, opposite in zip(forms, opposites, strict=True):
        rewordings.setdefault(
            form, Rewording(compile_whole_words(form), _without_context(opposite))
        )
    return WordForms(
        tuple(rewordings.values()),
        compile_whole_words("|".join(f"(?:{form})" for form in rewordings)),
    )


def _without_context(form: str) -> str:
    """Return a form without macros and lookarounds."""
    return _LOOKAROUNDS.sub("", re.sub(r"\{[A-Z]+\}", "", form))
