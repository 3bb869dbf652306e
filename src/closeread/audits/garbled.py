"""Answers and gold answers that encodings or escapes changed, and what that costs.

A text counts only if the undone text occurs in its passage or is accepted, and the text itself does
not: a text that merely looks garbled does not count.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from closeread.audits.findings import (
    Finding,
    Table,
    share,
    skipped_finding,
    verdict_for_gap,
    worst_verdict,
)
from closeread.audits.scorers import default_scorer
from closeread.audits.subject import Subject, only_text_questions
from closeread.protocols import Metric
from closeread.summation import sum_in_order
from closeread.text.garbled import undo_garbling
from closeread.types import Answer, Prediction, Question

_ANSWERS, _GOLDS = "predicted", "gold"


class Garbled(NamedTuple):
    """A garbled text: whose it is, how it was garbled, as saved and as it was before."""

    whose: str
    how: str
    question_id: str
    text: str
    was: str


def check(run: Subject) -> Finding:
    """Find garbled texts, and score the run with the garbling undone."""
    if not run.is_text:
        return skipped_finding(
            "garbled", "all questions have options, and the check needs text answers"
        )
    run = only_text_questions(run)
    name, metric = default_scorer(run)
    found: list[Garbled] = []
    saved: list[tuple[float, float]] = []
    answers_undone: list[tuple[float, float]] = []
    both_undone: list[tuple[float, float]] = []
    for question in run.questions:
        prediction = run.predictions.get(question.question_id)
        passage = run.passages[question.passage_id].text
        garbled_answers = list(_garbled_answers(question, prediction, passage))
        mended = _restore_prediction(prediction, garbled_answers)
        garbled_golds = list(_garbled_golds(question, mended, passage))
        found += [*garbled_answers, *garbled_golds]
        saved.append(_em_and_f1(metric, question, prediction))
        answers_undone.append(
            _em_and_f1(metric, question, mended) if garbled_answers else saved[-1]
        )
        asked = _restore_question(question, garbled_golds)
        both_undone.append(
            _em_and_f1(metric, asked, mended) if garbled_golds else answers_undone[-1]
        )
    rows = [
        ("as saved", *_means(saved)),
        ("answers undone", *_means(answers_undone)),
        ("gold answers undone, too", *_means(both_undone)),
    ]
    gain = rows[-1][2] - rows[0][2]
    n_golds = sum(each.whose == _GOLDS for each in found)
    headline = _headline(found, n_golds, name, rows[0][2], rows[-1][2])
    return Finding(
        check="garbled",
        verdict=worst_verdict((verdict_for_gap(gain), "doubtful" if n_golds else "sound")),
        headline=f"{run.name}: {headline}",
        tables=(
            Table(
                title="Garbled texts",
                headings=(
                    "whose", "how", "texts", "share %", "saved text", "original text",
                    "for example",
                ),
                rows=tuple(_count_rows(found, len(run.questions))),
                note="counted only if the original text occurs in the passage or is an accepted "
                     "answer, and the saved text is neither; share: of all questions",
            ),
            Table(
                title="Scores with the garbling undone",
                headings=("scored", f"{name} EM %", f"{name} F1 %"),
                rows=tuple(rows) if found else (),
            ),
        ),
        data={
            "texts": [each._asdict() for each in found],
            "scores": {what: {"em": exact, "f1": f1} for what, exact, f1 in rows},
        },
    )  # fmt: skip


def _headline(found: list[Garbled], n_golds: int, name: str, old: float, new: float) -> str:
    if not found:
        return "no answer and no gold answer is garbled"
    return (
        f"{len(found) - n_golds:,} answers and {n_golds:,} gold answers are garbled; undoing "
        f"this changes {name} F1 from {100 * old:.2f} to {100 * new:.2f}"
    )


def _count_rows(found: list[Garbled], n: int) -> Iterator[tuple[str | int | float | None, ...]]:
    """Yield a row for each kind of garbling, the most common first."""
    firsts: dict[tuple[str, str], Garbled] = {}
    questions: dict[tuple[str, str], set[str]] = {}
    for each in found:
        firsts.setdefault((each.whose, each.how), each)
        questions.setdefault((each.whose, each.how), set()).add(each.question_id)
    for kind, many in Counter((each.whose, each.how) for each in found).most_common():
        first = firsts[kind]
        yield (*kind, many, share(len(questions[kind]), n), first.text, first.was,
               first.question_id)  # fmt: skip


def _garbled_answers(
    question: Question, prediction: Prediction | None, passage: str
) -> Iterator[Garbled]:
    """Yield the garbled texts of an answer."""
    golds = [text for answer in question.answers for text in answer.texts]
    for text in _texts(prediction):
        if (was := undo_garbling(text, golds, passage)) is not None:
            yield Garbled(_ANSWERS, was.how, question.question_id, text, was.text)


def _garbled_golds(
    question: Question, prediction: Prediction | None, passage: str
) -> Iterator[Garbled]:
    """Yield the garbled gold answers: the undone text is in the passage or was predicted."""
    for gold in dict.fromkeys(text for answer in question.answers for text in answer.texts):
        if (was := undo_garbling(gold, _texts(prediction), passage)) is not None:
            yield Garbled(_GOLDS, was.how, question.question_id, gold, was.text)


def _texts(prediction: Prediction | None) -> tuple[str, ...]:
    return () if prediction is None or prediction.answer is None else prediction.answer.texts


def _restore_prediction(
    prediction: Prediction | None, garbled: Iterable[Garbled]
) -> Prediction | None:
    was = {each.text: each.was for each in garbled}
    if prediction is None or prediction.answer is None or not was:
        return prediction
    return msgspec.structs.replace(prediction, answer=_restore_answer(prediction.answer, was))


def _restore_question(question: Question, garbled: Iterable[Garbled]) -> Question:
    was = {each.text: each.was for each in garbled}
    answers = tuple(_restore_answer(answer, was) for answer in question.answers)
    return msgspec.structs.replace(question, answers=answers) if was else question


def _restore_answer(answer: Answer, was: Mapping[str, str]) -> Answer:
    return msgspec.structs.replace(
        answer, texts=tuple(was.get(text, text) for text in answer.texts)
    )


def _em_and_f1(
    metric: Metric, question: Question, prediction: Prediction | None
) -> tuple[float, float]:
    values = metric.score(question, prediction).values
    return values.get("em") or 0.0, values.get("f1") or 0.0


def _means(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    exact, f1 = zip(*pairs, strict=True)
    return sum_in_order(exact) / len(pairs), sum_in_order(f1) / len(pairs)
