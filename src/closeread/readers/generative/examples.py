"""Few-shot examples, drawn by seed from a separate data set, never on the question's passage."""

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from closeread.errors import InputError, UsageError
from closeread.formats import load
from closeread.readers.generative.prompts import language_of
from closeread.types import Passage, PassageQuestion, Question
from closeread.wording import count_of


def locate_dataset(name: str) -> Path:
    """Return the file of a data set, given as a path or as a name like ``exam/zh``."""
    if name.startswith("exam/"):
        from closeread import exam

        if exam.is_meant(name):
            return Path(exam.locate(name))
    return Path(name)


@dataclass
class Examples:
    """The questions with gold answers of one data set, shuffled by a seed.

    Questions get the first examples of their kind and language, except those on their own passage.
    So nearly all prompts begin alike, and servers can reuse that beginning.

    Attributes:
        shots: Number of examples per question.
        seed: Seed of the order.
        path: The data set's file.
        sha256: Hash of the data set.
    """

    shots: int
    seed: int
    path: str = ""
    sha256: str = ""
    _pool: dict[tuple[str, str], list[PassageQuestion]] = field(default_factory=dict)

    @classmethod
    def load(cls, name: str, shots: int, seed: int) -> "Examples":
        """Read a data set of examples; with ``shots=0`` nothing is read.

        Raises:
            UsageError: ``shots`` is negative, or above 0 without a data set.
            InputError: The data set cannot be read.
        """
        if shots < 0:
            raise UsageError(f"shots={shots}", expected="at least 0")
        if not shots:
            return cls(0, seed)
        if not name:
            raise UsageError(
                f"shots={shots}, but no data set of examples given",
                expected="-o examples=DATASET",
                cure="give a data set with gold answers, such as a training set",
            )
        dataset = load(locate_dataset(name))
        examples = cls(shots, seed, str(locate_dataset(name).absolute()), dataset.sha256)
        rows = [
            (passage, item) for passage, questions in dataset for item in questions if item.answers
        ]
        random.Random(seed).shuffle(rows)
        for passage, question in rows:
            kind = (question.kind, language_of(passage))
            examples._pool.setdefault(kind, []).append((passage, question))
        return examples

    def select(self, passage: Passage, question: Question) -> list[PassageQuestion]:
        """Return the examples for a question: all on different passages, none on its own.

        Raises:
            InputError: The data set has fewer than ``shots`` of them.
        """
        if not self.shots:
            return []
        texts = {" ".join(passage.text.split())}
        selected = []
        for row in self._pool.get((question.kind, language_of(passage)), ()):
            text = " ".join(row[0].text.split())
            if text not in texts:
                texts.add(text)
                selected.append(row)
                if len(selected) == self.shots:
                    return selected
        raise InputError(
            f"{count_of(self.shots, 'example is', 'examples are')} needed, but the data set has "
            f"{len(selected)} of the kind {question.kind} in {passage.language} on other passages",
            where=self.path,
            cure="give a larger data set with -o examples=, or a smaller -o shots=",
        )

    def record(self) -> dict[str, Any]:
        """Return the record of the examples for the run folder."""
        if not self.shots:
            return {"shots": 0}
        return {"shots": self.shots, "seed": self.seed, "path": self.path, "sha256": self.sha256}
