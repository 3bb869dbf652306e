"""Trains a span reader on questions made from passages: a stage before the real ones.

Only passages are learned from, also those without a question: no question, no answer. What comes of
it is a span reader's model, for ``span`` to begin from where there are few questions
(``[[before]]``).
"""

from collections.abc import Iterable, Iterator
from random import Random

from closeread.errors import InputError
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.training.cloze import Wording, cloze_questions
from closeread.training.neural.task import Feature
from closeread.training.neural.tasks.span import SpanTask
from closeread.training.neural.train import train as train_task
from closeread.training.recipes.cloze import ClozeOptions, parse_options
from closeread.training.recipes.span import SpanOptions
from closeread.training.request import Request, Trained
from closeread.types import Answer, Dataset, Passage, PassageQuestion, Question


def train(request: Request) -> Trained:
    """Train a span reader on what passages alone give."""
    return train_task(request, ClozeTask(parse_options(request)))


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
                expected="English sentences with figures, names, or nouns after an article",
                cure="remove sets in other languages from the cloze stage",
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
