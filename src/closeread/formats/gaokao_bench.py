"""GAOKAO-Bench's modern texts (Zhang et al. 2023): passage and questions in one printed string.

``{"keywords", "example": [{"year", "category", "question", "answer": [letter, ...], "analysis",
"index", "score"}]}``; files of model answers say ``standard_answer``. The string was taken from a
PDF: lines break anywhere, spaces stand before quotation marks. It is split into the passage, the
stems and the options; line breaks inside a paragraph, stray spaces, headings, numbers and letters
are left out. ``Passage.metadata`` keeps what was left out and where, so that writing restores the
string.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

import msgspec

from closeread.errors import UsageError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.choices import (
    gold_from_letter,
    implied_truth,
    make_options,
    require_options,
)
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_writing import write_array
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.text.polarity import is_verification, polarity
from closeread.types import Dataset, Defects, Item, Passage, Question
from closeread.wording import count_of

_NAME = "gaokao-bench"
_PUBLISHED = "2010-2022_Chinese_Modern_Lit"
_HEADING = re.compile(
    r"[^\n]{0,60}?(?:现代文阅读|类文本阅读|选择题|解答题)[^\n]{0,40}\n"
    r"|[^\n]{0,80}?(?:完成|回答)[^\n]{0,16}?题[。．：:]?[ \t\u3000]*\n?"
)
_NUMBER = re.compile(r"(?:[（(]\d++[）)]|(?<!\d)\d++[ \t]*+[.．、])[ \t]*+")
_LETTER = re.compile(r"(?<![A-Za-z])([A-D])[ \t]*[.．、](?![A-Za-z])[ \t]*")
_SPACES = re.compile(r"[ \t\u3000\xa0]*(?:\n[ \t\u3000\xa0]*)+|[ \t\u3000\xa0]+")
# What is printed after a stem or an option: its marks, the gap for the letter, the page number. The
# search starts only at the first of several blanks, not at each.
_TAIL = re.compile(
    r"(?:(?=[〔（(])|(?<![ \t\u3000\xa0]))(?:[〔（(]\d+[ ]?分[〕）)]。?)?[ \t\u3000\xa0]*+"
    r"(?:[（(][ \t\u3000\xa0]*+[）)])?(?:(?<=[。？！”）)])\d{1,2})?[ \t\u3000\xa0]*+\n?$"
)
# A stem's number follows one of these, or begins its line.
_SPACE = " \u3000"
_BLANKS = _SPACE + "\t"
_PARAGRAPH_END = "。！？”’）)：…"
_PART_OF_LINE = 0.8

Piece = tuple[int, int]


class _Example(msgspec.Struct):
    question: str
    answer: list[str] | None = None
    standard_answer: list[str] | None = None
    index: int | None = None
    year: Any = None
    category: Any = None

    @property
    def tags(self) -> dict[str, str]:
        """The year and the category, as far as they are texts."""
        fields = {"year": self.year, "category": self.category}
        return {name: value for name, value in fields.items() if isinstance(value, str)}


class _Pieces(NamedTuple):
    """The kept pieces of an example's string.

    Attributes:
        passage: Of the passage.
        questions: Of each question's stem, and of each of its options.
    """

    passage: list[Piece]
    questions: list[tuple[list[Piece], list[list[Piece]]]]

    def in_order(self) -> list[Piece]:
        """Return all pieces in the order of the string."""
        pieces = list(self.passage)
        for stem, choices in self.questions:
            pieces += stem
            for choice in choices:
                pieces += choice
        return pieces


def sniff(head: Head) -> bool:
    """Whether the first example is a question with its answers and their analysis."""
    return head.has("question", "analysis", "index", at=("example", 0))


def info(source: Source) -> Info:
    """Read the fields beside the examples, and the name of the answers."""
    key = "answer" if source.head().has("answer", at=("example", 0)) else "standard_answer"
    other_fields = source.other_members("example")
    published = _PUBLISHED in (other_fields.get("keywords"), other_fields.get("keyword"))
    return Info(
        license="Apache-2.0" if published else "",
        metadata={_NAME: {"answers": key, "beside": other_fields}},
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each text with its questions.

    Counts ``questions-not-split`` (not one set of options was found for each answer, so that the
    example has no questions here), ``answer-not-an-option`` and ``duplicate-id``.
    """
    key = info(source).metadata[_NAME]["answers"]
    yield from items(source, source.elements("example", dict), key, defects)


def items(source: Source, examples: Iterable[Json], key: str, defects: Defects) -> Iterator[Item]:
    """Yield each example's text with its questions; ``key`` is the name of the answers."""
    ids = Ids(defects)
    for number, raw in enumerate(examples):
        within = f"example[{number}]"
        example = source.convert(raw, _Example, within=within)
        where = source.place(within)
        letters = example.answer or example.standard_answer or []
        index = str(number if example.index is None else example.index)
        text = example.question
        pieces = _cut(text, len(letters))
        if not pieces.questions:
            defects.add(
                "questions-not-split",
                f"{count_of(len(letters), 'answer')}, but not as many sets of options A to D",
                question_id=index,
            )
        questions = []
        for at, (stem, choices) in enumerate(pieces.questions):
            name = ids.note(f"{index}-{at + 1}")
            options = make_options([_text(text, choice) for choice in choices], where, exactly=4)
            stem_text = _text(text, stem)
            asks_for = polarity(stem_text)
            questions.append(
                Question(
                    question_id=name,
                    passage_id=index,
                    text=stem_text,
                    kind="verification",
                    asks_for=asks_for,
                    options=options,
                    option_truth=implied_truth(letters[at], options, asks_for)
                    if is_verification(stem_text)
                    else (),
                    answers=gold_from_letter(letters[at], options, name, defects),
                    tags=example.tags,
                )
            )
        body = _text(text, pieces.passage)
        passage = Passage(
            passage_id=index,
            text=body,
            language=detect(body),
            metadata={_NAME: {"left_out": _find_gaps(text, pieces.in_order())}},
        )
        yield _with_other_fields(passage, tuple(questions), raw, key), tuple(questions)


def _with_other_fields(
    passage: Passage, questions: tuple[Question, ...], raw: Json, key: str
) -> Passage:
    """Return the passage with the fields of its example that writing would lose otherwise."""
    own_metadata = passage.metadata[_NAME]
    own_metadata |= rendering_diff(_NAME, raw, _example(passage, questions, key)).get(_NAME, {})
    return msgspec.structs.replace(passage, metadata={_NAME: own_metadata})


def _cut(text: str, count: int) -> _Pieces:
    """Cut a printed string into the passage, the stems and the options of the last questions."""
    questions = _split(text, count)
    passage_end = questions[0][0][0] if questions else len(text)
    return _Pieces(
        passage=_clean(text, *_body(text, passage_end)),
        questions=[
            (_clean(text, *stem), [_clean(text, *choice) for choice in choices])
            for stem, choices in questions
        ],
    )


def _split(text: str, count: int) -> list[tuple[Piece, list[Piece]]]:
    """Return stem and options of the last ``count`` questions; empty if there are fewer."""
    runs: list[list[re.Match[str]]] = []
    current: list[re.Match[str]] = []
    for match in _LETTER.finditer(text):
        expected = "ABCD"[len(current)]
        if match[1] == expected:
            current.append(match)
        elif match[1] == "A":
            current = [match]
        if len(current) == 4:
            runs.append(current)
            current = []
    runs = runs[-count:]
    if not count or len(runs) < count:
        return []
    heads = []
    floor = 0
    for run in runs:
        stems = list(_stems(text, floor, run[0].start()))
        if not stems:
            return []
        heads.append(stems[-1])
        floor = run[-1].end()
    ends = [start for start, _ in heads[1:]] + [len(text)]
    questions = []
    for (_, stem), run, end in zip(heads, runs, ends, strict=True):
        bounds = [*(match.start() for match in run[1:]), end]
        choices = [(match.end(), stop) for match, stop in zip(run, bounds, strict=True)]
        questions.append(((stem, run[0].start()), choices))
    # A stem's number belongs to no piece: it is left out.
    return questions


def _stems(text: str, start: int, end: int) -> Iterator[Piece]:
    """Yield the span of each stem's number that begins a line or follows a space.

    It includes the blanks before it, from the line's beginning or the first space on. These are
    found backwards from the number, because a pattern that begins with blanks is tried at each.
    """
    for number in _NUMBER.finditer(text, start, end):
        first = number.start()
        while first > start and text[first - 1] in _BLANKS:
            first -= 1
        begins_line = first == 0 or text[first - 1] == "\n"
        while not begins_line and first <= number.start() and text[first - 1] not in _SPACE:
            first += 1
        if first <= number.start():
            yield first, number.end()
            start = number.end()


def _body(text: str, end: int) -> Piece:
    """Return the span of the passage, without the headings before and the number after it."""
    start = 0
    while heading := _HEADING.match(text, start):
        start = heading.end()
    stems = [number for number, stem in _stems(text, start, end) if stem == end]
    return start, stems[-1] if stems else end


def _clean(text: str, start: int, end: int) -> list[Piece]:
    """Return the kept parts of a piece: without stray spaces, with one break a paragraph."""
    tail = _TAIL.search(text, start, end)
    end = tail.start() if tail else end
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    width = max((len(line.strip()) for line in text.splitlines()), default=0)
    pieces, begin = [], start
    for gap in _SPACES.finditer(text, start, end):
        before, after = text[gap.start() - 1], text[gap.end()]
        cut = gap[0].find("\n")
        if cut >= 0 and _is_paragraph(text, gap, width):
            pieces += [(begin, gap.start()), (gap.start() + cut, gap.start() + cut + 1)]
        elif before.isascii() and after.isascii() and before != after != '"':
            pieces.append((begin, gap.start() + 1))
        else:
            pieces.append((begin, gap.start()))
        begin = gap.end()
    pieces.append((begin, end))
    return [piece for piece in pieces if piece[0] < piece[1]]


def _is_paragraph(text: str, gap: re.Match[str], width: int) -> bool:
    if text[gap.start() - 1] not in _PARAGRAPH_END:
        return False
    indent = len(gap[0]) - gap[0].rfind("\n") - 1
    line = text[text.rfind("\n", 0, gap.start()) + 1 : gap.start()].strip()
    return indent >= 2 or gap[0].count("\n") > 1 or len(line) < width * _PART_OF_LINE


def _text(text: str, pieces: list[Piece]) -> str:
    return "".join([text[start:end] for start, end in pieces])


def _find_gaps(text: str, pieces: list[Piece]) -> list[tuple[int, str]]:
    """Return the texts between the kept pieces, each with its offset in the kept text."""
    gaps = []
    offset = position = 0
    for start, end in [*pieces, (len(text), len(text))]:
        if position < start:
            gaps.append((offset, text[position:start]))
        offset += end - start
        position = end
    return gaps


def _example(passage: Passage, questions: tuple[Question, ...], key: str) -> Json:
    texts = [passage.text]
    for question in questions:
        texts += [question.text, *require_options(question, _NAME, exactly=4)]
    joined = "".join(texts)
    own_metadata = passage.metadata[_NAME]
    gaps = own_metadata["left_out"]
    if gaps and gaps[-1][0] > len(joined):  # the last questions were not requested
        gaps = [(offset, gap_text) for offset, gap_text in gaps if offset < len(joined)]
    pieces, position = [], 0
    for offset, gap_text in gaps:
        pieces += [joined[position:offset], gap_text]
        position = offset
    printed = "".join([*pieces, joined[position:]])
    tags = questions[0].tags if questions else {}
    example: Json = {
        "question": printed,
        key: [question.answers[0].label for question in questions if question.answers],
    }
    example |= {key: tags[key] for key in ("year", "category") if key in tags}
    if passage.passage_id.isdecimal():
        example["index"] = int(passage.passage_id)
    return example


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write the examples that were read, with their strings as they were printed.

    Raises:
        UsageError: The data set was not read from this form.
    """
    if _NAME not in dataset.metadata:
        raise UsageError(
            "the gaokao-bench format holds only questions that were read from it",
            where=dataset.name,
            cure="choose `gcrc` or `vgaokao`, which hold passage, stem and options separately",
        )
    layout = dataset.metadata[_NAME]
    examples = (
        apply_diff(_NAME, _example(passage, questions, layout["answers"]), passage.metadata)
        for passage, questions in dataset
    )
    write_array(stream, examples, "example", **layout["beside"])


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("choice",))
