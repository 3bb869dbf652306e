"""Makes contexts of passages: merges equal neighbours, and joins documents on request."""

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from closeread.formats.conversion.documents import JoinedDocuments, join_documents
from closeread.types import Answer, Defects, Item, Passage, Question, Span


def iter_contexts(items: Iterable[Item], documents: bool, remarks: Defects) -> Iterator[Item]:
    """Yield each context with all its questions.

    Args:
        items: Passages with their questions.
        documents: Join successive passages with the same questions, with markers.
        remarks: Counts ``merged-context`` (a passage with the text of the one before it),
            ``repeated-paragraph`` (left out of a joined context) and ``context-again`` (a passage
            with the text of an earlier one, which keeps its own line).
    """
    digests: set[bytes] = set()
    contexts = (
        _join_documents(items, remarks) if documents else _merge_equal_neighbours(items, remarks)
    )
    for passage, questions in contexts:
        digest = hashlib.blake2b(passage.text.encode("utf-8", "surrogatepass"), digest_size=12)
        if digest.digest() in digests:
            remarks.add(
                "context-again", f"passage {passage.passage_id} has the text of an earlier passage"
            )
        digests.add(digest.digest())
        yield passage, questions


def _merge_equal_neighbours(items: Iterable[Item], remarks: Defects) -> Iterator[Item]:
    for _, group in itertools.groupby(items, key=lambda item: item[0].text):
        first, *repeats = group
        for passage, _ in repeats:
            remarks.add(
                "merged-context",
                f"passage {passage.passage_id} has the text of the passage before it",
            )
        yield (
            first[0],
            tuple(question for _, questions in (first, *repeats) for question in questions),
        )


def _join_documents(items: Iterable[Item], remarks: Defects) -> Iterator[Item]:
    for texts, group in itertools.groupby(items, key=_question_texts):
        if texts:
            yield _context(list(group), remarks)
            continue
        for item in group:
            yield _context([item], remarks)


def _question_texts(item: Item) -> tuple[str, ...]:
    return tuple(question.text for question in item[1])


def _context(group: Sequence[Item], remarks: Defects) -> Item:
    joined = join_documents([passage for passage, _ in group])
    passage = group[0][0]
    for _ in range(joined.repeated):
        remarks.add("repeated-paragraph", f"in the context of passage {passage.passage_id}")
    return (
        Passage(passage_id=passage.passage_id, text=joined.text, language=passage.language),
        tuple(
            _merge_questions(copies, joined)
            for copies in zip(*(questions for _, questions in group), strict=True)
        ),
    )


def _merge_questions(copies: tuple[Question, ...], joined: JoinedDocuments) -> Question:
    """Return one question with the answers from all its documents."""
    answers = [
        msgspec.structs.replace(answer, spans=_move_spans(answer, index, joined))
        for index, question in enumerate(copies)
        for answer in question.answers
    ]
    spans_answers = [answer for answer in answers if answer.kind != "none"]
    return msgspec.structs.replace(copies[0], answers=tuple(spans_answers or answers))


def _move_spans(answer: Answer, document: int, joined: JoinedDocuments) -> tuple[Span, ...]:
    places = (joined.move_span(document, span) for span in answer.spans)
    return tuple(place for place in places if place is not None)
