"""Training examples of the reader ``cues``, from multiple-choice questions and NLI pairs."""

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
    """A question with the features of its options.

    Attributes:
        truth: The truth of each option; None if unknown.
        gold: The indices of the accepted options.
        sign: -1 if the stem asks for an option that the passage contradicts, else 1.
        features: The nonzero features of each option.
    """

    truth: tuple[bool | None, ...]
    gold: frozenset[int]
    sign: float
    features: tuple[Features, ...]


class SourceQuestion(Record, frozen=True, kw_only=True):
    """A question with its passage and the name of its data set."""

    passage: Passage
    question: Question
    dataset: str


def rankable_questions(
    names: Sequence[str], by_stem: Sequence[str], open_dataset: OpenDataset, *held_out: Overlap
) -> tuple[list[SourceQuestion], int]:
    """Return the questions whose options can be ranked, and how many were left out for overlap.

    Args:
        names: Data sets; questions without options or gold, and entailment, are skipped.
        by_stem: Further data sets, which label every question as choice: questions whose stem asks
            what the passage supports or contradicts become verification, the others are skipped.
        open_dataset: Opens a data set by name.
        held_out: Indexes of the sets that must not be learned from.
    """
    return _without_overlap(
        held_out,
        (
            source
            for group, kind_by_stem in ((names, False), (by_stem, True))
            for name in group
            for passage, questions in open_dataset(name)
            for question in questions
            if question.kind != "entailment" and _has_answer(question)
            for source in _source_questions(passage, question, name, kind_by_stem)
        ),
    )


def _source_questions(
    passage: Passage, question: Question, name: str, kind_by_stem: bool
) -> Iterator[SourceQuestion]:
    if kind_by_stem and (question.asks_for is None or not passage.text):
        return
    if kind_by_stem:
        question = msgspec.structs.replace(question, kind="verification")
    yield SourceQuestion(passage=passage, question=question, dataset=name)


def statements(
    names: Sequence[str], open_dataset: OpenDataset, *held_out: Overlap
) -> tuple[list[SourceQuestion], int]:
    """Return questions about the truth of statements, and how many were left out for overlap.

    Every multiple-choice question becomes verification of its options. The hypotheses of an NLI
    premise become the options of one question; premises with fewer than two are skipped. Arguments
    are as for ``rankable_questions``.
    """
    premises: dict[tuple[str, str], list[SourceQuestion]] = {}
    ranked: list[SourceQuestion] = []
    for name in names:
        for passage, questions in open_dataset(name):
            for question in questions:
                source = SourceQuestion(passage=passage, question=question, dataset=name)
                if question.kind == "entailment" and question.answers:
                    premises.setdefault((name, passage.text), []).append(source)
                elif question.kind != "entailment" and _has_answer(question):
                    verification = msgspec.structs.replace(
                        question, kind="verification", option_truth=option_truths(question)
                    )
                    ranked.append(msgspec.structs.replace(source, question=verification))
    joined = (_join_hypotheses(pairs) for pairs in premises.values() if len(pairs) > 1)
    return _without_overlap(held_out, itertools.chain(ranked, joined))


def make_examples(sources: Iterable[SourceQuestion], retriever: Retriever) -> Iterator[Example]:
    """Yield each question with the features of its options.

    Args:
        sources: The questions.
        retriever: Finds the evidence sentences that an option is compared with.
    """
    for source in sources:
        question = source.question
        passage = PassageIndex(source.passage)
        explanations = explain_options(question, passage, retriever)
        yield Example(
            truth=option_truths(question),
            gold=_gold(question),
            sign=polarity_sign(question),
            features=tuple(map(_compact, features(question, passage, explanations))),
        )


def _compact(values: Features) -> Features:
    """Drop zeros, and intern the names, which many options share, to save memory."""
    return {sys.intern(name): value for name, value in values.items() if value}


def _without_overlap(
    held_out: Sequence[Overlap], sources: Iterable[SourceQuestion]
) -> tuple[list[SourceQuestion], int]:
    without_overlap, n_left_out = [], 0
    for source in sources:
        if any(overlap.overlaps(source.passage, source.question) for overlap in held_out):
            n_left_out += 1
        else:
            without_overlap.append(source)
    return without_overlap, n_left_out


def _has_answer(question: Question) -> bool:
    """Return whether the gold answer is one of several options; defective data may name another."""
    return len(question.options) > 1 and bool(_gold(question))


def _gold(question: Question) -> frozenset[int]:
    accepted = {answer.label for answer in question.answers}
    return frozenset(
        index for index, option in enumerate(question.options) if option.label in accepted
    )


_CLASS_TRUTH = {"entailment": True, "contradiction": False}


def _entailment_class(question: Question) -> str:
    """Return the gold class of a hypothesis: the answer's text, or the text of its option."""
    answer = question.answers[0]
    option_texts = [option.text for option in question.options if option.label == answer.label]
    return (*answer.texts, *option_texts, "")[0].strip().lower()


def _join_hypotheses(pairs: Sequence[SourceQuestion]) -> SourceQuestion:
    """Return a premise's hypotheses as the options of one question."""
    first = pairs[0]
    return SourceQuestion(
        passage=first.passage,
        dataset=first.dataset,
        question=Question(
            question_id=first.question.question_id,
            passage_id=first.passage.passage_id,
            text="",
            kind="verification",
            options=tuple(
                Option(label=str(number), text=pair.question.text)
                for number, pair in enumerate(pairs, 1)
            ),
            option_truth=tuple(
                _CLASS_TRUTH.get(_entailment_class(pair.question)) for pair in pairs
            ),
        ),
    )
