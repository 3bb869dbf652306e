"""Split a text into sentences and words, as spans of the unchanged text."""

import re
from collections.abc import Iterator
from heapq import merge

from closeread.text.abbreviations import Abbreviations, abbreviations_of
from closeread.text.mrqa_marks import BLOCK, MARK
from closeread.text.unicode_scripts import HAN, HIRAGANA, SIGNS, SYLLABLE, UNSPACED
from closeread.types import Span

_BREAK = re.compile(rf"[\r\n\u2028\u2029]+|{MARK}|{BLOCK}")

# End marks of other scripts: Arabic and Urdu, Indic, Armenian, Ethiopic, Burmese, Khmer.
_OTHER_SCRIPTS = "؟۔।॥։።፧။។៕"
_MARKS = "。！？｡!?…." + _OTHER_SCRIPTS
_QUOTES = "”’」』»\"'"


def _end_pattern(marks: str = _MARKS, quotes: str = _QUOTES, quote: str = "") -> re.Pattern[str]:
    """Return a pattern of a run of end marks, closing quotes, and then closing brackets.

    A dot after a blank belongs to the run (``. . .``); the numbers of notes directly after it
    (``.[1][2]``) to its end.
    """
    return re.compile(
        rf"(?P<mark>[{marks}]+(?:[ \u00a0]\.(?![\w.]))*)(?:[{quotes}\u3000]{quote})*"
        rf"(?:\[\d{{1,3}}\])*(?P<brackets>[）)】〕\]》〉{quotes}]*)"
    )


_END = _end_pattern()
_ENDS = {
    "de": _end_pattern(quotes=_QUOTES + "“‘«"),  # opening quotes in other languages
    "el": _end_pattern(_MARKS + ";\u037e"),  # the Greek question mark looks like a semicolon
    "fr": _end_pattern(quote="|[ \u00a0\u202f]»"),
}
_WIDE_MARK = re.compile(rf"[。！？｡{_OTHER_SCRIPTS}]|…{{2,}}")
# An address before a mark, which may continue after it: http://a.cn/b?c=1.
_ADDRESS = re.compile(r"(?:[A-Za-z]://|(?<![A-Za-z\d.])www\.)[!-~]*$")
_MAX_ADDRESS = 500  # characters before a mark that are searched
# Thai and Lao have no end marks: a blank ends a sentence, except after the repetition mark ๆ.
_BLANK_BOUNDARY = re.compile(
    r"(?<=[\u0e01-\u0e45\u0e47-\u0e4e\u0e81-\u0ec4\u0ec8-\u0ece])\s+"
    r"(?=[\u0e01-\u0e45\u0e81-\u0ec4])"
)
_SEPARATED_BY_BLANKS = frozenset(("th", "lo"))
# If a Chinese text has no 。 and ends with one of these, as in papers, they are its full stops;
# elsewhere they also occur in names and as commas.
_DOT = re.compile(rf"(?<=[{HAN}）)”’])[．.]++[”’」』]*+(?![，、；：,;！？!?…)）])")
# The text after an end mark, and its first character that is no opening mark.
_FOLLOWING = re.compile(
    r"\s*+(?P<rest>(?:[—–]\s|[“‘「『（(【〔\[《〈\"'—–-])*+(?P<first>.))", re.DOTALL
)
# Before these characters a sentence continues after a quotation.
_CONTINUATIONS = "，、；：。！？,;:!?…—的地得،؛"
_PARTICLES = {"ja": "とっをがにのはへや"}
_WORD_PART = rf"(?:(?!_)[\w{SIGNS}])+"
_WORD_BEFORE = re.compile(rf"{_WORD_PART}(?:[.'’&-]{_WORD_PART})*$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]$")
_NUMBER = re.compile(r"\d|[IVXLC]{2,}\b")
_ORDINAL = re.compile(r"(?<![^\s(–-])(?:\d{1,3}|[IVXLC]{2,})$")
# A single number or letter labels the sentence after it: "1. First".
_LABEL = re.compile(r"\s*[(（]?(?:\d{1,3}|[A-Za-z])[.．]")
# A sentence that follows the last one without a space: "It ended.Then it began."
_RUN_ON = re.compile(r"(?!(?:Com|Org|Net|Edu)\b)[A-Z][a-z’'\s]")
_WORD = re.compile(r"[“\"'(]?[^\W\d_]{2,}(?:[-’'][^\W\d_]+)*[)”\"']?")
_NEXT_WORD = re.compile(r"[^\W\d_]++(?!\.)")  # not another initial


def sentences(text: str, language: str = "en") -> tuple[Span, ...]:
    """Split a text into sentences, without white space at their ends.

    A sentence ends at a line break, and at a mark of the MRQA shared task (``[DOC]``, ``[TLE]``,
    ``[PAR]``, ``[SEP]``; in Natural Questions ``<P>``, ``<Td>``, ``<Li>`` and similar ones), which
    belongs to no sentence; so a title or a table's cell is one. It ends at a full stop, question
    mark or exclamation mark with its closing quotes, at a double ellipsis in Chinese, and at the
    marks of other scripts (``؟``, ``۔``, ``।``). It does not end at a decimal point, an
    abbreviation (``U.S.``, ``Dr.``), an initial, the number of an item (``1. First``), or inside
    brackets. The spans are in order and disjoint, and cover every character but white space and
    MRQA marks.

    Args:
        text: Any text.
        language: Determines the abbreviations (``closeread.text.abbreviations``), and whether a
            number with a full stop is an ordinal (``3. Oktober``). In ``zh`` and ``ja``, ``!``,
            ``?`` and ``……`` end a sentence without a space after them, and in ``zh`` a full stop if
            the text has no ``。`` and ends with one. In ``el``, ``;`` is a question mark. In ``th``
            and ``lo``, which have no end marks, a blank between letters ends a sentence, so most
            are clauses.
    """
    other_boundaries = _other_boundaries(text, language)
    spans: list[Span] = []
    for paragraph_start, paragraph_end in _paragraphs(text):
        start = paragraph_start
        for end in _iter_ends(text, paragraph_start, paragraph_end, language, other_boundaries):
            if _LABEL.fullmatch(text, start, end):
                continue
            _add_trimmed(spans, text, start, end)
            start = end
        _add_trimmed(spans, text, start, paragraph_end)
    return tuple(spans)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _BREAK.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _other_boundaries(text: str, language: str) -> re.Pattern[str] | None:
    """Return a pattern of further sentence ends in this text, if there are any."""
    if language in _SEPARATED_BY_BLANKS:
        return _BLANK_BOUNDARY
    if language == "zh" and text.rstrip()[-1:] in {".", "．"} and not {"。", "｡"} & set(text):
        return _DOT
    return None


def _iter_ends(
    text: str, start: int, stop: int, language: str, other_boundaries: re.Pattern[str] | None
) -> Iterator[int]:
    mark_ends = (
        match.end()
        for match in _ENDS.get(language, _END).finditer(text, start, stop)
        if match.end() < stop and _ends_sentence(text, match, stop, language)
    )
    other_matches = other_boundaries.finditer(text, start, stop) if other_boundaries else ()
    return merge(mark_ends, (match.end() for match in other_matches))


def _ends_sentence(text: str, match: re.Match[str], stop: int, language: str) -> bool:
    mark, follower = match["mark"], text[match.end()]
    if _WIDE_MARK.search(mark) or (language in {"zh", "ja"} and mark[-1] in "!?"):
        if match.end() > match.end("mark"):
            continuation = _CONTINUATIONS + _PARTICLES.get(language, "")
            return follower not in continuation and not match["brackets"]
        if mark in "!?" and "!" <= follower <= "~" and _is_in_address(text, match.start()):
            return False
        return follower not in "，、；：,;،؛"
    abbreviations = abbreviations_of(language)
    if not follower.isspace():
        run_on = _RUN_ON.match(text, match.end(), stop)
        return bool(run_on) and _ends_in_plain_word(text, match.start(), abbreviations)
    following = _FOLLOWING.match(text, match.end(), stop)
    if following is None or following["first"].islower():
        return False
    next_word_start = following.start("rest")
    return mark != "." or not _is_abbreviation(
        text, match.start(), next_word_start, stop, abbreviations
    )


def _is_in_address(text: str, end: int) -> bool:
    begin = max(0, end - _MAX_ADDRESS)
    if text.find("://", begin, end) < 0 and text.find("www.", begin, end) < 0:
        return False  # ten times as fast as the pattern, which every mark would search for
    return _ADDRESS.search(text, begin, end) is not None


def _ends_in_plain_word(text: str, end: int, abbreviations: Abbreviations) -> bool:
    """Whether a plain word ends at ``end``: no initial, abbreviation, address or number."""
    word = text[max(0, end - 24) : end].split()[-1:]
    if not word or not _WORD.fullmatch(word[0]):
        return False
    return not any(
        word[0].lower() in words for words in (abbreviations.always, abbreviations.before_number)
    )


def _is_abbreviation(
    text: str, dot: int, next_word_start: int, stop: int, abbreviations: Abbreviations
) -> bool:
    """Whether the full stop at ``dot`` belongs to an abbreviation inside a sentence.

    The next word begins at ``rest``, and the paragraph ends at ``stop``.
    """
    word_match = _WORD_BEFORE.search(text, max(0, dot - 24), dot)
    if word_match is None:
        return False
    word, lowercase = word_match[0], word_match[0].lower()
    if word in abbreviations.always or lowercase in abbreviations.always:
        return True
    if lowercase in abbreviations.before_number and _NUMBER.match(text, next_word_start, stop):
        return True
    initial = _INITIALS.search(word) or (len(word) == 1 and word.isupper())
    ordinal = abbreviations.ordinals and _ORDINAL.search(text, word_match.start(), dot)
    if (
        initial
        or ordinal
        or word in abbreviations.unless_starter
        or lowercase in abbreviations.unless_starter
    ):
        following = _NEXT_WORD.match(text, next_word_start, stop)
        return not (following and following[0].lower() in abbreviations.starters)
    return False


def _add_trimmed(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if left < right:
        spans.append(Span(start + left, start + right))


# The four passes of VGaokao's own splitter, described in its paper's repository: each inserts line
# breaks into the result of the one before, and a match consumes the character after the break.
_VGAOKAO_PASSES = (
    re.compile(r"([。！？?])([^”’])"),
    re.compile(r"(\.{6})([^”’])"),
    re.compile(r"(…{2})([^”’])"),
    re.compile(r"([。！？?][”’])([^，。！？?])"),
)


def vgaokao(text: str) -> tuple[Span, ...]:
    """Split as the authors of VGaokao did (Zhang et al. 2021), with its oddities.

    Of two end marks in a row only the first ends a sentence; six ASCII full stops do, a single one
    never does. All but line breaks stays in the sentences, also leading white space.
    """
    broken = text
    for rule in _VGAOKAO_PASSES:
        broken = rule.sub(r"\1\n\2", broken)
    spans: list[Span] = []
    position = 0
    for piece in broken.rstrip().split("\n"):
        while piece and text[position] == "\n":
            position += 1
        if piece:
            spans.append(Span(position, position + len(piece)))
            position += len(piece)
    return tuple(spans)


_HAN = HAN + r"\U00020000-\U0003ffff"
_LETTERS = rf"(?:(?![\d_{_HAN}{HIRAGANA}{UNSPACED}])[\w{SIGNS}])+"
_TOKEN = re.compile(
    rf"[{_HAN}{HIRAGANA}]|\d+(?:[.,]\d+)*|{SYLLABLE}"
    rf"|{_LETTERS}(?:['’.&\u200c\u200d-]{_LETTERS})*"
)
_UNSPACED_CHARACTER = re.compile(rf"(?!\d)[{_HAN}{HIRAGANA}{UNSPACED}]")


def tokens(text: str) -> tuple[Span, ...]:
    """Return the spans of the words and numbers of a text.

    Every Chinese character and every hiragana is a word, and so is every letter with its signs in
    Thai, Lao, Burmese and Khmer, which also have no blanks between words. ``U.S``, ``don't`` and
    ``well-known`` are one word each, ``1,250.5`` is one number.
    """
    return tuple(Span(*match.span()) for match in _TOKEN.finditer(text))


def is_character(token: str) -> bool:
    """Whether a token is a single character of a script that has no blanks between words."""
    return bool(_UNSPACED_CHARACTER.match(token))


def words(text: str) -> list[str]:
    """Return the tokens of a text as strings, much faster than ``tokens`` returns their spans."""
    return _TOKEN.findall(text)
