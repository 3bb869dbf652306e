"""Trains the reader ``choice``: which of a question's options answers it.

The loss is the cross-entropy of the answer among the question's own options, as in the baseline of
GCRC_advRobust (``BertForMultipleChoice``), for two or more options; a batch may mix questions with
different numbers of options. If several answers are accepted, their probabilities are summed. A
feature is a question with all its options, so ``batch_size`` counts questions, as in that program.
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
    """The task of a multiple-choice head, on questions with two or more options.

    Args:
        max_length: Maximum tokens of a sequence; the passage is truncated at its end.
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
        """Yield each question with its options; the target holds the accepted options' places."""
        previous, passage_ids = None, list[int]()
        max_tokens = min(self._max_length, checkpoint.max_length)
        for passage, question in items:
            accepted = accepted_positions(question)
            if not accepted:
                continue
            if passage is not previous:
                previous, passage_ids = passage, checkpoint.marked_tokens(passage.text).ids
            question_ids = checkpoint.tokens(question.text).ids
            sequences = tuple(
                option_windows(
                    passage_ids,
                    question_ids,
                    checkpoint.tokens(text_after_question(option, passage.language)).ids,
                    checkpoint.template,
                    max_length=max_tokens,
                )[0].encoded
                for option in question.options
            )
            yield Feature(sequences, accepted)

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean negative log of the accepted options' total probability."""
        scores = outputs.logits.float().reshape(-1)
        losses = [
            of_question.logsumexp(dim=0)
            - of_question[accepted[accepted != NO_TARGET]].logsumexp(dim=0)
            for of_question, accepted in zip(scores.split(list(sizes)), targets, strict=True)
        ]
        return torch.stack(losses).mean()

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the choice reader with the model in its current state."""
        return ChoiceReader(checkpoint, max_length=self._max_length)


def accepted_positions(question: Question) -> tuple[int, ...]:
    """Return the places of the accepted options; () if all of them are accepted, or none."""
    accepted = {answer.label for answer in question.answers}
    positions = tuple(
        position for position, option in enumerate(question.options) if option.label in accepted
    )
    return positions if len(positions) < len(question.options) else ()
