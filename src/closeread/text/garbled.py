"""Undo garbled text: wrong encodings, entities, escapes, letters separated from their accents.

That a change can be undone proves nothing: ``É»`` may be garbled, or end a French quotation. A text
is garbled if the undone text is expected, in its passage or as a gold answer, and it itself is not.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

LATIN = "UTF-8 read as Latin-1"
GBK = "UTF-8 read as GBK"
OF_GBK = "GBK read as Latin-1"
ENTITIES = "HTML entities"
ESCAPES = "JSON escapes"
APART = "letters and accents apart"
LOST = "letters lost"

_SHORT = 3  # letters: an accepted answer that is no longer stands in many texts by chance
_MOST_TIMES = 3  # that a text is garbled over and over
_MOST_OPEN = 4  # holes whose end is not told by what follows: each trebles the ways to fill them
_BYTES = {chr(byte): byte for byte in range(0x80, 0x100)} | {
    bytes([byte]).decode("cp1252"): byte
    for byte in range(0x80, 0xA0)
    if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)  # which Windows-1252 leaves open
}
_LEADS = "".join(one for one, byte in _BYTES.items() if 0xC2 <= byte <= 0xF4)
_FURTHER = "".join(one for one, byte in _BYTES.items() if byte < 0xC0)
_SEQUENCE = re.compile(f"[{re.escape(_LEADS)}][{re.escape(_FURTHER)}]{{1,3}}")
_HIGH = re.compile(f"[{re.escape(''.join(_BYTES))}]{{2,}}")
_WIDE = re.compile(r"[^\x00-\x7f]+")
_ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]+);")
_HOLES = re.compile(r"(?<=\w)\?+(?=\w)|\ufffd+")  # a mark behind a word may ask
_SUSPECT = re.compile(r"[^\x00-\x7f]|[&\\?]")


class Original(NamedTuple):
    """The original of a garbled text, and how it was garbled."""

    how: str
    text: str


def undo_garbling(text: str, expected: Iterable[str], passage: str = "") -> Original | None:
    """Return the original of a garbled text, or None if nothing shows that it is garbled.

    Case and white space make no difference.

    Args:
        text: The text as saved.
        expected: Texts that the original may equal: accepted answers for a prediction, predictions
            for a gold answer.
        passage: The passage in which the original may occur.
    """
    candidates = list(iter_originals(text, passage))
    if not candidates:
        return None
    wanted = {_normalize(one) for one in expected} - {""}
    around = _normalize(passage)

    def says(undone: str) -> bool:
        return any(undone == one or (len(one) > _SHORT and one in undone) for one in wanted)

    own = _normalize(text)
    open_to = says(own), own in around
    for found in candidates:
        undone = _normalize(found.text)
        if (says(undone) and not open_to[0]) or (undone in around and not open_to[1]):
            return found
    return None


def may_be_garbled(text: str) -> bool:
    """Whether a text may be garbled, whatever its passage; cheap."""
    return bool(_HOLES.search(text)) or next(iter_originals(text), None) is not None


def iter_originals(text: str, passage: str = "") -> Iterator[Original]:
    """Yield the possible originals of a text, each with how it was garbled.

    Args:
        text: The text as saved.
        passage: Where the original may occur, to restore lost letters.
    """
    if not _SUSPECT.search(text):
        return
    for how, was in (
        (LATIN, _undo_latin(text)),
        (GBK, _undo_gbk(text, passage)),
        (OF_GBK, _reencode_runs(_HIGH, text, "cp1252", "gbk")),
        (ENTITIES, html.unescape(text) if _ENTITY.search(text) else text),
        (ESCAPES, _ESCAPE.sub(_unescape, text)),
        (APART, unicodedata.normalize("NFC", text)),
        (LOST, _fill_holes(text, passage)),
    ):
        if was != text:
            yield Original(how, was)


def _undo_latin(text: str) -> str:
    for _ in range(_MOST_TIMES):
        undone = _SEQUENCE.sub(_decode_sequence, text)
        if undone == text:
            break
        text = undone
    return text


def _decode_sequence(found: re.Match[str]) -> str:
    """Return the letter of a byte sequence; what follows it is kept."""
    raw = bytes(_BYTES[one] for one in found[0])
    length = 2 if raw[0] < 0xE0 else 3 if raw[0] < 0xF0 else 4
    try:
        return raw[:length].decode("utf-8") + found[0][length:]
    except UnicodeDecodeError:
        return found[0]


def _undo_gbk(text: str, passage: str) -> str:
    """Return a text with its runs undone; an odd number of bytes loses the last character."""
    stem = text.rstrip("?\ufffd")
    if stem == text or not stem.endswith(tuple(_WIDE.findall(stem)[-1:])):
        return _reencode_runs(_WIDE, text, "gb18030", "utf-8")
    undone = stem.encode("gb18030", "replace").decode("utf-8", "ignore")
    whole = _fill_holes(f"{undone}\ufffd", passage)
    return text if "\ufffd" in whole else whole


def _reencode_runs(runs: re.Pattern[str], text: str, read_as: str, written_in: str) -> str:
    """Return a text with the runs that were read in one encoding read in another one."""

    def undone(found: re.Match[str]) -> str:
        try:
            return found[0].encode(read_as).decode(written_in)
        except UnicodeError:
            return found[0]

    return runs.sub(undone, text)


def _unescape(found: re.Match[str]) -> str:
    undone: str = json.loads(f'"{found[0]}"')
    return undone if undone.isprintable() else found[0]


def _fill_holes(text: str, passage: str) -> str:
    """Return a text with its holes filled from the passage."""
    if not (_HOLES.search(text) and passage) or text in passage:
        return text
    pieces = _HOLES.split(text)
    n_open = sum(bool(piece) and not piece[0].isascii() for piece in pieces[1:])
    if n_open > _MOST_OPEN or not any(piece.strip() for piece in pieces):
        return text
    pattern = r"[^\x00-\x7f]{1,3}?".join(map(re.escape, pieces))
    found = re.search(pattern, passage)
    return found[0] if found else text


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())
