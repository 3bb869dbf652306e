"""Few-shot examples: drawn by seed from a data set of their own, never from the same passage."""

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
    """Return the file of a data set: a path, or ``exam/zh`` and its like."""
    if name.startswith("exam/"):
        from closeread import exam

        if exam.is_meant(name):
            return Path(exam.locate(name))
    return Path(name)


@dataclass
class Examples:
    """The questions with gold of one data set, in the order that the seed gives them.

    All questions get the same examples, the first ones of their kind and language, but for those
    whose passage is their own: so servers can reuse the beginning of the prompt.
    """

    shots: int
    seed: int
    path: str = ""
    sha256: str = ""
    _pool: dict[tuple[str, str], list[PassageQuestion]] = field(default_factory=dict)

    @classmethod
    def load(cls, name: str, shots: int, seed: int) -> "Examples":
        """Read a data set of examples; none is read where no example is wanted.

        Raises:
            UsageError: Examples are wanted and no data set is named.
            InputError: The data set is broken.
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
        found = cls(shots, seed, str(locate_dataset(name).absolute()), dataset.sha256)
        rows = [(passage, one) for passage, of in dataset for one in of if one.answers]
        random.Random(seed).shuffle(rows)
        for passage, question in rows:
            kind = (question.kind, language_of(passage))
            found._pool.setdefault(kind, []).append((passage, question))
        return found

    def select(self, passage: Passage, question: Question) -> list[PassageQuestion]:
        """Return the examples for a question, each from another passage and none from its own.

        Raises:
            InputError: There are not as many.
        """
        if not self.shots:
            return []
        texts = {" ".join(passage.text.split())}
        found = []
        for row in self._pool.get((question.kind, language_of(passage)), ()):
            text = " ".join(row[0].text.split())
            if text not in texts:
                texts.add(text)
                found.append(row)
                if len(found) == self.shots:
                    return found
        raise InputError(
            f"{count_of(self.shots, 'example is', 'examples are')} needed, but the data set has "
            f"{len(found)} of the kind {question.kind} in {passage.language} on other passages",
            where=self.path,
            cure="give a larger data set with -o examples=, or a smaller -o shots=",
        )

    def record(self) -> dict[str, Any]:
        """Return what a run says of them."""
        if not self.shots:
            return {"shots": 0}
        return {"shots": self.shots, "seed": self.seed, "path": self.path, "sha256": self.sha256}
