"""Trains a span reader on questions made from passages: a stage before the real ones.

Only passages are learned from, also those without a question: no question, no answer. What comes of
it is a span reader's model, for ``span`` to begin from where there are few questions
(``[[before]]``).
"""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Annotated

import msgspec

from closeread.errors import InputError
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.training.cloze import Wording, cloze_questions
from closeread.training.neural.span_task import SpanOptions, SpanTask
from closeread.training.neural.task import Feature
from closeread.training.neural.train import train as train_task
from closeread.training.recipe import Count, Length
from closeread.training.request import Request, Trained, without_options
from closeread.types import Answer, Dataset, Passage, PassageQuestion, Question, Record


class ClozeOptions(Record, frozen=True, kw_only=True):
    """``[reader.options]``.

    Attributes:
        max_length: Tokens of a window.
        stride: Tokens by which windows move.
        words_a_question: One question for so many words of a passage.
        around: Words of a sentence that a question takes on either side of its answer; both sides
            of one word together are too few to ask by.
        left_out: Share of those words that it leaves out.
    """

    max_length: Length = 384
    stride: Count = 128
    words_a_question: Count = 30
    around: Annotated[int, msgspec.Meta(ge=2)] = 12
    left_out: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.15


def train(request: Request) -> Trained:
    """Train a span reader on what passages alone give."""
    options = request.section(request.recipe.reader.options, ClozeOptions, "reader.options")
    without_options(request)
    return train_task(request, ClozeTask(options))


class ClozeTask(SpanTask):
    """Learns spans from passages whose own questions it does not look at."""

    gathers = "passages"

    def __init__(self, options: ClozeOptions) -> None:
        super().__init__(SpanOptions(max_length=options.max_length, stride=options.stride))
        self._words = options.words_a_question
        self._wording = Wording(options.around, options.left_out)

    def items(self, dataset: Dataset) -> Iterator[PassageQuestion]:
        """Yield every text once, with a question that asks nothing."""
        seen: set[str] = set()
        for passage, _ in dataset:
            if passage.text not in seen:
                seen.add(passage.text)
                yield passage, _question(passage, str(len(seen)))

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield one window for each question made from a passage; other languages give none.

        Raises:
            InputError: Not one question could be made.
        """
        made_any = False
        made = (one for passage, _ in items for one in self._made(passage, rng))
        for feature in super().features(checkpoint, made, rng):
            made_any = True
            yield feature
        if not made_any:
            raise InputError(
                "no question can be made from these passages",
                expected="English sentences with figures, names, or nouns behind an article",
                cure="leave out of the cloze stage what is in another language",
            )

    def _made(self, passage: Passage, rng: Random) -> Iterator[PassageQuestion]:
        if passage.language != "en":
            return
        for number, made in enumerate(
            cloze_questions(passage.text, rng, self._words, self._wording)
        ):
            answer = Answer(kind="span", texts=(made.span.of(passage.text),), spans=(made.span,))
            yield passage, _question(passage, str(number), made.text, (answer,))


def _question(
    passage: Passage, question_id: str, text: str = "", answers: tuple[Answer, ...] = ()
) -> Question:
    return Question(
        question_id=question_id,
        passage_id=passage.passage_id,
        text=text,
        kind="span",
        answers=answers,
    )
