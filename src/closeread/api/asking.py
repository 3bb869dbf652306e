"""A reader asked from Python: one question, many, or a data set's."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from closeread.api.datasets import Items, Named, opened
from closeread.errors import UsageError
from closeread.protocols import Reader
from closeread.readers import make
from closeread.runs.answers import answers
from closeread.runs.plan import batches, opaque
from closeread.runs.predict import batch_size_of
from closeread.text.language import detect
from closeread.text.polarity import asks_for
from closeread.types import Dataset, Item, Option, Passage, Prediction, Question

Asked = tuple[str, str] | tuple[str, str, Sequence[str]]


def open_reader(name: str, **options: Any) -> "OpenReader":
    """Open a reader, to be asked as often as one likes.

    Args:
        name: A name from ``closeread ls readers``, ``package.module:factory``, or the address of a
            service: ``http:localhost:8000``.
        options: What ``-o`` takes on the command line, such as ``model="checkpoints/mine"``.

    Raises:
        UnknownNameError: There is no such reader.
        UsageError: It has no such option, or the value is of the wrong kind.
        InputError: What it is to open, such as a checkpoint, cannot be opened.
        MissingExtraError: It needs an optional dependency that is not installed.
    """
    reader, resolved = make(name, options)
    return OpenReader(name=name, options=resolved, reader=reader)


@dataclass(frozen=True, kw_only=True)
class OpenReader:
    """A reader with its name and all its options, defaults included.

    A question at which the reader fails costs no other: its prediction has an ``error`` and no
    answer.
    """

    name: str
    options: dict[str, Any]
    reader: Reader

    def ask(
        self, question: str, passage: str, options: Sequence[str] = (), *, title: str = ""
    ) -> Prediction:
        """Return the answer to one question about a passage.

        Args:
            question: Of a question with options, its stem: where that asks which of them the
                passage supports, or contradicts, they are judged as statements.
            passage: Its text; whether it is Chinese is seen from it.
            options: Two to 26 texts; they are called A, B, ...
            title: Of the passage.

        Raises:
            UsageError: One option, or too many.
            CloseReadError: The reader cannot go on at all; its endpoint is gone, for example.
        """
        (found,) = self._answered([asked_about(question, passage, options, title=title)])
        return found

    def ask_all(self, asked: Iterable[Asked]) -> Iterator[Prediction]:
        """Yield the answers to many questions in their order; they share batches.

        Args:
            asked: Question, passage and, where there are any, options, as ``ask`` takes them. Read
                as needed, a batch at a time.

        Raises:
            UsageError: As of ``ask``.
            CloseReadError: As of ``ask``.
        """
        return self._answered(asked_about(*one, name=str(n)) for n, one in enumerate(asked))

    def answers(
        self, dataset: Named | Dataset | Items, limit: int | None = None
    ) -> Iterator[Prediction]:
        """Yield the answers to a data set's questions in its order; the reader sees no gold.

        Nothing is kept: ``closeread.read`` makes a run of them that survives a kill.

        Args:
            dataset: A path, a URL, ``exam/zh``, a data set, or passages with their questions.
            limit: The first so many questions.

        Raises:
            InputError: The data set is broken.
            CloseReadError: As of ``ask``.
        """
        return self._answered(opened(dataset), limit)

    def _answered(self, items: Iterable[Item], limit: int | None = None) -> Iterator[Prediction]:
        """Yield in the questions' order; a batch may hold some that come later than the next's."""
        waiting: dict[int, Prediction] = {}
        place = 0
        for batch in batches(items, batch_size_of(self.reader), limit):
            places = {planned.question_id: planned.position for planned in batch}
            for found in answers(self.reader, batch):
                waiting[places[found.question_id]] = found
            while place in waiting:
                yield waiting.pop(place)
                place += 1


def asked_about(
    question: str,
    passage: str,
    options: Sequence[str] = (),
    *,
    title: str = "",
    name: str = "0",
) -> Item:
    """Return a question about a passage as the records that ``OpenReader.answers`` takes.

    Args:
        question: As of ``OpenReader.ask``.
        passage: As of ``OpenReader.ask``.
        options: As of ``OpenReader.ask``.
        title: Of the passage.
        name: The question's id.

    Raises:
        UsageError: One option, or too many.
    """
    if isinstance(options, str) or len(options) == 1 or len(options) > len(ascii_uppercase):
        raise UsageError(
            f"options={options!r}" if isinstance(options, str) else f"{len(options)} options",
            expected=f"none, or a list of 2 to {len(ascii_uppercase)} texts",
        )
    asks = asks_for(question) if options else None
    of = Passage(
        passage_id=opaque(repr((title, passage))),  # readers know a passage again by its id
        text=passage,
        title=title,
        language=detect(passage),
    )
    asked = Question(
        question_id=name,
        passage_id=of.passage_id,
        text=question,
        kind="span" if not options else "verification" if asks else "choice",
        asks_for=asks,
        options=tuple(
            Option(label=label, text=text)
            for label, text in zip(ascii_uppercase, options, strict=False)
        ),
    )
    return of, (asked,)
