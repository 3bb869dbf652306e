"""Translate English sentences of other modules into Chinese, by templates instead of keys.

A check writes plain English, for the terminal and for programs. In a template, ``{name}`` stands
for text that is kept as it is (names, numbers, stop strings), ``{=cause}`` for a part that is
itself translated. A sentence that matches no template stays English as a whole.
"""

import re
from collections.abc import Iterator, Mapping

_FIELD = re.compile(r"\{(=?\w+)\}")
_DEEPEST = 4  # templates nest no deeper, although a name in them may look like a template
_LISTS = (("; ", "；"), (" + ", " + "), (", ", "，"))
_SEPARATORS = (": ", *(separator for separator, _ in _LISTS))


class Phrases:
    """Maps English templates to Chinese ones; earlier templates are tried first."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        self._exact = pairs
        self._templates = [
            (_FIELD.split(english)[::2], _FIELD.findall(english), chinese)
            for english, chinese in pairs.items()
            if _FIELD.search(english)
        ]

    def say(self, text: str, language: str) -> str:
        """Return a sentence in a language, unchanged if there is no translation."""
        return text if language == "en" else (self._translate(text) or text)

    def templates(self) -> Mapping[str, str]:
        """Return all templates, English to Chinese."""
        return self._exact

    def fill(self, template: str, language: str, **values: object) -> str:
        """Fill in a template in a language.

        Raises:
            KeyError: There is no such template, or a field has no value.
        """
        translated = self._exact[template] if language == "zh" else template
        return _FIELD.sub(lambda field: str(values[field[1]]), translated)

    def _translate(self, text: str, depth: int = 0) -> str | None:
        if text in self._exact:
            return self._exact[text]
        if depth > _DEEPEST:
            return None
        # Names rarely contain a list separator; if one would, try the sentence as a list first.
        return (
            self._match_templates(text, depth, loose=False)
            or self._translate_list(text, depth)
            or self._match_templates(text, depth, loose=True)
        )

    def _match_templates(self, text: str, depth: int, *, loose: bool) -> str | None:
        for literals, names, chinese in self._templates:
            if depth and not literals[0] and literals[1].startswith(": ") and names[0][0] != "=":
                continue  # only a whole sentence begins with a name
            for values in _iter_values(literals, text):
                fields = dict(zip(names, values, strict=True))
                if not loose and any(
                    separator in value
                    for name, value in fields.items()
                    for separator in _SEPARATORS
                    if not name.startswith("=")
                ):
                    continue
                if (filled := self._fill_template(fields, chinese, depth)) is not None:
                    return filled
        return None

    def _translate_list(self, text: str, depth: int) -> str | None:
        for separator, joint in _LISTS:
            if separator in text:
                parts = [self._translate(part, depth + 1) for part in text.split(separator)]
                translated = [part for part in parts if part is not None]
                if len(translated) == len(parts):
                    return joint.join(translated)
        return None

    def _fill_template(self, fields: Mapping[str, str], chinese: str, depth: int) -> str | None:
        translated_fields: dict[str, str] = {}
        for name, value in fields.items():
            translated = self._translate(value, depth + 1) if name.startswith("=") else value
            if translated is None:
                return None
            translated_fields[name] = translated
        return _FIELD.sub(lambda field: translated_fields[field[1]], chinese)


def _iter_values(literals: list[str], text: str) -> Iterator[list[str]]:
    """Yield the values between the literals, matched from the right, then from the left.

    Names are at the front of sentences and may contain anything, so matching starts at the right.
    No backtracking: the cost is one search per literal.
    """
    first, *inner, last = literals
    if not text.startswith(first) or not text.endswith(last):
        return
    body = text[len(first) : len(text) - len(last)]
    if len(first) + len(last) > len(text):
        return
    for from_right in (True, False):
        remaining, values = body, []
        for literal in reversed(inner) if from_right else inner:
            head, separator, tail = (
                remaining.rpartition(literal) if from_right else remaining.partition(literal)
            )
            if not separator:
                return
            remaining, value = (head, tail) if from_right else (tail, head)
            values.append(value)
        values.append(remaining)
        if all(values):
            yield values[::-1] if from_right else values
