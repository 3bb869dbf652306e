"""The strategy of typing errors: slips in a question's words that a person reads over."""

import random
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from closeread.attacks.apply import apply_edits
from closeread.attacks.context import Surroundings
from closeread.attacks.keyboard.homophones import Typed, homophones
from closeread.attacks.keyboard.slips import slips, trigrams
from closeread.text.numbers import NUMBER_WORDS
from closeread.text.polarity import asks_for
from closeread.text.question_type import expected_answer_type
from closeread.text.quotations import quoted_spans
from closeread.text.segment import words
from closeread.types import Edit, Passage, Question, Span

_PARTICLES = ("的>地", "地>的")
_MOST_CHARACTERS = 4_000_000  # of passages from which words are learned
_WORD = re.compile(
    r"(?<![\w'’-])[a-z\u00df-\u00f6\u00f8-\u017f\u03ac-\u03ce\u0430-\u045f]{4,}(?![\w'’-])"
)
# What a question asks for, or denies, or compares: none of these is touched.
_EN_ASKS = (
    "what when where which whom whose does many much long often tall deep wide fast high large more"
    " most less least fewer fewest none never neither without except unless only also true false"
    " untrue correct incorrect correctly incorrectly right wrong wrongly supported unsupported"
    " consistent inconsistent accurate inaccurate contradict contradicted mentioned stated inferred"
    " implied concluded best worst before after between during until since first last second third"
    " fourth fifth half both either same different difference likely unlikely possible impossible"
    " able unable legal illegal following statement passage author according"
)
_EN_KEPT = NUMBER_WORDS | frozenset(_EN_ASKS.split())
_APART = 3  # characters between two slips at least
_LENGTHS = {True: (12, 25), False: (8, 16)}  # of a question with two slips, and with three


def typo(around: Surroundings) -> "Typo":
    """Make the strategy.

    Args:
        around: The words of its ``passages`` are known ones: no slip makes one of them, or what
            could be one by its letters.
    """
    return Typo(around)


class Typo:
    """Proposes slips in one to three words of a question, by its length; its options stay.

    In English and its like two letters are exchanged, one is doubled or left out or, in English, a
    neighbour's key is hit; in words of four letters and more that are no numbers, no names, not
    quoted, and do not say what is asked for. In languages other than English only in words of five
    letters that the passage has too: which ones ask is not known there. In Chinese a character is
    typed as another of the same sound. In other scripts nothing is proposed.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        """Yield a change with all the slips, then one with each; words of the passage first."""
        if question.kind == "entailment":
            return
        text = question.text
        draw = random.Random(f"{self._around.seed}\0{question.question_id}\0typo")
        chinese = passage.language == "zh"
        found = (
            _chinese_slips(passage.title, text, draw)
            if chinese
            else self._spelled(passage, text, draw)
        )
        size = len(text) if chinese else len(text.split())
        most = 1 + sum(size >= length for length in _LENGTHS[chinese])
        chosen: list[Edit] = []
        for edit in found:
            if len(chosen) == most:
                break
            if all(_are_apart(edit, one) for one in chosen) and _asks_the_same(
                text, [*chosen, edit]
            ):
                chosen.append(edit)
        if len(chosen) > 1:
            yield _combine(text, chosen)
        yield from chosen

    def _spelled(self, passage: Passage, text: str, draw: random.Random) -> Iterator[Edit]:
        here = set(words(passage.text))
        english = passage.language == "en"
        kept = quoted_spans(text)
        able = [
            found
            for found in _WORD.finditer(text)
            if not any(one.start <= found.start() < one.end for one in kept)
            and found[0] not in _EN_KEPT
            and (found[0] in here or found[0].capitalize() not in here)
            and (english or (len(found[0]) > 4 and found[0] in here))
        ]
        draw.shuffle(able)
        able.sort(key=lambda found: found[0] not in here)
        for found in {found[0]: found for found in able}.values():
            for slip in slips(found[0], draw, english, self._usual):
                if slip.word not in self._known and slip.word not in here:
                    yield _question_edit(slip.rule, found.start(), found.end(), slip.word)
                    break

    @cached_property
    def _usual(self) -> frozenset[str]:
        return frozenset(run for word in self._known if word.isalpha() for run in trigrams(word))

    @cached_property
    def _known(self) -> frozenset[str]:
        known: set[str] = set()
        room = _MOST_CHARACTERS
        for passage in self._around.passages:
            room -= len(passage.text)
            if room < 0:
                break
            known.update(words(passage.text.lower()))
        return frozenset(known)


def _chinese_slips(title: str, text: str, draw: random.Random) -> Iterator[Edit]:
    """Yield slips of which at most one is in a particle, those in words first."""
    kept = quoted_spans(text)
    if len(title) > 1 and title in text:
        kept.append(Span(text.index(title), text.index(title) + len(title)))
    able = [
        typed
        for typed in homophones(text)
        if not any(one.start <= typed.at < one.end for one in kept)
    ]
    draw.shuffle(able)
    yield from (_homophone_edit(one) for one in able if one.rule not in _PARTICLES)
    yield from [_homophone_edit(one) for one in able if one.rule in _PARTICLES][:1]


def _homophone_edit(one: Typed) -> Edit:
    return _question_edit(one.rule, one.at, one.at + 1, one.character)


def _are_apart(edit: Edit, other: Edit) -> bool:
    before, after = sorted((edit.span, other.span))
    return after.start - before.end >= _APART


def _question_edit(rule: str, start: int, end: int, made: str) -> Edit:
    return Edit(strategy="typo", rule=rule, place="question", span=Span(start, end), words=made)


def _combine(text: str, edits: Sequence[Edit]) -> Edit:
    """Return several changes as one, with what stands between them."""
    start = min(edit.span.start for edit in edits)
    end = max(edit.span.end for edit in edits)
    rules = dict.fromkeys(edit.rule for edit in sorted(edits, key=lambda one: one.span))
    made = apply_edits(text, edits)
    behind = len(text) - end
    return _question_edit("+".join(rules), start, end, made[start : len(made) - behind])


def _asks_the_same(text: str, edits: Sequence[Edit]) -> bool:
    made = apply_edits(text, edits)
    return asks_for(made) == asks_for(text) and expected_answer_type(made) == expected_answer_type(
        text
    )
