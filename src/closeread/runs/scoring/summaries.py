"""Compute the requested summaries from scores: over all questions, and by tag."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from closeread.errors import UsageError
from closeread.metrics.intervals import Resampling
from closeread.metrics.subject import family
from closeread.metrics.summary import summarize, summarize_breakdowns
from closeread.protocols import Advance, Metric, uncounted
from closeread.runs.extract import add_to_signature
from closeread.runs.records import ScoreSettings
from closeread.runs.scoring.default_metrics import is_requested
from closeread.runs.scoring.parallel import map_by_workers
from closeread.runs.scoring.walk import Walked
from closeread.types import Score, Submission, Summary

T = TypeVar("T")
ScoresOf = Callable[[str], Iterable[Score]]  # a metric family's scores, in the data set's order


def summaries_of(
    metrics: Mapping[str, Metric],
    scores: ScoresOf,
    submission: Submission,
    settings: ScoreSettings,
    *,
    n_questions: int,
    workers: int = 1,
    advance: Advance = uncounted,
) -> dict[str, Summary]:
    """Return the requested summaries by full name, in the metrics' order.

    ``n_questions`` is the data set's; a metric may score fewer. Several processes share the
    families; the predictions must then not have been read yet, because the processes would share
    the open file. ``advance`` is called after each family.
    """
    resampling = resampling_of(settings)

    def summarize_family(name: str) -> list[Summary]:
        return list(summarize(metrics[name], scores(name), submission, resampling, n_questions))

    names = list(metrics)
    by_family = (
        map_by_workers(summarize_family, names, workers)
        if workers > 1
        else map(summarize_family, names)
    )
    return select_requested(
        dict(zip(names, _count_steps(by_family, advance), strict=True)), settings
    )


def breakdowns_of(
    metrics: Mapping[str, Metric],
    scores: ScoresOf,
    walked: Walked,
    submission: Submission,
    settings: ScoreSettings,
    *,
    advance: Advance = uncounted,
) -> dict[str, dict[str, dict[str, Summary]]]:
    """Return the summaries of every subset by tag and value, for the requested tags.

    A metric over triples is skipped if the tag separates the questions of a triple. ``advance``
    is called after each family.

    Raises:
        UsageError: No question has such a tag; the message lists the existing ones.
    """
    breakdowns: dict[str, dict[str, dict[str, Summary]]] = {}
    tags = walked.tags
    for tag in settings.by:
        if not any(tag in tags_of_question for tags_of_question in tags.values()):
            known = sorted(
                {name for tags_of_question in tags.values() for name in tags_of_question}
            )
            raise UsageError(
                f"no question has the tag {tag!r}",
                expected="one of " + ", ".join(known) if known else "this data set has no tags",
            )
        breakdowns[tag] = {}
    for name, metric in _count_steps(metrics.items(), advance) if settings.by else ():
        pairs = ((tags.get(score.question_id, {}), score) for score in scores(name))
        tags_over_whole_groups = [
            tag
            for tag in settings.by
            if metric.unit != "group" or not _splits_groups(tag, tags, scores(name))
        ]
        resampling = resampling_of(settings)
        by_tag = summarize_breakdowns(
            metric, pairs, submission, resampling, tags=tags_over_whole_groups, sizes=walked.sizes
        )
        for tag, values in by_tag.items():
            for value, summaries in values.items():
                breakdowns[tag].setdefault(value, {}).update(
                    _requested_summaries(name, summaries.values(), settings)
                )
    return breakdowns


def select_requested(
    summaries: Mapping[str, Iterable[Summary]], settings: ScoreSettings
) -> dict[str, Summary]:
    """Return the requested ones of the families' summaries.

    Raises:
        UsageError: A requested value does not exist, or two families define the same value.
    """
    selected: dict[str, Summary] = {}
    families: dict[str, str] = {}
    for name, summaries_of_family in summaries.items():
        requested = _requested_summaries(name, summaries_of_family, settings)
        for value in requested:
            if (first := families.setdefault(value, name)) != name:
                raise UsageError(
                    f"the metrics {first} and {name} both define a value {value}",
                    expected="a distinct name for each value",
                    cure="request only one of them",
                )
        selected |= requested
    for requested_name in settings.metrics:
        values = [summary.metric for summary in summaries[family(requested_name)]]
        if not any(
            is_requested(family(requested_name), value, [requested_name]) for value in values
        ):
            raise UsageError(
                f"there is no value {requested_name!r} for this data set",
                expected="one of " + ", ".join(values),
            )
    return selected


def _count_steps(families: Iterable[T], advance: Advance) -> Iterator[T]:
    for item in families:
        yield item
        advance(1)


def _splits_groups(
    tag: str, tags: Mapping[str, Mapping[str, str]], scores: Iterable[Score]
) -> bool:
    values_by_unit: dict[str, str | None] = {}
    values = ((score.unit_id, tags.get(score.question_id, {}).get(tag)) for score in scores)
    return any(values_by_unit.setdefault(unit_id, value) != value for unit_id, value in values)


def _requested_summaries(
    family_name: str, summaries: Iterable[Summary], settings: ScoreSettings
) -> dict[str, Summary]:
    return {
        summary.metric: add_to_signature(summary, settings.extraction)
        for summary in summaries
        if is_requested(family_name, summary.metric, settings.metrics)
    }


def resampling_of(settings: ScoreSettings) -> Resampling | None:
    """Return the settings of a run's intervals; None for no intervals."""
    if not settings.resamples:
        return None
    return Resampling(resamples=settings.resamples, level=settings.level, seed=settings.seed)
