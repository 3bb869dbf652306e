"""What the reader ``cues`` learns from: questions with options and premises with hypotheses."""

import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from closeread.protocols import Retriever
from closeread.readers.competition import polarity_sign
from closeread.readers.cues.features import Features, features
from closeread.readers.cues.passage import PassageIndex
from closeread.readers.cues.reader import explain_options
from closeread.training.overlap import Overlap
from closeread.training.request import OpenDataset
from closeread.training.truth import option_truths
from closeread.types import Option, Passage, Question, Record


@dataclass(frozen=True, kw_only=True)
class Example:
    """A question that can be learned from.

    Attributes:
        truth: Of each option; None where nobody knows.
        gold: The places of the accepted answers.
        sign: -1 where the stem asks for what does not hold.
        features: Of each option, those that are not 0.
    """

    truth: tuple[bool | None, ...]
    gold: frozenset[int]
    sign: float
    features: tuple[Features, ...]


class SourceQuestion(Record, frozen=True, kw_only=True):
    """A question as it was found."""

    passage: Passage
    question: Question
    dataset: str


def rankable_questions(
    names: Sequence[str], by_stem: Sequence[str], open_dataset: OpenDataset, *held: Overlap
) -> tuple[list[SourceQuestion], int]:
    """Return the questions that can be ranked, and how many were left out for overlap.

    Args:
        names: Data sets; questions without options or gold are passed over, and so is entailment.
        by_stem: More, which call every question a choice: those whose stem asks what a passage
            supports or contradicts are verification, and the others are passed over.
        open_dataset: Opens one by name.
        held: What remembers the sets that will be read.
    """
    return _without_overlap(
        held,
        (
            one
            for of, stem_tells in ((names, False), (by_stem, True))
            for name in of
            for passage, asked in open_dataset(name)
            for question in asked
            if question.kind != "entailment" and _has_answer(question)
            for one in _source_questions(passage, question, name, stem_tells)
        ),
    )


def _source_questions(
    passage: Passage, question: Question, name: str, stem_tells: bool
) -> Iterator[SourceQuestion]:
    if stem_tells and (question.asks_for is None or not passage.text):
        return
    if stem_tells:
        question = msgspec.structs.replace(question, kind="verification")
    yield SourceQuestion(passage=passage, question=question, dataset=name)


def statements(
    names: Sequence[str], open_dataset: OpenDataset, *held: Overlap
) -> tuple[list[SourceQuestion], int]:
    """Return the same, every option a statement; and premises, their hypotheses the options.

    Nothing can be ranked where a premise has fewer than two hypotheses.
    """
    premises: dict[tuple[str, str], list[SourceQuestion]] = {}
    ranked: list[SourceQuestion] = []
    for name in names:
        for passage, asked in open_dataset(name):
            for question in asked:
                one = SourceQuestion(passage=passage, question=question, dataset=name)
                if question.kind == "entailment" and question.answers:
                    premises.setdefault((name, passage.text), []).append(one)
                elif question.kind != "entailment" and _has_answer(question):
                    stated = msgspec.structs.replace(
                        question, kind="verification", option_truth=option_truths(question)
                    )
                    ranked.append(msgspec.structs.replace(one, question=stated))
    joined = (_join_hypotheses(found) for found in premises.values() if len(found) > 1)
    return _without_overlap(held, itertools.chain(ranked, joined))


def make_examples(found: Iterable[SourceQuestion], retriever: Retriever) -> Iterator[Example]:
    """Yield each question with the features of its options.

    Args:
        found: The questions.
        retriever: Finds the sentences that an option is held against.
    """
    for one in found:
        read = PassageIndex(one.passage)
        explanations = explain_options(one.question, read, retriever)
        yield Example(
            truth=option_truths(one.question),
            gold=_gold(one.question),
            sign=polarity_sign(one.question),
            features=tuple(map(_compact, features(one.question, read, explanations))),
        )


def _compact(found: Features) -> Features:
    """Return the same in less room: a name that many options have is there once."""
    return {sys.intern(name): value for name, value in found.items() if value}


def _without_overlap(
    held: Sequence[Overlap], found: Iterable[SourceQuestion]
) -> tuple[list[SourceQuestion], int]:
    kept, n_left_out = [], 0
    for one in found:
        if any(overlap.overlaps(one.passage, one.question) for overlap in held):
            n_left_out += 1
        else:
            kept.append(one)
    return kept, n_left_out


def _has_answer(question: Question) -> bool:
    """Whether the answer is one of several options; a defect in the data may name another."""
    return len(question.options) > 1 and bool(_gold(question))


def _gold(question: Question) -> frozenset[int]:
    accepted = {answer.label for answer in question.answers}
    return frozenset(
        place for place, option in enumerate(question.options) if option.label in accepted
    )


_CLASS_TRUTH = {"entailment": True, "contradiction": False}


def _entailment_class(question: Question) -> str:
    """Return what an entailment's answer says, by its text or by the text of its option."""
    answer = question.answers[0]
    said = [option.text for option in question.options if option.label == answer.label]
    return (*answer.texts, *said, "")[0].strip().lower()


def _join_hypotheses(found: Sequence[SourceQuestion]) -> SourceQuestion:
    """Return a premise's hypotheses as the options of one question."""
    first = found[0]
    return SourceQuestion(
        passage=first.passage,
        dataset=first.dataset,
        question=Question(
            question_id=first.question.question_id,
            passage_id=first.passage.passage_id,
            text="",
            kind="verification",
            options=tuple(
                Option(label=str(number), text=one.question.text)
                for number, one in enumerate(found, 1)
            ),
            option_truth=tuple(_CLASS_TRUTH.get(_entailment_class(one.question)) for one in found),
        ),
    )
