"""The torch side of the reader ``chunk``: each chunk of a passage with each option."""

import math
from collections.abc import Iterator, Sequence
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

    ``option_scores`` are probabilities of "supported", whatever the stem asks for; ``evidence`` is
    each option's best chunk, as far as it was shown; ``confidence`` and the candidates' scores are
    what ``competition.answer_shares`` says. Questions without options, and hypotheses (entailment),
    get no answer and a note. ``note`` tells how many tokens were read, to be set against readers
    that look for evidence first.

    Args:
        checkpoint: With a ``pair`` head.
        max_length: Tokens of chunk and option together.
        chunk_tokens: Tokens of a chunk.
        aggregate: ``max`` or ``mean`` of the log-odds over an option's chunks.
        label: The class that means "supported"; empty finds it.
        token_budget: Tokens of a batch; None for what suits the device.

    Attributes:
        batch_size: Questions at once, so that sequences of one length meet.
        passing_options: Options that leave answers as they are; a resumed run may have others.
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
        self._max_length = checkpoint.room(max_length, MIN_TEXT_TOKENS)
        self._checkpoint = checkpoint
        self._chunk_tokens = chunk_tokens
        self._aggregate = aggregate
        self._supported = supported_class(checkpoint, label)
        self._token_budget = token_budget
        self._network = network
        self._ids = TextCache(lambda text: checkpoint.tokens(text).ids, most=4096)
        self._passage = TextCache(checkpoint.marked_tokens, most=_PASSAGES_KEPT)

    @cached_property
    def record(self) -> dict[str, Any]:
        """What the run folder keeps about the model."""
        names = class_names(self._checkpoint)
        model = lineage_record(self._checkpoint.name, self._checkpoint.n_parameters)
        return {
            "classes": names,
            "supported": names[self._supported],
            "max_length": self._max_length,
            **model,
        }

    @staticmethod
    def answers(question: Question) -> bool:
        """Whether it has an answer to a question of this kind; to others it gives none."""
        return bool(question.claims)

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, each as soon as its last chunk is judged."""
        return answer_groups(
            items, self._asked, self._told, self._checkpoint,
            answers=self.answers, token_budget=self._token_budget, network=self._network,
        )  # fmt: skip

    def _asked(self, passage: Passage, question: Question) -> _QuestionChunks:
        return _QuestionChunks(passage, question, self._chunks(passage, question))

    def _chunks(self, passage: Passage, question: Question) -> list[list[Chunk]]:
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

    def _told(self, asked: _QuestionChunks, rows: Sequence[Rows]) -> Prediction:
        logits = torch.from_numpy(np.stack(rows)).double()
        odds = log_odds(logits, self._supported).tolist()
        if not all(map(math.isfinite, odds)):
            return Prediction(question_id=asked.question.question_id, error=NOT_FINITE)
        found, evidence, rest = [], [], iter(odds)
        for option, of_option in zip(asked.question.options, asked.chunks, strict=True):
            values = [*islice(rest, len(of_option))]
            best = max(range(len(values)), key=values.__getitem__)
            found.append(
                values[best] if self._aggregate == "max" else math.fsum(values) / len(values)
            )
            evidence.append(
                Evidence(
                    spans=self._span(asked.passage, of_option[best]),
                    option_label=option.label,
                    score=round(values[best], DIGITS),
                )
            )
        note = format_amount(asked.sequences)
        cut = sum(
            one.end - one.first - one.shown for of_option in asked.chunks for one in of_option
        )
        if cut:
            note += f"; cut {cut} tokens of chunks to make room for long options"
        return decided(
            asked.question,
            found,
            scores=[logistic(one) for one in found],
            evidence=tuple(evidence),
            note=note,
        )

    def _span(self, passage: Passage, chunk: Chunk) -> tuple[Span, ...]:
        if not chunk.shown:
            return ()
        last = chunk.first + chunk.shown - 1
        return (self._passage(passage.text).span(chunk.first, last),)
