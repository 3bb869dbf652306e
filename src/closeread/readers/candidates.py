"""Finds pieces of a passage that could answer a question, by its question word."""

import re
from collections.abc import Iterator

from closeread.text.calendar import A_MONTH
from closeread.text.question_type import Asked
from closeread.types import Span

_WORDS_OF_NUMBER = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|hundred|thousand|half)"
)
_EN_NUMBER = re.compile(
    rf"\d+(?:[.,]\d+)*(?:\s?(?:%|percent\b|million\b|billion\b|thousand\b))?|\b{_WORDS_OF_NUMBER}\b",
    re.IGNORECASE,
)
_EN_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)? {A_MONTH}(?:,? \d{{4}})?\b"
    rf"|\b{A_MONTH}(?: \d{{1,2}})?(?:,? \d{{4}})?\b"
    r"|\b(?:1[0-9]|20)\d\d(?:s\b|\b)"
)
_EN_LETTERS = r"(?:[A-Z]\.){2,}|[A-Z]\.(?= [A-Z])"  # U.S., and the F. of John F. Kennedy
_EN_NAME = re.compile(
    rf"\b(?:{_EN_LETTERS}|[A-Z][\w'’-]*)"
    rf"(?:(?: (?:of|the|de|van|von|and|del|la)){{0,2}} (?:{_EN_LETTERS}|[A-Z0-9][\w'’-]*))*"
)
# A mark between digits is their own: 1,000, 10:30, 1914–1918. So is the last one of U.S. and a.m.
_EN_PIECE = re.compile(
    r"(?:[^,;:()“”\"—–،؛«»]+|(?<=\d),(?=\d{3}(?!\d))|(?<=\d)[:–](?=\d))+",
)
_EN_LETTERED = re.compile(r"(?:\b[^\W\d_]\.){2,}$")
_ZH_NUMBER = re.compile(
    r"(?:约|近|大约)?(?:\d{1,3}(?:[,，]\d{3})+(?!\d)|[\d〇零一二三四五六七八九十百千万亿两半.])+"
    r"(?:多|余)?[%％\u4e00-\u9fff]?"
)
_ZH_DATE = re.compile(
    r"(?:公元前?)?\d{1,4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}月\d{1,2}[日号]|\d{1,2}世纪(?:\d0年代)?"
    r"|[〇零一二三四五六七八九十]{2,4}年|[唐宋元明清汉秦隋]代"
)
_ZH_PERSON = r"[\u4e00-\u9fff]{1,6}·[\u4e00-\u9fff·]{1,12}|[A-Z][\w .-]*\w"
_ZH_NAME = re.compile(rf"《[^》]+》|{_ZH_PERSON}")
_ZH_UNTITLED = re.compile(_ZH_PERSON)
_ZH_PIECE = re.compile(
    r"(?:[^，。；：！？、“”（）《》\s]+|(?<=\d)，(?=\d{3}(?!\d))|(?<=\d)：(?=\d))+"
)

_LONGEST_PIECE = 80
_LONGEST_RUN = 8
_LETTERED = 8  # characters behind which U.S. or a.m. begins at the latest


def find_candidates(text: str, sentence: Span, asked: Asked, language: str) -> list[Span]:
    """Return the pieces of one sentence that could be the answer, in text order, each once.

    Where the sentence holds nothing of the kind that is asked for, its clauses stand in for it.
    """
    chinese = language in {"zh", "ja"}  # Japanese has the same marks, numerals and dates
    patterns = {
        "date": _ZH_DATE if chinese else _EN_DATE,
        "number": _ZH_NUMBER if chinese else _EN_NUMBER,
        "name": _ZH_NAME if chinese else _EN_NAME,
    }
    found: list[Span] = []
    if asked in patterns:
        titled = sentence.end
        if asked == "name" and chinese:
            # From each 《 that nothing closes the pattern would look to the sentence's end.
            titled = text.rfind("》", sentence.start, sentence.end) + 1 or sentence.start
        matches = [
            *patterns[asked].finditer(text, sentence.start, titled),
            *_ZH_UNTITLED.finditer(text, titled, sentence.end),
        ]
        found = [Span(*match.span()) for match in matches]
        if asked == "name" and not chinese:
            found = [
                name for span in found if (name := _trim_name(text, span, sentence)) is not None
            ]
    return found or list(_iter_pieces(text, sentence, _ZH_PIECE if chinese else _EN_PIECE, chinese))


def find_numbers(text: str, span: Span) -> list[float]:
    """Return the numbers written in digits in a part of the text, dates' years not among them."""
    dated = [match.span() for match in _EN_DATE.finditer(text, span.start, span.end)]
    found = []
    behind = iter(dated)
    low, high = next(behind, (span.end, span.end))
    for match in re.finditer(r"\d+(?:,\d{3})*(?:\.\d+)?", text[span.start : span.end]):
        start = span.start + match.start()
        while high <= start:
            low, high = next(behind, (span.end, span.end))
        if start < low:
            found.append(float(match[0].replace(",", "")))
    return found


def format_date(text: str) -> str:
    """Return an English date as ``day month year``; "" where it is not a full or partial one."""
    day = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b(?!\d)", text)
    month = re.search(A_MONTH, text)
    year = re.search(r"\b\d{4}\b", text)
    if not (month or year):
        return ""
    parts = (day[1] if day and month else "", month[0] if month else "", year[0] if year else "")
    return " ".join(part for part in parts if part)


def _trim_name(text: str, span: Span, sentence: Span) -> Span | None:
    """Return a run of capitals without what is no name in it; None where nothing is left.

    The first word of a sentence has its capital from there, and a date is no name.
    """
    first = span.of(text).partition(" ")[0]
    if span.start == sentence.start and first.lower() in _COMMON:
        span = Span(min(span.start + len(first) + 1, span.end), span.end)
    if span.start == span.end or _EN_DATE.search(span.of(text)):
        return None
    return span


_COMMON_WORDS = (
    "the a an in on at it its he she they this that these after before when while for from by with "
    "his her their during since although however there most some many each both every between one "
    "two three four five six seven eight nine ten not no only even if as but and or nobody what who"
)
_COMMON = frozenset(_COMMON_WORDS.split())


def _iter_pieces(text: str, sentence: Span, rule: re.Pattern[str], chinese: bool) -> Iterator[Span]:
    for match in rule.finditer(text, sentence.start, sentence.end):
        start, end = match.span()
        while start < end and text[start].isspace():
            start += 1
        while end > start and (text[end - 1].isspace() or text[end - 1] in ".!?؟۔।"):
            if _EN_LETTERED.search(text, max(start, end - _LETTERED), end):
                break
            end -= 1
        if start == end:
            continue
        yield Span(start, min(end, start + _LONGEST_PIECE) if chinese else end)
        if not chinese:
            yield from _iter_word_runs(text, start, end)


def _iter_word_runs(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the runs of words between function words, at most eight words each.

    They are what is left when a clause is cut there; a longer one goes on in the next.
    """
    words = [Span(*match.span()) for match in re.finditer(r"[^\s]+", text[start:end])]
    words = [Span(word.start + start, word.end + start) for word in words]
    run: list[Span] = []
    for word in [*words, Span(end, end)]:
        cuts = word.start == word.end or word.of(text).lower() in _CUTS
        if run and (cuts or len(run) == _LONGEST_RUN):
            if len(run) < len(words):
                yield Span(run[0].start, run[-1].end)
            run = []
        if not cuts:
            run.append(word)


_CUT_WORDS = (
    "the a an of to in on at by for from with as and or but is are was were be been has have had it"
    " which that who did does do its they he she than then when"
)
_CUTS = frozenset(_CUT_WORDS.split())
