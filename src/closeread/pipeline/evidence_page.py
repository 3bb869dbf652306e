"""Build a page of several retrievers' evidence, with gold and with their attention."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from closeread.metrics.evidence import MAIN_VALUES
from closeread.metrics.units import question_unit
from closeread.pipeline.shading import retriever_attention
from closeread.protocols import Retriever
from closeread.reports.material import Material, QuestionResult, Row, RunView, SetView, share_of
from closeread.reports.plot import RESAMPLING
from closeread.runs.records import DatasetInfo, ReaderInfo, RunInfo, utc_now
from closeread.types import Item, Prediction, Summary
from closeread.version import __version__


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The evidence of one retriever, with its scores.

    Attributes:
        name: Its name on the page.
        values: By id of each question with gold evidence, then by full metric name.
    """

    name: str
    retriever: Retriever
    reader: ReaderInfo
    predictions: Mapping[str, Prediction]
    values: Mapping[str, Mapping[str, float | None]]
    metrics: dict[str, Summary]


def evidence_material(
    info: DatasetInfo,
    items: Sequence[Item],
    found: Sequence[Finding],
    *,
    label: str | None = None,
    intervals: bool = True,
) -> Material:
    """Return the content of a page, with one "run" per retriever.

    Args:
        info: The data set.
        items: The passages and questions.
        found: The results of each retriever.
        label: The only option that evidence was sought for, if any.
        intervals: Whether scores by group get intervals.
    """
    made = Material(
        sets=[SetView(info=info)], runs=[_run_view(info, one, intervals) for one in found]
    )
    for passage, questions in items:
        made.passages.append(passage)
        for question in questions:
            place = len(made.passages) - 1
            made.rows.append(Row(place=0, passage=place, question=question))
            for one, view in zip(found, made.runs, strict=True):
                name = question.question_id
                view.results[name] = QuestionResult(
                    prediction=one.predictions[name],
                    values=dict(one.values.get(name, {})),
                    attention=retriever_attention(one.retriever, passage, question, label),
                )
                share = share_of(
                    view.results[name].values, view.per_question, question_unit(question)
                )
                if share is not None:
                    view.judged[name] = share
    return made


def _run_view(info: DatasetInfo, found: Finding, intervals: bool) -> RunView:
    main = next((name for name in MAIN_VALUES if name in found.metrics), "")
    run = RunInfo(
        closeread=__version__,
        created=utc_now(),
        dataset=info,
        reader=found.reader,
        batch_size=1,
        complete=True,
        n_predictions=len(found.predictions),
    )
    return RunView(
        name=found.name,
        info=run,
        place=0,
        results={},
        metrics=found.metrics,
        breakdowns={},
        headline=main,
        per_question=main,
        resampling=RESAMPLING if intervals else None,
    )
