"""Finds spans of a passage that could answer a question of a given answer type."""

import re
from collections.abc import Iterator

from closeread.text.calendar import A_MONTH
from closeread.text.question_type import AnswerType
from closeread.types import Span

_NUMBER_WORDS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|hundred|thousand|half)"
)
_EN_NUMBER = re.compile(
    rf"\d+(?:[.,]\d+)*(?:\s?(?:%|percent\b|million\b|billion\b|thousand\b))?|\b{_NUMBER_WORDS}\b",
    re.IGNORECASE,
)
_EN_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)? {A_MONTH}(?:,? \d{{4}})?\b"
    rf"|\b{A_MONTH}(?: \d{{1,2}})?(?:,? \d{{4}})?\b"
    r"|\b(?:1[0-9]|20)\d\d(?:s\b|\b)"
)
_EN_INITIALS = r"(?:[A-Z]\.){2,}|[A-Z]\.(?= [A-Z])"  # U.S., and the F. of John F. Kennedy
_EN_NAME = re.compile(
    rf"\b(?:{_EN_INITIALS}|[A-Z][\w'’-]*)"
    rf"(?:(?: (?:of|the|de|van|von|and|del|la)){{0,2}} (?:{_EN_INITIALS}|[A-Z0-9][\w'’-]*))*"
)
# A mark between digits separates nothing: 1,000, 10:30, 1914–1918. Nor does the last of U.S., a.m.
_EN_PIECE = re.compile(
    r"(?:[^,;:()“”\"—–،؛«»]+|(?<=\d),(?=\d{3}(?!\d))|(?<=\d)[:–](?=\d))+",
)
_EN_ABBREVIATION = re.compile(r"(?:\b[^\W\d_]\.){2,}$")
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

_MAX_PIECE_CHARACTERS = 80
_MAX_RUN_WORDS = 8
_ABBREVIATION_CHARACTERS = 8  # before the end of a piece, searched for U.S. or a.m.


def find_candidates(
    text: str, sentence: Span, answer_type: AnswerType, language: str
) -> list[Span]:
    """Return the spans of one sentence that could be the answer, in text order, each once.

    If the sentence has nothing of this type, its clauses are returned.

    Args:
        text: The passage.
        sentence: The span that is searched.
        answer_type: The expected type of the answer.
        language: The passage's language; ``zh`` and ``ja`` use the Chinese patterns.
    """
    chinese = language in {"zh", "ja"}  # Japanese has the same marks, numerals and dates
    patterns = {
        "date": _ZH_DATE if chinese else _EN_DATE,
        "number": _ZH_NUMBER if chinese else _EN_NUMBER,
        "name": _ZH_NAME if chinese else _EN_NAME,
    }
    candidates: list[Span] = []
    if answer_type in patterns:
        title_end = sentence.end
        if answer_type == "name" and chinese:
            # For each 《 without 》 the pattern would scan to the sentence's end: quadratic time.
            title_end = text.rfind("》", sentence.start, sentence.end) + 1 or sentence.start
        matches = [
            *patterns[answer_type].finditer(text, sentence.start, title_end),
            *_ZH_UNTITLED.finditer(text, title_end, sentence.end),
        ]
        candidates = [Span(*match.span()) for match in matches]
        if answer_type == "name" and not chinese:
            candidates = [
                name
                for span in candidates
                if (name := _trim_name(text, span, sentence)) is not None
            ]
    return candidates or list(
        _iter_pieces(text, sentence, _ZH_PIECE if chinese else _EN_PIECE, chinese)
    )


def find_numbers(text: str, span: Span) -> list[float]:
    """Return the numbers in digits within a span of the text, without those of dates."""
    dates = [match.span() for match in _EN_DATE.finditer(text, span.start, span.end)]
    numbers = []
    remaining_dates = iter(dates)
    date_start, date_end = next(remaining_dates, (span.end, span.end))
    for match in re.finditer(r"\d+(?:,\d{3})*(?:\.\d+)?", text[span.start : span.end]):
        start = span.start + match.start()
        while date_end <= start:
            date_start, date_end = next(remaining_dates, (span.end, span.end))
        if start < date_start:
            numbers.append(float(match[0].replace(",", "")))
    return numbers


def format_date(text: str) -> str:
    """Return an English date as ``day month year``, or "" if the text has no month and no year."""
    day = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b(?!\d)", text)
    month = re.search(A_MONTH, text)
    year = re.search(r"\b\d{4}\b", text)
    if not (month or year):
        return ""
    parts = (day[1] if day and month else "", month[0] if month else "", year[0] if year else "")
    return " ".join(part for part in parts if part)


def _trim_name(text: str, span: Span, sentence: Span) -> Span | None:
    """Return a run of capitalised words as a name; None if it is none.

    A common first word of the sentence is dropped, since its capital shows nothing. A date is not
    a name.
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


def _iter_pieces(
    text: str, sentence: Span, pattern: re.Pattern[str], chinese: bool
) -> Iterator[Span]:
    for match in pattern.finditer(text, sentence.start, sentence.end):
        start, end = match.span()
        while start < end and text[start].isspace():
            start += 1
        while end > start and (text[end - 1].isspace() or text[end - 1] in ".!?؟۔।"):
            if _EN_ABBREVIATION.search(text, max(start, end - _ABBREVIATION_CHARACTERS), end):
                break
            end -= 1
        if start == end:
            continue
        yield Span(start, min(end, start + _MAX_PIECE_CHARACTERS) if chinese else end)
        if not chinese:
            yield from _iter_word_runs(text, start, end)


def _iter_word_runs(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the runs of words between function words, at most eight words each.

    A longer run is split; a run that is the whole clause is not yielded again.
    """
    words = [Span(*match.span()) for match in re.finditer(r"[^\s]+", text[start:end])]
    words = [Span(word.start + start, word.end + start) for word in words]
    run: list[Span] = []
    for word in [*words, Span(end, end)]:
        cuts = word.start == word.end or word.of(text).lower() in _CUTS
        if run and (cuts or len(run) == _MAX_RUN_WORDS):
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
