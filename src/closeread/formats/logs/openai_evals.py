"""Reads the records of OpenAI evals: the JSON lines of events that ``oaieval`` writes.

The first line is the ``spec`` of the run; then events by ``sample_id``, those of several samples
mixed and in no order: ``sampling`` has prompt and text, ``match`` what was expected and whether it
was, ``metrics`` scores. The ``final_report`` may stand anywhere. The log has no separate passage
and no stops.
"""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from closeread.formats.files.source import Source
from closeread.formats.logs import golds, letters, prompts
from closeread.formats.logs.conversations import last_user
from closeread.formats.logs.records import LogFacts, LogFormat, LogRecord, Problems
from closeread.formats.logs.values import (
    as_dict,
    as_list,
    finite_scores,
    iter_lines,
    make_or_count,
    parse,
    parse_scores,
)
from closeread.types import Generation, Prediction

NAME = "openai-evals"
_LOST = ("stops", "finish-reason", "passage", "version")
_SETTINGS = ("max_samples", "seed")


def sniff(path: Path) -> bool:
    """Whether the first line is the specification of a run."""
    keys = ("completion_fns", "eval_name", "base_eval", "run_id")
    return Source(path).head().has(*keys, at=("spec",))


@dataclass
class _Sample:
    """The events of one question."""

    line: int
    sampled: list[dict[str, Any]] = field(default_factory=list)
    match: dict[str, Any] | None = None
    metrics: dict[str, Any] = field(default_factory=dict)
    error: str = ""


class _Samples:
    """The events by sample, kept in a temporary file until all are read.

    The events of a sample are scattered over the log, and together they are as large as the log.
    """

    def __init__(self, events_file: IO[bytes]) -> None:
        self._events_file = events_file
        self._lines: dict[str, int] = {}
        self._places: dict[str, list[int]] = {}

    def add(self, name: str, line: int, kind: Any, data: dict[str, Any]) -> None:
        """Keep an event."""
        self._lines.setdefault(name, line)
        self._places.setdefault(name, []).append(self._events_file.tell())
        self._events_file.write(json.dumps([kind, data]).encode() + b"\n")  # NaN stays what it is

    def in_order(self) -> Iterator[tuple[str, _Sample]]:
        """Yield each sample with its name, in the order of the set."""
        for name in sorted(self._places, key=_place):
            sample = _Sample(self._lines[name])
            for place in self._places[name]:
                self._events_file.seek(place)
                _add(sample, *parse(self._events_file.readline()))
            yield name, sample


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record a sample, in the order of the set: events come as threads finish."""
    spec: dict[str, Any] = {}
    report: dict[str, Any] = {}
    ended = False
    with tempfile.TemporaryFile() as events_file:
        samples = _Samples(events_file)
        for line, row in iter_lines(path, problems):
            if "spec" in row:
                spec = as_dict(row["spec"])
            elif "final_report" in row:
                report, ended = as_dict(row["final_report"]), True
            elif isinstance(row.get("sample_id"), str):
                samples.add(row["sample_id"], line, row.get("type"), as_dict(row.get("data")))
            else:
                problems.bad.add("missing-field", "no sample_id", line=line)
        if not ended:
            problems.kept.add("unfinished", "the final report is missing")
        task = str(spec.get("eval_name") or path.stem)
        lost = set(_LOST)
        for name, sample in samples.in_order():
            make = partial(_record, task, name, sample, lost=lost, problems=problems)
            record = make_or_count(make, problems, name=name, line=sample.line)
            if record is not None:
                if record.lacks_extraction:
                    lost.add("extraction")
                yield record
    config = as_dict(spec.get("run_config"))
    facts[task] = LogFacts(
        harness=NAME,
        model=str(next(iter(as_list(spec.get("completion_fns"))), "")),
        task=task,
        created=str(spec.get("created_at") or ""),
        settings={key: config[key] for key in _SETTINGS if config.get(key) is not None},
        lost=tuple(sorted(lost)),
        scores=finite_scores(report),
    )


def _add(sample: _Sample, kind: Any, data: dict[str, Any]) -> None:
    if kind == "sampling":
        sample.sampled.append(data)
    elif kind == "match":
        sample.match = data
    elif kind == "metrics":
        sample.metrics |= data
    elif kind == "error":
        sample.error = str(
            data.get("message") or data.get("type") or "the harness failed at this question"
        )


def _place(name: str) -> tuple[str, int]:
    stem, _, number = name.rpartition(".")
    return (stem, int(number)) if number.isdecimal() and len(number) < 10 else (name, 0)


def _record(
    task: str, name: str, sample: _Sample, *, lost: set[str], problems: Problems
) -> LogRecord | None:
    match = sample.match or {}
    if not sample.sampled and not sample.error:
        problems.bad.add(
            "no-response", "the log has no sampled text", question_id=name, line=sample.line
        )
        return None
    logged_prompt = sample.sampled[0].get("prompt") if sample.sampled else None
    prompt = last_user(logged_prompt)
    passage_text, text = prompts.from_prompt(prompt)
    answers = golds.parse_gold(match.get("expected"))
    options, answers = letters.options_from_prompt(answers, prompt)
    if not answers:
        message = "no match event holds the expected answer (a model-graded eval?)"
        problems.bad.add("missing-gold", message, question_id=name, line=sample.line)
        return None
    if not options:
        lost.update(("gold-kinds", "gold-spans"))
    passage = prompts.make_passage(passage_text)
    saved = sample.metrics | ({"correct": match["correct"]} if "correct" in match else {})
    return LogRecord(
        task=task,
        passage=passage,
        question=golds.make_question(
            name, passage, prompts.strip_options(text) if options else text, answers, options
        ),
        prediction=_prediction(name, sample, options, lost=lost, problems=problems),
        scores=parse_scores(saved, problems, name=name, line=sample.line),
        prompt=logged_prompt,
        lacks_extraction=bool(options),
    )


def _prediction(
    name: str, sample: _Sample, options: Any, *, lost: set[str], problems: Problems
) -> Prediction:
    """Return the text that was matched; for a chain of thought, the last sampled text."""
    data = sample.sampled[-1] if sample.sampled else {}
    sampled = (sample.match or {}).get("sampled") or data.get("sampled")
    if isinstance(sampled, list):
        problems.count_further(sampled, name, line=sample.line)
        sampled = next(iter(sampled), None)
    if not isinstance(sampled, str):
        message = (sample.error or "the log has no text for this question")[:500]
        problems.kept.add("sample-error", message, question_id=name, line=sample.line)
        return Prediction(question_id=name, error=message)
    usage = as_dict(data.get("usage"))
    if not usage:
        lost.add("tokens")
    return Prediction(
        question_id=name,
        answer=golds.parse_answer(sampled, options),
        generation=Generation(
            text=sampled,
            prompt_tokens=usage.get("prompt_tokens"),
            completion_tokens=usage.get("completion_tokens"),
        ),
    )


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read)
