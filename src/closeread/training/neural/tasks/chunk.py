"""Trains the reader ``chunk``: whether chunks of a passage support an option.

The data sets annotate whether an option is true, but not which chunk supports it, and Zhang et al.
(2021) do not describe how their baseline RoBERTa-Large-Chunk learns from that. There are two modes.
``best`` takes the highest log-odds of the chunks as the option's, as the reader does, and learns
the option's truth from it (multiple-instance learning): some chunk supports a true option, none a
false one. ``each`` labels every chunk with the option's truth, which is wrong for most chunks of a
true option, but lets the gradient reach all of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from closeread.protocols import Reader
from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.neural.chunk import ChunkReader
from closeread.readers.neural.support import log_odds
from closeread.readers.option_sequences import Chunk, make_chunks
from closeread.readers.statements import option_claim
from closeread.training.neural import train as neural
from closeread.training.neural.task import Feature
from closeread.training.neural.tasks.verifier import two_classes
from closeread.training.recipes.chunk import ChunkOptions, ChunkSettings, parse_options
from closeread.training.request import Request, Trained
from closeread.training.truth import option_truths
from closeread.types import Option, PassageQuestion, Question


def train(request: Request) -> Trained:
    """Train a chunk reader, as the recipe says."""
    options, settings = parse_options(request)
    return neural.train(request, ChunkTask(settings, options))


class ChunkTask:
    """The task of a pair head, on the options of questions and the chunks of passages.

    Args:
        settings: Which chunks to learn from, and how to convert a head of three classes.
        options: How to split passages into chunks.
    """

    head: Head = "pair"
    n_classes: int | None = 2
    metric = "choice.accuracy"
    answers = staticmethod(ChunkReader.answers)

    def __init__(self, settings: ChunkSettings, options: ChunkOptions) -> None:
        self._settings = settings
        self._options = options
        self._supported = 1

    def prepare(self, checkpoint: Checkpoint) -> None:
        """Convert the head to two named classes, unless it is one; raises as ``two_classes``."""
        self._supported = two_classes(checkpoint, self._settings.nli_head)

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield each option with its chunks, or each chunk; the target is the option's truth."""
        previous, passage_ids = None, list[int]()
        for passage, question in items:
            if question.kind == "entailment":
                continue
            if passage is not previous:
                previous, passage_ids = passage, checkpoint.marked_tokens(passage.text).ids
            for option, truth in zip(question.options, option_truths(question), strict=False):
                if truth is None:
                    continue
                chunks = self._make_chunks(checkpoint, passage_ids, question, option)
                target = (int(truth),)
                if self._settings.learn == "best":
                    yield Feature(tuple(chunk.encoded for chunk in chunks), target)
                else:
                    yield from (Feature((chunk.encoded,), target) for chunk in chunks)

    def _make_chunks(
        self, checkpoint: Checkpoint, passage: Sequence[int], question: Question, option: Option
    ) -> list[Chunk]:
        return make_chunks(
            passage,
            option_claim(question, option, lambda text: checkpoint.tokens(text).ids),
            checkpoint.template,
            n_tokens=self._options.chunk_tokens,
            max_length=min(self._options.max_length, checkpoint.max_length),
        )

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean binary cross-entropy of the options' truths."""
        odds = log_odds(outputs.logits.float(), self._supported)
        best = torch.stack([of_feature.max() for of_feature in odds.split(list(sizes))])
        return binary_cross_entropy_with_logits(best, targets[:, 0].to(best.dtype))

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the chunk reader with the model in its current state."""
        return ChunkReader(
            checkpoint,
            max_length=self._options.max_length,
            chunk_tokens=self._options.chunk_tokens,
        )
