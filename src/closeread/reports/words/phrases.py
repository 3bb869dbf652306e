"""Sentences that are made elsewhere in English, said in Chinese: by templates, not by keys.

A check writes plain English, for the terminal and for programs. The page knows its sentences as
templates, ``{name}`` standing for what is not ours (names, numbers, stops) and is kept as it is,
``{=cause}`` for a part that is one of our sentences itself. What no template fits stays English as
a whole: a sentence is never mixed of both.
"""

import re
from collections.abc import Iterator, Mapping

_FIELD = re.compile(r"\{(=?\w+)\}")
_DEEPEST = 4  # our sentences nest no deeper; a stranger's name may look as if they did
_LISTS = (("; ", "；"), (" + ", " + "), (", ", "，"))
_SEPARATORS = (": ", *(separator for separator, _ in _LISTS))


class Phrases:
    """Our sentences, English template to Chinese template; the earlier one is tried first."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        self._exact = pairs
        self._templates = [
            (_FIELD.split(english)[::2], _FIELD.findall(english), chinese)
            for english, chinese in pairs.items()
            if _FIELD.search(english)
        ]

    def say(self, text: str, language: str) -> str:
        """Return a sentence in a language; as it is where there is no other."""
        return text if language == "en" else (self._said(text) or text)

    def templates(self) -> Mapping[str, str]:
        """Return all of them, English to Chinese."""
        return self._exact

    def fill(self, template: str, language: str, **values: object) -> str:
        """Return one of these templates in a language, its fields filled in.

        Raises:
            KeyError: There is no such template, or a field has no value.
        """
        chosen = self._exact[template] if language == "zh" else template
        return _FIELD.sub(lambda field: str(values[field[1]]), chosen)

    def _said(self, text: str, depth: int = 0) -> str | None:
        if text in self._exact:
            return self._exact[text]
        if depth > _DEEPEST:
            return None
        # A name seldom holds a list's separator: where one would, try the sentence as a list first.
        return (
            self._matched(text, depth, loose=False)
            or self._listed(text, depth)
            or self._matched(text, depth, loose=True)
        )

    def _matched(self, text: str, depth: int, *, loose: bool) -> str | None:
        for literals, names, chinese in self._templates:
            if depth and not literals[0] and literals[1].startswith(": ") and names[0][0] != "=":
                continue  # only a whole sentence begins with a name
            for values in _values(literals, text):
                fields = dict(zip(names, values, strict=True))
                if not loose and any(
                    separator in value
                    for name, value in fields.items()
                    for separator in _SEPARATORS
                    if not name.startswith("=")
                ):
                    continue
                if (said := self._filled(fields, chinese, depth)) is not None:
                    return said
        return None

    def _listed(self, text: str, depth: int) -> str | None:
        for separator, joint in _LISTS:
            if separator in text:
                parts = [self._said(part, depth + 1) for part in text.split(separator)]
                known = [part for part in parts if part is not None]
                if len(known) == len(parts):
                    return joint.join(known)
        return None

    def _filled(self, fields: Mapping[str, str], chinese: str, depth: int) -> str | None:
        found: dict[str, str] = {}
        for name, value in fields.items():
            said = self._said(value, depth + 1) if name.startswith("=") else value
            if said is None:
                return None
            found[name] = said
        return _FIELD.sub(lambda field: found[field[1]], chinese)


def _values(literals: list[str], text: str) -> Iterator[list[str]]:
    """Yield what stands between the literals, found from the right, then from the left.

    Names stand at the front of our sentences and may hold anything, hence from the right first.
    No backtracking: the time is that of a search for each literal.
    """
    first, *inner, last = literals
    if not text.startswith(first) or not text.endswith(last):
        return
    body = text[len(first) : len(text) - len(last)]
    if len(first) + len(last) > len(text):
        return
    for from_right in (True, False):
        rest, values = body, []
        for literal in reversed(inner) if from_right else inner:
            head, found, tail = rest.rpartition(literal) if from_right else rest.partition(literal)
            if not found:
                return
            rest, value = (head, tail) if from_right else (tail, head)
            values.append(value)
        values.append(rest)
        if all(values):
            yield values[::-1] if from_right else values
