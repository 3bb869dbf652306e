"""Score a run's answers and evidence together, question by question."""

from collections import ChainMap
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from closeread.errors import UsageError
from closeread.items import take_questions
from closeread.metrics.intervals import Resampling
from closeread.metrics.joined import score_jointly
from closeread.runs.answers import quote_evidence
from closeread.runs.scoring.evidence_groups import EvidenceGroups
from closeread.types import (
    Dataset,
    Evidence,
    Item,
    Passage,
    Prediction,
    Question,
    Submission,
    Summary,
)


@dataclass(frozen=True)
class JoinedScores:
    """Counts and scores of answers and evidence together.

    Attributes:
        cells: Of each question with gold evidence, by id: ``both`` right, ``answer_only``,
            ``evidence_only`` or ``neither``.
        metrics: The cells' shares and ``joined.overall_f1``.
        breakdowns: Evidence by ``sentences`` and ``distance`` of its gold.
    """

    cells: dict[str, str]
    metrics: dict[str, Summary]
    breakdowns: dict[str, dict[str, dict[str, Summary]]]


def join(
    items: Iterable[Item], submission: Submission, resampling: Resampling | None
) -> JoinedScores | None:
    """Score answers and evidence together; None if gold or predictions for both are missing.

    Args:
        items: Passages and questions, with gold.
        submission: Predictions with answer and evidence.
        resampling: Settings of the intervals; None for no intervals.

    Raises:
        MissingExtraError: The gold evidence is text, and NLTK is not installed.
    """
    groups = EvidenceGroups(resampling)
    questions: list[Question] = []
    with_texts: dict[str, Prediction] = {}
    has_evidence = has_answer = False
    for passage, questions_of_passage in items:
        for original in questions_of_passage:
            question = replace(
                original,
                gold_evidence=_quote_all(original.gold_evidence, passage),
            )
            questions.append(question)
            submitted = submission.predictions.get(question.question_id)
            if not question.gold_evidence or not question.answers:
                continue
            prediction = submitted or Prediction(question_id=question.question_id)
            if any(evidence.spans and not evidence.texts for evidence in prediction.evidence):
                prediction = replace(prediction, evidence=_quote_all(prediction.evidence, passage))
                with_texts[question.question_id] = prediction
            has_evidence |= any(
                evidence.spans or evidence.texts for evidence in prediction.evidence
            )
            has_answer |= prediction.answer is not None or bool(prediction.option_scores)
            groups.add(passage, question, prediction)
    if not (has_evidence and has_answer):
        return None
    if with_texts:  # takes precedence over the others, which are still read on access
        predictions = ChainMap(with_texts, submission.predictions)  # type: ignore[arg-type]
        submission = Submission(predictions=predictions)
    joint = score_jointly(questions, submission, resampling)
    return JoinedScores(joint.cells, joint.summaries, groups.summaries())


def _quote_all(evidence: tuple[Evidence, ...], passage: Passage) -> tuple[Evidence, ...]:
    """Return evidence with its texts, by which evidence of a whole question is scored."""
    return tuple(quote_evidence(item, passage) for item in evidence)


def must_join(
    dataset: Dataset, submission: Submission, resampling: Resampling | None, limit: int | None
) -> JoinedScores:
    """Score the first ``limit`` questions of a data set, or all, or raise an error.

    Raises:
        UsageError: The data set has no gold evidence, or the predictions lack answer or evidence.
        MissingExtraError: The gold evidence is text, and NLTK is not installed.
    """
    joined = join(take_questions(dataset, limit), submission, resampling)
    if joined is None:
        raise UsageError(
            "--joined cannot combine answers and evidence here",
            expected="gold answers, gold evidence, and predictions with both",
            cure="omit --joined",
        )
    return joined
