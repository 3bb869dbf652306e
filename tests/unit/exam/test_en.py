"""The English exam keeps its promises."""

from collections import Counter

import msgspec
import pytest

from closeread.types import Passage, Question
from project_paths import ROOT


class _Line(msgspec.Struct):
    passage: Passage
    questions: tuple[Question, ...]


@pytest.fixture(scope="module")
def lines() -> list[_Line]:
    raw = (ROOT / "src/closeread/exam/en.jsonl").read_bytes()
    _, *passages = raw.splitlines()  # the first line says what the set is
    return [msgspec.json.decode(line, type=_Line) for line in passages]


def test_it_has_the_promised_size_and_kinds(lines):
    """At least six passages with extractive, multi-span, number and date questions."""
    assert len(lines) >= 6
    types = Counter(q.tags["type"] for line in lines for q in line.questions)
    assert types["extractive"] >= 20
    assert types["number"] >= 20
    assert min(types["multi-span"], types["date"], types["unanswerable"]) >= 5


def test_ids_are_unique(lines):
    """No question or passage bears another's id."""
    ids = [q.question_id for line in lines for q in line.questions]
    assert len(set(ids)) == len(ids)
    assert all(q.passage_id == line.passage.passage_id for line in lines for q in line.questions)


def test_every_span_is_what_it_claims(lines):
    """Answer spans slice to an answer's text and evidence spans to whole sentences."""
    for line in lines:
        text = line.passage.text
        for question in line.questions:
            for answer in question.answers:
                for span in answer.spans:
                    assert span.of(text) in answer.texts, question.question_id
                if answer.kind in ("span", "spans"):
                    assert answer.spans, question.question_id
            for evidence in question.gold_evidence:
                assert tuple(span.of(text) for span in evidence.spans) == evidence.texts
                assert all(piece[-1] in '.!?"' for piece in evidence.texts)


def test_every_answerable_question_has_evidence(lines):
    """Evidence is given wherever there is an answer, and only there."""
    for line in lines:
        for question in line.questions:
            answerable = question.answers[0].kind != "none"
            assert bool(question.gold_evidence) == answerable, question.question_id


def test_extractive_answers_lie_in_their_evidence(lines):
    """At least one accepted place of a single-span answer is inside the gold evidence."""
    for line in lines:
        for question in line.questions:
            if question.answers[0].kind != "span":
                continue
            pieces = [span for evidence in question.gold_evidence for span in evidence.spans]
            assert any(
                piece.start <= span.start and span.end <= piece.end
                for answer in question.answers
                for span in answer.spans
                for piece in pieces
            ), question.question_id
