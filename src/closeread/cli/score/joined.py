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

    def mark(summaries: Mapping[str, Summary]) -> dict[str, Summary]:
        return {name: add_to_signature(one, settings.extraction) for name, one in summaries.items()}

    both = must_join(dataset, submission, resampling_of(settings), limit)
    groups = {
        tag: {value: mark(of) for value, of in values.items()}
        for tag, values in both.breakdowns.items()
    }
    return replace(
        scored,
        metrics=scored.metrics | mark(both.metrics),
        breakdowns=scored.breakdowns | groups,
    )
