"""Trains the reader ``choice``: which of a question's options answers it.

The cross-entropy of the answer among the question's own options, as the baseline of GCRC_advRobust
has it (``BertForMultipleChoice``), for any number of options from two on; questions of different
numbers may stand in one batch. Where several answers are accepted it is that of their probabilities
in sum. A feature is a question with all its options, so ``batch_size`` counts questions, as in that
program.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import torch

from closeread.protocols import Reader
from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.neural.choice import ChoiceReader
from closeread.readers.option_sequences import option_windows, text_after_question
from closeread.training.neural import train as neural
from closeread.training.neural.task import NO_TARGET, Feature
from closeread.training.recipes.choice import parse_options
from closeread.training.request import Request, Trained
from closeread.types import PassageQuestion, Question


def train(request: Request) -> Trained:
    """Train a choice reader, as the recipe says."""
    return neural.train(request, ChooseTask(parse_options(request).max_length))


class ChooseTask:
    """What a multiple-choice head learns from questions with two options or more.

    Args:
        max_length: Tokens of a sequence; the passage is cut, at its end.
    """

    head: Head = "choice"
    n_classes: int | None = None
    metric = "choice.accuracy"
    answers = staticmethod(ChoiceReader.answers)

    def __init__(self, max_length: int = 384) -> None:
        self._max_length = max_length

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield a question with its options; the target are the accepted ones' places."""
        last, passage_ids = None, list[int]()
        room = min(self._max_length, checkpoint.max_length)
        for passage, question in items:
            accepted = accepted_places(question)
            if not accepted:
                continue
            if passage is not last:
                last, passage_ids = passage, checkpoint.marked_tokens(passage.text).ids
            asked = checkpoint.tokens(question.text).ids
            sequences = tuple(
                option_windows(
                    passage_ids,
                    asked,
                    checkpoint.tokens(text_after_question(option, passage.language)).ids,
                    checkpoint.template,
                    max_length=room,
                )[0].encoded
                for option in question.options
            )
            yield Feature(sequences, accepted)

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean over questions of minus the log of the accepted options' probability."""
        scores = outputs.logits.float().reshape(-1)
        found = [
            of_question.logsumexp(dim=0) - of_question[places[places != NO_TARGET]].logsumexp(dim=0)
            for of_question, places in zip(scores.split(list(sizes)), targets, strict=True)
        ]
        return torch.stack(found).mean()

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the choice reader over the model as it is."""
        return ChoiceReader(checkpoint, max_length=self._max_length)


def accepted_places(question: Question) -> tuple[int, ...]:
    """Return the places of the accepted options; none where all are, or none, or fewer than two."""
    accepted = {answer.label for answer in question.answers}
    found = tuple(
        place for place, option in enumerate(question.options) if option.label in accepted
    )
    return found if len(found) < len(question.options) else ()
