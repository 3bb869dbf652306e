"""The questions of a page as JSON: small columns read at once, details and passages in blocks."""

from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Any

import msgspec

from closeread.reports.evidence_marks import asked, laid, located
from closeread.reports.excerpts import shortened
from closeread.reports.material import (
    Attention,
    Material,
    Row,
    RunView,
    Told,
    choice_of,
    held_options,
    right_options,
)
from closeread.reports.plot import DIGITS
from closeread.runs.scoring.walk import tags_of
from closeread.types import Answer, Evidence, Passage, Question

DETAILS_A_BLOCK = 64
PASSAGES_A_BLOCK = 16
# A tag with more values than this tells questions apart, not kinds of questions.
_MOST_VALUES = 200


def columns(material: Material) -> dict[str, Any]:
    """Return what the list of questions needs: one value a question in every column."""
    rows = material.rows
    labels = [_labels(row.question) for row in rows]
    found: dict[str, Any] = {
        "n": len(rows),
        "id": [row.question.question_id for row in rows],
        "text": [row.question.text for row in rows],
        "passage": [row.passage for row in rows],
        "options": [[each.text for each in row.question.options] or 0 for row in rows],
        "gold": [_gold(row.question) for row in rows],
        "group": _groups(rows),
        "role": [row.question.role or 0 for row in rows],
        "topic": [material.passages[row.passage].title if row.passage >= 0 else "" for row in rows],
        "tags": tags(material),
        "runs": [_of_run(run, rows) for run in material.runs],
    }
    if len(material.sets) > 1:
        found["dataset"] = [row.place for row in rows]
    if any(labels):
        found["labels"] = labels
    return found


def _of_run(run: RunView, rows: Sequence[Row]) -> dict[str, Any]:
    """Return what a run said of every question, and nothing of those of another set."""
    names = [row.question.question_id for row in rows]
    own = [row.place == run.place for row in rows]
    told = [run.told.get(name) if mine else None for name, mine in zip(names, own, strict=True)]
    return {
        "value": [
            _round(run.value(name)) if one else None for name, one in zip(names, told, strict=True)
        ],
        "answer": [_said(one, row.question) for one, row in zip(told, rows, strict=True)],
        "confidence": [_round(one.prediction.confidence) if one else None for one in told],
        "failed": [int(one is not None and bool(one.prediction.error)) for one in told],
    }


def tags(material: Material) -> list[dict[str, Any]]:
    """Return the tags that tell kinds of questions apart: their values, and a code a question."""
    several = len(material.sets) > 1
    given = [
        kinds(row.question) | ({"dataset": material.sets[row.place].info.name} if several else {})
        for row in material.rows
    ]
    made = []
    for name in dict.fromkeys(name for each in given for name in each):
        values = list(dict.fromkeys(each[name] for each in given if name in each))
        if 2 <= len(values) <= _MOST_VALUES:
            codes = {value: code for code, value in enumerate(values)}
            made.append(
                {
                    "name": name,
                    "values": values,
                    "codes": [codes[each[name]] if name in each else -1 for each in given],
                }
            )
    return made


def kinds(question: Question) -> dict[str, str]:
    """Return what scoring can break down by, each thing once, and the kind of answer."""
    found = tags_of(question)
    if "polarity" in question.tags:
        found.pop("asks_for", None)
    if question.answers and question.answers[0].kind != "choice":
        found.setdefault("answer", question.answers[0].kind)
    return found


def blocks(material: Material) -> Iterator[tuple[str, Any]]:
    """Yield the named blocks that the page reads only when a question is opened."""
    for start in range(0, len(material.passages), PASSAGES_A_BLOCK):
        chosen = material.passages[start : start + PASSAGES_A_BLOCK]
        yield (
            f"passages-{start // PASSAGES_A_BLOCK}",
            [
                {"title": passage.title, "text": passage.text, "language": passage.language}
                for passage in chosen
            ],
        )
    for start in range(0, len(material.rows), DETAILS_A_BLOCK):
        rows = material.rows[start : start + DETAILS_A_BLOCK]
        yield f"details-{start // DETAILS_A_BLOCK}", [_detail(material, row) for row in rows]


def _detail(material: Material, row: Row) -> dict[str, Any]:
    question = row.question
    passage = material.passages[row.passage] if row.passage >= 0 else None
    found: dict[str, Any] = {
        "option_tags": [option.tags for option in question.options],
        "option_truth": question.option_truth,
        "answers": question.answers,
        "runs": [
            _told(run, question, passage) if run.place == row.place else None
            for run in material.runs
        ],
    }
    if question.gold_evidence:
        gold = located(question.gold_evidence, passage)
        found["gold_evidence"] = gold
        found |= _laid(question, passage, gold)
    if question.asks_for:
        found["asks_for"] = question.asks_for
    return found


def _told(run: RunView, question: Question, passage: Passage | None) -> dict[str, Any] | None:
    told = run.told.get(question.question_id)
    if told is None:
        return None
    evidence = located(told.prediction.evidence, passage)
    found: dict[str, Any] = msgspec.to_builtins(
        shortened(msgspec.structs.replace(told.prediction, evidence=evidence))
    )
    del found["question_id"]
    found |= _laid(question, passage, evidence)
    if told.attention:
        found["attention"] = {label: _shaded(one) for label, one in told.attention.items()}
    # What the passage or the options say already is not said again.
    for one in found.get("evidence", ()):
        if one.get("spans"):
            one.pop("texts", None)
    if question.options:
        for candidate in found.get("candidates", ()):
            if candidate["answer"].get("label"):
                candidate["answer"].pop("texts", None)
    found["scores"] = {
        name: _round(value)
        for name, value in told.values.items()
        if name in run.metrics and name.count(".") == 1
    }
    if told.note and not question.options:
        found["note"] = told.note
    return found


def _laid(
    question: Question, passage: Passage | None, evidence: Sequence[Evidence]
) -> dict[str, Any]:
    """Return ``said`` and ``loose`` of the options, or ``asked``: both of the question's own text.

    Only where there is anything to tell.
    """
    whole = asked(question, passage, evidence)
    if whole is not None:
        return {"asked": {"said": whole.covered, "loose": whole.uncovered}}
    options = laid(question, passage, evidence)
    parts: dict[str, list[Any]] = {
        "said": [one.covered for one in options],
        "loose": [one.uncovered for one in options],
    }
    return {name: of for name, of in parts.items() if any(of)}


def _shaded(attention: Attention) -> dict[str, Any]:
    return {
        "query": attention.query,
        "steps": [
            {
                "words": [[span.start, span.end, round(weight, 3)] for span, weight in words],
                "found": found,
            }
            for words, found in attention.steps
        ],
    }


def _gold(question: Question) -> Any:
    if (right := right_options(question)) is not None:
        return right
    return _shown(question.answers[0]) if question.answers else 0


def _said(told: Told | None, question: Question) -> Any:
    if right_options(question) is not None:
        return held_options(question, told)
    if label := choice_of(question, told):
        return label
    answer = None if told is None else shortened(told.prediction).answer
    return None if answer is None else _shown(answer)


def _shown(answer: Answer) -> str | list[str]:
    """Return a label, or the texts of an answer; none at all for "no answer"."""
    return answer.label if answer.kind == "choice" and answer.label else list(answer.texts)


def _labels(question: Question) -> list[str] | None:
    """Return the options' labels where they are not A, B, C and so on."""
    labels = [option.label for option in question.options]
    return None if labels == list(ascii_uppercase[: len(labels)]) else labels


def _groups(rows: list[Row]) -> list[int]:
    codes: dict[tuple[int, str], int] = {}
    return [
        codes.setdefault((row.place, row.question.group_id), len(codes))
        if row.question.group_id
        else -1
        for row in rows
    ]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
