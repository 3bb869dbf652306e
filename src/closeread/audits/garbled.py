"""Answers and gold answers that became other texts on their way, and what that costs.

A text counts where undoing gives one that stands in its passage or is accepted, and the text itself
is neither: so none does that merely looks garbled.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from closeread.audits.findings import Finding, Table, grave, gravest, share, skipped
from closeread.audits.scorers import judge_of
from closeread.audits.subject import Subject, of_texts
from closeread.protocols import Metric
from closeread.summation import sum_in_order
from closeread.text.garbled import undone
from closeread.types import Answer, Prediction, Question

_ANSWERS, _GOLDS = "predicted", "gold"


class Garbled(NamedTuple):
    """A text that was another: whose it is, how that came about, as it is and as it was."""

    whose: str
    how: str
    question_id: str
    text: str
    was: str


def check(one: Subject) -> Finding:
    """Find what was garbled, and score the run as if it had not been."""
    if not one.is_text:
        return skipped("garbled", "all questions have options, and the check needs text answers")
    one = of_texts(one)
    name, metric = judge_of(one)
    found: list[Garbled] = []
    saved: list[tuple[float, float]] = []
    answers_undone: list[tuple[float, float]] = []
    both_undone: list[tuple[float, float]] = []
    for question in one.questions:
        prediction = one.predictions.get(question.question_id)
        passage = one.passages[question.passage_id].text
        said = list(_of_answer(question, prediction, passage))
        mended = _answering(prediction, said)
        golds = list(_of_golds(question, mended, passage))
        found += [*said, *golds]
        saved.append(_scored(metric, question, prediction))
        answers_undone.append(_scored(metric, question, mended) if said else saved[-1])
        asked = _accepting(question, golds)
        both_undone.append(_scored(metric, asked, mended) if golds else answers_undone[-1])
    rows = [
        ("as saved", *_means(saved)),
        ("answers undone", *_means(answers_undone)),
        ("gold answers undone, too", *_means(both_undone)),
    ]
    gain = rows[-1][2] - rows[0][2]
    n_golds = sum(each.whose == _GOLDS for each in found)
    told = _headline(found, n_golds, name, rows[0][2], rows[-1][2])
    return Finding(
        check="garbled",
        verdict=gravest((grave(gain), "doubtful" if n_golds else "sound")),
        headline=f"{one.name}: {told}",
        tables=(
            Table(
                title="Garbled texts",
                headings=(
                    "whose", "how", "texts", "share %", "saved text", "original text",
                    "for example",
                ),
                rows=tuple(_counted(found, len(one.questions))),
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


def _counted(found: list[Garbled], n: int) -> Iterator[tuple[str | int | float | None, ...]]:
    """Yield a row for each way that texts became others, the commonest first."""
    firsts: dict[tuple[str, str], Garbled] = {}
    questions: dict[tuple[str, str], set[str]] = {}
    for each in found:
        firsts.setdefault((each.whose, each.how), each)
        questions.setdefault((each.whose, each.how), set()).add(each.question_id)
    for kind, many in Counter((each.whose, each.how) for each in found).most_common():
        first = firsts[kind]
        yield (*kind, many, share(len(questions[kind]), n), first.text, first.was,
               first.question_id)  # fmt: skip


def _of_answer(
    question: Question, prediction: Prediction | None, passage: str
) -> Iterator[Garbled]:
    """Yield the garbled texts of an answer."""
    golds = [text for answer in question.answers for text in answer.texts]
    for text in _texts(prediction):
        if (was := undone(text, golds, passage)) is not None:
            yield Garbled(_ANSWERS, was.how, question.question_id, text, was.text)


def _of_golds(question: Question, prediction: Prediction | None, passage: str) -> Iterator[Garbled]:
    """Yield the garbled gold answers: what they were is in the passage, or was answered."""
    for gold in dict.fromkeys(text for answer in question.answers for text in answer.texts):
        if (was := undone(gold, _texts(prediction), passage)) is not None:
            yield Garbled(_GOLDS, was.how, question.question_id, gold, was.text)


def _texts(prediction: Prediction | None) -> tuple[str, ...]:
    return () if prediction is None or prediction.answer is None else prediction.answer.texts


def _answering(prediction: Prediction | None, garbled: Iterable[Garbled]) -> Prediction | None:
    was = {each.text: each.was for each in garbled}
    if prediction is None or prediction.answer is None or not was:
        return prediction
    return msgspec.structs.replace(prediction, answer=_with(prediction.answer, was))


def _accepting(question: Question, garbled: Iterable[Garbled]) -> Question:
    was = {each.text: each.was for each in garbled}
    answers = tuple(_with(answer, was) for answer in question.answers)
    return msgspec.structs.replace(question, answers=answers) if was else question


def _with(answer: Answer, was: Mapping[str, str]) -> Answer:
    return msgspec.structs.replace(
        answer, texts=tuple(was.get(text, text) for text in answer.texts)
    )


def _scored(
    metric: Metric, question: Question, prediction: Prediction | None
) -> tuple[float, float]:
    values = metric.score(question, prediction).values
    return values.get("em") or 0.0, values.get("f1") or 0.0


def _means(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    exact, f1 = zip(*pairs, strict=True)
    return sum_in_order(exact) / len(pairs), sum_in_order(f1) / len(pairs)
