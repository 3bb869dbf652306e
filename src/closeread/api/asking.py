"""Ask a reader from Python: one question, many questions, or a data set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from closeread.api.datasets import Items, NameOrPath, as_dataset
from closeread.errors import UsageError
from closeread.items import whole_groups
from closeread.protocols import Reader
from closeread.readers import make
from closeread.readers.confidence.calibrate import CalibratorUse
from closeread.runs.answers import predict_batch
from closeread.runs.calibrated import describe_calibrated, load_calibration
from closeread.runs.plan import opaque_id, plan_batches
from closeread.runs.predict import batch_size_of
from closeread.runs.records import describe_reader
from closeread.text.language import detect
from closeread.text.polarity import asks_for
from closeread.types import Dataset, Item, Option, Passage, Prediction, Question
from closeread.wording import count_of

QuestionTuple = tuple[str, str] | tuple[str, str, Sequence[str]]


def open_reader(name: str, /, **options: Any) -> "OpenReader":
    """Open a reader that can answer any number of questions.

    Args:
        name: A name from ``closeread ls readers``, ``package.module:factory``, or the address of a
            service: ``http:localhost:8000``.
        options: As for ``-o`` on the command line, such as ``model="checkpoints/mine"``.

    Raises:
        UnknownNameError: There is no such reader.
        UsageError: It has no such option, or the value has the wrong type.
        InputError: A file that it needs, such as a checkpoint, cannot be opened.
        MissingExtraError: It needs an optional dependency that is not installed.
    """
    if not isinstance(name, str):
        raise UsageError(
            f"{name!r:.80} is not a reader's name",
            expected="text; for your own class package.module:Name, in a notebook __main__:Name",
        )
    reader, resolved = make(name, options)
    return OpenReader(name=name, options=resolved, reader=reader)


@dataclass(frozen=True, kw_only=True)
class OpenReader:
    """A reader with its name and all its options, defaults included.

    If the reader fails on a question, its prediction has an ``error`` and no answer; the others
    are not affected.

    Attributes:
        sure: The calibrator that replaces the confidences and may withhold answers.
        warnings: Where the calibrator's guarantee does not hold.
    """

    name: str
    options: dict[str, Any]
    reader: Reader
    sure: CalibratorUse | None = None
    warnings: tuple[str, ...] = ()

    def calibrated(
        self, calibrator: str | PathLike[str], *, selective: bool = False
    ) -> "OpenReader":
        """Return the same reader with calibrated confidences: the probability of being right.

        Args:
            calibrator: The file that ``closeread calibrate`` fitted on a run of this reader.
                For another reader, ``warnings`` is filled.
            selective: Withhold answers below its threshold: no answer, and a note.

        Raises:
            InputError: The file cannot be read, or is not a calibrator.
            UsageError: It has no threshold, or the reader is a service that is calibrated already.
        """
        calibrator_use, record = load_calibration(Path(calibrator), selective=selective)
        info = describe_reader(self.name, self.options, self.reader)
        return replace(
            self,
            sure=calibrator_use,
            warnings=tuple(describe_calibrated(info, calibrator_use, record)[1]),
        )

    def ask(
        self, question: str, passage: str, options: Sequence[str] = (), *, title: str = ""
    ) -> Prediction:
        """Return the answer to one question about a passage.

        Args:
            question: With options, the stem: if it asks which options the passage supports or
                contradicts, they are judged as statements.
            passage: Its text, from which the language is detected.
            options: Two to 26 texts, labelled A, B, ...
            title: Of the passage.

        Raises:
            UsageError: One option, or too many; something else than text.
            CloseReadError: The reader cannot continue; its endpoint is gone, for example.
        """
        (prediction,) = self._predict_in_order([make_item(question, passage, options, title=title)])
        return prediction

    def ask_all(self, asked: Iterable[QuestionTuple]) -> Iterator[Prediction]:
        """Yield the answers to many questions in their order; they share batches.

        Args:
            asked: Tuples of question, passage and, if any, options, as for ``ask``. Read lazily,
                a batch at a time.

        Raises:
            UsageError: As for ``ask``.
            CloseReadError: As for ``ask``.
        """
        return self._predict_in_order(
            _unpack_question(question, number) for number, question in enumerate(asked)
        )

    def answers(
        self, dataset: NameOrPath | Dataset | Items, limit: int | None = None
    ) -> Iterator[Prediction]:
        """Yield the answers to a data set's questions in its order; the reader sees no gold.

        Nothing is saved: ``closeread.read`` writes a run that can be resumed.

        Args:
            dataset: A path, a URL, ``exam/zh``, a data set, or passages with their questions.
            limit: Number of questions to read; a triple is not split.

        Raises:
            InputError: The data set is broken.
            UsageError: The limit is less than 1.
            CloseReadError: As for ``ask``.
        """
        if limit is not None and limit < 1:
            raise UsageError(f"the limit is {limit}", expected="at least 1, or None for all")
        return self._predict_in_order(as_dataset(dataset), limit)

    def _predict_in_order(
        self, items: Iterable[Item], limit: int | None = None
    ) -> Iterator[Prediction]:
        """Yield predictions in the questions' order, because batches may be out of order."""
        waiting: dict[int, Prediction] = {}
        next_position = 0
        for batch in plan_batches(whole_groups(items, limit), batch_size_of(self.reader)):
            planned_by_id = {planned.question_id: planned for planned in batch}
            for prediction in predict_batch(self.reader, batch):
                planned = planned_by_id[prediction.question_id]
                final = (
                    self.sure(*planned.shown, prediction) if self.sure is not None else prediction
                )
                waiting[planned.position] = final
            while next_position in waiting:
                yield waiting.pop(next_position)
                next_position += 1


def _unpack_question(question: Any, number: int) -> Item:
    # The keys of a dictionary and the letters of a text would unpack, too.
    is_sequence = isinstance(question, Iterable) and not isinstance(question, str | Mapping | Set)
    parts = tuple(question) if is_sequence else ()
    if len(parts) not in (2, 3):
        raise UsageError(
            f"question {number} is given as {type(question).__name__}"
            + (f" of {len(parts)}" if is_sequence else ""),
            expected="(question, passage) or (question, passage, options)",
        )
    return make_item(*parts, name=str(number))


def make_item(
    question: str,
    passage: str,
    options: Sequence[str] = (),
    *,
    title: str = "",
    name: str = "0",
) -> Item:
    """Return a question about a passage as the records that ``OpenReader.answers`` takes.

    Args:
        question: As for ``OpenReader.ask``.
        passage: As for ``OpenReader.ask``.
        options: As for ``OpenReader.ask``.
        title: Of the passage.
        name: The question's id.

    Raises:
        UsageError: One option, or too many; something else than text.
    """
    question, passage = _check_text("question", question), _check_text("passage", passage)
    title = _check_text("title", title)
    texts = _check_options(options)
    polarity = asks_for(question) if texts else None
    passage_record = Passage(
        passage_id=opaque_id(repr((title, passage))),  # readers recognise a passage by its id
        text=passage,
        title=title,
        language=detect(passage),
    )
    question_record = Question(
        question_id=name,
        passage_id=passage_record.passage_id,
        text=question,
        kind="span" if not texts else "verification" if polarity else "choice",
        asks_for=polarity,
        options=tuple(
            Option(label=label, text=text)
            for label, text in zip(ascii_uppercase, texts, strict=False)
        ),
    )
    return passage_record, (question_record,)


def _check_text(role: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"the {role} is {value!r:.80}", expected="text")
    return str(value)  # numpy's strings cannot be encoded as JSON


def _check_options(options: Any) -> tuple[str, ...]:
    is_sequence = isinstance(options, Iterable) and not isinstance(options, str | Mapping | Set)
    texts = tuple(options) if is_sequence else ()
    if not is_sequence or len(texts) == 1 or len(texts) > len(ascii_uppercase):
        raise UsageError(
            count_of(len(texts), "option") if is_sequence else f"options={options!r:.80}",
            expected=f"an empty list, or a list of 2 to {len(ascii_uppercase)} texts",
        )
    return tuple(
        _check_text(f"option {label}", text)
        for label, text in zip(ascii_uppercase, texts, strict=False)
    )
