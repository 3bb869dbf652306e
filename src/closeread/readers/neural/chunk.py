"""The torch part of the reader ``chunk``: scores each option against each chunk of the passage."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch

from closeread.readers.competition import DIGITS, decided
from closeread.readers.confidence.calibrate import logistic
from closeread.readers.lineage import lineage_record
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.engine import Network, Rows
from closeread.readers.neural.fused import open_fused
from closeread.readers.neural.groups import answer_groups
from closeread.readers.neural.support import class_names, log_odds, supported_class
from closeread.readers.neural.vocabulary import unknown_share
from closeread.readers.option_sequences import (
    CHUNK_TOKENS,
    MIN_TEXT_TOKENS,
    NOT_FINITE,
    Chunk,
    format_amount,
    make_chunks,
)
from closeread.readers.statements import option_claim
from closeread.readers.windows import Encoded
from closeread.text.memo import TextCache
from closeread.types import Evidence, Passage, PassageQuestion, Prediction, Question, Span

_PASSAGES_KEPT = 64


class _QuestionChunks(NamedTuple):
    """A question with the chunks of each of its options."""

    passage: Passage
    question: Question
    chunks: list[list[Chunk]]

    @property
    def sequences(self) -> list[Encoded]:
        """Of all options, one after the other."""
        return [chunk.encoded for of_option in self.chunks for chunk in of_option]


def open_reader(
    model: str, *, device: str, dtype: str, pickled: bool, **settings: Any
) -> "ChunkReader":
    """Open the model and make the reader; see ``readers.chunk.chunk``."""
    checkpoint = open_checkpoint(model, "pair", device=device, dtype=dtype, pickled=pickled)
    return ChunkReader(checkpoint, network=open_fused(checkpoint), **settings)


class ChunkReader:
    """Answers questions with options by how well the passage's chunks support each.

    ``option_scores`` are probabilities of "supported", for any polarity of the stem; ``evidence``
    is the part of each option's best chunk that the model read; ``confidence`` and the candidates'
    scores are ``competition.answer_shares``. Questions without options, and hypotheses
    (entailment), get a note instead of an answer. The note of a prediction has the number of tokens
    read, to compare the cost with readers that search evidence first.

    Args:
        checkpoint: A checkpoint with a ``pair`` head.
        max_length: Maximum tokens of chunk and option together.
        chunk_tokens: Tokens of a chunk.
        aggregate: ``max`` or ``mean`` of the log-odds over an option's chunks.
        label: The class that means "supported"; empty finds it by the classes' names.
        token_budget: Maximum tokens of a batch; None uses the device's default.
        network: Another way to compute the model; see ``engine.forward``.

    Attributes:
        batch_size: Questions read together: enough for full batches of one length.
        passing_options: Options that do not change answers; a resumed run may change them.
    """

    batch_size = 32
    passing_options = ("device", "token_budget")

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        max_length: int = 256,
        chunk_tokens: int = CHUNK_TOKENS,
        aggregate: str = "max",
        label: str = "",
        token_budget: int | None = None,
        network: Network | None = None,
    ) -> None:
        self._max_length = checkpoint.limit_length(max_length, MIN_TEXT_TOKENS)
        self._checkpoint = checkpoint
        self._chunk_tokens = chunk_tokens
        self._aggregate = aggregate
        self._supported = supported_class(checkpoint, label)
        self._token_budget = token_budget
        self._network = network
        self._ids = TextCache(lambda text: checkpoint.tokens(text).ids, max_results=4096)
        self._passage = TextCache(checkpoint.marked_tokens, max_results=_PASSAGES_KEPT)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record of the model for the run folder."""
        names = class_names(self._checkpoint)
        model = lineage_record(self._checkpoint.name, self._checkpoint.n_parameters)
        return {
            "classes": names,
            "supported": names[self._supported],
            "max_length": self._max_length,
            **model,
        }

    def unknown_share(self, texts: Iterable[str]) -> float:
        """Return the share of the texts' tokens that the model's vocabulary lacks."""
        return unknown_share(self._checkpoint, texts)

    @staticmethod
    def answers(question: Question) -> bool:
        """Return whether the reader answers questions of this kind."""
        return bool(question.claims)

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, each when its last chunk is scored."""
        return answer_groups(
            items, self._tokenize_question, self._build_prediction, self._checkpoint,
            answers=self.answers, token_budget=self._token_budget, network=self._network,
        )  # fmt: skip

    def _tokenize_question(self, passage: Passage, question: Question) -> _QuestionChunks:
        return _QuestionChunks(passage, question, self._build_chunks(passage, question))

    def _build_chunks(self, passage: Passage, question: Question) -> list[list[Chunk]]:
        return [
            make_chunks(
                self._passage(passage.text).ids,
                option_claim(question, option, self._ids),
                self._checkpoint.template,
                n_tokens=self._chunk_tokens,
                max_length=self._max_length,
            )
            for option in question.options
        ]

    def _build_prediction(self, group: _QuestionChunks, rows: Sequence[Rows]) -> Prediction:
        logits = torch.from_numpy(np.stack(rows)).double()
        odds = log_odds(logits, self._supported).tolist()
        if not all(map(math.isfinite, odds)):
            return Prediction(question_id=group.question.question_id, error=NOT_FINITE)
        option_odds, evidence, remaining = [], [], iter(odds)
        for option, chunks in zip(group.question.options, group.chunks, strict=True):
            values = [*islice(remaining, len(chunks))]
            best = max(range(len(values)), key=values.__getitem__)
            option_odds.append(
                values[best] if self._aggregate == "max" else math.fsum(values) / len(values)
            )
            evidence.append(
                Evidence(
                    spans=self._shown_span(group.passage, chunks[best]),
                    option_label=option.label,
                    score=round(values[best], DIGITS),
                )
            )
        note = format_amount(group.sequences)
        n_cut = sum(
            chunk.end - chunk.first - chunk.shown for chunks in group.chunks for chunk in chunks
        )
        if n_cut:
            note += f"; cut {n_cut} tokens of chunks to make room for long options"
        return decided(
            group.question,
            option_odds,
            scores=[logistic(value) for value in option_odds],
            evidence=tuple(evidence),
            note=note,
        )

    def _shown_span(self, passage: Passage, chunk: Chunk) -> tuple[Span, ...]:
        if not chunk.shown:
            return ()
        last = chunk.first + chunk.shown - 1
        return (self._passage(passage.text).span(chunk.first, last),)
