"""lighteval: ``details_TASK_DATE.parquet``, with ``results_DATE.json`` in the results folder.

One row a document with the columns ``doc`` (query, choices, gold_index, specific, stop_sequences),
``model_response`` (text, text_post_processed, logprobs) and ``metric``; the documentation calls
them ``__doc__`` and so on. Its backends cut texts at the stops before they are logged.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from closeread import catalog
from closeread.errors import InputError
from closeread.formats.logs import golds, prompts
from closeread.formats.logs.records import LogFacts, LogFormat, LogRecord, Problems
from closeread.formats.logs.values import document, finite, mapping, scores, tried
from closeread.types import Answer, Generation, Option, Prediction

NAME = "lighteval"
_FILE = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.parquet$")
_BATCH = 256
_COLUMNS = ("doc", "model_response", "metric")
_LOST = ("tail", "finish-reason", "tokens", "passage", "gold-kinds", "version")


def sniff(path: Path) -> bool:
    """Whether it is a parquet file: no other harness here writes one."""
    with path.open("rb") as stream:
        return stream.read(4) == b"PAR1"


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record a row, a few hundred rows in memory at a time.

    Raises:
        MissingExtraError: pyarrow is not installed.
        InputError: It breaks off (its directory stands at the end), or has other columns.
    """
    named = _FILE.fullmatch(path.name)
    task, date = (named["task"], named["date"]) if named else (path.stem, "")
    for number, row in enumerate(_rows(path), 1):
        doc, response, metric = (row.get(name) or row.get(f"__{name}__") for name in _COLUMNS)
        if not isinstance(doc, dict) or not isinstance(response, dict):
            what = "no document or no response in the row"
            problems.bad.add("missing-field", what, line=number)
            continue
        make = partial(
            _record, task, doc, response, mapping(metric), problems=problems, number=number
        )
        record = tried(make, problems, line=number)
        if record is None:
            continue
        if task not in facts:
            facts[task] = _facts(path, task, date, doc)
        yield record


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise catalog.missing_extra("lighteval's parquet", "pyarrow", "logs") from error
    try:
        with pq.ParquetFile(path) as file:
            names = {name.strip("_") for name in file.schema_arrow.names}
            if not {"doc", "model_response"} <= names:
                raise InputError(
                    "has the columns " + ", ".join(file.schema_arrow.names),
                    where=str(path),
                    expected="doc, model_response and metric, as lighteval 0.9 and later write",
                    cure="run the task again with a version from 0.9 on",
                )
            for batch in file.iter_batches(batch_size=_BATCH):
                yield from batch.to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"cannot be read as parquet: {error}".splitlines()[0],
            where=str(path),
            expected="a whole file: what a parquet file holds is told at its end",
            cure="fetch it again; nothing of a cut one can be recovered",
        ) from error


def _record(
    task: str,
    doc: dict[str, Any],
    response: dict[str, Any],
    metric: dict[str, Any],
    *,
    problems: Problems,
    number: int,
) -> LogRecord | None:
    name = str(doc.get("id") or number - 1)
    passage_text, asked = prompts.from_prompt(str(doc.get("query") or ""))
    passage = prompts.passage(passage_text)
    choices = doc.get("choices") or []
    options: tuple[Option, ...] = ()
    if response.get("logprobs"):
        options = golds.lettered([str(choice).strip() for choice in choices])
        prediction = _by_likelihood(name, options, response["logprobs"])
        answers = golds.choice(doc.get("gold_index"), options)
    else:
        prediction = _written(name, doc, response)
        answers = _gold(doc, choices)
    if not answers:
        problems.bad.add("missing-gold", "the log has no gold", question_id=name, line=number)
        return None
    question = golds.question(name, passage, asked, answers, options)
    return LogRecord(
        task=task,
        passage=passage,
        question=question,
        prediction=prediction,
        scores=scores(metric, problems, name=name, line=number),
        shown=prompts.answers_shown(response.get("input"), passage_text),
    )


def _gold(doc: dict[str, Any], choices: list[Any]) -> tuple[Answer, ...]:
    """Return DROP's spans where the task kept them apart, else the right choices."""
    apart = (doc.get("specific") or {}).get("golds_no_preprocessing")
    if apart:
        return golds.of_value(apart)
    index = doc.get("gold_index")
    places = index if isinstance(index, list) else [index]
    right = [
        str(choices[place])
        for place in places
        if isinstance(place, int) and 0 <= place < len(choices)
    ]
    return golds.of_value(right)


def _by_likelihood(name: str, options: tuple[Option, ...], values: list[Any]) -> Prediction:
    answer = golds.best(options, values)
    if answer is None:
        return Prediction(question_id=name, error="not one likelihood an option")
    return Prediction(
        question_id=name,
        answer=answer,
        option_scores=tuple(map(float, values)),
    )


def _written(name: str, doc: dict[str, Any], response: dict[str, Any]) -> Prediction:
    texts = response.get("text") or []
    if not texts or not isinstance(texts[0], str):
        return Prediction(question_id=name, error="the log has no text here")
    processed = response.get("text_post_processed") or texts
    return Prediction(
        question_id=name,
        answer=Answer(kind="span", texts=(processed[0],)),
        generation=Generation(text=texts[0], stops=tuple(doc.get("stop_sequences") or ())),
    )


def _facts(path: Path, task: str, date: str, doc: dict[str, Any]) -> LogFacts:
    """Return what the row and, where they are found, the results of the same date say."""
    found: dict[str, Any] = {}
    model = path.parent.parent.name
    for above in path.parents[:6]:
        for results in above.glob(f"results/**/results_{date}.json") if date else ():
            found = document(results)
        if found:
            break
    config = mapping(mapping(found.get("config_tasks")).get(task))
    shots = config.get("num_fewshots")
    return LogFacts(
        harness=NAME,
        model=str(mapping(found.get("config_general")).get("model_name") or model),
        task=task,
        task_version=str(config.get("version", "")),
        created=date,
        settings={
            "stops": list(doc.get("stop_sequences") or ()),
            "max_tokens": doc.get("generation_size"),
            "num_fewshot": len(doc.get("fewshot_samples") or ()) if shots is None else shots,
        },
        lost=_LOST,
        scores=finite(mapping(mapping(found.get("results")).get(task))),
    )


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read)
