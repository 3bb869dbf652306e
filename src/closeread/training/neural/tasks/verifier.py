"""Trains a verifier: the options of a question compete, or each is judged independently.

Equations 6 and 7 of Zhang et al. (2021): for every option d+ that the passage supports and every
option d- of the same question that it does not, ``max(0, margin - g(d+) + g(d-))``, summed. The
same formula covers one true and several false options (equation 6), several true and one false
(equation 7), and any other numbers of them. In the authors' program, g is the softmax probability
of "supported" of a two-class head, every pair is an example of its own, and the loss is averaged
over the pairs of a step, so that a batch of 64 is 64 pairs. The ablation without competition is the
cross-entropy of each option's truth.
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
    """Return the loss of one question by equations 6 and 7; 0 if it has no pair.

    Args:
        scores: g of every option, shape (options,).
        truth: 1 for supported, 0 for not, ``NO_TARGET`` if unknown, shape (options,).
        margin: The margin by which a supported option should score higher.
        reduction: ``sum`` over the pairs as in the equations, ``mean`` as in the authors' program.
    """
    right, wrong = scores[truth == 1], scores[truth == 0]
    losses = relu(margin - right[:, None] + wrong[None, :])
    if not losses.numel():
        return scores.sum() * 0.0  # keeps the autograd graph
    return losses.sum() if reduction == "sum" else losses.mean()


def independent_loss(odds: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Return the mean binary cross-entropy of one question's options.

    Args:
        odds: Log-odds of "supported", shape (options,).
        truth: As for ``hinge_loss``.
    """
    known = truth != NO_TARGET
    if not known.any():
        return odds.sum() * 0.0
    return binary_cross_entropy_with_logits(odds[known], truth[known].to(odds.dtype))


class CompeteTask:
    """The task of a verifier, on questions with options.

    Args:
        retriever: Retrieves the evidence for each option.
        settings: The recipe's ``[train.options]``.
        max_length: Maximum tokens of evidence and option together.
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
        """Convert the head to two named classes, unless it is one already.

        Raises:
            UsageError: The head has three classes, and ``nli_head`` is not set.
            InputError: The head has other classes.
        """
        self._supported = two_classes(checkpoint, self._settings.nli_head)

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield features of a question's options, as ``unit`` says: all, in pairs, or each alone.

        Questions whose options the loss cannot learn from yield none.
        """
        max_tokens = min(self._max_length, checkpoint.max_length)
        for passage, question in items:
            truth = option_truths(question)
            if question.kind == "entailment" or not self._is_learnable(truth):
                continue
            sequences = [
                encode_statement(
                    statement,
                    lambda text: checkpoint.tokens(text).ids,
                    checkpoint.template,
                    max_tokens,
                )
                for statement in statements(question, passage, self._retriever)
            ]
            yield from self._split_into_units(sequences, truth)

    def _is_learnable(self, truth: Sequence[bool | None]) -> bool:
        if self._settings.loss == "hinge":
            return True in truth and False in truth
        return any(value is not None for value in truth)

    def _split_into_units(
        self, sequences: Sequence[Encoded], truth: Sequence[bool | None]
    ) -> Iterator[Feature]:
        target = [NO_TARGET if value is None else int(value) for value in truth]
        right = [position for position, value in enumerate(target) if value == 1]
        wrong = [position for position, value in enumerate(target) if value == 0]
        units: list[tuple[int, ...]] = [tuple(range(len(target)))]
        if self._settings.unit == "pair":
            units = [(supported, other) for supported in right for other in wrong]
        elif self._settings.unit == "option":
            units = [(position,) for position in sorted(right + wrong)]
        for positions in units:
            yield Feature(
                tuple(sequences[position] for position in positions),
                tuple(target[position] for position in positions),
            )

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean loss over the features."""
        odds = log_odds(outputs.logits.float(), self._supported)
        losses = [
            self._feature_loss(of_feature, target[: len(of_feature)])
            for of_feature, target in zip(odds.split(list(sizes)), targets, strict=True)
        ]
        return torch.stack(losses).mean()

    def _feature_loss(self, odds: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
        if self._settings.loss == "cross-entropy":
            return independent_loss(odds, truth)
        scores = odds.sigmoid() if self._settings.score == "probability" else odds
        return hinge_loss(scores, truth, self._settings.margin, self._settings.reduction)

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the verifier with the model in its current state."""
        return VerifierReader(checkpoint, self._retriever, max_length=self._max_length)


def train(request: Request) -> Trained:
    """Train a verifier, as the recipe says."""
    options, retriever_options, settings = parse_options(request)
    with in_recipe_terms(request):
        retriever, _ = make_retriever(options.retriever, options.evidence_model, retriever_options)
    return neural.train(request, CompeteTask(retriever, settings, options.max_length))


def two_classes(checkpoint: Checkpoint, nli_head: NliHead) -> int:
    """Convert a pair head to two named classes, unless it is one; return the index of "supported".

    Args:
        checkpoint: The model with a ``pair`` head, new or trained.
        nli_head: How to convert three classes: ``fold`` or ``new``; empty if the recipe does not
            say.

    Raises:
        UsageError: The head has three classes, and ``nli_head`` is empty.
        InputError: The head has other classes.
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
