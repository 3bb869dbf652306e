"""Trains a span reader on cloze questions made from passages, as a stage before real questions.

Only passages are used, also those without questions; the data set's own questions and answers are
not. The result is a span reader's model, from which ``span`` can start if there are few questions
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
    """Train a span reader on cloze questions, as the recipe says."""
    return train_task(request, ClozeTask(parse_options(request)))


class ClozeTask(SpanTask):
    """The task of a span head, on cloze questions made from passages."""

    gathers = "passages"

    def __init__(self, options: ClozeOptions) -> None:
        super().__init__(SpanOptions(max_length=options.max_length, stride=options.stride))
        self._words_a_question = options.words_a_question
        self._wording = Wording(options.around, options.left_out)

    def items(self, dataset: Dataset) -> Iterator[PassageQuestion]:
        """Yield each distinct passage once, with an empty question."""
        seen: set[str] = set()
        for passage, _ in dataset:
            if passage.text not in seen:
                seen.add(passage.text)
                yield passage, _make_question(passage, str(len(seen)))

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield one window for each cloze question; only English passages have any.

        Raises:
            InputError: No question could be made from any passage.
        """
        is_empty = True
        questions = (item for passage, _ in items for item in self._make_questions(passage, rng))
        for feature in super().features(checkpoint, questions, rng):
            is_empty = False
            yield feature
        if is_empty:
            raise InputError(
                "no question can be made from these passages",
                expected="English sentences with figures, names, or nouns after an article",
                cure="remove sets in other languages from the cloze stage",
            )

    def _make_questions(self, passage: Passage, rng: Random) -> Iterator[PassageQuestion]:
        if passage.language != "en":
            return
        clozes = cloze_questions(passage.text, rng, self._words_a_question, self._wording)
        for number, cloze in enumerate(clozes):
            answer = Answer(kind="span", texts=(cloze.span.of(passage.text),), spans=(cloze.span,))
            yield passage, _make_question(passage, str(number), cloze.text, (answer,))


def _make_question(
    passage: Passage, question_id: str, text: str = "", answers: tuple[Answer, ...] = ()
) -> Question:
    return Question(
        question_id=question_id,
        passage_id=passage.passage_id,
        text=text,
        kind="span",
        answers=answers,
    )
