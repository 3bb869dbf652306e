"""The part of a data set whose evidence is asked for."""

from collections.abc import Iterator
from dataclasses import dataclass

from closeread.cli.known_ids import KnownIds
from closeread.errors import UsageError
from closeread.items import take_questions
from closeread.runs.records import DatasetInfo, describe_dataset
from closeread.types import Dataset, Item


@dataclass
class Chosen:
    """A data set, and what of it: one question or the first ones, one option or all.

    Attributes:
        count: How many questions there were when they were walked through last.
    """

    dataset: Dataset
    question: str | None
    label: str | None
    limit: int | None
    count: int = 0

    def info(self) -> DatasetInfo:
        """Return how the set is named, once its questions were counted."""
        return describe_dataset(self.dataset, self.count, self.limit)

    def items(self) -> Iterator[Item]:
        """Yield passages with the questions that were asked for, counting them.

        Raises:
            UnknownNameError: There is no such question.
        """
        self.count = 0
        known = KnownIds()
        for passage, questions in take_questions(self._named(known), self.limit):
            self.count += len(questions)
            yield passage, questions
        if self.question is not None and not self.count:
            raise known.unlike(self.question, self.dataset.path)

    def _named(self, known: KnownIds) -> Iterator[Item]:
        for passage, questions in self.dataset:
            for one in questions:
                known.add(one.question_id)
            named = [one for one in questions if self.question in (None, one.question_id)]
            if named:
                yield passage, tuple(named)

    def must_have(self, claims: int) -> None:
        """Refuse an option that no question has: there were no claims of it.

        Raises:
            UsageError: Of the option that was asked for there is none.
        """
        if self.label is not None and not claims:
            raise UsageError(
                f"no question that was asked for has an option {self.label!r}",
                cure="leave out --option",
            )
