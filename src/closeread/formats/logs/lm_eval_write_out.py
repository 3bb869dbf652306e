"""lm-evaluation-harness before 0.4, ``--write_out``: ``TASK_write_out_info.json``, one array.

An entry has ``doc_id``, ``prompt_0`` and ``logit_0`` (and 1, 2, ... where there are several
requests), ``truth``, and the scores as strings. A prompt is the context with the continuation or,
of texts, with the stops (or the word ``until``) behind it; ``logit`` is a likelihood or the text.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from closeread.formats.files.source import Source
from closeread.formats.logs import golds, lm_eval_results, prompts
from closeread.formats.logs.conversations import last_user
from closeread.formats.logs.records import LogFacts, LogFormat, LogRecord, Problems
from closeread.formats.logs.values import (
    as_dict,
    as_list,
    iter_elements,
    make_or_count,
    parse_literal,
    parse_score,
    parse_scores,
    read_side_file,
)
from closeread.types import Answer, Generation, Option, Prediction

ENDING = "_write_out_info.json"
_WRITTEN = (
    "tail", "stops", "finish-reason", "tokens", "passage",
    "gold-kinds", "gold-spans", "gold-others",
)  # fmt: skip
_LIKELIEST = ("passage", "tokens")
_NO_SCORE = re.compile(r"doc_id|truth|(prompt|logit)_\d+")
_HEADING = re.compile(r"\b(?:answer|a)[ \t]*[:：]|(?:答案|答)[ \t]*[:：]", re.IGNORECASE)
_MOST_BYTES = 16 * 2**20  # of the results, which are small


def sniff(path: Path) -> bool:
    """Whether it is an array of prompts with what the model gave for them."""
    head = Source(path).long_head()
    return isinstance(head.value, list) and head.has("doc_id", "prompt_0", "logit_0", at=(0,))


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record an entry."""
    task = path.name.removesuffix(".gz").removesuffix(ENDING).removesuffix(".json")
    for place, row in enumerate(iter_elements(path, "", problems, {})):
        if not isinstance(row, dict):
            problems.bad.add("not-an-object", f"entry {place} is {type(row).__name__}")
            continue
        name = str(row.get("doc_id", place))
        missing = [field for field in ("prompt_0", "logit_0") if field not in row]
        if missing:
            problems.bad.add("missing-field", "no " + ", ".join(missing), question_id=name)
            continue
        record = make_or_count(partial(_record, task, name, row, problems), problems, name=name)
        if record is None:
            continue
        if task not in facts:
            facts[task] = _facts(path, task, record)
        yield record


def _record(task: str, name: str, row: dict[str, Any], problems: Problems) -> LogRecord | None:
    n_requests = sum(1 for field in row if field.startswith("prompt_"))
    prompts_of_options = [str(row[f"prompt_{at}"]) for at in range(n_requests)]
    outputs = [row.get(f"logit_{at}") for at in range(n_requests)]
    truth = row.get("truth")
    options: tuple[Option, ...] = ()
    if isinstance(outputs[0], str):
        prompt = prompts_of_options[0].removesuffix("until")
        prediction = _parse_generated(name, outputs[0])
        answers = _golds_from_scores(row) or golds.parse_gold(
            truth.strip() if isinstance(truth, str) else truth
        )
    else:
        begin = _options_begin(prompts_of_options)
        prompt = prompts_of_options[0][:begin]
        options = golds.make_lettered_options(
            [prompt[begin:].strip() for prompt in prompts_of_options]
        )
        prediction = golds.pick_likeliest(
            name, options, [_likelihood(output) for output in outputs]
        )
        answers = golds.gold_options(truth, options)
    if not answers:
        problems.bad.add("missing-gold", "the log has no gold", question_id=name)
        return None
    passage_text, text = prompts.from_prompt(last_user(prompt))
    passage = prompts.make_passage(passage_text)
    saved = {key: _score(value) for key, value in row.items() if not _NO_SCORE.fullmatch(key)}
    return LogRecord(
        task=task,
        passage=passage,
        question=golds.make_question(name, passage, text, answers, options),
        prediction=prediction,
        scores=parse_scores(saved, problems, name=name),
        prompt=prompt,
    )


def _parse_generated(name: str, text: str) -> Prediction:
    return Prediction(
        question_id=name,
        answer=Answer(kind="span", texts=(text,)),
        generation=Generation(text=text),
    )


def _golds_from_scores(row: dict[str, Any]) -> tuple[Answer, ...]:
    """Return the golds in a score: SQuAD's scores are pairs of prediction and reference."""
    for value in row.values():
        pair = parse_literal(value) if isinstance(value, str) else None
        if isinstance(pair, tuple | list) and len(pair) == 2:
            answers = as_dict(pair[1]).get("answers")
            if answers is not None:
                return golds.parse_gold(answers)
    return ()


def _options_begin(prompts_of_options: list[str]) -> int:
    """Return where the options begin: after an answer heading that all prompts share.

    Without a heading they begin with the first word that differs.
    """
    first, last = min(prompts_of_options), max(prompts_of_options)
    differing = (
        at
        for at, (first_character, last_character) in enumerate(zip(first, last, strict=False))
        if first_character != last_character
    )
    common = first[: next(differing, len(first))]
    headings = [match.end() for match in _HEADING.finditer(common)]
    if headings:
        return headings[-1]
    return max(common.rfind(blank) for blank in " \n\t") + 1


def _likelihood(value: Any) -> float | None:
    return parse_score(as_list(value)[0] if as_list(value) else value)


def _score(value: Any) -> Any:
    """Parse a score that was printed as a number or truth value; return others as they are."""
    if not isinstance(value, str):
        return value
    if value in ("True", "False"):
        return value == "True"
    try:
        return float(value)
    except ValueError:
        return value


def _facts(path: Path, task: str, record: LogRecord) -> LogFacts:
    results = lm_eval_results.facts_of(_find_results(path, task), task, "")
    lost = _LIKELIEST if record.question.options else _WRITTEN
    unknown = [code for code in ("version", "model") if not getattr(results, code)]
    return msgspec.structs.replace(results, lost=(*lost, *unknown))


def _find_results(path: Path, task: str) -> dict[str, Any]:
    """Return the results of the task in the same folder, in a file of any name.

    If there are several, it is unknown which belong to the log, and none are returned.
    """
    small = (
        candidate
        for candidate in sorted(path.parent.glob("*.json"))
        if candidate.is_file()
        and not candidate.name.endswith(ENDING)
        and candidate.stat().st_size < _MOST_BYTES
    )
    matching = [
        results for results in map(read_side_file, small) if task in as_dict(results.get("results"))
    ]
    return matching[0] if len(matching) == 1 else {}


FORMAT = LogFormat(name="lm-eval-write-out", sniff=sniff, read=read)
