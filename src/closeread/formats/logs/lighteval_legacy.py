"""Reads lighteval's details before 0.9 and of the first Open LLM Leaderboard: flat columns.

``example`` (the query; of the leaderboard's DROP its id), ``full_prompt``, ``predictions``,
``gold`` of written texts, ``choices`` with ``gold_index`` of likelihoods, ``specifics``, token ids,
and the scores as ``metrics`` or, earlier still, as columns of their own. Where a value did not fit
into a column, all columns of the file are strings as Python prints the values.
"""

import re
from typing import Any

from closeread.formats.logs import golds, prompts
from closeread.formats.logs.conversations import last_user
from closeread.formats.logs.records import LogRecord, Problems
from closeread.formats.logs.values import as_dict, as_list, parse_literal, parse_scores
from closeread.types import Answer, Generation, Option, Prediction

LOST = ("tail", "finish-reason", "tokens", "stops", "passage", "gold-kinds")
COLUMNS = frozenset(("example", "full_prompt", "predictions"))
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_NO_SCORES = ("truncated", "padded", "num_asked_few_shots", "num_effective_few_shots")


def record(task: str, row: dict[str, Any], *, problems: Problems, number: int) -> LogRecord | None:
    """Return a row's record; None, and count it, if it lacks the predictions or the gold."""
    cells = {name: _cell(value) for name, value in row.items()}
    example, prompt = str(row["example"] or ""), cells["full_prompt"]
    prompt_text = last_user(prompt)
    passage_text, text = prompts.from_prompt(example)
    if not passage_text:
        passage_text, text = prompts.from_prompt(prompt_text)
    has_id = bool(example) and example not in prompt_text  # the leaderboard's DROP wrote an id here
    name = example if has_id and "\n" not in example else str(number - 1)
    options: tuple[Option, ...] = ()
    logged = cells["predictions"]
    predictions = logged if isinstance(logged, list | tuple) else [logged]
    if any(isinstance(prediction, str) for prediction in predictions) or not predictions:
        prediction, answers = _parse_generated(name, predictions, problems), _gold(cells)
    else:
        options = golds.make_lettered_options(
            [str(choice).strip() for choice in as_list(cells.get("choices"))]
        )
        prediction = _parse_likelihoods(name, options, predictions)
        answers = golds.gold_options(cells.get("gold_index"), options)
    if not answers:
        message = "the row has no gold (the leaderboard did not log it for generated texts)"
        problems.bad.add("missing-gold", message, question_id=name, line=number)
        return None
    passage = prompts.make_passage(passage_text)
    return LogRecord(
        task=task,
        passage=passage,
        question=golds.make_question(name, passage, text, answers, options),
        prediction=prediction,
        scores=parse_scores(_scores(cells), problems, name=name, line=number),
        prompt=prompt,
    )


def examples(row: dict[str, Any]) -> Any:
    """Return how many examples the prompt had, or were requested."""
    n_effective = _cell(row.get("num_effective_few_shots"))
    return _cell(row.get("num_asked_few_shots")) if n_effective in (None, -1) else n_effective


def _cell(value: Any) -> Any:
    """Parse a value that Python printed; return other values as they are."""
    if not isinstance(value, str):
        return value
    return int(value) if _INTEGER.fullmatch(value) else parse_literal(value, "[({")


def _parse_generated(name: str, predictions: Any, problems: Problems) -> Prediction:
    if not predictions or not isinstance(predictions[0], str):
        return Prediction(question_id=name, error="the log has no text for this question")
    problems.count_further(predictions, name)
    text = predictions[0]
    return Prediction(
        question_id=name,
        answer=Answer(kind="span", texts=(text,)),
        generation=Generation(text=text),
    )


def _gold(cells: dict[str, Any]) -> tuple[Answer, ...]:
    """Return DROP's spans if the task kept them separately, else the right texts."""
    separate_golds = as_dict(cells.get("specifics")).get("golds_no_preprocessing")
    if separate_golds:
        return golds.parse_gold(separate_golds)
    texts = as_list(cells.get("gold"))
    if not texts:
        choices = as_list(cells.get("choices"))
        texts = [choices[at] for at in as_list(cells.get("gold_index")) if 0 <= at < len(choices)]
    return golds.parse_gold(texts)


def _parse_likelihoods(name: str, options: tuple[Option, ...], predictions: Any) -> Prediction:
    """Return the likeliest option; a likelihood may come with whether it was the greedy choice."""
    values = [
        prediction[0] if isinstance(prediction, list | tuple) and prediction else prediction
        for prediction in predictions
    ]
    return golds.pick_likeliest(name, options, values)


def _scores(cells: dict[str, Any]) -> dict[str, Any]:
    metrics = cells.get("metrics")
    if isinstance(metrics, dict):
        return metrics
    return {name: value for name, value in cells.items() if name not in _NO_SCORES}
