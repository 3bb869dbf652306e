"""Encode the questions of a page as JSON: columns, and blocks of details and passages."""

from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Any

import msgspec

from closeread.reports.evidence_marks import cover_options, cover_question, locate_evidence
from closeread.reports.excerpts import shorten
from closeread.reports.material import (
    Attention,
    Material,
    QuestionResult,
    Row,
    RunView,
    predicted_label,
    predicted_labels,
    right_labels,
)
from closeread.reports.plot import DIGITS
from closeread.runs.scoring.walk import tags_of
from closeread.types import Answer, Evidence, Passage, Question

DETAILS_A_BLOCK = 64
PASSAGES_A_BLOCK = 16
# A tag with more values than this identifies questions, not kinds of questions.
_MAX_VALUES = 200


def question_columns(material: Material) -> dict[str, Any]:
    """Return the columns of the list of questions, with one value per question."""
    rows = material.rows
    labels = [_unusual_labels(row.question) for row in rows]
    columns: dict[str, Any] = {
        "n": len(rows),
        "id": [row.question.question_id for row in rows],
        "text": [row.question.text for row in rows],
        "passage": [row.passage for row in rows],
        "options": [[option.text for option in row.question.options] or 0 for row in rows],
        "gold": [_gold_cell(row.question) for row in rows],
        "group": _group_codes(rows),
        "role": [row.question.role or 0 for row in rows],
        "topic": [material.passages[row.passage].title if row.passage >= 0 else "" for row in rows],
        "tags": tag_columns(material),
        "runs": [_run_columns(run, rows) for run in material.runs],
    }
    if len(material.sets) > 1:
        columns["dataset"] = [row.place for row in rows]
    if any(labels):
        columns["labels"] = labels
    return columns


def _run_columns(run: RunView, rows: Sequence[Row]) -> dict[str, Any]:
    """Return a run's columns; None for questions of other data sets."""
    names = [row.question.question_id for row in rows]
    is_own = [row.place == run.place for row in rows]
    results = [
        run.results.get(name) if is_own_question else None
        for name, is_own_question in zip(names, is_own, strict=True)
    ]
    return {
        "value": [
            _round(run.value(name)) if result else None
            for name, result in zip(names, results, strict=True)
        ],
        "answer": [
            _answer_cell(result, row.question) for result, row in zip(results, rows, strict=True)
        ],
        "confidence": [
            _round(result.prediction.confidence) if result else None for result in results
        ],
        "failed": [int(result is not None and bool(result.prediction.error)) for result in results],
    }


def tag_columns(material: Material) -> list[dict[str, Any]]:
    """Return the tags that group questions: their values, and each question's code."""
    has_several = len(material.sets) > 1
    tags_by_row = [
        question_tags(row.question)
        | ({"dataset": material.sets[row.place].info.name} if has_several else {})
        for row in material.rows
    ]
    columns = []
    for name in dict.fromkeys(name for tags in tags_by_row for name in tags):
        values = list(dict.fromkeys(tags[name] for tags in tags_by_row if name in tags))
        if 2 <= len(values) <= _MAX_VALUES:
            codes = {value: code for code, value in enumerate(values)}
            columns.append(
                {
                    "name": name,
                    "values": values,
                    "codes": [codes[tags[name]] if name in tags else -1 for tags in tags_by_row],
                }
            )
    return columns


def question_tags(question: Question) -> dict[str, str]:
    """Return a question's tags for breakdowns, without duplicates, and its kind of answer."""
    tags = tags_of(question)
    if "polarity" in question.tags:
        tags.pop("asks_for", None)
    if question.answers and question.answers[0].kind != "choice":
        tags.setdefault("answer", question.answers[0].kind)
    return tags


def iter_blocks(material: Material) -> Iterator[tuple[str, Any]]:
    """Yield the named blocks that the page reads when a question is opened."""
    for start in range(0, len(material.passages), PASSAGES_A_BLOCK):
        passages = material.passages[start : start + PASSAGES_A_BLOCK]
        yield (
            f"passages-{start // PASSAGES_A_BLOCK}",
            [
                {"title": passage.title, "text": passage.text, "language": passage.language}
                for passage in passages
            ],
        )
    for start in range(0, len(material.rows), DETAILS_A_BLOCK):
        rows = material.rows[start : start + DETAILS_A_BLOCK]
        yield f"details-{start // DETAILS_A_BLOCK}", [_detail(material, row) for row in rows]


def _detail(material: Material, row: Row) -> dict[str, Any]:
    question = row.question
    passage = material.passages[row.passage] if row.passage >= 0 else None
    detail: dict[str, Any] = {
        "option_tags": [option.tags for option in question.options],
        "option_truth": question.option_truth,
        "answers": question.answers,
        "runs": [
            _result_payload(run, question, passage) if run.place == row.place else None
            for run in material.runs
        ],
    }
    if question.gold_evidence:
        gold = locate_evidence(question.gold_evidence, passage)
        detail["gold_evidence"] = gold
        detail |= _coverage_payload(question, passage, gold)
    if question.asks_for:
        detail["asks_for"] = question.asks_for
    return detail


def _result_payload(
    run: RunView, question: Question, passage: Passage | None
) -> dict[str, Any] | None:
    result = run.results.get(question.question_id)
    if result is None:
        return None
    evidence = locate_evidence(result.prediction.evidence, passage)
    payload: dict[str, Any] = msgspec.to_builtins(
        shorten(msgspec.structs.replace(result.prediction, evidence=evidence))
    )
    del payload["question_id"]
    payload |= _coverage_payload(question, passage, evidence)
    if result.attention:
        payload["attention"] = {
            label: _attention_payload(item) for label, item in result.attention.items()
        }
    # Texts that are in the passage or the options are not repeated.
    for item in payload.get("evidence", ()):
        if item.get("spans"):
            item.pop("texts", None)
    if question.options:
        for candidate in payload.get("candidates", ()):
            if candidate["answer"].get("label"):
                candidate["answer"].pop("texts", None)
    payload["scores"] = {
        name: _round(value)
        for name, value in result.values.items()
        if name in run.metrics and name.count(".") == 1
    }
    if result.note and not question.options:
        payload["note"] = result.note
    return payload


def _coverage_payload(
    question: Question, passage: Passage | None, evidence: Sequence[Evidence]
) -> dict[str, Any]:
    """Return ``said`` and ``loose`` of the options, or ``asked`` with both of the question's text.

    Keys without content are omitted.
    """
    question_coverage = cover_question(question, passage, evidence)
    if question_coverage is not None:
        return {"asked": {"said": question_coverage.covered, "loose": question_coverage.uncovered}}
    options = cover_options(question, passage, evidence)
    parts: dict[str, list[Any]] = {
        "said": [coverage.covered for coverage in options],
        "loose": [coverage.uncovered for coverage in options],
    }
    return {name: values for name, values in parts.items() if any(values)}


def _attention_payload(attention: Attention) -> dict[str, Any]:
    return {
        "query": attention.query,
        "steps": [
            {
                "words": [[span.start, span.end, round(weight, 3)] for span, weight in words],
                "found": sentence,
            }
            for words, sentence in attention.steps
        ],
    }


def _gold_cell(question: Question) -> Any:
    if (correct_labels := right_labels(question)) is not None:
        return correct_labels
    return _label_or_texts(question.answers[0]) if question.answers else 0


def _answer_cell(result: QuestionResult | None, question: Question) -> Any:
    if right_labels(question) is not None:
        return predicted_labels(question, result)
    if label := predicted_label(question, result):
        return label
    answer = None if result is None else shorten(result.prediction).answer
    return None if answer is None else _label_or_texts(answer)


def _label_or_texts(answer: Answer) -> str | list[str]:
    """Return an answer's label or texts; an empty list for "no answer"."""
    return answer.label if answer.kind == "choice" and answer.label else list(answer.texts)


def _unusual_labels(question: Question) -> list[str] | None:
    """Return the options' labels unless they are A, B, C and so on."""
    labels = [option.label for option in question.options]
    return None if labels == list(ascii_uppercase[: len(labels)]) else labels


def _group_codes(rows: list[Row]) -> list[int]:
    codes: dict[tuple[int, str], int] = {}
    return [
        codes.setdefault((row.place, row.question.group_id), len(codes))
        if row.question.group_id
        else -1
        for row in rows
    ]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
