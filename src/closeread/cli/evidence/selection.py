"""Selects the questions and options whose evidence is searched."""

from collections.abc import Iterator
from dataclasses import dataclass

from closeread.cli.known_ids import KnownIds
from closeread.errors import UsageError
from closeread.items import take_questions
from closeread.runs.records import DatasetInfo, describe_dataset
from closeread.types import Dataset, Item


@dataclass
class Selection:
    """A part of a data set: one question or the first ones, one option or all.

    Attributes:
        count: The number of questions in the last pass.
    """

    dataset: Dataset
    question: str | None
    label: str | None
    limit: int | None
    count: int = 0

    def info(self) -> DatasetInfo:
        """Return the data set's description, after a pass has counted its questions."""
        return describe_dataset(self.dataset, self.count, self.limit)

    def items(self) -> Iterator[Item]:
        """Yield passages with the selected questions, and count them.

        Raises:
            UnknownNameError: There is no such question.
        """
        self.count = 0
        known_ids = KnownIds()
        for passage, questions in take_questions(self._iter_selected(known_ids), self.limit):
            self.count += len(questions)
            yield passage, questions
        if self.question is not None and not self.count:
            raise known_ids.unknown_error(self.question, self.dataset.path)

    def _iter_selected(self, known_ids: KnownIds) -> Iterator[Item]:
        for passage, questions in self.dataset:
            for question in questions:
                known_ids.add(question.question_id)
            selected = [
                question for question in questions if self.question in (None, question.question_id)
            ]
            if selected:
                yield passage, tuple(selected)

    def must_have(self, claims: int) -> None:
        """Reject an option that no question has.

        Raises:
            UsageError: An option is selected, and there are no claims of it.
        """
        if self.label is not None and not claims:
            raise UsageError(
                f"none of the chosen questions has an option {self.label!r}",
                cure="omit --option",
            )
