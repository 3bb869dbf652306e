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
        name: The retriever's name on the page.
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
    findings: Sequence[Finding],
    *,
    label: str | None = None,
    intervals: bool = True,
) -> Material:
    """Return the content of a page, with one "run" per retriever.

    Args:
        info: The data set.
        items: The passages and questions.
        findings: The evidence of each retriever.
        label: The only option that evidence was sought for, if any.
        intervals: Whether scores by group get intervals.
    """
    material = Material(
        sets=[SetView(info=info)],
        runs=[_run_view(info, finding, intervals) for finding in findings],
    )
    for passage, questions in items:
        material.passages.append(passage)
        for question in questions:
            place = len(material.passages) - 1
            material.rows.append(Row(place=0, passage=place, question=question))
            for finding, view in zip(findings, material.runs, strict=True):
                name = question.question_id
                view.results[name] = QuestionResult(
                    prediction=finding.predictions[name],
                    values=dict(finding.values.get(name, {})),
                    attention=retriever_attention(finding.retriever, passage, question, label),
                )
                share = share_of(
                    view.results[name].values, view.per_question, question_unit(question)
                )
                if share is not None:
                    view.judged[name] = share
    return material


def _run_view(info: DatasetInfo, finding: Finding, intervals: bool) -> RunView:
    main = next((name for name in MAIN_VALUES if name in finding.metrics), "")
    run = RunInfo(
        closeread=__version__,
        created=utc_now(),
        dataset=info,
        reader=finding.reader,
        batch_size=1,
        complete=True,
        n_predictions=len(finding.predictions),
    )
    return RunView(
        name=finding.name,
        info=run,
        place=0,
        results={},
        metrics=finding.metrics,
        breakdowns={},
        headline=main,
        per_question=main,
        resampling=RESAMPLING if intervals else None,
    )
