"""Converts a set with span answers to the MRQA form, as the 2019 shared task made its sets.

It tokenizes by spaCy's rules, cuts contexts after 800 tokens, finds the answers, and drops and
counts what is not extractive. The three repairs of the official release hold by construction: each
accepted answer has its own places and its full raw text (2019-05-29), no paragraph occurs twice in
a context (2019-06-13), and what is marked equals an accepted answer as the official scorer compares
(2019-07-12). Sources: Fisch et al. 2019, section 3, and the shared task's README.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import msgspec

from closeread.errors import UsageError
from closeread.formats.conversion.contexts import iter_contexts
from closeread.formats.conversion.occurrences import Token, TokenizedText
from closeread.formats.conversion.spacy_tokens import Tokenize, tokenizer, version
from closeread.formats.layouts.tokens import MAX_TOKENS
from closeread.formats.mrqa import match_key
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question, Span

Occurrences = Literal["all", "annotated"]


@dataclass
class Conversion:
    """A data set in MRQA form, with counts of what happened to the questions.

    Attributes:
        dataset: Converted while it is read; ``dump`` writes it.
        dropped: Dropped questions by reason; filled while ``dataset`` is read.
        remarks: Changes on the way: cut contexts, repeated paragraphs, repeated ids.
    """

    dataset: Dataset
    dropped: Defects = field(default_factory=Defects)
    remarks: Defects = field(default_factory=Defects)


def to_mrqa(
    dataset: Dataset,
    *,
    name: str = "",
    split: str = "",
    occurrences: Occurrences = "all",
    documents: bool = False,
) -> Conversion:
    """Convert a data set; it is read when the result's ``dataset`` is read.

    Args:
        dataset: Any set; only questions with an answer in the passage are kept.
        name: The set's name for the header and the ids' hashes; by default its own.
        split: ``train``, ``dev`` or ``test``, for the header.
        occurrences: ``all`` marks every place of an answer. ``annotated`` keeps the annotators'
            places if the source has them, as the shared task did for SQuAD and NewsQA, and marks
            every place of the other answers.
        documents: Mark titles and paragraphs, and join successive passages with the same questions
            into one context.

    Raises:
        MissingExtraError: spaCy is not installed.
    """
    header = {"dataset": name or dataset.name, "split": split, "tokenizer": version()}
    if dataset.license:
        header["license"] = dataset.license
    conversion = Conversion(dataset)

    def read(defects: Defects) -> Iterator[Item]:
        conversion.dropped, conversion.remarks = Defects(), Defects()
        joined = iter_contexts(dataset.read(defects), documents, conversion.remarks)
        return _Converter(header["dataset"], occurrences, conversion).run(joined)

    conversion.dataset = replace(
        dataset, format="mrqa", read=read, read_gold=None, metadata={"header": header}
    )
    return conversion


def qid(name: str, question_id: str) -> str:
    """Return an id of 32 hexadecimal digits, unique to the set and the question."""
    return hashlib.sha256(f"{name}\0{question_id}".encode()).hexdigest()[:32]


class _Context:
    """A passage cut after the last kept token, and the whole passage on demand."""

    def __init__(self, text: str, tokens: list[Token], language: str) -> None:
        self._text = text
        self._tokens = tokens
        self.language = language
        self.is_cut = len(tokens) > MAX_TOKENS
        last, offset = tokens[:MAX_TOKENS][-1] if self.is_cut else (text, 0)
        self.kept = TokenizedText(text[: offset + len(last)], tokens[:MAX_TOKENS])

    @cached_property
    def full_text(self) -> TokenizedText:
        return TokenizedText(self._text, self._tokens)


class _Converter:
    """One pass over a set: its tokenizers by language, and the ids used so far."""

    def __init__(self, name: str, occurrences: Occurrences, conversion: Conversion) -> None:
        self.name = name
        self.occurrences = occurrences
        self.conversion = conversion
        self.tokenizers: dict[str, Tokenize] = {}
        self.given: set[str] = set()

    def run(self, items: Iterator[Item]) -> Iterator[Item]:
        has_rows = False
        for index, (passage, questions) in enumerate(items):
            context = self._cut(passage)
            rows = [
                row for question in questions if (row := self._row(question, context, str(index)))
            ]
            if rows:
                has_rows = True
                yield (
                    Passage(
                        passage_id=str(index),
                        text=context.kept.text,
                        language=passage.language,
                        metadata={"context_tokens": context.kept.tokens},
                    ),
                    tuple(rows),
                )
        if not has_rows:
            reasons = (
                f"{code} {count:,}" for code, count in self.conversion.dropped.counts.items()
            )
            raise UsageError(
                "no question has an answer in its passage, so the MRQA file would be empty",
                where=self.name,
                expected="extractive questions; dropped: " + (", ".join(reasons) or "none"),
            )

    def _tokens(self, text: str, language: str) -> list[Token]:
        if language not in self.tokenizers:
            self.tokenizers[language] = tokenizer(language)
        return self.tokenizers[language](text)

    def _cut(self, passage: Passage) -> "_Context":
        tokens = self._tokens(passage.text, passage.language)
        if len(tokens) > MAX_TOKENS:
            self.conversion.remarks.add(
                "context-cut", f"passage {passage.passage_id} has {len(tokens):,} tokens"
            )
        return _Context(passage.text, tokens, passage.language)

    def _row(self, question: Question, context: "_Context", passage_id: str) -> Question | None:
        answers, reason = _extractive_answers(question)
        detected = self._detected_answers(answers, context.kept)
        if not detected:
            if answers:
                behind = context.is_cut and self._detected_answers(answers, context.full_text)
                reason = f"answer-beyond-{MAX_TOKENS}-tokens" if behind else "answer-not-in-passage"
            self.conversion.dropped.add(reason, question.text, question_id=question.question_id)
            return None
        return Question(
            question_id=self._qid(question.question_id),
            passage_id=passage_id,
            text=question.text,
            kind="span",
            answers=tuple(
                Answer(kind="span", texts=(text,), spans=_detected_spans(text, detected))
                for text in (answer.texts[0] for answer in answers)
            ),
            tags=question.tags,
            metadata={
                "question_tokens": self._tokens(question.text, context.language),
                "detected_answers": detected,
                "mrqa_extra": {"id": question.question_id},
            },
        )

    def _qid(self, question_id: str) -> str:
        unique, turn = qid(self.name, question_id), 1
        while unique in self.given:
            turn += 1
            unique = qid(self.name, f"{question_id}\0{turn}")
        if turn > 1:
            self.conversion.remarks.add(
                "duplicate-id", "the question got a new id", question_id=question_id
            )
        self.given.add(unique)
        return unique

    def _detected_answers(
        self, answers: list[Answer], context: TokenizedText
    ) -> list[dict[str, Any]]:
        if self.occurrences == "annotated":
            return [
                entry
                for answer in answers
                for entry in _entries(
                    _annotated_spans(answer, context) or context.find(answer.texts[0]), context
                )
            ]
        spans: dict[Span, None] = {}
        for answer in answers:
            marked = _annotated_spans(answer, context)
            occurrences = context.find(answer.texts[0])
            unmarked = [
                span
                for span in occurrences
                if not any(
                    span.start < marked_span.end and marked_span.start < span.end
                    for marked_span in marked
                )
            ]
            spans.update(dict.fromkeys(sorted([*marked, *unmarked])))
        return _entries(list(spans), context)


def _extractive_answers(question: Question) -> tuple[list[Answer], str]:
    """Return the extractive answers, or the reason why there are none."""
    if question.kind in {"verification", "entailment"}:
        return [], f"{question.kind}-question"
    if not question.answers:
        return [], "no-answer-given"
    first = question.answers[0]
    if first.kind == "none":
        return [], "unanswerable"
    if first.kind in {"number", "date"}:
        return [], f"{first.kind}-answer"
    if first.kind == "choice":
        texts = {option.label: option.text for option in question.options}
        gold_texts = (texts.get(answer.label, "") for answer in question.answers)
        return [
            Answer(kind="span", texts=(text,)) for text in gold_texts if text
        ], "no-answer-given"
    if len(first.texts) != 1:
        return [], "several-spans"
    return [
        answer
        for answer in question.answers
        if answer.kind in {"span", "spans"} and len(answer.texts) == 1
    ], "no-answer-given"


def _annotated_spans(answer: Answer, context: TokenizedText) -> list[Span]:
    """Return the source's own places that hold the answer and split no token."""
    return [
        span
        for span in answer.spans
        if 0 <= span.start < span.end <= len(context.text)
        and match_key(span.of(context.text)) == match_key(answer.texts[0])
        and context.token_span(span)
    ]


def _entries(spans: list[Span], context: TokenizedText) -> list[dict[str, Any]]:
    """Group spans by their raw text, in order of first mention."""
    grouped: dict[str, list[Span]] = {}
    for span in spans:
        grouped.setdefault(span.of(context.text), []).append(span)
    return [
        {
            "text": text,
            "char_spans": [[span.start, span.end] for span in places],
            "token_spans": [
                list(msgspec.structs.astuple(tokens))
                for tokens in map(context.token_span, places)
                if tokens
            ],
        }
        for text, places in grouped.items()
    ]


def _detected_spans(text: str, detected: list[dict[str, Any]]) -> tuple[Span, ...]:
    key = match_key(text)
    return tuple(
        Span(*place)
        for entry in detected
        if match_key(entry["text"]) == key
        for place in entry["char_spans"]
    )
