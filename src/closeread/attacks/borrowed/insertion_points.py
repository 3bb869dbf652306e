"""Find gaps between the sentences of a passage where another sentence can be inserted."""

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from closeread.attacks.borrowed.similarity import UNSPACED
from closeread.attacks.borrowed.subjects import refers_back
from closeread.text.quotations import BALANCED_PAIRS
from closeread.text.segment import sentences
from closeread.types import Passage, Question, Span

_MAX_MIDDLE_GAPS = 12  # gaps in the middle that are tried
_SENTENCE_END = re.compile(r"[.!?。！？…｡][”’」』\"'）)]*$")
# Blanks of the same line only: over empty lines the search would start again from each.
_SPEAKER = re.compile(r"^[^\S\n]*[^\s：:]{1,12}[：:]", re.MULTILINE)
_ASKS_OPENING = re.compile(
    r"开头|开篇|首[段句]|第一[段句]|\b(?:begin\w*|open\w*|first (?:line|sentence|paragraph))\b"
)
_ASKS_ENDING = re.compile(r"结尾|文末|末[段句尾]|尾[段句]|最后|\b(?:end\w*|last|conclu\w*)\b")
# A question about a place in the passage, or about what a word refers to.
_ASKS_LOCATION = re.compile(
    r"[段句]|指的?是|[画划]线|加点|\b(?:paragraphs?|sentences?|lines?|underlined|refers?)\b"
)


class Gap(NamedTuple):
    """A gap between sentences: ``start``, ``middle`` or ``end`` of the passage, and its offset."""

    rule: str
    offset: int

    def pad(self, sentence: str, language: str) -> str:
        """Return a sentence with the white space that separates it from its neighbours."""
        blank = "" if language in UNSPACED else " "
        return f"{sentence}{blank}" if self.rule == "start" else f"{blank}{sentence}"


def find_gaps(
    passage: Passage,
    question: Question,
    stands_alone: Callable[[str], bool],
    rng: random.Random,
) -> Iterator[Gap]:
    """Yield gaps, at most one of each kind, in random order.

    No gap is inside a quotation, an answer or evidence, in a part of the passage to which the
    question refers, or before a sentence that does not name its subject. A dialogue has no gaps:
    the inserted sentence would belong to a speaker.

    Args:
        passage: The passage.
        question: The question, whose answers and evidence stay whole.
        stands_alone: Whether a sentence of the passage names its subject.
        rng: Decides the order and the gap in the middle.
    """
    spans = sentences(passage.text, passage.language)
    n_turns = len(_SPEAKER.findall(passage.text))
    if not spans or (n_turns > 1 and 3 * n_turns > len(passage.text.splitlines())):
        return
    question_text = " ".join((question.text, *(option.text for option in question.options))).lower()
    gaps: list[Gap] = []
    if _is_complete(passage.text, spans[-1]) and not _ASKS_ENDING.search(question_text):
        gaps.append(Gap("end", spans[-1].end))
    first = spans[0].of(passage.text)
    can_insert_before = stands_alone(first) or not refers_back(first, passage.language)
    if (
        _is_complete(passage.text, spans[0])
        and not _ASKS_OPENING.search(question_text)
        and can_insert_before
    ):
        gaps.append(Gap("start", spans[0].start))
    indices = list(range(1, len(spans)))
    rng.shuffle(indices)
    if not _ASKS_LOCATION.search(question_text):
        for index in indices[:_MAX_MIDDLE_GAPS]:
            before, after = spans[index - 1], spans[index]
            if _is_complete(passage.text, before) and stands_alone(after.of(passage.text)):
                gaps.append(Gap("middle", before.end))
                break
    rng.shuffle(gaps)
    for gap in gaps:
        if not _is_inside_gold(question, gap.offset) and not _is_quoted(passage.text, gap.offset):
            yield gap


def _is_complete(text: str, span: Span) -> bool:
    return bool(_SENTENCE_END.search(span.of(text)))


def _is_inside_gold(question: Question, offset: int) -> bool:
    gold_spans = [span for answer in question.answers for span in answer.spans]
    gold_spans += [span for evidence in question.gold_evidence for span in evidence.spans]
    return any(span.start < offset < span.end for span in gold_spans)


def _is_quoted(text: str, offset: int) -> bool:
    line_start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before = text[line_start:offset]
    return before.count('"') % 2 == 1 or any(
        before.count(pair[0]) > before.count(pair[1]) for pair in BALANCED_PAIRS
    )
