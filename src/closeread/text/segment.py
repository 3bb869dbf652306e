"""Where sentences and words lie in a text, always as offsets; no character is lost or moved."""

import re
from collections.abc import Iterator
from heapq import merge

from closeread.text.abbreviations import Abbreviations, abbreviations
from closeread.text.mrqa_marks import BLOCK, MARK
from closeread.text.unicode_scripts import HAN, HIRAGANA, SIGNS, SYLLABLE, UNSPACED
from closeread.types import Span

_BREAK = re.compile(rf"[\r\n\u2028\u2029]+|{MARK}|{BLOCK}")

# Enders of other scripts: Arabic and Urdu, Indic, Armenian, Ethiopic, Burmese, Khmer.
_THEIRS = "؟۔।॥։።፧။។៕"
_MARKS = "。！？｡!?…." + _THEIRS
_QUOTES = "”’」』»\"'"


def _end(marks: str = _MARKS, quotes: str = _QUOTES, quote: str = "") -> re.Pattern[str]:
    """A run of enders, the quotes that close behind it, and what closes from a bracket on.

    A dot behind a blank belongs to the run (``. . .``), and to its end the numbers of notes that
    stand right behind it: ``.[1][2]``.
    """
    return re.compile(
        rf"(?P<mark>[{marks}]+(?:[ \u00a0]\.(?![\w.]))*)(?:[{quotes}\u3000]{quote})*"
        rf"(?:\[\d{{1,3}}\])*(?P<brackets>[）)】〕\]》〉{quotes}]*)"
    )


_END = _end()
_ENDS = {
    "de": _end(quotes=_QUOTES + "“‘«"),  # which open a quotation in other languages
    "el": _end(_MARKS + ";\u037e"),  # the Greek question mark looks like a semicolon
    "fr": _end(quote="|[ \u00a0\u202f]»"),
}
_WIDE_MARK = re.compile(rf"[。！？｡{_THEIRS}]|…{{2,}}")
# Up to a mark that belongs to an address where it goes on behind it: http://a.cn/b?c=1.
_ADDRESS = re.compile(r"(?:[A-Za-z]://|(?<![A-Za-z\d.])www\.)[!-~]*$")
_LONGEST_ADDRESS = 500  # of which no more is looked at
# Where nothing marks the end of a sentence, a blank does: Thai, Lao. What is repeated (ๆ) goes on.
_GAP = re.compile(
    r"(?<=[\u0e01-\u0e45\u0e47-\u0e4e\u0e81-\u0ec4\u0ec8-\u0ece])\s+"
    r"(?=[\u0e01-\u0e45\u0e81-\u0ec4])"
)
_PARTED_BY_BLANKS = frozenset(("th", "lo"))
# Where a Chinese text has no 。 and ends with one of these, as papers do, they are its full stops;
# in any other they stand in names and for commas, too.
_DOT = re.compile(rf"(?<=[{HAN}）)”’])[．.]++[”’」』]*+(?![，、；：,;！？!?…)）])")
# What stands behind an ender, and its first character that opens nothing.
_FOLLOWING = re.compile(
    r"\s*+(?P<rest>(?:[—–]\s|[“‘「『（(【〔\[《〈\"'—–-])*+(?P<first>.))", re.DOTALL
)
# After these the sentence goes on behind a quotation, whatever stood before them.
_GOES_ON = "，、；：。！？,;:!?…—的地得،؛"
_PARTICLES = {"ja": "とっをがにのはへや"}
_PART = rf"(?:(?!_)[\w{SIGNS}])+"
_WORD_BEFORE = re.compile(rf"{_PART}(?:[.'’&-]{_PART})*$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]$")
_NUMBER = re.compile(r"\d|[IVXLC]{2,}\b")
_ORDINAL = re.compile(r"(?<![^\s(–-])(?:\d{1,3}|[IVXLC]{2,})$")
# A number or letter alone names the sentence behind it: "1. First".
_LABEL = re.compile(r"\s*[(（]?(?:\d{1,3}|[A-Za-z])[.．]")
# A sentence that begins without a space behind the last one: "It ended.Then it began."
_RUN_ON = re.compile(r"(?!(?:Com|Org|Net|Edu)\b)[A-Z][a-z’'\s]")
_WORD = re.compile(r"[“\"'(]?[^\W\d_]{2,}(?:[-’'][^\W\d_]+)*[)”\"']?")
_NEXT_WORD = re.compile(r"[^\W\d_]++(?!\.)")  # no further initial


def sentences(text: str, language: str = "en") -> tuple[Span, ...]:
    """Split a text into sentences; white space at their ends is in none of them.

    A line break ends a sentence, and so does a mark of the MRQA shared task (``[DOC]``, ``[TLE]``,
    ``[PAR]``, ``[SEP]``; of Natural Questions ``<P>``, ``<Td>``, ``<Li>`` and their like), which is
    in none; a title and a table's cell are one each. So does a full stop, question or
    exclamation mark with the quotes that close behind it, a double ellipsis in Chinese, and the
    marks of other scripts (``؟``, ``۔``, ``।``); a decimal point, an abbreviation (``U.S.``,
    ``Dr.``), an initial, the number of an item (``1. First``), and an ender inside brackets do not.
    The spans are in order, apart, and together hold every character that is neither white space nor
    such a mark.

    Args:
        text: Any text.
        language: Says which abbreviations there are (``closeread.text.abbreviations``), and whether
            a number with a full stop is an ordinal (``3. Oktober``). ``zh`` and ``ja`` let ``!``,
            ``?`` and ``……`` end a sentence without a space behind them, and ``zh`` a full stop
            where the text has no ``。`` and ends with one; ``el`` takes ``;`` for a question mark.
            In ``th`` and ``lo``, which have no mark for it, a blank between letters ends a
            sentence, so that most are clauses.
    """
    further = _further(text, language)
    found: list[Span] = []
    for begin, stop in _paragraphs(text):
        start = begin
        for end in _ends(text, begin, stop, language, further):
            if _LABEL.fullmatch(text, start, end):
                continue
            _add_trimmed(found, text, start, end)
            start = end
        _add_trimmed(found, text, start, stop)
    return tuple(found)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _BREAK.finditer(text):
        yield start, found.start()
        start = found.end()
    yield start, len(text)


def _further(text: str, language: str) -> re.Pattern[str] | None:
    """Return what else ends the sentences of this text."""
    if language in _PARTED_BY_BLANKS:
        return _GAP
    if language == "zh" and text.rstrip()[-1:] in {".", "．"} and not {"。", "｡"} & set(text):
        return _DOT
    return None


def _ends(
    text: str, start: int, stop: int, language: str, further: re.Pattern[str] | None
) -> Iterator[int]:
    marked = (
        match.end()
        for match in _ENDS.get(language, _END).finditer(text, start, stop)
        if match.end() < stop and _ends_sentence(text, match, stop, language)
    )
    others = further.finditer(text, start, stop) if further else ()
    return merge(marked, (match.end() for match in others))


def _ends_sentence(text: str, match: re.Match[str], stop: int, language: str) -> bool:
    mark, follower = match["mark"], text[match.end()]
    if _WIDE_MARK.search(mark) or (language in {"zh", "ja"} and mark[-1] in "!?"):
        if match.end() > match.end("mark"):
            goes_on = _GOES_ON + _PARTICLES.get(language, "")
            return follower not in goes_on and not match["brackets"]
        if mark in "!?" and "!" <= follower <= "~" and _in_address(text, match.start()):
            return False
        return follower not in "，、；：,;،؛"
    known = abbreviations(language)
    if not follower.isspace():
        run_on = _RUN_ON.match(text, match.end(), stop)
        return bool(run_on) and _plain_word(text, match.start(), known)
    following = _FOLLOWING.match(text, match.end(), stop)
    if following is None or following["first"].islower():
        return False
    rest = following.start("rest")
    return mark != "." or not _abbreviated(text, match.start(), rest, stop, known)


def _in_address(text: str, end: int) -> bool:
    begin = max(0, end - _LONGEST_ADDRESS)
    if text.find("://", begin, end) < 0 and text.find("www.", begin, end) < 0:
        return False  # a tenth of the search's time, which each mark of a text would take
    return _ADDRESS.search(text, begin, end) is not None


def _plain_word(text: str, end: int, known: Abbreviations) -> bool:
    """Whether what stands before ``end`` is a word: no initial, abbreviation, address or number."""
    word = text[max(0, end - 24) : end].split()[-1:]
    if not word or not _WORD.fullmatch(word[0]):
        return False
    return not any(word[0].lower() in listed for listed in (known.inside, known.numbered))


def _abbreviated(text: str, dot: int, rest: int, stop: int, known: Abbreviations) -> bool:
    """Whether the full stop at ``dot`` belongs to an abbreviation inside a sentence.

    The paragraph goes on at ``rest`` and ends at ``stop``.
    """
    before = _WORD_BEFORE.search(text, max(0, dot - 24), dot)
    if before is None:
        return False
    word, small = before[0], before[0].lower()
    if word in known.inside or small in known.inside:
        return True
    if small in known.numbered and _NUMBER.match(text, rest, stop):
        return True
    initial = _INITIALS.search(word) or (len(word) == 1 and word.isupper())
    ordinal = known.ordinals and _ORDINAL.search(text, before.start(), dot)
    if initial or ordinal or word in known.clipped or small in known.clipped:
        following = _NEXT_WORD.match(text, rest, stop)
        return not (following and following[0].lower() in known.starters)
    return False


def _add_trimmed(found: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if left < right:
        found.append(Span(start + left, start + right))


# The four passes of VGaokao's own splitter, in words in its paper's repository: each inserts a
# line break into what the one before left, and a match eats the character behind the break.
_VGAOKAO_PASSES = (
    re.compile(r"([。！？?])([^”’])"),
    re.compile(r"(\.{6})([^”’])"),
    re.compile(r"(…{2})([^”’])"),
    re.compile(r"([。！？?][”’])([^，。！？?])"),
)


def vgaokao(text: str) -> tuple[Span, ...]:
    """Split as the authors of VGaokao did (Zhang et al. 2021), oddities included.

    Of two enders in a row only the first ends a sentence; six ASCII full stops do, a single one
    never; leading white space stays in the sentence, as does everything but line breaks.
    """
    broken = text
    for rule in _VGAOKAO_PASSES:
        broken = rule.sub(r"\1\n\2", broken)
    found: list[Span] = []
    position = 0
    for piece in broken.rstrip().split("\n"):
        while piece and text[position] == "\n":
            position += 1
        if piece:
            found.append(Span(position, position + len(piece)))
            position += len(piece)
    return tuple(found)


_HAN = HAN + r"\U00020000-\U0003ffff"
_LETTERS = rf"(?:(?![\d_{_HAN}{HIRAGANA}{UNSPACED}])[\w{SIGNS}])+"
_TOKEN = re.compile(
    rf"[{_HAN}{HIRAGANA}]|\d+(?:[.,]\d+)*|{SYLLABLE}"
    rf"|{_LETTERS}(?:['’.&\u200c\u200d-]{_LETTERS})*"
)
_ALONE = re.compile(rf"(?!\d)[{_HAN}{HIRAGANA}{UNSPACED}]")


def tokens(text: str) -> tuple[Span, ...]:
    """Return the words and numbers of a text; every Chinese character is a word.

    So is every hiragana, and every letter with its signs in Thai, Lao, Burmese and Khmer, which
    write no blanks between words either. Punctuation and white space are in none. ``U.S``,
    ``don't`` and ``well-known`` are one word each, ``1,250.5`` is one number.
    """
    return tuple(Span(*match.span()) for match in _TOKEN.finditer(text))


def is_character(token: str) -> bool:
    """Whether a token is a character of a script without blanks, and no word or number."""
    return bool(_ALONE.match(token))


def words(text: str) -> list[str]:
    """Return the tokens of a text as strings, much faster than ``tokens`` returns their places."""
    return _TOKEN.findall(text)
