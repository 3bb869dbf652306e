"""``--joined``: the numbers of the answers by the evidence that was given for them."""

from collections.abc import Mapping

from msgspec.structs import replace

from closeread.runs.extract import add_to_signature
from closeread.runs.records import RunSummary
from closeread.runs.scoring.joined import must_join
from closeread.runs.scoring.summaries import resampling_of
from closeread.types import Dataset, Submission, Summary


def add_joined_scores(
    scored: RunSummary, dataset: Dataset, submission: Submission, limit: int | None = None
) -> RunSummary:
    """Add the joint scores of answers and evidence to a summary.

    Args:
        scored: The summary.
        dataset: The data set.
        submission: The predictions.
        limit: The run's limit on questions, if any.

    Raises:
        UsageError: The data set has no gold evidence, or the predictions lack answer or evidence.
        MissingExtraError: The gold evidence is text, and NLTK is not installed.
    """
    settings = scored.settings

    def add_settings(summaries: Mapping[str, Summary]) -> dict[str, Summary]:
        return {
            name: add_to_signature(summary, settings.extraction)
            for name, summary in summaries.items()
        }

    joint = must_join(dataset, submission, resampling_of(settings), limit)
    groups = {
        tag: {value: add_settings(summaries) for value, summaries in values.items()}
        for tag, values in joint.breakdowns.items()
    }
    return replace(
        scored,
        metrics=scored.metrics | add_settings(joint.metrics),
        breakdowns=scored.breakdowns | groups,
    )
