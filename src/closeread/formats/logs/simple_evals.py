"""Reads simple-evals' ``EVAL_MODEL_DATE_allresults.json`` and files in its form.

``{"score", "metrics", "htmls", "convos", "metadata"}``: a conversation and a piece of HTML for each
sample; gold and score stand only in the HTML ("Correct Answer:", "Score:"). Its DROP logs the
extracted answer in place of the model's text.
"""

import html
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
    iter_elements,
    make_or_count,
    parse_literal,
    parse_scores,
    text_of,
)
from closeread.types import Generation, Prediction

NAME = "simple-evals"
_FIELD = r"<p>\s*{}:\s*(.*?)</p>"
_GOLD = re.compile(_FIELD.format("Correct Answer"), re.DOTALL)
_SCORE = re.compile(_FIELD.format("Score"), re.DOTALL)
_LOST = ("finish-reason", "tokens", "stops", "passage", "gold-kinds", "gold-spans", "version")
_DATE = re.compile(r"_\d{8}_\d{6}$")


def sniff(path: Path) -> bool:
    """Whether it has a score, metrics and pieces of HTML (conversations follow)."""
    return Source(path).long_head().has("score", "metrics", "htmls")


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record a sample: reads the HTML first, then the conversations."""
    task, model = _names(path)
    html_fields: dict[str, Any] = {}
    golds_and_scores = [
        _parse_html(html) for html in iter_elements(path, "htmls", Problems(), html_fields)
    ]
    other_fields: dict[str, Any] = {}
    lacks_extraction = False
    for place, conversation in enumerate(iter_elements(path, "convos", problems, other_fields)):
        name = str(place)
        gold, score = golds_and_scores[place] if place < len(golds_and_scores) else (None, None)
        make = partial(_record, task, name, conversation, gold=gold, score=score, problems=problems)
        record = make_or_count(make, problems, name=name)
        if record is not None:
            lacks_extraction = lacks_extraction or record.lacks_extraction
            yield record
    numbers = finite_scores(
        {"score": other_fields.get("score"), **as_dict(other_fields.get("metrics"))}
    )
    facts[task] = LogFacts(
        harness=NAME,
        model=model,
        task=task,
        lost=(
            *_LOST,
            *(("generation",) if task.startswith("drop") else ()),
            *(("extraction",) if lacks_extraction else ()),
        ),
        scores=numbers,
    )


def _names(path: Path) -> tuple[str, str]:
    stem = _DATE.sub("", path.name.removesuffix(".json").removesuffix("_allresults"))
    task, _, model = stem.partition("_")
    return task, model


def _parse_html(piece: Any) -> tuple[Any, Any]:
    """Return the gold and the score in a sample's HTML."""
    if not isinstance(piece, str):
        return None, None
    # Cut after the last end: the patterns would search to the end of the text at every <p>.
    piece = piece[: piece.rfind("</p>") + 4]
    gold, score = _GOLD.search(piece), _SCORE.search(piece)
    value = {"True": 1.0, "False": 0.0}.get(score[1].strip()) if score else None
    if score and value is None:
        try:
            value = float(score[1])
        except ValueError:
            value = None
    return (parse_literal(html.unescape(gold[1]).strip()) if gold else None), value


def _record(
    task: str, name: str, conversation: Any, *, gold: Any, score: Any, problems: Problems
) -> LogRecord | None:
    messages = conversation if isinstance(conversation, list) else []
    last = messages[-1] if messages and isinstance(messages[-1], dict) else {}
    text = text_of(last.get("content"))
    if last.get("role") != "assistant" or text is None:
        problems.bad.add("no-response", "the conversation has no answer", question_id=name)
        return None
    prompt = last_user(messages)
    passage_text, question_text = prompts.from_prompt(prompt)
    options, answers = letters.options_from_prompt(golds.parse_gold(gold), prompt)
    question_text = prompts.strip_options(question_text) if options else question_text
    if not answers:
        problems.bad.add("missing-gold", "no Correct Answer in the HTML", question_id=name)
        return None
    passage = prompts.make_passage(passage_text)
    generation = None if task.startswith("drop") else Generation(text=text)
    return LogRecord(
        task=task,
        passage=passage,
        question=golds.make_question(name, passage, question_text, answers, options),
        prediction=Prediction(
            question_id=name,
            answer=golds.parse_answer(text, options),
            generation=generation,
        ),
        scores=parse_scores({} if score is None else {"score": score}, problems, name=name),
        prompt=messages,
        lacks_extraction=bool(options),
    )


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read)
