"""Trains a verifier: the options of a question compete, or are judged each for itself.

Equations 6 and 7 of Zhang et al. (2021): for every option d+ that the passage supports and every
option d- of the same question that it does not, ``max(0, margin - g(d+) + g(d-))``, summed. One
right and several wrong options (equation 6) or several right and one wrong (equation 7) are the
same rule, and so is any other number of them. The authors' program takes for g the softmax
probability of "supported" of a head of two classes, makes every pair an example of its own and
averages over the pairs of a step, so that a batch of 64 is 64 pairs. The ablation without
competition is the cross-entropy of each option's truth.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, relu

from closeread.errors import InputError, UsageError
from closeread.evidence.models import declared_models
from closeread.protocols import Reader, Retriever
from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.neural.support import (
    CURE_FOR_TRAINING,
    LABELS,
    class_names,
    fold_nli_head,
    log_odds,
    name_classes,
    reset_head,
    supported_class,
)
from closeread.readers.neural.verifier import VerifierReader
from closeread.readers.statements import encode_statement, statements
from closeread.readers.verifier import make_retriever
from closeread.readers.windows import Encoded
from closeread.training.neural import train as neural
from closeread.training.neural.task import NO_TARGET, Feature
from closeread.training.recipes.verifier import (
    CompeteSettings,
    NliHead,
    Reduction,
    in_recipe_terms,
    parse_options,
)
from closeread.training.request import Request, Trained
from closeread.training.truth import option_truths
from closeread.types import PassageQuestion


def hinge_loss(
    scores: torch.Tensor, truth: torch.Tensor, margin: float, reduction: Reduction
) -> torch.Tensor:
    """Return the loss of one question by equations 6 and 7; 0 where it has no pair.

    Args:
        scores: g of every option, shape (options,).
        truth: 1 for supported, 0 for not, ``NO_TARGET`` where nobody knows, shape (options,).
        margin: By how much a supported option shall be ahead.
        reduction: ``sum`` over the pairs as the equations, ``mean`` as the authors' program.
    """
    right, wrong = scores[truth == 1], scores[truth == 0]
    short = relu(margin - right[:, None] + wrong[None, :])
    if not short.numel():
        return scores.sum() * 0.0  # keeps the gradient's graph
    return short.sum() if reduction == "sum" else short.mean()


def independent_loss(odds: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy of one question's options, each for itself.

    Args:
        odds: Log-odds of "supported", shape (options,).
        truth: As for ``hinge_loss``.
    """
    known = truth != NO_TARGET
    if not known.any():
        return odds.sum() * 0.0
    return binary_cross_entropy_with_logits(odds[known], truth[known].to(odds.dtype))


class CompeteTask:
    """What a verifier learns from questions with options.

    Args:
        retriever: Finds the evidence of every option.
        settings: What is learned, and how.
        max_length: Tokens of evidence and option together.
    """

    head: Head = "pair"
    n_classes = 2
    metric = "choice.accuracy"
    answers = staticmethod(VerifierReader.answers)

    def __init__(
        self, retriever: Retriever, settings: CompeteSettings, max_length: int = 256
    ) -> None:
        self._retriever = retriever
        self.evidence_models = declared_models(retriever) or ()
        self._settings = settings
        self._max_length = max_length
        self._supported = 1

    def prepare(self, checkpoint: Checkpoint) -> None:
        """Make the head one of two classes with names, if it is not one already.

        Raises:
            UsageError: It has three classes and nobody said what is to become of them.
            InputError: It has classes that are not understood.
        """
        self._supported = two_classes(checkpoint, self._settings.nli_head)

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield a question's options, its pairs or each option; nothing where nothing competes."""
        room = min(self._max_length, checkpoint.max_length)
        for passage, question in items:
            truth = option_truths(question)
            if question.kind == "entailment" or not self._learnable(truth):
                continue
            sequences = [
                encode_statement(
                    one, lambda text: checkpoint.tokens(text).ids, checkpoint.template, room
                )
                for one in statements(question, passage, self._retriever)
            ]
            yield from self._parted(sequences, truth)

    def _learnable(self, truth: Sequence[bool | None]) -> bool:
        if self._settings.loss == "hinge":
            return True in truth and False in truth
        return any(one is not None for one in truth)

    def _parted(
        self, sequences: Sequence[Encoded], truth: Sequence[bool | None]
    ) -> Iterator[Feature]:
        target = [NO_TARGET if one is None else int(one) for one in truth]
        right = [place for place, one in enumerate(target) if one == 1]
        wrong = [place for place, one in enumerate(target) if one == 0]
        together: list[tuple[int, ...]] = [tuple(range(len(target)))]
        if self._settings.unit == "pair":
            together = [(one, other) for one in right for other in wrong]
        elif self._settings.unit == "option":
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
        if self._settings.loss == "cross-entropy":
            return independent_loss(odds, truth)
        scores = odds.sigmoid() if self._settings.score == "probability" else odds
        return hinge_loss(scores, truth, self._settings.margin, self._settings.reduction)

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the verifier over the model as it is."""
        return VerifierReader(checkpoint, self._retriever, max_length=self._max_length)


def train(request: Request) -> Trained:
    """Train a verifier; the reader's options are those that it is read with, but the model."""
    own, options, settings = parse_options(request)
    with in_recipe_terms(request):
        retriever, _ = make_retriever(own.retriever, own.evidence_model, options)
    return neural.train(request, CompeteTask(retriever, settings, own.max_length))


def two_classes(checkpoint: Checkpoint, nli_head: NliHead) -> int:
    """Make a pair head one of two named classes; return the place of "supported".

    Args:
        checkpoint: With a ``pair`` head, made or learned.
        nli_head: What becomes of three classes: ``fold``, ``new``, or empty where nobody said.

    Raises:
        UsageError: It has three classes and nobody said what is to become of them.
        InputError: It has classes that are not understood.
    """
    names = class_names(checkpoint)
    if len(names) == 3:
        if not nli_head:
            raise UsageError(
                f"the model's classes are {', '.join(names)}, but a verifier has two",
                where=checkpoint.name,
                expected='train.options.nli_head = "fold" or "new"',
                cure="set train.options.nli_head",
            )
        (fold_nli_head if nli_head == "fold" else reset_head)(checkpoint)
    elif names == ["label_0", "label_1"]:
        name_classes(checkpoint, LABELS)
    elif len(names) > 2:
        raise InputError(
            f"the model's head has {len(names)} classes",
            where=checkpoint.name,
            expected="one (a score), two (supported or not) or three (natural language inference)",
        )
    return supported_class(checkpoint, cure=CURE_FOR_TRAINING)
