"""Write a run folder from records that hold question, gold and prediction together."""

import contextlib
import hashlib
import shutil
from pathlib import Path
from types import TracebackType
from typing import IO

import msgspec

from closeread.formats.logs.prompts import example_answers, shows_own_question
from closeread.formats.logs.records import LogRecord
from closeread.runs.store import LEDGER, LOG_SCORES, LOG_SHOWN, PREDICTIONS, ShownExamples
from closeread.types import Defects, Passage, Question, Score

DATASET = "dataset.jsonl"
_MAX_QUESTIONS = 64


class RunWriter:
    """Writes data set, predictions and the harness' scores, one record at a time.

    Attributes:
        path: The folder, created on entry.
        digest: The predictions' sha256, set on exit.
    """

    def __init__(self, path: Path, task: str, kept: Defects) -> None:
        self.path = path
        self.dataset = path / DATASET
        self.n_questions = self.n_failed = 0
        self.digest = ""
        self._task = task
        self._kept = kept
        self._ids: set[str] = set()
        self._times: dict[str, int] = {}
        self._passage: Passage | None = None
        self._questions: list[Question] = []
        self._hash = hashlib.sha256()
        self._files: dict[str, IO[bytes]] = {}
        self._stack = contextlib.ExitStack()
        self._encode = msgspec.json.Encoder().encode

    def __enter__(self) -> "RunWriter":
        self.path.mkdir()
        for name in (DATASET, PREDICTIONS, LOG_SCORES):
            stream = self._stack.enter_context((self.path / name).open("wb"))
            self._files[name] = stream
        self._write(DATASET, {"dataset": {"name": self._task}})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._stack:
            if kind is None:
                self._flush()
        if kind is None:
            self.digest = self._hash.hexdigest()
            shutil.copyfile(self.path / PREDICTIONS, self.path / LEDGER)

    def add(self, record: LogRecord) -> None:
        """Write one record; a repeated id gets a number and is counted as ``repeated-id``."""
        name = self._unique_id(record.question.question_id)
        if record.passage != self._passage or len(self._questions) == _MAX_QUESTIONS:
            self._flush()
            self._passage = record.passage
        self._questions.append(msgspec.structs.replace(record.question, question_id=name))
        prediction = msgspec.structs.replace(record.prediction, question_id=name)
        self._write(PREDICTIONS, prediction)
        if record.scores:
            self._write(LOG_SCORES, Score(question_id=name, values=record.scores))
        self._write_examples(name, record)
        self.n_questions += 1
        self.n_failed += bool(prediction.error)

    def _write_examples(self, name: str, record: LogRecord) -> None:
        """Write the examples of the prompt; if the file exists, the prompts are known."""
        passage, prompt = record.passage.text, record.prompt
        answers = record.example_answers
        if answers is None:
            answers = example_answers(prompt, passage)
        if answers is None:
            return
        if LOG_SHOWN not in self._files:
            stream = self._stack.enter_context((self.path / LOG_SHOWN).open("wb"))
            self._files[LOG_SHOWN] = stream
        if answers:
            itself = shows_own_question(prompt, passage, record.question)
            self._write(LOG_SHOWN, ShownExamples(name, answers, itself))

    def _unique_id(self, name: str) -> str:
        unique_name = name
        while unique_name in self._ids:
            times = self._times[name] = self._times.get(name, 1) + 1
            unique_name = f"{name}#{times}"
        if unique_name != name:
            self._kept.add("repeated-id", f"{name} is renamed {unique_name}", question_id=name)
        self._ids.add(unique_name)
        return unique_name

    def _flush(self) -> None:
        if self._passage is not None:
            line = {"passage": self._passage, "questions": self._questions}
            self._write(DATASET, line)
            self._questions = []

    def _write(self, name: str, value: object) -> None:
        line = self._encode(value) + b"\n"
        if name == PREDICTIONS:
            self._hash.update(line)
        self._files[name].write(line)
