"""Choose the metrics for a data set."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from closeread.errors import UsageError
from closeread.formats.registry import find_format
from closeread.metrics.subject import family
from closeread.protocols import Metric
from closeread.registry import lookup
from closeread.registry.factory import make
from closeread.runs.records import ScoreSettings
from closeread.text.language import most_common_language
from closeread.types import Dataset, Prediction


def is_requested(family_name: str, value: str, requested: Collection[str]) -> bool:
    """Whether a value of a family was requested: by the family, the name, or a prefix of it."""
    return any(
        name in (family_name, value)
        or (family(name) == family_name and value.startswith(name + "."))
        for name in requested
    )


def make_metrics(
    names: Iterable[str], options: Mapping[str, Mapping[str, Any]]
) -> dict[str, Metric]:
    """Make the metrics for several names, one per family, in order.

    Args:
        names: Families or full dotted names.
        options: Family to the options that its factory takes.

    Raises:
        UnknownNameError: There is no such metric.
        UsageError: A metric does not have an option, or the value has the wrong type.
        MissingExtraError: A metric needs an optional dependency that is not installed.
    """
    metrics: dict[str, Metric] = {}
    for name in dict.fromkeys(family(name) for name in names):
        metrics[name], _ = make("metric", name, options.get(name))
    return metrics


def recorded_metrics(settings: ScoreSettings) -> dict[str, Metric]:
    """Make the metrics recorded in a run's summary; raises as ``make_metrics`` does.

    A user's own module is imported only if installed, not from the current folder: whoever sent
    the run may have put a module there.
    """
    with lookup.search_folder(""):
        return make_metrics(settings.metrics, settings.options)


def default_metrics(
    dataset: Dataset, predictions: Mapping[str, Prediction], *, by_look: bool = False
) -> tuple[str, ...]:
    """Return the official metrics of the format; without any, those that fit the questions.

    Args:
        dataset: The questions.
        predictions: The predictions.
        by_look: Whether the kinds of gold answers were guessed from their texts, as for strings
            in a log. A few numeric answers then do not make it a data set of discrete questions.

    Raises:
        UsageError: The predictions hold only evidence, and there is no gold evidence.
    """
    published: Sequence[str] = find_format(dataset.format).metrics
    if published in (("squad",), ("cmrc",)) and _may_be_unanswerable(dataset):
        return _no_answer_metrics(passage.language for passage, _ in dataset)
    if "evidence" in published and _has_evidence(predictions):
        has_gold_evidence = any(question.gold_evidence for question in dataset.questions())
        if not _has_answers(predictions):
            if not has_gold_evidence:
                raise UsageError(
                    f"the predictions hold only evidence, and no question of {dataset.name} has "
                    "gold evidence",
                    cure="score them against a data set with gold evidence",
                )
            return ("evidence",)
        if has_gold_evidence:
            return tuple(published)
    if published:
        return tuple(name for name in published if name != "evidence")
    return _metrics_for_questions(dataset, predictions, by_look=by_look)


def _may_be_unanswerable(dataset: Dataset) -> bool:
    return any(
        answer.kind == "none" for question in dataset.questions() for answer in question.answers
    )


def _no_answer_metrics(languages: Iterable[str]) -> tuple[str, ...]:
    """Return the metrics for sets with unanswerable questions: SQuAD's do not split Chinese."""
    return (
        ("cmrc~mixed",) if most_common_language(languages) == "zh" else ("squad2", "squad2~strict")
    )


def _metrics_for_questions(
    dataset: Dataset, predictions: Mapping[str, Prediction], *, by_look: bool
) -> tuple[str, ...]:
    kinds: Counter[str] = Counter()
    roles: Counter[str | None] = Counter()
    languages: list[str] = []
    has_truth = has_evidence = has_unanswerable = has_ungrouped = False
    for passage, questions in dataset:
        languages.append(passage.language)
        for question in questions:
            kinds[question.kind if not question.options else "options"] += 1
            has_truth = has_truth or any(is_true is not None for is_true in question.option_truth)
            roles[question.role] += 1
            has_ungrouped = has_ungrouped or bool(question.options and question.role is None)
            has_evidence = has_evidence or bool(question.gold_evidence)
            has_unanswerable = has_unanswerable or any(
                answer.kind == "none" for answer in question.answers
            )
    metrics = []
    if "options" in kinds:
        metrics.append("choice")
        if has_truth:
            metrics.append("option")
        if roles["negative"] and roles["negative"] == roles["positive"] and not has_ungrouped:
            metrics += ["gcrc", "gcrc~strict"]
    if kinds["discrete"] > (kinds["span"] if by_look else 0):
        metrics.append("drop")
    elif "span" in kinds:
        span_metric = "cmrc" if "zh" in languages else "squad"
        metrics += _no_answer_metrics(languages) if has_unanswerable else (span_metric,)
    # If all groups are triples, GCRC's accuracies say the same; else they mean something else.
    if (roles["positive"] or roles["negative"]) and "gcrc" not in metrics:
        metrics.append("attack")
    if has_evidence and _has_evidence(predictions):
        metrics.append("evidence")
    if _has_confidence(predictions):
        metrics.append("selective")
    return tuple(metrics)


def _has_answers(predictions: Mapping[str, Prediction]) -> bool:
    """Whether questions were answered, or declined with a confidence."""
    return any(
        prediction.answer is not None
        or prediction.option_scores
        or prediction.error
        or prediction.confidence is not None
        for prediction in predictions.values()
    )


def _has_evidence(predictions: Mapping[str, Prediction]) -> bool:
    return any(prediction.evidence for prediction in predictions.values())


def _has_confidence(predictions: Mapping[str, Prediction]) -> bool:
    return bool(predictions) and all(
        prediction.confidence is not None or prediction.error for prediction in predictions.values()
    )
