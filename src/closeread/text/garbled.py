"""Restore garbled text: wrong encodings, entities, escapes, letters separated from their accents.

That a text can be restored proves nothing: ``É»`` may be garbled, or end a French quotation. A text
is garbled if the restored text, but not the text itself, is in its passage or a gold answer.
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
DECOMPOSED = "letters and accents apart"
LOST_LETTERS = "letters lost"

_MAX_SHORT = 3  # letters: a shorter accepted answer is in many texts by chance
_MAX_REPEATS = 3  # how often a text may have been garbled repeatedly
_MAX_OPEN_HOLES = 4  # holes without a clear end: each triples the ways to fill them
_BYTES = {chr(byte): byte for byte in range(0x80, 0x100)} | {
    bytes([byte]).decode("cp1252"): byte
    for byte in range(0x80, 0xA0)
    if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)  # undefined in Windows-1252
}
_LEAD_BYTES = "".join(character for character, byte in _BYTES.items() if 0xC2 <= byte <= 0xF4)
_CONTINUATION_BYTES = "".join(character for character, byte in _BYTES.items() if byte < 0xC0)
_SEQUENCE = re.compile(f"[{re.escape(_LEAD_BYTES)}][{re.escape(_CONTINUATION_BYTES)}]{{1,3}}")
_HIGH_BYTES = re.compile(f"[{re.escape(''.join(_BYTES))}]{{2,}}")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]+);")
_HOLES = re.compile(
    r"(?<=\w)\?+(?=\w)|\ufffd+"
)  # a question mark at the end of a word may be genuine
_SUSPECT = re.compile(r"[^\x00-\x7f]|[&\\?]")


class Original(NamedTuple):
    """The cause of garbling, and the original text."""

    cause: str
    text: str


def undo_garbling(text: str, expected: Iterable[str], passage: str = "") -> Original | None:
    """Return the original of a garbled text, or None if nothing shows that it is garbled.

    Case and white space are ignored.

    Args:
        text: The text as saved.
        expected: Texts that the original may equal: accepted answers for a prediction, predictions
            for a gold answer.
        passage: The passage in which the original may occur.
    """
    candidates = list(iter_originals(text, passage))
    if not candidates:
        return None
    expected_texts = {_normalize(expected_text) for expected_text in expected} - {""}
    normalized_passage = _normalize(passage)

    def is_expected(undone: str) -> bool:
        return any(
            undone == expected_text or (len(expected_text) > _MAX_SHORT and expected_text in undone)
            for expected_text in expected_texts
        )

    normalized_text = _normalize(text)
    already_found = is_expected(normalized_text), normalized_text in normalized_passage
    for candidate in candidates:
        undone = _normalize(candidate.text)
        if (is_expected(undone) and not already_found[0]) or (
            undone in normalized_passage and not already_found[1]
        ):
            return candidate
    return None


def may_be_garbled(text: str) -> bool:
    """Whether a text may be garbled, without regard to its passage; fast."""
    return bool(_HOLES.search(text)) or next(iter_originals(text), None) is not None


def iter_originals(text: str, passage: str = "") -> Iterator[Original]:
    """Yield the possible originals of a text, each with the cause of garbling.

    Args:
        text: The text as saved.
        passage: Where the original may occur, to restore lost letters.
    """
    if not _SUSPECT.search(text):
        return
    for cause, original in (
        (LATIN, _undo_latin(text)),
        (GBK, _undo_gbk(text, passage)),
        (OF_GBK, _reencode(_HIGH_BYTES, text, "cp1252", "gbk")),
        (ENTITIES, html.unescape(text) if _ENTITY.search(text) else text),
        (ESCAPES, _ESCAPE.sub(_unescape, text)),
        (DECOMPOSED, unicodedata.normalize("NFC", text)),
        (LOST_LETTERS, _fill_holes(text, passage)),
    ):
        if original != text:
            yield Original(cause, original)


def _undo_latin(text: str) -> str:
    for _ in range(_MAX_REPEATS):
        undone = _SEQUENCE.sub(_decode_sequence, text)
        if undone == text:
            break
        text = undone
    return text


def _decode_sequence(match: re.Match[str]) -> str:
    """Return the character that a byte sequence encodes, and the rest unchanged."""
    raw = bytes(_BYTES[character] for character in match[0])
    length = 2 if raw[0] < 0xE0 else 3 if raw[0] < 0xF0 else 4
    try:
        return raw[:length].decode("utf-8") + match[0][length:]
    except UnicodeDecodeError:
        return match[0]


def _undo_gbk(text: str, passage: str) -> str:
    """Return a text re-encoded; a last character lost to an odd number of bytes is restored."""
    without_holes = text.rstrip("?\ufffd")
    if without_holes == text or not without_holes.endswith(
        tuple(_NON_ASCII.findall(without_holes)[-1:])
    ):
        return _reencode(_NON_ASCII, text, "gb18030", "utf-8")
    undone = without_holes.encode("gb18030", "replace").decode("utf-8", "ignore")
    filled = _fill_holes(f"{undone}\ufffd", passage)
    return text if "\ufffd" in filled else filled


def _reencode(pattern: re.Pattern[str], text: str, wrong_encoding: str, true_encoding: str) -> str:
    """Return a text with runs that were decoded as ``read_as`` decoded as ``written_in``."""

    def reencode_match(match: re.Match[str]) -> str:
        try:
            return match[0].encode(wrong_encoding).decode(true_encoding)
        except UnicodeError:
            return match[0]

    return pattern.sub(reencode_match, text)


def _unescape(match: re.Match[str]) -> str:
    unescaped: str = json.loads(f'"{match[0]}"')
    return unescaped if unescaped.isprintable() else match[0]


def _fill_holes(text: str, passage: str) -> str:
    """Return a text whose lost letters are restored from the passage."""
    if not (_HOLES.search(text) and passage) or text in passage:
        return text
    pieces = _HOLES.split(text)
    n_open = sum(bool(piece) and not piece[0].isascii() for piece in pieces[1:])
    if n_open > _MAX_OPEN_HOLES or not any(piece.strip() for piece in pieces):
        return text
    pattern = r"[^\x00-\x7f]{1,3}?".join(map(re.escape, pieces))
    match = re.search(pattern, passage)
    return match[0] if match else text


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())
