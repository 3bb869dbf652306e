"""The strategy of distractors: insert a sentence similar to the question that does not answer it.

The idea is that of AddSent (Jia and Liang 2017), which generates a sentence from each question by
exchanging names, and has people correct it. Here the sentence is borrowed from another passage of
the data set: the one that shares most with the question. It is always fluent, but usually less
similar to the question than a generated one.
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

_MAX_SENTENCES = 5  # candidates proposed for a question
_MIN_OVERLAP = 0.3  # share of a question's weight that a sentence must have
_MIN_OVERLAP_WITH_OPTIONS = 0.15  # options add many words on several topics
_NUMBER_BONUS = 1.5  # factor for a sentence with a number where the question asks for one
_DIGIT = re.compile(r"\d")
_COMPARISON = re.compile(
    r"最|唯一|第一|\b(?:most|least|only|largest|biggest|longest|highest|tallest|oldest|fastest"
    r"|smallest|shortest|lowest|greatest|best|worst|first|last|[a-z]{3,}(?<!for)(?<!inter)est)\b",
    re.IGNORECASE,
)
_COUNTED_PHRASE = re.compile(
    r"\b(?:how (?:many|much)|more|fewer|less|number of|total|longest|shortest|most|first|last)"
    r"((?:\W+\w+){1,4})",
    re.IGNORECASE,
)


def distractor(around: Surroundings) -> "Distractor":
    """Make the strategy; the passages are indexed once, at the first question.

    Args:
        around: Sentences are borrowed from its ``passages``; without any nothing is proposed.
    """
    return Distractor(around)


class Distractor:
    """Proposes sentences to insert into the passage, each in three gaps.

    A sentence is rejected where it could answer the question:

    - it contains an accepted answer, a number or a name of one, an option, or a long part of one;
    - it contains a name of the question, or its subject is in the passage or the question;
    - its passage has the same title, or shares a clause;
    - it does not name its subject (``He was born in 1850``);
    - the question names nothing, and compares or counts (``largest``, discrete questions), has no
      answer, or has a pronoun such as ``he`` or ``this``;
    - a discrete question counts something that the sentence mentions.
    """

    def __init__(self, around: Surroundings) -> None:
        self._seed = around.seed
        self._index = CandidateIndex(around.passages, around.seed)

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        """Yield insertions, those of the sentence most similar to the question first."""
        if question.kind == "entailment":
            return
        rng = random.Random(f"{self._seed}\0{question.question_id}\0distractor")
        gaps = list(find_gaps(passage, question, self._stands_alone(passage), rng))
        if not gaps:
            return
        for candidate in self._choose_candidates(passage, question):
            for gap in gaps:
                yield Edit(
                    strategy="distractor",
                    rule=gap.rule,
                    place="passage",
                    span=Span(gap.offset, gap.offset),
                    words=gap.pad(candidate.text, passage.language),
                )
            rng.shuffle(gaps)

    def _stands_alone(self, passage: Passage) -> Callable[[str], bool]:
        return lambda sentence: bool(self._index.subject(sentence, passage))

    def _choose_candidates(self, passage: Passage, question: Question) -> list[Candidate]:
        """Return the most similar sentences that do not answer the question."""
        question_names = self._index.names(question.text, passage)
        has_pronoun = asks_by_pronoun(question.text) and not question.options
        open_ended = question.kind == "discrete" or not _has_known_answers(question)
        if not any(map(_is_distinctive, question_names)) and (
            open_ended or _COMPARISON.search(question.text) or has_pronoun
        ):
            return []
        query = "\n".join((question.text, *(option.text for option in question.options)))
        min_overlap = _MIN_OVERLAP_WITH_OPTIONS if question.options else _MIN_OVERLAP
        asks_for_number = expected_answer_type(question.text) in ("number", "date")
        scored = [
            (
                score * (_NUMBER_BONUS if asks_for_number and _DIGIT.search(candidate.text) else 1),
                candidate,
            )
            for score, candidate in self._index.find_similar(query, passage)
            if score >= min_overlap
        ]
        scored.sort(key=lambda pair: -pair[0])
        chosen: list[Candidate] = []
        for _, candidate in scored:
            if self._is_harmless(candidate, passage, question, question_names):
                chosen.append(candidate)
                if len(chosen) == _MAX_SENTENCES:
                    break
        return chosen

    def _is_harmless(
        self, candidate: Candidate, passage: Passage, question: Question, question_names: set[str]
    ) -> bool:
        text = fold(candidate.text)
        if candidate.subject in fold(passage.text) or candidate.subject in fold(question.text):
            return False
        if any(name in text for name in question_names):
            return False
        if question.kind == "discrete" and not _counted_terms(question.text).isdisjoint(
            terms(text)
        ):
            return False
        content_words = set(words(text)) - FUNCTION
        for answer in (
            text_of_answer for gold in question.answers for text_of_answer in gold.texts
        ):
            answer_names = self._index.names(answer, passage)
            if contains_answer(candidate.text, answer) or any(
                not content_words.isdisjoint(name.split()) for name in answer_names
            ):
                return False
        return not any(
            letters_and_digits(option.text) in letters_and_digits(candidate.text)
            or could_support(candidate.text, option.text)
            for option in question.options
        )


def _is_distinctive(name: str) -> bool:
    """Return whether a name is longer than an abbreviation such as ``TD`` or ``UK``."""
    return len(name) > 3 or not name.isascii()


def _counted_terms(question: str) -> set[str]:
    """Return the terms after the words with which a question counts or compares."""
    return {term for phrase in _COUNTED_PHRASE.findall(question) for term in terms(phrase)}


def _has_known_answers(question: Question) -> bool:
    """Return whether a question has answers or options, which a distractor must not contain."""
    return bool(question.options) or any(answer.texts for answer in question.answers)
