"""Score answer and evidence together: correct answers with and without correct evidence.

Each question falls into one of four cells. An answer is right if the option that it picks (as for
``choice.accuracy``) is the gold one, or if its text reaches 0.5 in ExpMRC's F1. Evidence is right
if its F1 reaches 0.5: the F1 of the picked option if gold evidence belongs to options (VGaokao),
that of the question if it is text (ExpMRC, Cui et al. 2022). The catalog does not
list it as a metric, because in three of the four cells a higher share is not better.
"""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from closeread.metrics import expmrc
from closeread.metrics.choice import picked_label
from closeread.metrics.evidence import EvidenceMetric, lacks_evidence
from closeread.metrics.intervals import Resampling
from closeread.metrics.pools import mean_pools
from closeread.metrics.summary import describe_pool
from closeread.metrics.units import question_unit
from closeread.types import Answer, Prediction, Question, Score, Submission, Summary
from closeread.wording import count_of

CELLS = ("both", "answer_only", "evidence_only", "neither")
_THRESHOLD = 0.5  # the F1 from which an answer or its evidence is right
_OPTION_SETTINGS = "missing:zero|v:2"


class JointScores(NamedTuple):
    """The cell of each question with gold for both, and the summaries over all questions."""

    cells: dict[str, str]
    summaries: dict[str, Summary]


def score_jointly(
    questions: Iterable[Question], submission: Submission, resampling: Resampling | None
) -> JointScores:
    """Return each question's cell, the cells' shares, and the mean product of the two F1.

    The product, ``overall_f1``, is that of ExpMRC if the gold is text.

    Questions without a gold answer or gold evidence, and unanswerable ones, are in no cell;
    questions without a prediction are in ``neither``.

    Args:
        questions: Questions with gold.
        submission: Predictions with answer and evidence.
        resampling: The settings of intervals; None for no intervals.

    Raises:
        MissingExtraError: The gold is text, and NLTK is not installed.
    """
    scores = []
    n_silent = 0
    texts = False
    for question in questions:
        prediction = submission.predictions.get(question.question_id)
        scores.append(_score(question, prediction))
        has_gold = _has_gold(question)
        texts |= has_gold and not _has_labelled_evidence(question)
        n_silent += has_gold and lacks_evidence(prediction)
    predictions = count_of(n_silent, "prediction has", "predictions have")
    note = f"{predictions} no evidence: counted as wrong evidence" if n_silent else ""
    names = {key: f"joined.{key}" for key in (*CELLS, "overall_f1")}
    settings = expmrc.metric().signature().partition("|")[2] if texts else _OPTION_SETTINGS
    signature = f"joined|enough:{_THRESHOLD}|pick:label-else-scores|{settings}"
    return JointScores(
        cells={score.question_id: cell for score in scores for cell in CELLS if score.values[cell]},
        summaries={
            pool.metric: describe_pool(pool, signature, "question", resampling)
            for pool in mean_pools(names, scores, submission, note=note)
        },
    )


def _score(question: Question, prediction: Prediction | None) -> Score:
    name, unit = question.question_id, question_unit(question)
    if not _has_gold(question):
        nothing: dict[str, float | None] = dict.fromkeys((*CELLS, "overall_f1"))
        return Score(
            question_id=name,
            values=nothing,
            unit_id=unit,
            note="no gold answer or no gold evidence",
        )
    if question.options and prediction is not None:
        prediction = _with_picked_label(question, prediction)
    judge = _judge_options if _has_labelled_evidence(question) else _judge_texts
    answer, evidence = judge(question, prediction)
    cell = CELLS[2 * (answer < _THRESHOLD) + (evidence < _THRESHOLD)]
    values: dict[str, float | None] = {key: float(key == cell) for key in CELLS}
    return Score(question_id=name, values=values | {"overall_f1": answer * evidence}, unit_id=unit)


def _has_gold(question: Question) -> bool:
    """Whether a question has a gold answer, and gold evidence for it.

    An unanswerable question has no evidence for its answer: QASPER's annotators then name no
    paragraph, and MuSiQue's paragraphs support an answer that the text does not contain.
    """
    answered = any(answer.texts or answer.label for answer in question.answers)
    return answered and (
        _has_labelled_evidence(question)
        or any(evidence.texts for evidence in question.gold_evidence)
    )


def _has_labelled_evidence(question: Question) -> bool:
    return any(evidence.option_label for evidence in question.gold_evidence)


def _with_picked_label(question: Question, prediction: Prediction) -> Prediction:
    """Return a prediction whose answer is the label that it picks; no answer if it picks none."""
    label = picked_label(question, prediction)
    answer = None if label is None else Answer(kind="choice", label=label)
    return replace(prediction, answer=answer)


def _judge_texts(question: Question, prediction: Prediction | None) -> tuple[float, float]:
    values = expmrc.metric().score(question, prediction).values
    return values["answer_f1"] or 0.0, values["evidence_f1"] or 0.0


def _judge_options(question: Question, prediction: Prediction | None) -> tuple[float, float]:
    """Return whether the picked option is right, and the F1 of its own evidence."""
    if prediction is None or prediction.answer is None:
        return 0.0, 0.0
    label = prediction.answer.label
    right = float(any(label == gold.label for gold in question.answers))
    gold = tuple(evidence for evidence in question.gold_evidence if evidence.option_label == label)
    score = EvidenceMetric().score(replace(question, gold_evidence=gold), prediction)
    return right, score.values["f1"] or 0.0
