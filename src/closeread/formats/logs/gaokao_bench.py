"""Reads GAOKAO-Bench's result files (Zhang et al. 2023): ``MODEL_KEYWORD.json``.

``{"keyword", "model_name", "prompt", "example": [{"question", "standard_answer", "model_answer",
"model_output"}]}``. One output answers all the questions of a text; ``model_answer`` are the
letters that the benchmark read out of it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from closeread.formats import gaokao_bench
from closeread.formats.files.source import Source
from closeread.formats.logs import golds
from closeread.formats.logs.records import LogFacts, LogFormat, LogRecord, Problems
from closeread.formats.logs.values import iter_elements, parse_literal
from closeread.types import Defects, Generation, Prediction, Question

NAME = "gaokao-bench"
_LOST = ("apart", "finish-reason", "tokens", "stops", "sample-scores", "version")


def sniff(path: Path) -> bool:
    """Whether the first example has a model's output beside its question."""
    return Source(path).long_head().has("question", "model_output", at=("example", 0))


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record a question; passages and options are split as the data set's are."""
    source = Source(path)
    other_fields: dict[str, Any] = {}
    defects = Defects()
    current: dict[str, Any] = {}
    task = str(source.head().first("keyword") or source.stem)
    examples = _iter_examples(
        iter_elements(path, "example", problems, other_fields), current, problems
    )
    for passage, questions in gaokao_bench.items(source, examples, "standard_answer", defects):
        text, letters = _output(current)
        for place, question in enumerate(questions):
            if not question.answers:
                message = "the standard answer is not an option"
                problems.bad.add("missing-gold", message, question_id=question.question_id)
                continue
            letter = letters[place] if place < len(letters) else None
            yield LogRecord(
                task=task,
                passage=passage,
                question=question,
                prediction=_prediction(question, text, letter),
            )
    for code, count in defects.counts.items():
        for _ in range(count):
            problems.kept.add(code, defects.examples[code][0].message)
    facts[task] = LogFacts(
        harness=NAME,
        model=str(other_fields.get("model_name") or ""),
        task=task,
        settings={"prompt": other_fields.get("prompt", "")},
        lost=_LOST,
    )


def _iter_examples(
    examples: Iterable[Any], current: dict[str, Any], problems: Problems
) -> Iterator[dict[str, Any]]:
    """Yield the examples with answers as lists of letters; ``current`` holds the latest one."""
    for place, example in enumerate(examples):
        if not isinstance(example, dict) or not isinstance(example.get("question"), str):
            problems.bad.add("missing-field", "no question", question_id=f"example[{place}]")
            continue
        current.clear()
        current.update(example)
        letters = _letters(example.get("standard_answer"))
        if not letters:
            problems.bad.add("missing-gold", "no answers", question_id=f"example[{place}]")
            continue
        yield example | {"standard_answer": letters}


def _letters(value: Any) -> list[Any]:
    letters = parse_literal(value) if isinstance(value, str) else value
    return (
        letters if isinstance(letters, list) else list(letters) if isinstance(letters, str) else []
    )


def _output(example: dict[str, Any]) -> tuple[str | None, list[Any]]:
    text = example.get("model_output")
    return text if isinstance(text, str) else None, _letters(example.get("model_answer"))


def _prediction(question: Question, text: str | None, letter: Any) -> Prediction:
    if text is None:
        return Prediction(
            question_id=question.question_id, error="the log has no text for this question"
        )
    return Prediction(
        question_id=question.question_id,
        answer=golds.find_option(letter, question.options),
        generation=Generation(text=text),
    )


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read)
