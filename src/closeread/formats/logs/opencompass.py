"""Reads OpenCompass's ``predictions/MODEL/TASK.json``, and ``results/MODEL/TASK.json``.

An object of ``{"0": {"origin_prompt", "prediction", "gold"}}``; for tasks by perplexity each entry
has one ``label: X`` member an option with its ``PPL``. The texts are as the model gave them; stops
stand in the configuration, a Python file, and are not in the log.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from closeread.formats.files.source import Source
from closeread.formats.logs import golds, letters, prompts
from closeread.formats.logs.conversations import last_user
from closeread.formats.logs.records import LogFacts, LogFormat, LogRecord, Problems
from closeread.formats.logs.values import (
    as_dict,
    finite_scores,
    iter_members,
    make_or_count,
    parse_score,
    parse_scores,
    read_side_file,
    text_of,
)
from closeread.types import Generation, Option, Prediction, Question

NAME = "opencompass"
_LOST = ("finish-reason", "tokens", "stops", "passage", "gold-kinds", "gold-spans", "version")
_BY_LIKELIHOOD = ("passage", "tokens", "version")
_OF_OPTIONS = ("finish-reason", "tokens", "stops", "passage", "extraction", "version")
_LABEL = "label: "
_PLACE = re.compile(r"\d{1,9}", re.ASCII)
_PART = re.compile(r"_(\d{1,4})$")


def sniff(path: Path) -> bool:
    """Whether the first entry has a prompt and a prediction."""
    head = Source(path).long_head()
    first = head.first(0)
    if not isinstance(head.value, dict) or not isinstance(first, dict) or "0" not in head.value:
        return False
    by_text = "origin_prompt" in first and "prediction" in first
    return by_text or any(key.startswith(_LABEL) for key in first)


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record an entry."""
    task = Source(path).stem
    results, details = _results(path, task)
    for name, entry in iter_members(path, problems):
        if not isinstance(entry, dict):
            message = f"found {type(entry).__name__}"
            problems.bad.add("not-an-object", message, question_id=name)
            continue
        by_likelihood = any(key.startswith(_LABEL) for key in entry)
        make = partial(_record, task, name, entry, problems)
        record = make_or_count(make, problems, name=name)
        if record is None:
            continue
        place = int(name) if _PLACE.fullmatch(name) else len(details)
        scores = parse_scores(details[place] if place < len(details) else {}, problems, name=name)
        yield LogRecord(
            task=task,
            passage=record[0],
            question=record[1],
            prediction=record[2],
            scores=scores,
            prompt=_full_prompt(entry),
            lacks_extraction=bool(record[1].options) and not by_likelihood,
        )
        if task not in facts:
            lost = _BY_LIKELIHOOD if by_likelihood else _OF_OPTIONS if record[1].options else _LOST
            facts[task] = _facts(path, task, results, details, lost)


def _record(
    task: str, name: str, entry: dict[str, Any], problems: Problems
) -> tuple[Any, Question, Prediction] | None:
    by_label = {
        key.removeprefix(_LABEL): value
        for key, value in entry.items()
        if key.startswith(_LABEL) and isinstance(value, dict)
    }
    if not by_label and ("origin_prompt" not in entry or "prediction" not in entry):
        problems.bad.add("missing-field", "no origin_prompt or no prediction", question_id=name)
        return None
    prompt = _prompt(entry, by_label)
    passage_text, text = prompts.from_prompt(prompt)
    passage = prompts.make_passage(passage_text)
    gold = entry.get("gold")
    if by_label:
        options = golds.make_lettered_options(list(by_label))
        # StoryCloze's labels are 1 and 2: a gold that is a label is none's place.
        answers = golds.gold_options(str(gold) if str(gold) in by_label else gold, options)
        prediction = _parse_perplexities(name, list(by_label.values()), options)
    else:
        options, answers = letters.options_from_prompt(
            golds.parse_gold(_accepted_answers(task, gold)), prompt
        )
        text = prompts.strip_options(text) if options else text
        prediction = _parse_generated(name, entry["prediction"], options, problems)
    if not answers:
        problems.bad.add("missing-gold", "the entry has no gold", question_id=name)
        return None
    question = golds.make_question(name, passage, text, answers, options)
    return passage, question, prediction


def _prompt(entry: dict[str, Any], by_label: dict[str, Any]) -> str:
    if by_label:
        first = next(iter(by_label.values()))
        return last_user(first.get("testing input") or first.get("prompt") or "")
    prompt = entry["origin_prompt"]
    return last_user(prompt) or text_of(prompt) or ""


def _full_prompt(entry: dict[str, Any]) -> Any:
    """Return the prompt with its examples, which the original prompt lacks by perplexity."""
    by_option = (as_dict(value) for key, value in entry.items() if key.startswith(_LABEL))
    return next(
        (option_entry["prompt"] for option_entry in by_option if "prompt" in option_entry),
        entry.get("origin_prompt"),
    )


def _accepted_answers(task: str, gold: Any) -> Any:
    """Return the accepted answers; DROP's are in one string, separated by ``|``."""
    if isinstance(gold, str) and task.lower().startswith("drop"):
        return gold.split("|")
    return [gold] if isinstance(gold, str) else gold


def _parse_perplexities(name: str, entries: list[dict[str, Any]], options: Any) -> Prediction:
    values = [parse_score(entry.get("PPL")) for entry in entries]
    negated = tuple(-value for value in values if value is not None)
    return golds.pick_likeliest(name, options, negated, value_name="perplexity")


def _parse_generated(
    name: str, prediction: Any, options: tuple[Option, ...], problems: Problems
) -> Prediction:
    first = prediction[0] if isinstance(prediction, list) and prediction else prediction
    if isinstance(prediction, list):
        problems.count_further(prediction, name)
    if not isinstance(first, str):
        return Prediction(question_id=name, error="the log has no text for this question")
    return Prediction(
        question_id=name,
        answer=golds.parse_answer(first, options),
        generation=Generation(text=first),
    )


def _results(path: Path, task: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the scores of the same model and task, and the scores of each entry of this file.

    A set in parts (``TASK_0.json``, ``TASK_1.json``) has one file of scores, in which those of a
    part follow those of the parts before it.
    """
    folder = path.parent.parent.parent / "results" / path.parent.name
    exact = read_side_file(folder / path.name)
    part = _PART.search(task)
    if exact or part is None:
        return exact, _details(exact)
    all_parts = read_side_file(folder / f"{_PART.sub('', task)}.json")
    earlier_parts = [
        path.with_name(f"{_PART.sub('', task)}_{at}.json") for at in range(int(part[1]))
    ]
    if not all(earlier_part.is_file() for earlier_part in earlier_parts):
        return all_parts, []
    n_earlier = sum(
        1 for earlier_part in earlier_parts for _ in iter_members(earlier_part, Problems())
    )
    return all_parts, _details(all_parts)[n_earlier:]


def _details(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each entry's own scores, if they were dumped (``--dump-eval-details``).

    They are a list, or an object of ``type`` and the entries by number.
    """
    details = results.get("details")
    if isinstance(details, dict):
        details = [row for name, row in details.items() if name.isdecimal()]
    scores = []
    for row in details if isinstance(details, list) else []:
        flat = {}
        for key, value in row.items() if isinstance(row, dict) else ():
            item = value[0] if isinstance(value, list) and len(value) == 1 else value
            if isinstance(item, bool | float):
                flat[key] = item
        scores.append(flat)
    return scores


def _facts(
    path: Path, task: str, results: dict[str, Any], details: list[Any], lost: tuple[str, ...]
) -> LogFacts:
    numbers = finite_scores({key: value for key, value in results.items() if key != "details"})
    return LogFacts(
        harness=NAME,
        model=path.parent.name if path.parent.parent.name == "predictions" else "",
        task=task,
        created=path.parent.parent.parent.name if path.parent.parent.name == "predictions" else "",
        lost=lost if details else (*lost, "sample-scores"),
        scores=numbers,
    )


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read)
