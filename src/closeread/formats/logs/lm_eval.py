"""Reads lm-evaluation-harness' ``samples_TASK_DATE.jsonl``, and ``results_DATE.json`` beside it.

One line a document and filter: ``doc_id, doc, target, arguments, resps, filtered_resps, filter,
metrics, doc_hash`` and one member a metric. The harness cuts every text at its first stop before
it logs it (``postprocess_generated_text``), so that the tail is lost.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from closeread.formats.files.source import Source
from closeread.formats.logs import golds, lm_eval_results, prompts
from closeread.formats.logs.conversations import last_user
from closeread.formats.logs.records import (
    LogFacts,
    LogFormat,
    LogRecord,
    Problems,
    count_if_newer,
)
from closeread.formats.logs.values import as_dict, as_list, iter_lines, make_or_count, parse_scores
from closeread.types import Answer, Generation, Option, Prediction

NAME = "lm-eval"
KNOWN = (0, 4)
_FILE = re.compile(
    r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(?:\.gz)?$"
)
_DROP_COLUMNS = frozenset(("number", "date", "spans", "worker_id", "hit_id"))
_LOST = ("finish-reason", "tokens")
_MOST_BITS = 1 << 30
_CHOICE_COLUMNS = (
    tuple(f"mc_answer{place}" for place in range(1, 11)),  # Belebele
    tuple("ABCDEFGHIJ"),  # C-Eval, CMMLU
)


def sniff(path: Path) -> bool:
    """Whether the first line has a document and its responses, raw and filtered.

    (The responses come after the prompts, and one line may hold several long prompts. If the head
    does not reach the end of the line, the document and its number are enough; in a file with the
    harness' name the number is, so that a file cut within its first line is not skipped.)
    """
    source = Source(path)
    fields = ("doc_id", "doc", "filtered_resps")
    if _FILE.fullmatch(path.name) and source.head().raw.lstrip().startswith(b'{"doc_id"'):
        return True
    if source.head().has(*fields) or source.long_head().has(*fields):
        return True
    return source.first_line_is_cut() and source.long_head().has(*fields[:2])


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record a document; each filter of a task is a separate task."""
    match = _FILE.fullmatch(path.name)
    task = match["task"] if match else Source(path).stem
    date = (match["date"] or "") if match else ""
    results_file = lm_eval_results.find_results(path, task, date)
    count_if_newer(problems, "lm-evaluation-harness", results_file.get("lm_eval_version"), KNOWN)
    seen_documents: dict[str, _SeenDocuments] = {}
    shapes: dict[str, tuple[str, ...]] = {}
    for line, row in iter_lines(path, problems):
        missing = [name for name in ("doc_id", "doc", "arguments", "resps") if name not in row]
        if missing:
            problems.bad.add("missing-field", "no " + ", ".join(missing), line=line)
            continue
        name = str(row.get("filter") or "none")
        metrics = tuple(map(str, as_list(row.get("metrics")) or _metrics(row)))
        if shapes.setdefault(name, metrics) != metrics:
            _count_mixed(
                problems,
                f"the metrics differ from those of the first line: {', '.join(metrics)}",
                line,
            )
            continue
        if not seen_documents.setdefault(name, _SeenDocuments()).add(row["doc_id"]):
            _count_mixed(problems, f"document {row['doc_id']} occurs twice", line)
            continue
        key = task if name == "none" else f"{task},{name}"
        make = partial(_record, key, row, metrics, problems, line)
        record = make_or_count(make, problems, name=str(row["doc_id"]), line=line)
        if record is None:
            continue
        if key not in facts:
            results = lm_eval_results.facts_of(results_file, task, name)
            facts[key] = _facts(results, key, row, record, date)
        yield record


class _SeenDocuments:
    """The documents seen so far, one bit each, for logs of millions."""

    def __init__(self) -> None:
        self._bits = bytearray()
        self._others: set[str] = set()

    def add(self, doc_id: Any) -> bool:
        """Remember a document; return False if it was seen before."""
        if not isinstance(doc_id, int) or not 0 <= doc_id < _MOST_BITS:
            size = len(self._others)
            self._others.add(str(doc_id))
            return len(self._others) > size
        place, bit = divmod(doc_id, 8)
        self._bits.extend(bytes(max(0, place + 1 - len(self._bits))))
        fresh = not self._bits[place] & 1 << bit
        self._bits[place] |= 1 << bit
        return fresh


def _count_mixed(problems: Problems, message: str, line: int) -> None:
    problems.bad.add("mixed-tasks", message + "; the file mixes two tasks or runs", line=line)


def _metrics(row: dict[str, Any]) -> list[str]:
    """Return the metrics of an older version, which wrote them without a list of names."""
    own = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter"}
    return [name for name in row if name not in own and not name.endswith("_hash")]


def _record(
    task: str, row: dict[str, Any], metrics: tuple[str, ...], problems: Problems, line: int
) -> LogRecord | None:
    doc = as_dict(row["doc"])
    name = _identifier(doc, row["doc_id"])
    requests = _requests(row["arguments"])
    if not requests or not isinstance(row["resps"], list) or not row["resps"]:
        problems.bad.add(
            "no-response", "the line has no request or no response", question_id=name, line=line
        )
        return None
    passage_text, text = prompts.from_fields(doc) or prompts.from_prompt(last_user(requests[0][0]))
    passage = prompts.make_passage(passage_text)
    if all(isinstance(continuation, str) for _, continuation in requests):
        choices = _choices(doc) or prompts.find_options(last_user(requests[0][0]))
        options, prediction = _parse_likelihoods(name, requests, row["resps"], choices)
        answers = golds.gold_options(_target_as_index(row.get("target")), options)
    else:
        options = golds.make_lettered_options(_choices(doc))
        answers = golds.gold_options(row.get("target"), options) if options else ()
        if not answers:  # words were asked for, whatever else the document holds
            options, answers = (), _gold(doc, row.get("target"))
        prediction = _parse_generated(
            name, row, requests[0][1], options, problems=problems, line=line
        )
    if not answers:
        problems.bad.add("missing-gold", "the log has no gold", question_id=name, line=line)
        return None
    question = golds.make_question(name, passage, text, answers, options)
    logged_scores = {metric: row.get(metric) for metric in metrics if metric != "bypass"}
    return LogRecord(
        task=task,
        passage=passage,
        question=question,
        prediction=prediction,
        scores=parse_scores(logged_scores, problems, name=name, line=line),
        prompt=requests[0][0],
    )


def _identifier(doc: dict[str, Any], doc_id: Any) -> str:
    for field in ("query_id", "question_id", "qid", "id"):
        if isinstance(doc.get(field), str | int):
            return str(doc[field])
    return str(doc_id)


def _target_as_index(target: Any) -> Any:
    """Return the index of the right option, which the harness wrote as a string, as a number."""
    return int(target) if isinstance(target, str) and target.isdecimal() else target


def _requests(arguments: Any) -> list[tuple[Any, Any]]:
    """Return prompt and continuation, or prompt and settings, of each request.

    A prompt is a text or, of models behind a chat endpoint, a list of one text: messages as JSON.
    """
    rows = list(arguments.values()) if isinstance(arguments, dict) else arguments
    requests = []
    for row in rows if isinstance(rows, list) else []:
        pair = list(row.values()) if isinstance(row, dict) else row
        if isinstance(pair, list | tuple) and pair:
            requests.append((pair[0], pair[1] if len(pair) > 1 else {}))
    return requests


def _parse_likelihoods(
    name: str, requests: list[tuple[Any, Any]], responses: list[Any], choices: Sequence[Any]
) -> tuple[tuple[Option, ...], Prediction]:
    """Return options and the likeliest of them; requests without the prompt only normalise.

    Where the model was asked for letters alone, the options' texts are ``choices``.
    """
    pairs = [pair for pair in zip(requests, responses, strict=False) if pair[0][0]]
    continuations = [continuation.strip() for (_, continuation), _ in pairs]
    if len(set(continuations)) < len(continuations):  # the options stand before a shared end
        continuations = [last_user(prompt) for (prompt, _), _ in pairs]
    options = golds.with_texts(golds.make_lettered_options(continuations), choices)
    try:
        values = tuple(float(_first_response(response)) for _, response in pairs)
    except (TypeError, ValueError):
        return options, Prediction(
            question_id=name, error="the log has no likelihood for this question"
        )
    return options, golds.pick_likeliest(name, options, values)


def _first_response(value: Any) -> Any:
    while isinstance(value, list | tuple):
        value = value[0] if value else None
    return value


def _parse_generated(
    name: str,
    row: dict[str, Any],
    settings: Any,
    options: tuple[Option, ...],
    *,
    problems: Problems,
    line: int,
) -> Prediction:
    first = row["resps"][0]
    if isinstance(first, list):
        problems.count_further(first, name, line=line)
    text, filtered = _first_response(first), _first_response(row.get("filtered_resps"))
    if not isinstance(text, str):
        return Prediction(question_id=name, error="the log has no text for this question")
    answer = filtered if isinstance(filtered, str) else text
    return Prediction(
        question_id=name,
        answer=golds.parse_answer(answer, options),
        generation=Generation(text=text, stops=_stops(settings)),
    )


def _stops(settings: Any) -> tuple[str, ...]:
    until = settings.get("until") if isinstance(settings, dict) else None
    return (until,) if isinstance(until, str) else tuple(map(str, as_list(until)))


def _choices(doc: dict[str, Any]) -> list[Any]:
    choices = doc.get("choices", doc.get("options"))
    if isinstance(choices, dict):
        choices = choices.get("text")
    if isinstance(choices, list):
        return choices
    for names in _CHOICE_COLUMNS:
        columns = [doc[name] for name in names if doc.get(name) is not None]
        if len(columns) > 1:
            return columns
    return []


def _gold(doc: dict[str, Any], target: Any) -> tuple[Answer, ...]:
    """Return the document's own golds; DROP's ``target`` is not a gold but column names."""
    for answers in (golds.drop_answers(doc), golds.parse_gold(doc.get("answers"))):
        if answers:
            return answers
    columns = doc.get("answer")
    if isinstance(columns, dict) and target == ",".join(columns):
        return ()
    if isinstance(target, str) and "," in target and _DROP_COLUMNS.issuperset(target.split(",")):
        return ()  # of a document that was left out of the log, or thinned
    return golds.parse_gold(target)


def _facts(
    facts: LogFacts, key: str, row: dict[str, Any], record: LogRecord, date: str
) -> LogFacts:
    settings = _requests(row["arguments"])[0][1]
    lost = list(_LOST if isinstance(settings, dict) else ("tokens",))
    if _stops(settings):
        lost.append("tail")
    if not prompts.from_fields(as_dict(row["doc"])):
        lost.append("passage")
    options = record.question.options
    if options and all(option.text == option.label for option in options):
        lost.append("options")
    if not options and not golds.drop_answers(as_dict(row["doc"])):
        lost.append("gold-kinds")
    lost += [code for code in ("version", "model") if not getattr(facts, code)]
    return msgspec.structs.replace(
        facts,
        task=key,
        created=date or facts.created,
        settings=facts.settings | (settings if isinstance(settings, dict) else {}),
        lost=tuple(lost),
    )


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read)
