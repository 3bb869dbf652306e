"""The records that readers of logs yield: facts of a run, questions, and what a log lacks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.types import Defects, Passage, Prediction, Question, Record
from closeread.wording import count_of, in_one_line

# What a log may lack, by code. Audits use the codes, people read the sentences.
LOST = {
    "tail": "the text was cut at the first stop before it was logged; what followed is gone",
    "generation": "only the extracted answer was logged, not the text that it was taken from",
    "finish-reason": "why a text ended (a stop, the limit, the model) is not logged",
    "tokens": "the numbers of prompt and completion tokens are not logged",
    "stops": "the stop strings are not logged",
    "passage": "passage and question are one prompt; closeread splits it at headings, if any",
    "gold-kinds": "gold answers are bare strings; whether one is a number or a date is guessed",
    "gold-spans": "an answer of several spans is logged as one joined string",
    "gold-others": "of several accepted answers only the first is logged",
    "options": "the options are only in the prompt",
    "extraction": "which option the harness extracted is not logged; closeread extracts it again",
    "sample-scores": "the harness' score of each question is not logged",
    "version": "the harness' version is not logged",
    "model": "the model is not logged, or is only the name of the folder",
    "apart": "one text answers all questions of a passage",
    "samples": "only the numbers of the whole set are logged, no questions and no answers",
}


class LogFacts(Record, frozen=True, kw_only=True):
    """What a log states about a whole run.

    Attributes:
        harness: The name of the log format, such as ``lm-eval``.
        version: The harness' version; "" if the log does not state it.
        task: The harness' name of the task, with its filter or epoch if there are several.
        settings: Settings that change answers: stops, examples shown, limits, temperature.
        lost: Codes of ``LOST``.
        scores: The harness' own scores of the whole set, by its own names.
    """

    harness: str
    task: str
    version: str = ""
    model: str = ""
    task_version: str = ""
    created: str = ""
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    lost: tuple[str, ...] = ()
    scores: dict[str, float | None] = msgspec.field(default_factory=dict)


class LogRecord(Record, frozen=True, kw_only=True):
    """One question of a log, with its prediction.

    Attributes:
        scores: The harness' own scores, by its own names.
        prompt: The whole prompt with its examples, as ``conversations.turns`` takes it; None if the
            log does not have it.
        example_answers: The answers of the examples, if the log has them beside the prompt.
        lacks_extraction: Whether the log lacks the option that the harness extracted from the text.
    """

    task: str
    passage: Passage
    question: Question
    prediction: Prediction
    scores: dict[str, float | None] = msgspec.field(default_factory=dict)
    prompt: Any = None
    example_answers: tuple[str, ...] | None = None
    lacks_extraction: bool = False


@dataclass
class Problems:
    """The problems of a log.

    Attributes:
        bad: Records (or files) that cannot be used; an error after reading, unless the user skips
            them.
        kept: Oddities of records that are used.
    """

    bad: Defects = field(default_factory=Defects)
    kept: Defects = field(default_factory=Defects)

    def count_further(
        self, responses: Sequence[Any], name: str, *, line: int | None = None
    ) -> None:
        """Count a question with several answers, of which the first is kept."""
        if len(responses) > 1:
            message = f"{len(responses)} responses to one question; closeread keeps the first"
            self.kept.add("more-responses", message, question_id=name, line=line)

    def raise_unless_skipped(self, path: Path, *, skip: bool) -> None:
        """Raise one error for all problems, unless they are to be skipped.

        Raises:
            InputError: There are problems, and ``skip`` is false.
        """
        if skip or not self.bad.total:
            return
        lines = []
        for code, count in self.bad.counts.items():
            example = self.bad.examples[code][0]
            line = f"line {example.line}: " if example.line else ""
            question = f"{example.question_id}: " if example.question_id else ""
            lines.append(in_one_line(f"{code} {count:,}, first {line}{question}{example.message}"))
        raise InputError(
            f"{count_of(self.bad.total, 'problem')} in this log:\n    " + "\n    ".join(lines),
            where=str(path),
            cure="repair the log, or skip these with --skip-bad, which counts them in run.json",
        )


# Yields the records in the log's order; has filled the facts of every task when it ends.
ReadLog = Callable[[Path, Problems, dict[str, LogFacts]], Iterator[LogRecord]]


@dataclass(frozen=True, kw_only=True)
class LogFormat:
    """A format of log files.

    Attributes:
        sniff: Whether a file is such a log, by its content and, if that is not enough, its name.
        accompanies: Whether a file only accompanies another log.
    """

    name: str
    sniff: Callable[[Path], bool]
    read: ReadLog
    accompanies: Callable[[Path], bool] = lambda path: False


def is_newer(version: Any, known: Sequence[int]) -> bool:
    """Whether a version such as ``0.4.13`` or 2 is later than the last known one."""
    parts = str(version).split(".")
    numbers = [int(part) if part.isdecimal() else 0 for part in parts[: len(known)]]
    return numbers > list(known)[: len(numbers)] if version not in (None, "") else False


def count_if_newer(problems: Problems, harness: str, version: Any, known: Sequence[int]) -> None:
    """Count ``newer-version`` if a later version of the harness wrote the log."""
    if is_newer(version, known):
        last = ".".join(map(str, known))
        problems.bad.add(
            "newer-version",
            f"written by {harness} {version}; closeread knows layouts up to {last} and reads what "
            "it recognises",
        )
