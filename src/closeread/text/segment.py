"""Where sentences and words lie in a text, always as offsets; no character is lost or moved."""

import re
from collections.abc import Iterator
from heapq import merge

from closeread.text.scripts import HAN, HIRAGANA, SIGNS, SYLLABLE, UNSPACED
from closeread.types import Span

_PARAGRAPH = re.compile(r"[^\r\n\u2028\u2029]+")

# Enders of other scripts: Arabic and Urdu, Indic, Armenian, Ethiopic, Burmese, Khmer.
_THEIRS = "؟۔।॥։።፧။។៕"


def _end(marks: str) -> re.Pattern[str]:
    """A run of enders, the quotes that close behind it, and what closes from a bracket on."""
    quotes = r"”’」』»\"'"
    return re.compile(
        rf"(?P<mark>[{marks}]+)[{quotes}\u3000]*(?P<brackets>[）)】〕\]》〉{quotes}]*)"
    )


_END = _end("。！？｡!?…." + _THEIRS)
_ENDS = {"el": _end("。！？｡!?….;\u037e")}  # the Greek question mark looks like a semicolon
_WIDE_MARK = re.compile(rf"[。！？｡{_THEIRS}]|…{{2,}}")
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
_FOLLOWING = re.compile(r"\s*+(?P<rest>[“‘「『（(【〔\[《〈\"'—–-]*+(?P<first>.))", re.DOTALL)
# After these the sentence goes on, whatever stood before them.
_GOES_ON = "，、；：。！？,;:!?…—的地得،؛"
_WORD_BEFORE = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]$|^I$")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TITLES = _words(
    "www dr mr mrs ms messrs prof st jr sr gen col lt maj capt cmdr sgt cpl pvt adm rep sen gov rev"
    " hon pres mt ft vs cf viz no nos vol vols fig figs pp eq ed eds al approx dept univ assn"
)
_CLIPPED = _words(
    "etc inc ltd co corp bros llc plc ave blvd rd est min max sq lb lbs oz hr hrs"
    " Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun"
)
# Words that begin a sentence far more often than they follow an abbreviation.
_STARTERS = _words(
    "a an the this that these those he she it they we you i his her its their our my in on at by"
    " for from with after before during when while where who what why how if as but and or so"
    " however although though since because there here then thus some many most one two each all"
    " no not another both once"
)
# A sentence that begins without a space behind the last one: "It ended.Then it began."
_RUN_ON = re.compile(r"(?!(?:Com|Org|Net|Edu)\b)[A-Z][a-z’'\s]")
_WORD = re.compile(r"[“\"'(]?[^\W\d_]{2,}(?:[-’'][^\W\d_]+)*[)”\"']?")
_NEXT_WORD = re.compile(r"[^\W\d_]+")


def sentences(text: str, language: str = "en") -> tuple[Span, ...]:
    """Split a text into sentences; white space at their ends is in none of them.

    A line break ends a sentence. So does a full stop, question or exclamation mark with the quotes
    that close behind it, a double ellipsis in Chinese, and the marks of other scripts (``؟``,
    ``۔``, ``।``); a decimal point, an English abbreviation (``U.S.``, ``Dr.``), an initial, and an
    ender inside brackets do not. The spans are in order, apart, and together hold every character
    that is not white space.

    Args:
        text: Any text.
        language: ``zh`` and ``ja`` let ``!``, ``?`` and ``……`` end a sentence without a space
            behind them, and ``zh`` a full stop where the text has no ``。`` and ends with one;
            ``el`` takes ``;`` for a question mark. In ``th`` and ``lo``, which have no mark for it,
            a blank between letters ends a sentence, so that most are clauses.
    """
    further = _further(text, language)
    found: list[Span] = []
    for paragraph in _PARAGRAPH.finditer(text):
        start = paragraph.start()
        for end in _ends(text, paragraph.start(), paragraph.end(), language, further):
            _add_trimmed(found, text, start, end)
            start = end
        _add_trimmed(found, text, start, paragraph.end())
    return tuple(found)


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
            return follower not in _GOES_ON and not match["brackets"]
        return follower not in "，、；：,;،؛"
    if not follower.isspace():
        return bool(_RUN_ON.match(text, match.end(), stop)) and _plain_word(text, match.start())
    following = _FOLLOWING.match(text, match.end(), stop)
    if following is None or following["first"].islower():
        return False
    return mark != "." or not _abbreviated(text, match.start(), following.start("rest"), stop)


def _plain_word(text: str, end: int) -> bool:
    """Whether what stands before ``end`` is a word: no initial, abbreviation, address or number."""
    word = text[max(0, end - 24) : end].split()[-1:]
    return bool(word) and bool(_WORD.fullmatch(word[0])) and word[0].lower() not in _TITLES


def _abbreviated(text: str, dot: int, rest: int, stop: int) -> bool:
    """Whether the full stop at ``dot`` belongs to an abbreviation inside a sentence.

    The paragraph goes on at ``rest`` and ends at ``stop``.
    """
    before = _WORD_BEFORE.search(text, max(0, dot - 24), dot)
    if before is None:
        return False
    word = before[0]
    if word.lower() in _TITLES:
        return not (word.lower() in {"no", "nos", "fig", "vol"} and not text[rest].isdigit())
    if len(word) == 1 and word.isupper() and word != "I":
        return True
    if _INITIALS.search(word) or word in _CLIPPED or word.lower() in _CLIPPED:
        following = _NEXT_WORD.match(text, rest, stop)
        return not (following and following[0].lower() in _STARTERS)
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
