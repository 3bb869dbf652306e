"""Recomputes the scores, the summary and the breakdowns of a run from its predictions and gold."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from closeread.errors import MissingExtraError, OutsideError, UnknownNameError, UsageError
from closeread.formats.files.source import Source
from closeread.items import count_reads
from closeread.protocols import Advance, Metric
from closeread.readers.generative.extraction import needs_question
from closeread.runs.differences import (
    Difference,
    compare_breakdowns,
    compare_scores,
    compare_summaries,
)
from closeread.runs.integrity import summary_mismatches
from closeread.runs.records import RunSummary, ScoreSettings
from closeread.runs.score import as_submission
from closeread.runs.scoring.default_metrics import recorded_metrics
from closeread.runs.scoring.provenance import Versions, computed_by
from closeread.runs.scoring.score_lines import row_of
from closeread.runs.scoring.summaries import ScoresOf, breakdowns_of, summaries_of
from closeread.runs.scoring.walk import Walked, score_rows
from closeread.runs.store import SCORES, Run
from closeread.runs.verification import Verification, first_line
from closeread.types import Dataset, Question, Score, Submission


@dataclass(frozen=True, kw_only=True)
class _ScoredRun:
    """A run whose scores are checked.

    Attributes:
        summary: The stored summary.
        metrics: The metrics that the summary records, by family.
        versions: The versions that computed the summary and those of this program.
        verification: Takes the results of the checks.
    """

    run: Run
    summary: RunSummary
    metrics: Mapping[str, Metric]
    versions: Versions
    verification: Verification


def check_scores(
    run: Run,
    summary: RunSummary,
    dataset: Dataset | None,
    verification: Verification,
    advance: Advance,
) -> None:
    """Recompute what ``closeread score`` stored, as far as the existing files allow.

    Args:
        run: A finished run.
        summary: Its stored summary.
        dataset: The data set that it answers; None if it cannot be read. The stored scores are
            then not recomputed.
        verification: Takes the results of the checks.
        advance: Called with the number of questions scored again since the last call.

    Raises:
        CloseReadError: A stored file is damaged.
    """
    metrics = _make_metrics(summary.settings, verification)
    if metrics is None:
        return
    scored = _ScoredRun(
        run=run,
        summary=summary,
        metrics=metrics,
        versions=Versions(summary.computed_by, computed_by(summary.settings)),
        verification=verification,
    )
    belongs = verification.compare(
        "summary.json belongs to these predictions", summary_mismatches(run, summary)
    )
    if dataset is None:
        _check_without_dataset(scored, belongs)
    else:
        _check_with_dataset(scored, dataset, advance)


def _make_metrics(
    settings: ScoreSettings, verification: Verification
) -> Mapping[str, Metric] | None:
    """Return the recorded metrics by family; None if one is not installed here."""
    try:
        return recorded_metrics(settings)
    except (MissingExtraError, OutsideError, UnknownNameError) as error:
        foreign = any(":" in name for name in settings.metrics)
        if isinstance(error, UnknownNameError) and not foreign:
            raise  # no version of closeread wrote that name
        verification.unchecked.append(f"scores: {first_line(error)}")
        return None


def _check_without_dataset(scored: _ScoredRun, belongs: bool) -> None:
    """Check the summary against the stored scores, if it was made from them."""
    unchecked = scored.verification.unchecked
    unchecked.append("scores: the data set is needed to recompute them")
    submission = _submission_without_dataset(scored)
    if submission is None:
        return
    if not belongs:
        unchecked.append("summary.json: it was made from a different scores.jsonl")
        return
    run = scored.run
    _check_summary(scored, submission, run.scores, run.info.dataset.n_questions)
    if scored.summary.settings.by:
        unchecked.append("breakdowns: the data set's tags are needed to recompute them")


def _submission_without_dataset(scored: _ScoredRun) -> Submission | None:
    """Return the predictions that were scored; None if reading them needs the data set."""
    extraction = scored.summary.settings.extraction
    unchecked = scored.verification.unchecked
    if extraction is not None and needs_question(extraction.rule):
        unchecked.append("summary.json: the data set is needed to extract the answers again")
        return None
    try:
        return as_submission(scored.run, None, extraction)
    except UsageError:
        unchecked.append("summary.json: the data set is needed to read the submitted predictions")
        return None


def _check_with_dataset(scored: _ScoredRun, dataset: Dataset, advance: Advance) -> None:
    """Score the run again; check the scores, then the summary and breakdowns against them."""
    settings = scored.summary.settings
    submission = as_submission(scored.run, dataset, settings.extraction)
    walked = Walked(tagged=bool(settings.by))
    stored_sha256 = Source(scored.run.path / SCORES).sha256()
    rows = _score_again(scored, count_reads(dataset, advance), submission, walked)
    check = "scores.jsonl is reproduced from predictions and gold answers"
    scores_of: ScoresOf = scored.run.scores
    if _sha256_of(rows) == stored_sha256:
        scored.verification.checked.append(check)
    else:  # list the differences line by line, with both in memory
        recomputed: dict[str, list[Score]] = {family: [] for family in scored.metrics}
        for family, _, score in _score_again(scored, dataset, submission):
            recomputed[family].append(score)
        scored.verification.compare_numbers(check, _compare_with_stored(scored, recomputed))
        # Changed scores may hold anything, so the summary is computed from the right ones.
        scores_of = recomputed.__getitem__
    _check_summary(scored, submission, scores_of, walked.n_questions)
    if settings.by:
        parts = breakdowns_of(scored.metrics, scores_of, walked, submission, settings)
        scored.verification.compare_numbers(
            "breakdowns are reproduced from the scores",
            compare_breakdowns(scored.summary.breakdowns, parts, scored.versions),
        )


def _score_again(
    scored: _ScoredRun, dataset: Dataset, submission: Submission, walked: Walked | None = None
) -> Iterator[tuple[str, Question, Score]]:
    limit = scored.run.info.dataset.limit
    return score_rows(dataset, submission, scored.metrics, limit, walked)


def _sha256_of(rows: Iterable[tuple[str, Question, Score]]) -> str:
    """Return the hash of a ``scores.jsonl`` with these scores."""
    digest = hashlib.sha256()
    for family, _, score in rows:
        digest.update(msgspec.json.encode(row_of(family, score)) + b"\n")
    return digest.hexdigest()


def _compare_with_stored(
    scored: _ScoredRun, recomputed: Mapping[str, list[Score]]
) -> Iterator[Difference]:
    stored: dict[str, list[Score]] = {family: [] for family in scored.metrics}
    for score in scored.run.scores():
        stored.setdefault(score.metric, []).append(score)
    versions = scored.versions
    other_versions = versions.explain_families(scored.summary.metrics.values(), scored.metrics)
    return compare_scores(stored, recomputed, other_versions, versions.explain_field("unit_id"))


def _check_summary(
    scored: _ScoredRun, submission: Submission, scores_of: ScoresOf, n_questions: int
) -> None:
    computed = summaries_of(
        scored.metrics, scores_of, submission, scored.summary.settings, n_questions=n_questions
    )
    scored.verification.compare_numbers(
        "summary.json is reproduced from the scores",
        compare_summaries(scored.summary.metrics, computed, scored.versions),
    )
