"""The strategy of typing errors: slips in a question's words that a person would overlook."""

import random
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from closeread.attacks.apply import apply_edits
from closeread.attacks.context import Surroundings
from closeread.attacks.keyboard.homophones import HomophoneTypo, find_homophones
from closeread.attacks.keyboard.slips import iter_slips, trigrams
from closeread.text.numbers import NUMBER_WORDS
from closeread.text.polarity import asks_for
from closeread.text.question_type import expected_answer_type
from closeread.text.quotations import quoted_spans
from closeread.text.segment import words
from closeread.types import Edit, Passage, Question, Span

_PARTICLES = ("的>地", "地>的")
_MAX_CHARACTERS = 4_000_000  # characters of the passages from which known words are collected
_WORD = re.compile(
    r"(?<![\w'’-])[a-z\u00df-\u00f6\u00f8-\u017f\u03ac-\u03ce\u0430-\u045f]{4,}(?![\w'’-])"
)
# Words that ask, negate or compare: they stay as they are.
_EN_QUESTION_WORDS = (
    "what when where which whom whose does many much long often tall deep wide fast high large more"
    " most less least fewer fewest none never neither without except unless only also true false"
    " untrue correct incorrect correctly incorrectly right wrong wrongly supported unsupported"
    " consistent inconsistent accurate inaccurate contradict contradicted mentioned stated inferred"
    " implied concluded best worst before after between during until since first last second third"
    " fourth fifth half both either same different difference likely unlikely possible impossible"
    " able unable legal illegal following statement passage author according"
)
_EN_PROTECTED = NUMBER_WORDS | frozenset(_EN_QUESTION_WORDS.split())
_MIN_DISTANCE = 3  # characters between two slips
_LENGTHS = {True: (12, 25), False: (8, 16)}  # of a question with two slips, and with three


def typo(around: Surroundings) -> "Typo":
    """Make the strategy.

    Args:
        around: No slip makes a word of its ``passages``, or a word that consists only of letter
            trigrams of these words.
    """
    return Typo(around)


class Typo:
    """Proposes slips in one to three words of a question, depending on its length.

    In alphabetic languages two letters are exchanged, one is doubled or left out or, in English, a
    neighbouring key is hit. Options are not changed. Only words of four letters or more are
    changed, but no numbers, names, quotations or question words. Question words are known only for
    English: in other languages, a word must have five letters and be in the passage. In Chinese a
    character is replaced by a homophone. In other scripts nothing is proposed.
    """

    def __init__(self, around: Surroundings) -> None:
        self._surroundings = around

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        """Yield an edit with all slips, then one for each; those in words of the passage first."""
        if question.kind == "entailment":
            return
        text = question.text
        rng = random.Random(f"{self._surroundings.seed}\0{question.question_id}\0typo")
        chinese = passage.language == "zh"
        slip_edits = (
            _chinese_slips(passage.title, text, rng)
            if chinese
            else self._propose_slips(passage, text, rng)
        )
        size = len(text) if chinese else len(text.split())
        max_slips = 1 + sum(size >= length for length in _LENGTHS[chinese])
        chosen: list[Edit] = []
        for edit in slip_edits:
            if len(chosen) == max_slips:
                break
            if all(_are_apart(edit, other) for other in chosen) and _keeps_meaning(
                text, [*chosen, edit]
            ):
                chosen.append(edit)
        if len(chosen) > 1:
            yield _combine(text, chosen)
        yield from chosen

    def _propose_slips(self, passage: Passage, text: str, rng: random.Random) -> Iterator[Edit]:
        passage_words = set(words(passage.text))
        english = passage.language == "en"
        quoted = quoted_spans(text)
        candidates = [
            match
            for match in _WORD.finditer(text)
            if not any(span.start <= match.start() < span.end for span in quoted)
            and match[0] not in _EN_PROTECTED
            and (match[0] in passage_words or match[0].capitalize() not in passage_words)
            and (english or (len(match[0]) > 4 and match[0] in passage_words))
        ]
        rng.shuffle(candidates)
        candidates.sort(key=lambda match: match[0] not in passage_words)
        for match in {match[0]: match for match in candidates}.values():
            for slip in iter_slips(match[0], rng, english, self._known_trigrams):
                if slip.word not in self._known_words and slip.word not in passage_words:
                    yield _question_edit(slip.rule, match.start(), match.end(), slip.word)
                    break

    @cached_property
    def _known_trigrams(self) -> frozenset[str]:
        return frozenset(
            run for word in self._known_words if word.isalpha() for run in trigrams(word)
        )

    @cached_property
    def _known_words(self) -> frozenset[str]:
        known_words: set[str] = set()
        characters_left = _MAX_CHARACTERS
        for passage in self._surroundings.passages:
            characters_left -= len(passage.text)
            if characters_left < 0:
                break
            known_words.update(words(passage.text.lower()))
        return frozenset(known_words)


def _chinese_slips(title: str, text: str, rng: random.Random) -> Iterator[Edit]:
    """Yield slips, those in words first; at most one is in a particle."""
    protected = quoted_spans(text)
    if len(title) > 1 and title in text:
        protected.append(Span(text.index(title), text.index(title) + len(title)))
    candidates = [
        typo
        for typo in find_homophones(text)
        if not any(span.start <= typo.offset < span.end for span in protected)
    ]
    rng.shuffle(candidates)
    yield from (_homophone_edit(span) for span in candidates if span.rule not in _PARTICLES)
    yield from [_homophone_edit(span) for span in candidates if span.rule in _PARTICLES][:1]


def _homophone_edit(typo: HomophoneTypo) -> Edit:
    return _question_edit(typo.rule, typo.offset, typo.offset + 1, typo.character)


def _are_apart(edit: Edit, other: Edit) -> bool:
    before, after = sorted((edit.span, other.span))
    return after.start - before.end >= _MIN_DISTANCE


def _question_edit(rule: str, start: int, end: int, replacement: str) -> Edit:
    return Edit(
        strategy="typo", rule=rule, place="question", span=Span(start, end), words=replacement
    )


def _combine(text: str, edits: Sequence[Edit]) -> Edit:
    """Return several edits as one that spans them all."""
    start = min(edit.span.start for edit in edits)
    end = max(edit.span.end for edit in edits)
    rules = dict.fromkeys(edit.rule for edit in sorted(edits, key=lambda edit: edit.span))
    edited = apply_edits(text, edits)
    characters_after = len(text) - end
    return _question_edit(
        "+".join(rules), start, end, edited[start : len(edited) - characters_after]
    )


def _keeps_meaning(text: str, edits: Sequence[Edit]) -> bool:
    edited = apply_edits(text, edits)
    return asks_for(edited) == asks_for(text) and expected_answer_type(
        edited
    ) == expected_answer_type(text)
