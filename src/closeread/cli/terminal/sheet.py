"""One question as lines of a terminal: passage, question, options, answers and evidence."""

import itertools
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from closeread.cli.terminal.typeset import Glyph, Mark, glyphs, painted, wrapped
from closeread.text.mrqa_marks import MARK
from closeread.types import Answer, Passage, Question, Span

_WIDEST = 100
_MARKER = re.compile(rf"(?:{MARK}\s*)+")
_TITLE = re.compile(r"\[TLE\]\s*")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Sheet:
    """How questions are shown.

    Attributes:
        width: Cells in a line.
        colour: Styles by the terminal's codes; signs around answers and evidence otherwise.
        picked: What is said of an option that is an answer.
        nothing: What is said where there is no answer, not even that there is none.
    """

    width: int
    colour: bool
    picked: str = "gold"
    nothing: str = "no gold answer in the file"

    def show(self, number: int, passage: Passage, question: Question, whole: bool) -> Iterator[str]:
        """Yield the lines of one question, each with its line end.

        Args:
            number: From 1, in the set's order.
            passage: What the question is about.
            question: With gold, where the set has it.
            whole: The whole passage; otherwise only its paragraphs with an answer or evidence.
        """
        yield from self._head(number, passage, question)
        yield from self.body(passage, question, whole)
        yield "\n"

    def body(self, passage: Passage, question: Question, whole: bool) -> Iterator[str]:
        """Yield the same lines without the first ones, which say what question it is."""
        evidence = _numbered(question)
        yield from self._passage(passage, self._marks(question, evidence), whole)
        yield "\n"
        for number, line in enumerate(question.text.split("\n")):  # of conversations several
            lead = "   " if number else "Q  "
            yield from self._block(glyphs(line, styles=["strong"]), lead) if line else "\n"
        if question.asks_for:
            yield from self._block(glyphs(f"asks for what is {question.asks_for}"), "   ")
        yield from self._options(question, evidence)
        yield from self._answers(question)

    def remark(self, text: str) -> Iterator[str]:
        """Yield the lines of what is said beside a question."""
        yield from self._block(glyphs(text, styles=["soft"]), "   ")

    def _head(self, number: int, passage: Passage, question: Question) -> Iterator[str]:
        told = [str(number), question.question_id, question.kind]
        if question.group_id:
            told.append(f"{question.group_id} {question.role or ''}".strip())
        line = glyphs(" · ".join(told), styles=["strong"])
        rest = max(0, self.width - sum(glyph.cells for glyph in line) - 4)
        yield from self._block([*line, *glyphs(" " + "─" * rest, styles=["soft"])], "── ")
        facts = [f"passage {passage.passage_id}", passage.title]
        facts += [f"{key}: {value}" for key, value in question.tags.items()]
        yield from self._block(glyphs(" · ".join(filter(None, facts)), styles=["soft"]), "   ")
        yield "\n"

    def _passage(self, passage: Passage, marks: list[Mark], whole: bool) -> Iterator[str]:
        left_out = False
        for paragraph, heading in _paragraphs(passage.text):
            inside = _within(marks, paragraph)
            if not whole and not any(mark.style != "soft" for mark in inside):
                left_out = left_out or paragraph.end > paragraph.start
                continue
            if left_out:
                yield from self._block(glyphs("[...]", styles=["soft"]), "   ")
                left_out = False
            text = paragraph.of(passage.text)
            for found in _MARKER.finditer(text):
                inside.append(Mark(Span(found.start(), found.end()), "soft"))
            yield from self._block(glyphs(text, inside, ["strong"] if heading else []), "   ")
        if left_out:
            yield from self._block(glyphs("[the passage as above]", styles=["soft"]), "   ")

    def _marks(self, question: Question, evidence: dict[Span, int]) -> list[Mark]:
        spans = _merged(span for answer in question.answers for span in answer.spans)
        signs = ("", "") if self.colour else ("⟦", "⟧")
        marks = [Mark(span, "answer", *signs) for span in spans]
        for span, number in evidence.items():
            sign = str(number).translate(_RAISED)
            before, after = (sign, "") if self.colour else (f"⟪{sign}", "⟫")
            marks.append(Mark(span, "evidence", before, after))
        return marks

    def _options(self, question: Question, evidence: dict[Span, int]) -> Iterator[str]:
        gold = {answer.label for answer in question.answers if answer.label}
        for index, option in enumerate(question.options):
            right = option.label in gold
            line = glyphs(option.text, styles=["answer"] if right and self.colour else [])
            truth = question.option_truth[index] if index < len(question.option_truth) else None
            told = [
                self.picked if right else "",
                {True: "true", False: "false", None: ""}[truth],
                *(f"{key}: {value}" for key, value in option.tags.items()),
            ]
            numbers = [
                str(evidence[span]).translate(_RAISED)
                for found in question.gold_evidence
                if found.option_label == option.label
                for span in found.spans
            ]
            if numbers:
                told.append("evidence " + " ".join(numbers))
            note = ", ".join(filter(None, told))
            line += glyphs(f"  ({note})" if note else "", styles=["soft"])
            yield from self._block(line, f" {'●' if right else '○'} {option.label}  ")

    def _answers(self, question: Question) -> Iterator[str]:
        given = Counter(
            _told(answer) for answer in question.answers if not (answer.label and question.options)
        )
        for text, times in given.items():
            line = glyphs(text, styles=["answer"] if self.colour else [])
            if not self.colour:
                line = [*glyphs("⟦"), *line, *glyphs("⟧")]
            if times > 1:
                line += glyphs(f"  (given {times} times)", styles=["soft"])
            yield from self._block(line, "A  ")
        if not question.answers and not question.option_truth:  # which stand at the options
            yield from self._block(glyphs(self.nothing, styles=["soft"]), "A  ")

    def _block(self, line: list[Glyph], lead: str) -> Iterator[str]:
        """Yield a paragraph behind a lead, its further lines indented as far."""
        first = glyphs(lead)
        indent = sum(glyph.cells for glyph in first)
        room = max(self.width - indent, 8)
        for index, part in enumerate(wrapped(line, room)):
            margin = first if index == 0 else glyphs(" " * indent)
            yield painted([*margin, *part], self.colour).rstrip(" ") + "\n"


def sheet_of(width: int | None, **said: str) -> Sheet:
    """Return how questions are shown on stdout as it is: a terminal with colours, or a file.

    Args:
        width: Cells in a line; by default as many as there are, a hundred at most.
        said: ``picked`` and ``nothing`` of a sheet.
    """
    on_terminal = sys.stdout.isatty()
    colour = on_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    cells = width or (min(shutil.get_terminal_size().columns, _WIDEST) if on_terminal else _WIDEST)
    return Sheet(width=cells, colour=colour, **said)


def _told(answer: Answer) -> str:
    if answer.kind == "none":
        return "no answer in the passage"
    text = " | ".join(answer.texts) or answer.label
    return text if answer.kind == "span" else f"{text} ({answer.kind})"


def _numbered(question: Question) -> dict[Span, int]:
    spans = sorted({span for found in question.gold_evidence for span in found.spans})
    return {span: number for number, span in enumerate(spans, 1)}


def _merged(spans: Iterator[Span]) -> list[Span]:
    made: list[Span] = []
    for span in sorted(spans):
        if made and span.start < made[-1].end:
            made[-1] = Span(made[-1].start, max(made[-1].end, span.end))
        elif span.end > span.start:
            made.append(span)
    return made


def _within(marks: list[Mark], paragraph: Span) -> list[Mark]:
    """Return the parts of marks that lie in a paragraph, counted from its beginning."""
    found = []
    for mark in marks:
        start = max(mark.span.start, paragraph.start) - paragraph.start
        end = min(mark.span.end, paragraph.end) - paragraph.start
        if start < end:
            found.append(Mark(Span(start, end), mark.style, mark.before, mark.after))
    return found


def _paragraphs(text: str) -> Iterator[tuple[Span, bool]]:
    """Yield the lines of a passage, and whether each is a title; MRQA's markers begin lines too.

    Of several blank lines one is kept.
    """
    borders = {0, len(text)}
    borders.update(found.end() for found in re.finditer("\n", text))
    borders.update(found.start() for found in _MARKER.finditer(text))
    blank = True
    for start, end in itertools.pairwise(sorted(borders)):
        line = text[start:end].rstrip()
        if line or not blank:
            yield Span(start, start + len(line)), bool(_TITLE.search(line))
        blank = not line
