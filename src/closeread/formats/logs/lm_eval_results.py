"""Reads lm-evaluation-harness' ``results`` of whole sets, in all versions since the first.

``{"results": {task: {metric: number}}, "versions", "config"}``; since version 0.4 the names of the
metrics include their filter, as ``f1,none``, and ``lm_eval_version`` is recorded. It has no
questions: it describes the samples in the same folder, or is ingested alone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from closeread.formats.files.source import Source
from closeread.formats.logs.records import (
    LogFacts,
    LogFormat,
    LogRecord,
    Problems,
    count_if_newer,
)
from closeread.formats.logs.values import as_dict, finite_scores, read_side_file

_SETTINGS = ("num_fewshot", "limit", "gen_kwargs", "fewshot_seed", "batch_size")


def sniff(path: Path) -> bool:
    """Whether it has results by task, with their versions and the run's configuration."""
    head = Source(path).long_head()
    return (
        head.has("results", "versions")
        and (head.has("config") or head.has("configs"))
        and not head.has("config_general")
    )


def accompanies(path: Path) -> bool:
    """Return whether the folder also has samples or, before 0.4, a written file of each task."""
    if any(path.parent.glob("samples_*.jsonl*")):
        return True
    tasks = as_dict(read_side_file(path).get("results"))
    written_files = (path.parent / f"{task}_write_out_info.json" for task in tasks)
    return bool(tasks) and all(path_.is_file() for path_ in written_files)


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield nothing; fill the facts of every task."""
    content = read_side_file(path)
    results = content.get("results")
    if not isinstance(results, dict) or not results:
        problems.bad.add("cut-log", "the results cannot be parsed")
        return
    count_if_newer(problems, "lm-evaluation-harness", content.get("lm_eval_version"), (0, 4))
    for task in results:
        file_facts = facts_of(content, task, "")
        if any(value is None for value in file_facts.scores.values()):
            problems.bad.add("nan-score", f"a number of {task} is not finite", question_id=task)
        facts[task] = file_facts
    yield from ()


def find_results(samples: Path, task: str, date: str) -> dict[str, Any]:
    """Return the results that were written with samples: those of the same date.

    Samples without a date in their name have the only results of their task; if there are
    several, it is unknown which belong to them, and none are returned.
    """
    if date:
        exact = read_side_file(samples.parent / f"results_{date}.json")
        return exact if task in as_dict(exact.get("results")) else {}
    documents = map(read_side_file, sorted(samples.parent.glob("results_*.json")))
    matching = [results for results in documents if task in as_dict(results.get("results"))]
    return matching[0] if len(matching) == 1 else {}


def facts_of(results: dict[str, Any], task: str, filter_name: str) -> LogFacts:
    """Return the facts of a task in a results document.

    Args:
        results: The document, or an empty dict.
        task: The task.
        filter_name: Only the metrics after this filter, without its name; "" for all as they are.
    """
    config = as_dict(results.get("config"))
    numbers = as_dict(as_dict(results.get("results")).get(task))
    if filter_name:
        ending = "," + filter_name
        numbers = {
            name.removesuffix(ending): value
            for name, value in numbers.items()
            if name.endswith(ending)
        }
    else:
        numbers = {name: value for name, value in numbers.items() if name != "sample_len"}
    shots = as_dict(results.get("n-shot")).get(task)
    settings = {name: config[name] for name in _SETTINGS if config.get(name) is not None}
    return LogFacts(
        harness="lm-eval",
        version=str(results.get("lm_eval_version") or ""),
        model=_model(results, config),
        task=task,
        task_version=str(as_dict(results.get("versions")).get(task, "")),
        settings=settings | ({} if shots is None else {"num_fewshot": shots}),
        lost=("samples", *(() if results.get("lm_eval_version") else ("version",))),
        scores=finite_scores(numbers),
    )


def _model(results: dict[str, Any], config: dict[str, Any]) -> str:
    """Return the model's name; ignore other arguments, which may hold keys and paths."""
    arguments = config.get("model_args")
    pairs = arguments.split(",") if isinstance(arguments, str) else []
    by_name = dict(pair.partition("=")[::2] for pair in pairs)
    if isinstance(arguments, dict):
        by_name = arguments
    model_name = by_name.get("pretrained") or by_name.get("model") or results.get("model_name")
    return str(model_name or config.get("model") or "")


FORMAT = LogFormat(name="lm-eval-results", sniff=sniff, read=read, accompanies=accompanies)
