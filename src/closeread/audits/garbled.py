"""Find answers and gold answers that encodings or escapes changed, and measure the cost.

A text counts only if the restored text occurs in its passage or is accepted, and the text itself
does not. A text that merely looks garbled does not count.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    """A garbled text.

    Attributes:
        whose: ``predicted`` or ``gold``.
        how: The cause of the garbling.
        text: The text as saved.
        was: The original text.
    """

    whose: str
    how: str
    question_id: str
    text: str
    was: str


@dataclass(frozen=True, kw_only=True)
class _Undone:
    """A run with its garbling undone.

    Attributes:
        texts: The garbled texts, in the order of the questions.
        scores: The means of exact match and F1 as saved, with the answers restored, and with the
            gold answers restored as well.
    """

    texts: Sequence[Garbled]
    scores: Mapping[str, tuple[float, float]]

    @property
    def n_golds(self) -> int:
        return sum(garbled.whose == _GOLDS for garbled in self.texts)

    @property
    def f1_saved(self) -> float:
        return next(iter(self.scores.values()))[1]

    @property
    def f1_undone(self) -> float:
        return list(self.scores.values())[-1][1]


def check(run: Subject) -> Finding:
    """Find garbled texts, and score the run with the garbling undone."""
    if not run.is_text:
        return skipped_finding(
            "garbled", "all questions have options, and the check needs text answers"
        )
    run = only_text_questions(run)
    scorer, metric = default_scorer(run)
    undone = _undo(run, metric)
    gain = verdict_for_gap(undone.f1_undone - undone.f1_saved)
    return Finding(
        check="garbled",
        verdict=worst_verdict((gain, "doubtful" if undone.n_golds else "sound")),
        headline=f"{run.name}: {_headline(undone, scorer)}",
        tables=(_text_table(undone, len(run.questions)), _score_table(undone, scorer)),
        data={
            "texts": [garbled._asdict() for garbled in undone.texts],
            "scores": {how: {"em": exact, "f1": f1} for how, (exact, f1) in undone.scores.items()},
        },
    )


def _undo(run: Subject, metric: Metric) -> _Undone:
    """Find the garbled texts of a run, and score it without them."""
    texts: list[Garbled] = []
    saved: list[tuple[float, float]] = []
    answers_undone: list[tuple[float, float]] = []
    both_undone: list[tuple[float, float]] = []
    for question in run.questions:
        prediction = run.predictions.get(question.question_id)
        passage = run.passages[question.passage_id].text
        answers = list(_garbled_answers(question, prediction, passage))
        restored = _restore_prediction(prediction, answers)
        golds = list(_garbled_golds(question, restored, passage))
        texts += [*answers, *golds]
        saved.append(_em_and_f1(metric, question, prediction))
        answers_undone.append(_em_and_f1(metric, question, restored) if answers else saved[-1])
        both_undone.append(
            _em_and_f1(metric, _restore_question(question, golds), restored)
            if golds
            else answers_undone[-1]
        )
    return _Undone(
        texts=texts,
        scores={
            "as saved": _means(saved),
            "answers undone": _means(answers_undone),
            "gold answers undone, too": _means(both_undone),
        },
    )


def _headline(undone: _Undone, scorer: str) -> str:
    if not undone.texts:
        return "no answer and no gold answer is garbled"
    return _count_texts(undone) + (
        f" are garbled; undoing this changes {scorer} F1 from {100 * undone.f1_saved:.2f} to "
        f"{100 * undone.f1_undone:.2f}"
    )


def _count_texts(undone: _Undone) -> str:
    """Return the numbers of garbled answers and gold answers, as whole phrases to translate."""
    n_golds, n_answers = undone.n_golds, len(undone.texts) - undone.n_golds
    if n_golds == 1:
        if n_answers == 1:
            return "1 answer and 1 gold answer"
        return f"{n_answers:,} answers and 1 gold answer"
    if n_answers == 1:
        return f"1 answer and {n_golds:,} gold answers"
    return f"{n_answers:,} answers and {n_golds:,} gold answers"


def _text_table(undone: _Undone, n_questions: int) -> Table:
    return Table(
        title="Garbled texts",
        headings=(
            "whose", "how", "texts", "share %", "saved text", "original text", "for example",
        ),
        rows=tuple(_count_rows(undone.texts, n_questions)),
        note="counted only if the original text occurs in the passage or is an accepted "
             "answer, and the saved text is neither; share: of all questions",
    )  # fmt: skip


def _score_table(undone: _Undone, scorer: str) -> Table:
    return Table(
        title="Scores with the garbling undone",
        headings=("scored", f"{scorer} EM %", f"{scorer} F1 %"),
        rows=tuple((how, *means) for how, means in undone.scores.items()) if undone.texts else (),
    )


def _count_rows(
    texts: Sequence[Garbled], n_questions: int
) -> Iterator[tuple[str | int | float | None, ...]]:
    """Yield a row for each kind of garbling, the most common first."""
    kinds = Counter((garbled.whose, garbled.how) for garbled in texts)
    for kind, count in kinds.most_common():
        of_kind = [garbled for garbled in texts if (garbled.whose, garbled.how) == kind]
        n_affected = len({garbled.question_id for garbled in of_kind})
        first = of_kind[0]
        yield (*kind, count, share(n_affected, n_questions), first.text, first.was,
               first.question_id)  # fmt: skip


def _garbled_answers(
    question: Question, prediction: Prediction | None, passage: str
) -> Iterator[Garbled]:
    """Yield the garbled texts of an answer."""
    golds = [text for answer in question.answers for text in answer.texts]
    for text in _texts(prediction):
        if (original := undo_garbling(text, golds, passage)) is not None:
            yield Garbled(_ANSWERS, original.cause, question.question_id, text, original.text)


def _garbled_golds(
    question: Question, prediction: Prediction | None, passage: str
) -> Iterator[Garbled]:
    """Yield the gold answers whose restored text is in the passage or was predicted."""
    for gold in dict.fromkeys(text for answer in question.answers for text in answer.texts):
        if (original := undo_garbling(gold, _texts(prediction), passage)) is not None:
            yield Garbled(_GOLDS, original.cause, question.question_id, gold, original.text)


def _texts(prediction: Prediction | None) -> tuple[str, ...]:
    return () if prediction is None or prediction.answer is None else prediction.answer.texts


def _restore_prediction(
    prediction: Prediction | None, garbled: Iterable[Garbled]
) -> Prediction | None:
    originals = {text.text: text.was for text in garbled}
    if prediction is None or prediction.answer is None or not originals:
        return prediction
    answer = _restore_answer(prediction.answer, originals)
    return msgspec.structs.replace(prediction, answer=answer)


def _restore_question(question: Question, garbled: Iterable[Garbled]) -> Question:
    originals = {text.text: text.was for text in garbled}
    answers = tuple(_restore_answer(answer, originals) for answer in question.answers)
    return msgspec.structs.replace(question, answers=answers) if originals else question


def _restore_answer(answer: Answer, originals: Mapping[str, str]) -> Answer:
    return msgspec.structs.replace(
        answer, texts=tuple(originals.get(text, text) for text in answer.texts)
    )


def _em_and_f1(
    metric: Metric, question: Question, prediction: Prediction | None
) -> tuple[float, float]:
    values = metric.score(question, prediction).values
    return values.get("em") or 0.0, values.get("f1") or 0.0


def _means(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    exact, f1 = zip(*pairs, strict=True)
    return sum_in_order(exact) / len(pairs), sum_in_order(f1) / len(pairs)
