"""Renders a question for a terminal: passage, question, options, answers and evidence."""

import itertools
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from closeread.cli.terminal.typeset import Glyph, Mark, render_glyphs, to_glyphs, wrap_glyphs
from closeread.text.mrqa_marks import MARK
from closeread.types import Answer, Passage, Question, Span

_MAX_WIDTH = 100
_MARKER = re.compile(rf"(?:{MARK}\s*)+")
_TITLE = re.compile(r"\[TLE\]\s*")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Sheet:
    """How questions are shown.

    Attributes:
        width: Line width in terminal cells.
        colour: Use terminal styles; otherwise brackets around answers and evidence.
        picked: The label of an option that is an answer.
        nothing: The text for a question without any answer.
    """

    width: int
    colour: bool
    picked: str = "gold"
    nothing: str = "no gold answer in the file"

    def show(self, number: int, passage: Passage, question: Question, whole: bool) -> Iterator[str]:
        """Yield the lines of one question, each with its line end.

        Args:
            number: From 1, in the data set's order.
            passage: The question's passage.
            question: With gold answers, if there are any.
            whole: Show the whole passage; otherwise only paragraphs with an answer or evidence.
        """
        yield from self._head(number, passage, question)
        yield from self.body(passage, question, whole)
        yield "\n"

    def body(self, passage: Passage, question: Question, whole: bool) -> Iterator[str]:
        """Yield the same lines without the heading."""
        evidence = _number_evidence(question)
        yield from self._passage(passage, self._marks(question, evidence), whole)
        yield "\n"
        for number, line in enumerate(question.text.split("\n")):  # conversations have several
            lead = "   " if number else "Q  "
            yield from self._block(to_glyphs(line, styles=["strong"]), lead) if line else "\n"
        if question.asks_for:
            yield from self._block(to_glyphs(f"asks for what is {question.asks_for}"), "   ")
        yield from self._options(question, evidence)
        yield from self._answers(question)

    def remark(self, text: str) -> Iterator[str]:
        """Yield the lines of a remark on a question."""
        yield from self._block(to_glyphs(text, styles=["soft"]), "   ")

    def _head(self, number: int, passage: Passage, question: Question) -> Iterator[str]:
        parts = [str(number), question.question_id, question.kind]
        if question.group_id:
            parts.append(f"{question.group_id} {question.role or ''}".strip())
        line = to_glyphs(" · ".join(parts), styles=["strong"])
        n_dashes = max(0, self.width - sum(glyph.cells for glyph in line) - 4)
        yield from self._block([*line, *to_glyphs(" " + "─" * n_dashes, styles=["soft"])], "── ")
        facts = [f"passage {passage.passage_id}", passage.title]
        facts += [f"{key}: {value}" for key, value in question.tags.items()]
        yield from self._block(to_glyphs(" · ".join(filter(None, facts)), styles=["soft"]), "   ")
        yield "\n"

    def _passage(self, passage: Passage, marks: list[Mark], whole: bool) -> Iterator[str]:
        has_gap = False
        for paragraph, heading in _iter_paragraphs(passage.text):
            inside = _marks_within(marks, paragraph)
            if not whole and not any(mark.style != "soft" for mark in inside):
                has_gap = has_gap or paragraph.end > paragraph.start
                continue
            if has_gap:
                yield from self._block(to_glyphs("[...]", styles=["soft"]), "   ")
                has_gap = False
            text = paragraph.of(passage.text)
            for match in _MARKER.finditer(text):
                inside.append(Mark(Span(match.start(), match.end()), "soft"))
            yield from self._block(to_glyphs(text, inside, ["strong"] if heading else []), "   ")
        if has_gap:
            yield from self._block(to_glyphs("[the passage as above]", styles=["soft"]), "   ")

    def _marks(self, question: Question, evidence: dict[Span, int]) -> list[Mark]:
        spans = _merge_spans(span for answer in question.answers for span in answer.spans)
        signs = ("", "") if self.colour else ("⟦", "⟧")
        marks = [Mark(span, "answer", *signs) for span in spans]
        for span, number in evidence.items():
            sign = str(number).translate(_SUPERSCRIPTS)
            before, after = (sign, "") if self.colour else (f"⟪{sign}", "⟫")
            marks.append(Mark(span, "evidence", before, after))
        return marks

    def _options(self, question: Question, evidence: dict[Span, int]) -> Iterator[str]:
        gold = {answer.label for answer in question.answers if answer.label}
        for index, option in enumerate(question.options):
            is_gold = option.label in gold
            line = to_glyphs(option.text, styles=["answer"] if is_gold and self.colour else [])
            truth = question.option_truth[index] if index < len(question.option_truth) else None
            parts = [
                self.picked if is_gold else "",
                {True: "true", False: "false", None: ""}[truth],
                *(f"{key}: {value}" for key, value in option.tags.items()),
            ]
            numbers = [
                str(evidence[span]).translate(_SUPERSCRIPTS)
                for evidence_piece in question.gold_evidence
                if evidence_piece.option_label == option.label
                for span in evidence_piece.spans
            ]
            if numbers:
                parts.append("evidence " + " ".join(numbers))
            note = ", ".join(filter(None, parts))
            line += to_glyphs(f"  ({note})" if note else "", styles=["soft"])
            yield from self._block(line, f" {'●' if is_gold else '○'} {option.label}  ")

    def _answers(self, question: Question) -> Iterator[str]:
        answer_counts = Counter(
            _answer_text(answer)
            for answer in question.answers
            if not (answer.label and question.options)
        )
        for text, times in answer_counts.items():
            line = to_glyphs(text, styles=["answer"] if self.colour else [])
            if not self.colour:
                line = [*to_glyphs("⟦"), *line, *to_glyphs("⟧")]
            if times > 1:
                line += to_glyphs(f"  (given {times} times)", styles=["soft"])
            yield from self._block(line, "A  ")
        if not question.answers and not question.option_truth:  # which the options show
            yield from self._block(to_glyphs(self.nothing, styles=["soft"]), "A  ")

    def _block(self, line: list[Glyph], lead: str) -> Iterator[str]:
        """Yield a paragraph after a lead, with further lines indented."""
        first = to_glyphs(lead)
        indent = sum(glyph.cells for glyph in first)
        room = max(self.width - indent, 8)
        for index, part in enumerate(wrap_glyphs(line, room)):
            margin = first if index == 0 else to_glyphs(" " * indent)
            yield render_glyphs([*margin, *part], self.colour).rstrip(" ") + "\n"


def make_sheet(width: int | None, **labels: str) -> Sheet:
    """Return a sheet that fits stdout: a terminal with colours, or a file.

    Args:
        width: Line width in cells; by default the terminal's, at most 100.
        labels: ``picked`` and ``nothing`` of the sheet.
    """
    on_terminal = sys.stdout.isatty()
    colour = on_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    cells = width or (
        min(shutil.get_terminal_size().columns, _MAX_WIDTH) if on_terminal else _MAX_WIDTH
    )
    return Sheet(width=cells, colour=colour, **labels)


def _answer_text(answer: Answer) -> str:
    if answer.kind == "none":
        return "no answer in the passage"
    text = " | ".join(answer.texts) or answer.label
    return text if answer.kind == "span" else f"{text} ({answer.kind})"


def _number_evidence(question: Question) -> dict[Span, int]:
    spans = sorted({span for evidence in question.gold_evidence for span in evidence.spans})
    return {span: number for number, span in enumerate(spans, 1)}


def _merge_spans(spans: Iterator[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        elif span.end > span.start:
            merged.append(span)
    return merged


def _marks_within(marks: list[Mark], paragraph: Span) -> list[Mark]:
    """Return the parts of marks inside a paragraph, with offsets from its start."""
    inside = []
    for mark in marks:
        start = max(mark.span.start, paragraph.start) - paragraph.start
        end = min(mark.span.end, paragraph.end) - paragraph.start
        if start < end:
            inside.append(Mark(Span(start, end), mark.style, mark.before, mark.after))
    return inside


def _iter_paragraphs(text: str) -> Iterator[tuple[Span, bool]]:
    """Yield the lines of a passage, and whether each is a title; MRQA markers also begin lines.

    Consecutive blank lines become one.
    """
    borders = {0, len(text)}
    borders.update(match.end() for match in re.finditer("\n", text))
    borders.update(match.start() for match in _MARKER.finditer(text))
    blank = True
    for start, end in itertools.pairwise(sorted(borders)):
        line = text[start:end].rstrip()
        if line or not blank:
            yield Span(start, start + len(line)), bool(_TITLE.search(line))
        blank = not line
