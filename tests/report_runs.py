"""Write run folders with given predictions and numbers, for the tests of reports."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from closeread.formats import dump, load
from closeread.reports.gather import gather
from closeread.reports.page import write_material
from closeread.runs.records import (
    DatasetInfo,
    ReaderInfo,
    RunInfo,
    RunSummary,
    ScoreRow,
    ScoreSettings,
)
from closeread.types import (
    Answer,
    Dataset,
    Evidence,
    Item,
    Option,
    Passage,
    Prediction,
    Question,
    Span,
    Summary,
)
from command_line import closeread


def write_set(path: Path, items: Sequence[Item], **info: Any) -> Dataset:
    """Write passages with questions as our own JSON lines and open them again."""

    made = Dataset(name=path.stem, format="jsonl", read=lambda _: iter(items))
    dump(made, path)
    return load(path, "jsonl")


def write_page(runs: Sequence[Path], out: Path, language: str | None = None, **where: Any) -> Path:
    """Write the page about run folders."""
    return write_material(gather(runs, **where), out, language=language)


def summary(metric: str, values: Sequence[float], **changes: Any) -> Summary:
    """Return a summary as scoring would make it, with a normal interval."""
    mean = math.fsum(values) / len(values) if values else None
    half = 1.96 * math.sqrt((mean or 0) * (1 - (mean or 0)) / max(1, len(values)))
    fields: dict[str, Any] = {
        "metric": metric,
        "signature": f"{metric}|norm:test|missing:zero|v:1|n:{len(values)}",
        "value": mean,
        "low": None if mean is None else max(0.0, mean - half),
        "high": None if mean is None else min(1.0, mean + half),
        "unit": "question",
        "n_questions": len(values),
        "n_scored": len(values),
        "n_answered": len(values),
    }
    return Summary(**(fields | changes))


def write_run(
    folder: Path,
    dataset: Dataset,
    predictions: Sequence[Prediction],
    values: Mapping[str, Mapping[str, float]],
    *,
    reader: str = "by-hand",
    options: Mapping[str, Any] | None = None,
    record: Mapping[str, Any] | None = None,
    license: str = "CC BY 4.0",  # noqa: A002
    name: str | None = None,
    defects: Mapping[str, int] | None = None,
    by: Sequence[str] = (),
    changes: Mapping[str, Any] | None = None,
    format: str | None = None,  # noqa: A002
    level: float = 0.95,
    resamples: int = 0,
    units: Mapping[str, str] | None = None,
) -> Path:
    """Write a finished, scored run folder.

    Args:
        values: Full metric name (``choice.accuracy``), then question id, then the value.
        by: Tags to break the metrics down by.
        changes: Fields to change in every summary.
        resamples: The recorded number of resamples; the summaries' intervals stay normal ones.
        units: Question id to its unit; by default the question.
    """
    folder.mkdir(parents=True)
    questions = list(dataset.questions())
    info = DatasetInfo(
        name=name or dataset.name,
        format=format or dataset.format,
        path=dataset.path,
        sha256=dataset.sha256,
        license=license,
        n_questions=len(questions),
    )
    encode = msgspec.json.encode
    told = b"".join(encode(p) + b"\n" for p in predictions)
    (folder / "predictions.jsonl").write_bytes(told)
    run = RunInfo(
        closeread="0.1.0",
        created="2026-01-02T03:04:05Z",
        dataset=info,
        reader=ReaderInfo(name=reader, options=dict(options or {}), record=dict(record or {})),
        batch_size=32,
        defects=dict(defects or {}),
        complete=True,
        n_predictions=len(predictions),
        predictions_sha256=hashlib.sha256(told).hexdigest(),
        n_failed=sum(bool(each.error) for each in predictions),
    )
    (folder / "run.json").write_bytes(msgspec.json.encode(run))
    rows = []
    families: dict[str, dict[str, dict[str, float]]] = {}
    for metric, of in values.items():
        family, _, key = metric.partition(".")
        for question_id, value in of.items():
            families.setdefault(family, {}).setdefault(question_id, {})[key] = value
    for family, scores in families.items():
        rows += [
            ScoreRow(question_id=q, values=dict(v), metric=family, unit_id=(units or {}).get(q, ""))
            for q, v in scores.items()
        ]
    scored = b"".join(encode(row) + b"\n" for row in rows)
    (folder / "scores.jsonl").write_bytes(scored)
    breakdowns: dict[str, dict[str, dict[str, Summary]]] = {}
    for tag in by:
        for question in questions:
            breakdowns.setdefault(tag, {}).setdefault(question.tags[tag], {})
        for value, into in breakdowns[tag].items():
            inside = [q.question_id for q in questions if q.tags[tag] == value]
            into.update(
                (metric, summary(metric, [of[q] for q in inside])) for metric, of in values.items()
            )
    found = RunSummary(
        dataset=info,
        settings=ScoreSettings(
            metrics=tuple(families), by=tuple(by), level=level, resamples=resamples
        ),
        metrics={m: summary(m, list(of.values()), **(changes or {})) for m, of in values.items()},
        breakdowns=breakdowns,
        predictions_sha256=run.predictions_sha256,
        scores_sha256=hashlib.sha256(scored).hexdigest(),
    )
    (folder / "summary.json").write_bytes(msgspec.json.encode(found))
    return folder


def one_run(folder, questions, predictions, passages=None, **run):
    """Write a data set and a run scored by its labels; return the run folder."""
    items = passages or [(PASSAGE, tuple(questions))]
    dataset = write_set(folder / "set.jsonl", items)
    values = {"choice.accuracy": correctness_by_id(dataset, predictions)}
    return write_run(folder / "run", dataset, predictions, values, **run)


def mixed_run(folder: Path, name: str, *by: str) -> Path:
    """Make a scored run on four questions with options and four without, tagged by ``part``.

    Args:
        folder: The folder for the data set and the predictions.
        name: The name of the run.
        by: Tags to break the metrics down by.
    """
    rows = []
    for n in range(8):
        kind = {"options": ["x", "y"], "part": "chosen"} if n % 2 else {"part": "told"}
        asked = {"id": f"q{n}", "passage": "x y", "question": "?", "answer": "A" if n % 2 else "x"}
        rows.append(asked | kind)
    for file, value in (("mixed.json", rows), ("said.json", {one["id"]: "A" for one in rows})):
        (folder / file).write_bytes(msgspec.json.encode(value))
    given = ("score", "--dataset", folder / "mixed.json", "--predictions", folder / "said.json")
    tags = [part for tag in by for part in ("--by", tag)]
    assert closeread(*given, "--save", folder / name, "--no-intervals", *tags) == 0
    return folder / name


def correctness_by_id(dataset: Dataset, predictions: Sequence[Prediction]) -> dict[str, float]:
    """Return 1 for each question whose predicted label or text is the first gold one, else 0."""
    said = {each.question_id: each.answer for each in predictions}
    found = {}
    for question in dataset.questions():
        answer, gold = said.get(question.question_id), question.answers[0]
        same = answer is not None and (answer.label, answer.texts[:1]) in (
            (gold.label, gold.texts[:1]),
            (gold.label, ()),
        )
        found[question.question_id] = float(same)
    return found


PASSAGE = Passage(
    passage_id="p1",
    title="河边的灯",
    language="zh",
    text="老街的路灯在傍晚六点亮起。\n河对岸的住户说，灯亮得太早，浪费了电。管理员解释，传感器按光照开关，并不按钟点。",
)


def triple(group: str, passage: Passage = PASSAGE) -> tuple[Question, ...]:
    """Return an original question with its positive and negative variant, evidence and truth."""
    texts = {
        "original": ("路灯按光照开关。", "路灯按钟点开关。"),
        "positive": ("路灯由光照决定开关。", "路灯由钟点决定开关。"),
        "negative": ("路灯不按钟点开关。", "路灯只按钟点开关。"),
    }
    made = []
    for role, (true, false) in texts.items():
        contradicted = role == "negative"
        gold = "B" if contradicted else "A"
        start = passage.text.index("传感器")
        spans = (Span(start, len(passage.text)),)
        made.append(
            Question(
                question_id=f"{group}-{role}",
                passage_id=passage.passage_id,
                text="下列说法不正确的一项是" if contradicted else "下列说法正确的一项是",
                kind="verification",
                asks_for="contradicted" if contradicted else "supported",
                options=(
                    Option(
                        label="A",
                        text=true,
                        tags={"truth": "same", "strategy": "keyword", "origin": "A"}
                        if role != "original"
                        else {},
                    ),
                    Option(
                        label="B",
                        text=false,
                        tags={"truth": "same", "strategy": "logic", "origin": "B"}
                        if role != "original"
                        else {},
                    ),
                ),
                option_truth=(True, False),
                answers=(
                    Answer(kind="choice", label=gold, texts=(true if gold == "A" else false,)),
                ),
                gold_evidence=(
                    Evidence(spans=spans, option_label="A"),
                    Evidence(spans=spans, option_label="B"),
                ),
                group_id=group,
                role=role,  # type: ignore[arg-type]
                tags={"genre": "说明文"},
            )
        )
    return tuple(made)


def choose(questions: Sequence[Question], labels: Mapping[str, str], sure: float = 0.5) -> list:
    """Return predictions of the given labels, and of the first option without one."""
    return [
        Prediction(
            question_id=each.question_id,
            answer=Answer(kind="choice", label=labels.get(each.question_id, "A")),
            confidence=round(sure + 0.01 * number, 3),
            option_scores=(0.7, 0.3),
            evidence=(Evidence(spans=(Span(0, 13),), option_label="A", score=0.4),),
        )
        for number, each in enumerate(questions)
    ]
