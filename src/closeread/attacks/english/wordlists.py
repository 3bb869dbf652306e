"""The word lists of the English strategies, as compiled patterns of whole words."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from closeread.attacks.statements import Rewording

_LOOKS = re.compile(r"\(\?<?[=!](?:[^()]|\([^()]*\))*\)")
_NEVER = r"(?!)"


@cache
def tables() -> dict[str, Any]:
    """Return the tables as they are written."""
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))


def entries(name: str) -> tuple[str, ...]:
    """Return the words of a list, each a pattern."""
    return tuple(re.split(r",\s+", tables()["lists"][name].strip()))


def listed(name: str) -> str:
    """Return a pattern of any of the words of a list, as it is put into others."""
    return r"\b(?:" + "|".join(entries(name)) + r")\b"


_BEING = ("is", "are", "was", "were", "be", "became", "been")
NUMBER = rf"(?:\d[\d,.]*|{listed('spelled')})"
_MACROS = {
    "{N}": NUMBER,
    "{DET}": listed("determiners"),
    "{BE}": "(?:" + "|".join(rf"(?<=\b{one} )" for one in _BEING) + ")",
    "{EVENT}": listed("events"),
    "{THAN}": r"(?=(?: [\w'’-]+){0,3} than\b)",
    "{S}": r"(?<![^.;]\s)(?<![\w,])",
    "{MASS}": rf"(?:{listed('mass')}|%)",
    "{GRADED}": rf"(?={listed('graded')})",
    "{CAUSE}": listed("causes"),
}


class Swap(NamedTuple):
    """Rewordings that turn the truth, where the evidence is as they need it."""

    rule: str
    rewordings: tuple[Rewording, ...]
    seen: re.Pattern[str]
    unseen: re.Pattern[str]
    unless: re.Pattern[str]


class Side(NamedTuple):
    """The forms of a word, and those of its contrary, by place.

    Attributes:
        forms: How each is found, and what is written for it on the other side.
        found: Any of them.
    """

    forms: tuple[Rewording, ...]
    found: re.Pattern[str]


@cache
def rewordings(strategy: str) -> tuple[Rewording, ...]:
    """Return a strategy's rewordings; they leave the truth as it is."""
    return tuple(Rewording(whole(row[0]), row[1]) for row in tables()[strategy].get("same", ()))


@cache
def swaps(strategy: str) -> tuple[Swap, ...]:
    """Return a strategy's rewordings that turn the truth."""
    return tuple(
        Swap(
            row["rule"],
            tuple(Rewording(whole(pattern), words) for pattern, words in row["swaps"]),
            whole(row.get("seen", r"\w+")),
            whole(row.get("unseen", _NEVER)),
            whole(row.get("unless", _NEVER)),
        )
        for row in tables()[strategy].get("opposite", ())
    )


@cache
def contraries(strategy: str) -> tuple[tuple[Side, Side], ...]:
    """Return the words that exclude each other, each pair in both directions."""
    found = []
    for row in tables()[strategy].get("contraries", ()):
        one, other = (side.split(", ") for side in row.split(" | "))
        found += [(_side(one, other), _side(other, one)), (_side(other, one), _side(one, other))]
    return tuple(found)


@cache
def rows(strategy: str, table: str = "rows") -> tuple[tuple[str, ...], ...]:
    """Return rows of words that exclude each other."""
    return tuple(tuple(row.split()) for row in tables()[strategy].get(table, ()))


@cache
def whole(pattern: str) -> re.Pattern[str]:
    """Return a pattern that finds whole words, in whatever letters."""
    for macro, meaning in _MACROS.items():
        pattern = pattern.replace(macro, meaning)
    return re.compile(rf"(?<![\w'’-])(?:{pattern})(?:(?<=\s)|(?![\w’-]|'\w))", re.IGNORECASE)


def _side(forms: list[str], others: list[str]) -> Side:
    made: dict[str, Rewording] = {}
    for form, other in zip(forms, others, strict=True):
        made.setdefault(form, Rewording(whole(form), _written(other)))
    return Side(tuple(made.values()), whole("|".join(f"(?:{form})" for form in made)))


def _written(form: str) -> str:
    """Return a form's words, without what has to stand beside them."""
    return _LOOKS.sub("", re.sub(r"\{[A-Z]+\}", "", form))
