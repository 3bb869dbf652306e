"""GAOKAO-Bench's result files (Zhang et al. 2023): ``MODEL_KEYWORD.json``.

``{"keyword", "model_name", "prompt", "example": [{"question", "standard_answer", "model_answer",
"model_output"}]}``. One output answers all the questions of a text; ``model_answer`` are the
letters that the benchmark read out of it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from closeread.formats import gaokao_bench
from closeread.formats.logs import golds
from closeread.formats.logs.records import LogFacts, LogFormat, LogRecord, Problems
from closeread.formats.logs.values import elements, literal
from closeread.formats.source import Source
from closeread.types import Defects, Generation, Prediction, Question

NAME = "gaokao-bench"
_LOST = ("apart", "finish-reason", "tokens", "stops", "sample-scores", "version")


def sniff(path: Path) -> bool:
    """Whether the first example has an output of a model beside its question."""
    return Source(path).long_head().has("question", "model_output", at=("example", 0))


def read(path: Path, problems: Problems, facts: dict[str, LogFacts]) -> Iterator[LogRecord]:
    """Yield one record a question; passages and options are split as the data set's are."""
    source = Source(path)
    rest: dict[str, Any] = {}
    outputs = [_output(one) for one in elements(path, "example", problems, rest)]
    task = str(rest.get("keyword") or rest.get("keywords") or source.stem)
    defects = Defects()
    items = gaokao_bench.read(source, defects) if not problems.bad.total else iter(())
    for (passage, questions), (text, letters) in zip(items, outputs, strict=False):
        for place, question in enumerate(questions):
            if not question.answers:
                what = "the standard answer is no option"
                problems.bad.add("missing-gold", what, question_id=question.question_id)
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
        model=str(rest.get("model_name") or ""),
        task=task,
        settings={"prompt": rest.get("prompt", "")},
        lost=_LOST,
    )


def _output(example: Any) -> tuple[str | None, list[Any]]:
    if not isinstance(example, dict):
        return None, []
    text, letters = example.get("model_output"), example.get("model_answer")
    found = literal(letters) if isinstance(letters, str) else letters
    listed = found if isinstance(found, list) else list(found) if isinstance(found, str) else []
    return text if isinstance(text, str) else None, listed


def _prediction(question: Question, text: str | None, letter: Any) -> Prediction:
    if text is None:
        return Prediction(question_id=question.question_id, error="the log has no text here")
    return Prediction(
        question_id=question.question_id,
        answer=golds.picked(letter, question.options),
        generation=Generation(text=text),
    )


FORMAT = LogFormat(name=NAME, sniff=sniff, read=read)
