"""A sentence of another passage that looks like the question, put in where it answers nothing.

In the spirit of AddSent (Jia and Liang 2017), with a difference: they wrote a sentence for each
question, of its own words with the names exchanged, and had people mend it. Here nothing is
written. The sentence was written by somebody, stands in the same data set, and is the one that
shares most words with the question; so it is always good language, and mostly less alike.
"""

import random
import re
from collections.abc import Callable, Iterator

from closeread.attacks.borrowed.candidates import Candidate, CandidateIndex
from closeread.attacks.borrowed.insertion_points import find_gaps
from closeread.attacks.borrowed.similarity import (
    FUNCTION,
    contains_answer,
    could_support,
    fold,
    letters_and_digits,
    terms,
)
from closeread.attacks.borrowed.subjects import asks_by_pronoun
from closeread.attacks.context import Surroundings
from closeread.text.question_type import expected_answer_type
from closeread.text.segment import words
from closeread.types import Edit, Passage, Question, Span

_SENTENCES = 5  # of the best that are proposed
_LEAST = 0.3  # of a question's weight that a sentence must share
_LEAST_WITH_OPTIONS = 0.15  # which are many words, and of several matters
_FITTING = 1.5  # how much more a sentence counts that has a number where one is asked for
_DIGIT = re.compile(r"\d")
_COMPARES = re.compile(
    r"最|唯一|第一|\b(?:most|least|only|largest|biggest|longest|highest|tallest|oldest|fastest"
    r"|smallest|shortest|lowest|greatest|best|worst|first|last|[a-z]{3,}(?<!for)(?<!inter)est)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:how (?:many|much)|more|fewer|less|number of|total|longest|shortest|most|first|last)"
    r"((?:\W+\w+){1,4})",
    re.IGNORECASE,
)


def distractor(around: Surroundings) -> "Distractor":
    """Make the strategy; the passages are searched once, when the first question comes.

    Args:
        around: Its ``passages`` are where sentences are taken from; without any there is nothing
            to propose.
    """
    return Distractor(around)


class Distractor:
    """Proposes sentences for the passage, in three places each.

    A sentence is not taken where it could answer:

    - it holds an accepted answer, a number or a name of one, an option, or a long part of one;
    - it holds a name of the question, or is about something that the passage speaks of;
    - its passage has the same title, or shares a clause;
    - it does not say itself what it is about (``He was born in 1850``);
    - the question compares or counts (``largest``, discrete questions), has no answer, or says
      ``he`` or ``this``, and names nothing itself;
    - a discrete question counts what it speaks of.
    """

    def __init__(self, around: Surroundings) -> None:
        self._seed = around.seed
        self._strangers = CandidateIndex(around.passages, around.seed)

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        """Yield insertions, the sentence that looks most like the question first."""
        if question.kind == "entailment":
            return
        draw = random.Random(f"{self._seed}\0{question.question_id}\0distractor")
        places = list(find_gaps(passage, question, self._stands_alone(passage), draw))
        if not places:
            return
        for stranger in self._chosen(passage, question):
            for gap in places:
                yield Edit(
                    strategy="distractor",
                    rule=gap.rule,
                    place="passage",
                    span=Span(gap.at, gap.at),
                    words=gap.filled(stranger.text, passage.language),
                )
            draw.shuffle(places)

    def _stands_alone(self, passage: Passage) -> Callable[[str], bool]:
        return lambda sentence: bool(self._strangers.subject(sentence, passage))

    def _chosen(self, passage: Passage, question: Question) -> list[Candidate]:
        """Return the best sentences that answer nothing."""
        named = self._strangers.names(question.text, passage)
        asks = asks_by_pronoun(question.text) and not question.options
        open_ended = question.kind == "discrete" or not _has_known_answers(question)
        if not any(map(_is_distinctive, named)) and (
            open_ended or _COMPARES.search(question.text) or asks
        ):
            return []
        query = "\n".join((question.text, *(option.text for option in question.options)))
        least = _LEAST_WITH_OPTIONS if question.options else _LEAST
        fits = expected_answer_type(question.text) in ("number", "date")
        found = [
            (score * (_FITTING if fits and _DIGIT.search(one.text) else 1), one)
            for score, one in self._strangers.like(query, passage)
            if score >= least
        ]
        found.sort(key=lambda pair: -pair[0])
        chosen: list[Candidate] = []
        for _, one in found:
            if self._is_harmless(one, passage, question, named):
                chosen.append(one)
                if len(chosen) == _SENTENCES:
                    break
        return chosen

    def _is_harmless(
        self, one: Candidate, passage: Passage, question: Question, named: set[str]
    ) -> bool:
        text = fold(one.text)
        if one.subject in fold(passage.text) or one.subject in fold(question.text):
            return False
        if any(name in text for name in named):
            return False
        if question.kind == "discrete" and not _counted_terms(question.text).isdisjoint(
            terms(text)
        ):
            return False
        content = set(words(text)) - FUNCTION
        for answer in (
            text_of_answer for given in question.answers for text_of_answer in given.texts
        ):
            held = self._strangers.names(answer, passage)
            if contains_answer(one.text, answer) or any(
                not content.isdisjoint(name.split()) for name in held
            ):
                return False
        return not any(
            letters_and_digits(option.text) in letters_and_digits(one.text)
            or could_support(one.text, option.text)
            for option in question.options
        )


def _is_distinctive(name: str) -> bool:
    """Return whether a name is more than ``TD`` or ``UK``."""
    return len(name) > 3 or not name.isascii()


def _counted_terms(question: str) -> set[str]:
    """Return the terms that stand where a question says what it counts or compares."""
    return {term for found in _COUNTED.findall(question) for term in terms(found)}


def _has_known_answers(question: Question) -> bool:
    """Return whether it is known what may not be said: an answer, or options."""
    return bool(question.options) or any(answer.texts for answer in question.answers)
