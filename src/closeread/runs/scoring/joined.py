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
    found = answered = False
    for passage, together in items:
        for each in together:
            question = replace(each, gold_evidence=_quote_all(each.gold_evidence, passage))
            questions.append(question)
            given = submission.predictions.get(question.question_id)
            if not question.gold_evidence or not question.answers:
                continue
            told = given or Prediction(question_id=question.question_id)
            if any(one.spans and not one.texts for one in told.evidence):
                told = replace(told, evidence=_quote_all(told.evidence, passage))
                with_texts[question.question_id] = told
            found |= any(one.spans or one.texts for one in told.evidence)
            answered |= told.answer is not None or bool(told.option_scores)
            groups.add(passage, question, told)
    if not (found and answered):
        return None
    if with_texts:  # takes precedence over the others, which are still read on access
        every = ChainMap(with_texts, submission.predictions)  # type: ignore[arg-type]
        submission = Submission(predictions=every)
    both = score_jointly(questions, submission, resampling)
    return JoinedScores(both.cells, both.summaries, groups.summaries())


def _quote_all(evidence: tuple[Evidence, ...], passage: Passage) -> tuple[Evidence, ...]:
    """Return evidence with its texts, by which evidence of a whole question is scored."""
    return tuple(quote_evidence(one, passage) for one in evidence)


def must_join(
    dataset: Dataset, submission: Submission, resampling: Resampling | None, limit: int | None
) -> JoinedScores:
    """Score the first ``limit`` questions of a data set, or all, or raise an error.

    Raises:
        UsageError: The data set has no gold evidence, or the predictions lack answer or evidence.
        MissingExtraError: The gold evidence is text, and NLTK is not installed.
    """
    found = join(take_questions(dataset, limit), submission, resampling)
    if found is None:
        raise UsageError(
            "--joined cannot combine answers and evidence here",
            expected="gold answers, gold evidence, and predictions with both",
            cure="omit --joined",
        )
    return found
