"""Reads EvalScope's ``reviews/MODEL/TASK.jsonl`` with golds and scores, and the files beside it.

That is ``predictions/MODEL/TASK.jsonl`` with the models' outputs, ``reports/MODEL/SET.json`` and
``configs/task_config.yaml``.

A review has ``index, target`` (what Python prints of the golds), ``messages`` and ``sample_score``;
a prediction has ``index, model_output, messages, metadata``. Texts are as the model gave them.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from closeread.formats.files.source import Source
from closeread.formats.logs import golds, letters, prompts
from closeread.formats.logs.conversations import last_user
from closeread.formats.logs.records import (
    LogFacts,
    LogFormat,
    LogRecord,
    Problems,
    count_if_newer,
)
from closeread.formats.logs.values import (
    as_dict,
    as_list,
    finite_scores,
    iter_lines,
    make_or_count,
    parse_literal,
    parse_scores,
    read_side_file,
    text_of,
)
from closeread.types import Answer, Generation, Option, Prediction

NAME = "evalscope"
KNOWN = (1,)
_VERSION = re.compile(r"^evalscope_version: *['\"]?([\w.]+)", re.MULTILINE)
_LOST = ("stops",)


def sniff(path: Path) -> bool:
    """Whether the first line is a review or a prediction."""
    return _begins(path, "index", "target", "sample_score") or _begins(
        path, "index", "model_output"
    )


def _begins(path: Path, *fields: str) -> bool:
    """Whether the first line has these members; some come after a long prompt."""
    source = Source(path)
    return source.head().has(*fields) or source.long_head().has(*fields)


def accompanies(path: Path) -> bool:
    """Whether it is a predictions file with reviews."""
    return path.parent.parent.name == "predictions" and _sibling(path, "reviews").exists()


def _sibling(path: Path, folder: str) -> Path:
    return path.parent.parent.parent / folder / path.parent.name / path.name


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record a line; fields that a review lacks come from its prediction."""
    task = Source(path).stem
    version = _version(path)
    count_if_newer(problems, "evalscope", version, KNOWN)
    outputs = _Outputs(_sibling(path, "predictions"))
    lost = set(_LOST) | (set() if _begins(path, "sample_score") else {"sample-scores"})
    usable = False
    for line, row in iter_lines(path, problems):
        missing = [name for name in ("index", "messages") if name not in row]
        if missing:
            problems.bad.add("missing-field", "no " + ", ".join(missing), line=line)
            continue
        name = str(row["index"])
        make = partial(
            _record, task, name, row, outputs=outputs, problems=problems, lost=lost, line=line
        )
        record = make_or_count(make, problems, name=name, line=line)
        if record is not None:
            usable = True
            yield record
    if usable:
        facts[task] = _facts(path, task, version, lost)


class _Outputs:
    """The predictions of the same run, read alongside, for finish reasons and tokens."""

    def __init__(self, path: Path) -> None:
        self._rows = iter_lines(path, Problems()) if path.exists() else iter(())
        self._waiting: dict[str, dict[str, Any]] = {}

    def take(self, index: str) -> dict[str, Any]:
        if index in self._waiting:
            return self._waiting.pop(index)
        for _, row in self._rows:
            output = as_dict(row.get("model_output"))
            if str(row.get("index")) == index:
                return output
            self._waiting[str(row.get("index"))] = output
        return {}


def _record(
    task: str,
    name: str,
    row: dict[str, Any],
    *,
    outputs: _Outputs,
    problems: Problems,
    lost: set[str],
    line: int,
) -> LogRecord | None:
    review = row.get("sample_score") or {}
    metadata = review.get("sample_metadata") or row.get("metadata") or {}
    prompt = last_user(row["messages"])
    passage_text, text = _passage_and_question(metadata, prompt, lost)
    passage = prompts.make_passage(passage_text)
    answers = _answers(row, metadata, lost)
    if not answers:
        problems.bad.add("missing-gold", "the log has no target", question_id=name, line=line)
        return None
    options, answers = letters.options_from_prompt(answers, prompt)
    if options:
        text = prompts.strip_options(text)
        lost.discard("gold-kinds")
    elif letters.are_letters(answers):
        lost.add("options")
    question = golds.make_question(name, passage, text, answers, options)
    score = review.get("score") or {}
    output = row.get("model_output") or outputs.take(name)
    lacks_extraction = bool(options) and not isinstance(score.get("extracted_prediction"), str)
    if lacks_extraction:
        lost.add("extraction")
    return LogRecord(
        task=task,
        passage=passage,
        question=question,
        prediction=_prediction(name, row, score, output, options, lost=lost, problems=problems),
        scores=parse_scores(score.get("value") or {}, problems, name=name, line=line),
        prompt=row["messages"],
        lacks_extraction=lacks_extraction,
    )


def _passage_and_question(metadata: dict[str, Any], prompt: str, lost: set[str]) -> tuple[str, str]:
    """Return the texts of passage and question: from the fields, else split from the prompt."""
    from_fields = prompts.from_fields(metadata)
    if from_fields is not None:
        return from_fields
    lost.add("passage")
    passage_text, text = prompts.from_prompt(prompt)
    return metadata.get("passage") or passage_text, text


def _answers(row: dict[str, Any], metadata: dict[str, Any], lost: set[str]) -> tuple[Answer, ...]:
    """Return the gold answers: DROP's annotations, else those that the target accepts."""
    answers = golds.drop_answers(metadata)
    if answers:
        return answers
    lost.add("gold-kinds")
    target = row.get("target")
    targets = target if isinstance(target, list) else [target]
    return tuple(
        answer
        for gold in targets
        for answer in golds.parse_gold(parse_literal(gold) if isinstance(gold, str) else gold)
    )


def _prediction(
    name: str,
    row: dict[str, Any],
    score: dict[str, Any],
    output: dict[str, Any],
    options: tuple[Option, ...],
    *,
    lost: set[str],
    problems: Problems,
) -> Prediction:
    choice = (output.get("choices") or [{}])[0]
    text = score.get("prediction")
    if not isinstance(text, str):
        text = text_of((choice.get("message") or {}).get("content"))
    if text is None:
        text = next(
            (
                text_of(message.get("content"))
                for message in reversed(row["messages"])
                if message.get("role") == "assistant"
            ),
            None,
        )
    if text is None or output.get("error"):
        message = str(output.get("error") or "the log has no text for this question")[:500]
        problems.kept.add("sample-error", message, question_id=name)
        return Prediction(question_id=name, error=message)
    extracted = score.get("extracted_prediction")
    usage = output.get("usage") or {}
    if not usage:
        lost.add("tokens")
    if not choice.get("stop_reason"):
        lost.add("finish-reason")
    return Prediction(
        question_id=name,
        answer=golds.parse_answer(extracted if isinstance(extracted, str) else text, options),
        generation=Generation(
            text=text,
            finish_reason=str(choice.get("stop_reason") or ""),
            prompt_tokens=usage.get("input_tokens"),
            completion_tokens=usage.get("output_tokens"),
        ),
        seconds=output.get("time"),
    )


def _version(path: Path) -> str:
    config = path.parent.parent.parent / "configs" / "task_config.yaml"
    if not config.is_file() or config == path:
        return ""
    match = _VERSION.search(config.read_text("utf-8", "replace"))
    return match[1] if match else ""


def _facts(path: Path, task: str, version: str, lost: set[str]) -> LogFacts:
    is_in_run_folder = path.parent.parent.name in ("reviews", "predictions")
    folder = path.parent.parent.parent / "reports" / path.parent.name
    report: dict[str, Any] = {}
    stem = task
    while (
        is_in_run_folder and not (report := read_side_file(folder / f"{stem}.json")) and "_" in stem
    ):
        stem = stem.rpartition("_")[0]  # drop_default is the subset default of drop
    subset = task.removeprefix(stem).removeprefix("_")
    numbers: dict[str, Any] = {}
    for metric in map(as_dict, as_list(report.get("metrics"))):
        name = str(as_dict(metric.get("identity")).get("name") or metric.get("name"))
        for category in map(as_dict, as_list(metric.get("categories"))):
            for subset_report in map(as_dict, as_list(category.get("subsets"))):
                if subset_report.get("name") == subset:
                    numbers[name] = subset_report.get("score")
    absent = {
        code for code, value in (("version", version), ("model", is_in_run_folder)) if not value
    }
    return LogFacts(
        harness=NAME,
        version=version,
        model=str(report.get("model_name") or (path.parent.name if is_in_run_folder else "")),
        task=task,
        lost=tuple(sorted(lost | absent)),
        scores=finite_scores(numbers),
    )


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read, accompanies=accompanies)
