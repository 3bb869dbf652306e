"""What several retrievers found, as a page: beside gold, and with what they were looking for."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import closeread
from closeread.evidence.query import query_text
from closeread.pipeline.extract import wanted_options
from closeread.protocols import Retriever
from closeread.reports.gather import Attention, Material, Row, RunView, SetView, Told
from closeread.runs.plan import hidden, stripped
from closeread.runs.records import DatasetInfo, ReaderInfo, RunInfo
from closeread.types import Item, Passage, Prediction, Question, Summary

_MAIN = ("evidence.f1", "expmrc.evidence_f1")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one retriever found, and what that was worth.

    Attributes:
        name: What the page calls it.
        values: Of each question with gold evidence, by id, by full metric name.
    """

    name: str
    retriever: Retriever
    reader: ReaderInfo
    predictions: Mapping[str, Prediction]
    values: Mapping[str, Mapping[str, float | None]]
    metrics: dict[str, Summary]


def evidence_material(
    info: DatasetInfo, items: Sequence[Item], found: Sequence[Finding], *, label: str | None = None
) -> Material:
    """Return the material of a page, one "run" a retriever.

    Args:
        info: The data set.
        items: The passages and questions that evidence was looked for in.
        found: What each retriever found.
        label: The only option that was asked for, if any.
    """
    made = Material(sets=[SetView(info=info)], runs=[_view(info, one) for one in found])
    for passage, questions in items:
        made.passages.append(passage)
        for question in questions:
            place = len(made.passages) - 1
            made.rows.append(Row(place=0, passage=place, question=question))
            for one, view in zip(found, made.runs, strict=True):
                name = question.question_id
                view.told[name] = Told(
                    prediction=one.predictions[name],
                    values=dict(one.values.get(name, {})),
                    attention=_attention(one.retriever, passage, question, label),
                )
    return made


def _view(info: DatasetInfo, found: Finding) -> RunView:
    main = next((name for name in _MAIN if name in found.metrics), "")
    now = datetime.datetime.now(datetime.UTC)
    run = RunInfo(
        closeread=closeread.__version__,
        created=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
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
        told={},
        metrics=found.metrics,
        breakdowns={},
        headline=main,
        per_question=main,
    )


def _attention(
    retriever: Any, passage: Passage, question: Question, label: str | None
) -> dict[str, Attention]:
    if not hasattr(retriever, "steps"):
        return {}
    found = {}
    question, passage = stripped(question), hidden(passage)
    for option in wanted_options(question, label):
        steps = tuple(
            (tuple((word.span, weight) for word, weight in step.weights), step.sentence)
            for step in retriever.steps(question, passage, option)
        )
        found[option.label if option is not None else ""] = Attention(
            query=query_text(question, option), steps=steps
        )
    return found
