"""Reads lighteval's ``details_TASK_DATE.parquet``, and ``results_DATE.json`` in its folder.

One row a document with the columns ``doc`` (query, choices, gold_index, specific, stop_sequences),
``model_response`` (text, text_post_processed, logprobs) and ``metric``; the documentation calls
them ``__doc__`` and so on. Its backends cut texts at the stops before they are logged. Rows of
before 0.9 have flat columns, see ``lighteval_legacy``.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from closeread.errors import InputError
from closeread.formats.logs import golds, lighteval_legacy, prompts
from closeread.formats.logs.records import LogFacts, LogFormat, LogRecord, Problems
from closeread.formats.logs.values import (
    as_dict,
    as_list,
    finite_scores,
    make_or_count,
    parse_scores,
    read_side_file,
)
from closeread.registry import extras
from closeread.types import Answer, Generation, Option, Prediction

NAME = "lighteval"
_FILE = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.parquet$")
_BATCH = 256
_LOST = ("finish-reason", "tokens", "passage", "gold-kinds")


def sniff(path: Path) -> bool:
    """Whether it is a parquet file: no other harness here writes one."""
    with path.open("rb") as stream:
        return stream.read(4) == b"PAR1"


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record a row, a few hundred rows in memory at a time.

    Raises:
        MissingExtraError: pyarrow is not installed.
        InputError: It is cut off (its index is at the end), or has other columns.
    """
    match = _FILE.fullmatch(path.name)
    task, date = (match["task"], match["date"]) if match else (path.stem, "")
    for number, row in enumerate(_rows(path), 1):
        is_legacy = row.keys() >= lighteval_legacy.COLUMNS
        make = partial(
            lighteval_legacy.record if is_legacy else _record,
            task,
            row,
            problems=problems,
            number=number,
        )
        record = make_or_count(make, problems, line=number)
        if record is None:
            continue
        if task not in facts:
            facts[task] = _facts(path, task, date, row, is_legacy=is_legacy)
        yield record


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise extras.missing_extra("lighteval's parquet", "pyarrow", "logs") from error
    try:
        with pq.ParquetFile(path) as file:
            names = {name.strip("_") for name in file.schema_arrow.names}
            if not names >= {"doc", "model_response"} and not names >= lighteval_legacy.COLUMNS:
                raise InputError(
                    "has the columns " + ", ".join(file.schema_arrow.names),
                    where=str(path),
                    expected="doc, model_response and metric, as lighteval 0.9 and later write, "
                    "or example, full_prompt and predictions, as earlier ones did",
                    cure="name the details of a task, details_TASK_DATE.parquet",
                )
            for batch in file.iter_batches(batch_size=_BATCH):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(
            f"cannot be read as parquet: {error}".splitlines()[0],
            where=str(path),
            expected="a complete file: parquet stores its index at the end",
            cure="download it again; a cut parquet file cannot be recovered",
        ) from error


def _record(task: str, row: dict[str, Any], *, problems: Problems, number: int) -> LogRecord | None:
    doc, response, metric = (_column(row, name) for name in ("doc", "model_response", "metric"))
    if not isinstance(doc, dict) or not isinstance(response, dict):
        problems.bad.add("missing-field", "the row has no document or no response", line=number)
        return None
    name = str(doc.get("id") or number - 1)
    query = str(doc.get("query") or "")
    passage_text, question_text = prompts.from_prompt(query)
    fewshot_answers = _examples(doc)
    passage = prompts.make_passage(passage_text)
    choices = doc.get("choices") or []
    options: tuple[Option, ...] = ()
    if response.get("logprobs"):
        letters = golds.make_lettered_options([str(choice).strip() for choice in choices])
        options = golds.with_texts(letters, prompts.find_options(query))
        question_text = (
            question_text if options == letters else prompts.strip_options(question_text)
        )
        prediction = golds.pick_likeliest(name, options, response["logprobs"])
        answers = golds.gold_options(doc.get("gold_index"), options)
    else:
        prediction = _parse_generated(name, doc, response, problems)
        answers = _gold(doc, choices)
    if not answers:
        problems.bad.add("missing-gold", "the log has no gold", question_id=name, line=number)
        return None
    question = golds.make_question(name, passage, question_text, answers, options)
    return LogRecord(
        task=task,
        passage=passage,
        question=question,
        prediction=prediction,
        scores=parse_scores(as_dict(metric), problems, name=name, line=number),
        prompt=response.get("input"),
        example_answers=fewshot_answers or None,
    )


def _column(row: dict[str, Any], name: str) -> Any:
    return row.get(name) or row.get(f"__{name}__")


def _examples(doc: dict[str, Any]) -> tuple[str, ...]:
    """Return the answers of the examples: the first gold of each, as the prompt has it."""
    answers = (
        _choices_at(sample.get("gold_index"), sample.get("choices"))
        for sample in _fewshot_samples(doc)
    )
    return tuple(texts[0].strip() for texts in answers if texts)


def _fewshot_samples(doc: dict[str, Any]) -> list[dict[str, Any]]:
    return [sample for sample in as_list(doc.get("fewshot_samples")) if isinstance(sample, dict)]


def _choices_at(index: Any, choices: Any) -> list[str]:
    """Return the choices that an index, or each of several, names."""
    choice_list = as_list(choices)
    places = index if isinstance(index, list) else [index]
    return [
        str(choice_list[at]) for at in places if isinstance(at, int) and 0 <= at < len(choice_list)
    ]


def _gold(doc: dict[str, Any], choices: list[Any]) -> tuple[Answer, ...]:
    """Return DROP's spans if the task kept them separately, else the right choices."""
    separate_golds = (doc.get("specific") or {}).get("golds_no_preprocessing")
    if separate_golds:
        return golds.parse_gold(separate_golds)
    return golds.parse_gold(_choices_at(doc.get("gold_index"), choices))


def _parse_generated(
    name: str, doc: dict[str, Any], response: dict[str, Any], problems: Problems
) -> Prediction:
    texts = response.get("text") or []
    problems.count_further(texts, name)
    if not texts or not isinstance(texts[0], str):
        return Prediction(question_id=name, error="the log has no text for this question")
    processed = response.get("text_post_processed") or texts
    return Prediction(
        question_id=name,
        answer=Answer(kind="span", texts=(processed[0],)),
        generation=Generation(text=texts[0], stops=tuple(doc.get("stop_sequences") or ())),
    )


def _facts(path: Path, task: str, date: str, row: dict[str, Any], *, is_legacy: bool) -> LogFacts:
    """Return the facts in the row and, if found, in the results of the same date."""
    results = _results(path, date)
    general = as_dict(results.get("config_general"))
    config = as_dict(as_dict(results.get("config_tasks")).get(task))
    doc = as_dict(_column(row, "doc"))
    stops = as_list(doc.get("stop_sequences"))
    shots = lighteval_legacy.examples(row) if is_legacy else config.get("num_fewshots")
    commit = general.get("lighteval_sha")
    return LogFacts(
        harness=NAME,
        version="" if commit in (None, "?") else str(commit),
        model=str(general.get("model_name") or path.parent.parent.name),
        task=task,
        task_version=str(config.get("version", as_dict(results.get("versions")).get(task, ""))),
        created=date,
        settings={"num_fewshot": len(_fewshot_samples(doc)) if shots is None else shots}
        | ({} if is_legacy else {"stops": stops, "max_tokens": doc.get("generation_size")}),
        lost=lighteval_legacy.LOST if is_legacy else (*_LOST, *(("tail",) if stops else ())),
        scores=finite_scores(as_dict(as_dict(results.get("results")).get(task))),
    )


def _results(path: Path, date: str) -> dict[str, Any]:
    """Return the results of the same date: in the results folder, or (on the hub) above."""
    for above in path.parents[:6] if date else ():
        name = f"results_{date}.json"
        for candidate in (above / name, *sorted(above.glob(f"results/**/{name}"))):
            if results := read_side_file(candidate):
                return results
    return {}


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read)
