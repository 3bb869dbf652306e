"""Trains a verifier: the options of a question compete, or are judged each for itself.

Equations 6 and 7 of Zhang et al. (2021): for every option d+ that the passage supports and every
option d- of the same question that it does not, ``max(0, margin - g(d+) + g(d-))``, summed. One
right and several wrong options (equation 6) or several right and one wrong (equation 7) are the
same rule, and so is any other number of them. The authors' program takes for g the softmax
probability of "supported" of a head of two classes, makes every pair an example of its own and
averages over the pairs of a step, so that a batch of 64 is 64 pairs. The ablation without
competition is the cross-entropy of each option's truth.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any, Literal

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, relu

from closeread.errors import UsageError
from closeread.protocols import Reader, Retriever
from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.neural.support import log_odds, supported_class
from closeread.readers.statements import encoded, statements
from closeread.readers.windows import Encoded
from closeread.training.neural.task import NOTHING, Feature
from closeread.training.truth import truths
from closeread.types import Passage, Question

Loss = Literal["hinge", "cross-entropy"]
Score = Literal["probability", "logit"]
Reduction = Literal["mean", "sum"]
Unit = Literal["question", "pair", "option"]
MakeReader = Callable[[Checkpoint], Reader]
MARGIN = 0.5  # of the paper and its program
_UNITS: dict[str, tuple[str, ...]] = {
    "hinge": ("question", "pair"),
    "cross-entropy": ("question", "option"),
}


def hinge(
    scores: torch.Tensor, truth: torch.Tensor, margin: float, reduction: Reduction
) -> torch.Tensor:
    """Return the loss of one question by equations 6 and 7; 0 where it has no pair.

    Args:
        scores: g of every option, shape (options,).
        truth: 1 for supported, 0 for not, ``NOTHING`` where nobody knows, shape (options,).
        margin: By how much a supported option shall be ahead.
        reduction: ``sum`` over the pairs as the equations, ``mean`` as the authors' program.
    """
    right, wrong = scores[truth == 1], scores[truth == 0]
    short = relu(margin - right[:, None] + wrong[None, :])
    if not short.numel():
        return scores.sum() * 0.0  # keeps the gradient's graph
    return short.sum() if reduction == "sum" else short.mean()


def independent(odds: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy of one question's options, each for itself.

    Args:
        odds: Log-odds of "supported", shape (options,).
        truth: As for ``hinge``.
    """
    known = truth != NOTHING
    if not known.any():
        return odds.sum() * 0.0
    return binary_cross_entropy_with_logits(odds[known], truth[known].to(odds.dtype))


class CompeteTask:
    """What a verifier learns from questions with options.

    Args:
        retriever: Finds the evidence of every option.
        make_reader: Makes the reader over the model as it is, for the dev metric.
        max_length: Tokens of evidence and option together.
        loss: ``hinge``, or ``cross-entropy`` for training without competition.
        margin: Of the hinge.
        score: What competes: the ``probability`` of "supported" (the authors' program), or its
            log-odds, ``logit``, which has no upper end.
        reduction: Over the pairs of a question: ``mean`` or ``sum``.
        unit: What a feature, and so the batch size, counts: ``question`` (each option is encoded
            once), ``pair`` (the authors' program), or ``option`` for the cross-entropy.

    Raises:
        UsageError: Settings that do not go together.
    """

    head: Head = "pair"
    n_classes = 2
    metric = "choice.accuracy"

    def __init__(
        self,
        retriever: Retriever,
        make_reader: MakeReader,
        *,
        max_length: int = 256,
        loss: Loss = "hinge",
        margin: float = MARGIN,
        score: Score = "probability",
        reduction: Reduction = "mean",
        unit: Unit = "question",
    ) -> None:
        if unit not in _UNITS[loss]:
            raise UsageError(f"loss={loss} has no unit={unit}", expected=" or ".join(_UNITS[loss]))
        if reduction == "sum" and unit != "question":
            raise UsageError(
                f"reduction=sum adds up a question's pairs, and unit={unit} parts them",
                expected="unit=question, or reduction=mean",
            )
        if margin <= 0:
            raise UsageError(f"margin={margin:g}", expected="above 0")
        self._retriever = retriever
        self._make_reader = make_reader
        self._max_length = max_length
        self._loss = loss
        self._margin = margin
        self._score = score
        self._reduction = reduction
        self._unit = unit
        self._supported = 1

    def features(
        self, checkpoint: Checkpoint, items: Iterable[tuple[Passage, Question]], rng: Random
    ) -> Iterator[Feature]:
        """Yield a question's options, its pairs or each option; nothing where nothing competes."""
        self._supported = supported_class(checkpoint)
        room = min(self._max_length, checkpoint.max_length)
        for passage, question in items:
            truth = truths(question)
            if question.kind == "entailment" or not self._learnable(truth):
                continue
            sequences = [
                encoded(one, lambda text: checkpoint.tokens(text).ids, checkpoint.template, room)
                for one in statements(question, passage, self._retriever)
            ]
            yield from self._parted(sequences, truth)

    def _learnable(self, truth: Sequence[bool | None]) -> bool:
        if self._loss == "hinge":
            return True in truth and False in truth
        return any(one is not None for one in truth)

    def _parted(
        self, sequences: Sequence[Encoded], truth: Sequence[bool | None]
    ) -> Iterator[Feature]:
        target = [NOTHING if one is None else int(one) for one in truth]
        right = [place for place, one in enumerate(target) if one == 1]
        wrong = [place for place, one in enumerate(target) if one == 0]
        together: list[tuple[int, ...]] = [tuple(range(len(target)))]
        if self._unit == "pair":
            together = [(one, other) for one in right for other in wrong]
        elif self._unit == "option":
            together = [(place,) for place in sorted(right + wrong)]
        for places in together:
            yield Feature(
                tuple(sequences[place] for place in places),
                tuple(target[place] for place in places),
            )

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean over the features of each one's loss."""
        odds = log_odds(outputs.logits.float(), self._supported)
        found = [
            self._one(of_feature, target[: len(of_feature)])
            for of_feature, target in zip(odds.split(list(sizes)), targets, strict=True)
        ]
        return torch.stack(found).mean()

    def _one(self, odds: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
        if self._loss == "cross-entropy":
            return independent(odds, truth)
        scores = odds.sigmoid() if self._score == "probability" else odds
        return hinge(scores, truth, self._margin, self._reduction)

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the verifier over the model as it is."""
        return self._make_reader(checkpoint)
