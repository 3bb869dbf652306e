"""Where a sentence may be put into a passage: between sentences, where none refers past it."""

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from closeread.attacks.borrowed.similarity import UNSPACED
from closeread.attacks.borrowed.subjects import refers_back
from closeread.text.quotations import PAIRS
from closeread.text.segment import sentences
from closeread.types import Passage, Question, Span

_MIDDLES = 12  # gaps in the middle that are looked at
_ENDER = re.compile(r"[.!?。！？…｡][”’」』\"'）)]*$")
# Blanks of its own line alone: over empty lines it would be tried from each of them again.
_TURN = re.compile(r"^[^\S\n]*[^\s：:]{1,12}[：:]", re.MULTILINE)
_OPENING = re.compile(
    r"开头|开篇|首[段句]|第一[段句]|\b(?:begin\w*|open\w*|first (?:line|sentence|paragraph))\b"
)
_ENDING = re.compile(r"结尾|文末|末[段句尾]|尾[段句]|最后|\b(?:end\w*|last|conclu\w*)\b")
# And what a word refers to must not come to stand elsewhere.
_PLACED = re.compile(
    r"[段句]|指的?是|[画划]线|加点|\b(?:paragraphs?|sentences?|lines?|underlined|refers?)\b"
)


class Gap(NamedTuple):
    """A place between sentences: ``start``, ``middle`` or ``end`` of the passage, and where."""

    rule: str
    at: int

    def filled(self, sentence: str, language: str) -> str:
        """Return a sentence with the white space that parts it from its neighbours."""
        blank = "" if language in UNSPACED else " "
        return f"{sentence}{blank}" if self.rule == "start" else f"{blank}{sentence}"


def find_gaps(
    passage: Passage,
    question: Question,
    stands_alone: Callable[[str], bool],
    draw: random.Random,
) -> Iterator[Gap]:
    """Yield the places, at most one of each kind, in random order.

    Never inside a quotation, an answer or evidence; nor where the question speaks of that part of
    the passage; nor before a sentence that does not say itself what it is about. A dialogue has
    none: what is put in would be said by somebody.

    Args:
        passage: The passage.
        question: Its answers and evidence are kept whole.
        stands_alone: Whether a sentence of the passage says what it is about.
        draw: Decides the order, and which place in the middle.
    """
    spans = sentences(passage.text, passage.language)
    turns = len(_TURN.findall(passage.text))
    if not spans or (turns > 1 and 3 * turns > len(passage.text.splitlines())):
        return
    asked = " ".join((question.text, *(option.text for option in question.options))).lower()
    found: list[Gap] = []
    if _is_complete(passage.text, spans[-1]) and not _ENDING.search(asked):
        found.append(Gap("end", spans[-1].end))
    first = spans[0].of(passage.text)
    begins = stands_alone(first) or not refers_back(first, passage.language)
    if _is_complete(passage.text, spans[0]) and not _OPENING.search(asked) and begins:
        found.append(Gap("start", spans[0].start))
    between = list(range(1, len(spans)))
    draw.shuffle(between)
    if not _PLACED.search(asked):
        for place in between[:_MIDDLES]:
            before, after = spans[place - 1], spans[place]
            if _is_complete(passage.text, before) and stands_alone(after.of(passage.text)):
                found.append(Gap("middle", before.end))
                break
    draw.shuffle(found)
    for gap in found:
        if not _is_inside_gold(question, gap.at) and not _is_quoted(passage.text, gap.at):
            yield gap


def _is_complete(text: str, span: Span) -> bool:
    return bool(_ENDER.search(span.of(text)))


def _is_inside_gold(question: Question, at: int) -> bool:
    kept = [span for answer in question.answers for span in answer.spans]
    kept += [span for evidence in question.gold_evidence for span in evidence.spans]
    return any(span.start < at < span.end for span in kept)


def _is_quoted(text: str, at: int) -> bool:
    line_start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    before = text[line_start:at]
    return before.count('"') % 2 == 1 or any(
        before.count(pair[0]) > before.count(pair[1]) for pair in PAIRS
    )
