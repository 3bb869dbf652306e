"""Trains the reader ``span``: where an answer starts and where it ends, in one window a question.

The baseline of MRQA 2019 (Fisch et al.): one window drawn from those that hold an answer, the
cross-entropy of its start and of its end, halved (the published program adds them up), of one of
the answers in it (there the first), or of all of them, whose losses are averaged, or of what other
readers say. Only the passage's tokens can be chosen here, where the program lets the question's
compete too; a reader never chooses those.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch.nn.functional import log_softmax

from closeread.protocols import Reader
from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.neural.span import ANSWER_TOKENS, NULL_KEY, PENALTY_KEY, SpanReader
from closeread.readers.windows import Tokens, Window, make_windows
from closeread.text.normalize import mrqa
from closeread.training.neural.distillation.distil import Teachers
from closeread.training.neural.distillation.kept_votes import VoteCache
from closeread.training.neural.distillation.teachers import teachers_of
from closeread.training.neural.task import NO_TARGET, Feature
from closeread.training.neural.train import train as train_task
from closeread.training.recipes.folder import STATES
from closeread.training.recipes.span import SpanOptions, parse_options
from closeread.training.request import Request, Trained
from closeread.types import PassageQuestion, Question, Span

_VOTES_FOLDER = "votes"  # among the states
_WINDOWS_PER_CALL = 512  # windows that teachers read together, so that those of one length meet


def train(request: Request) -> Trained:
    """Train a span reader, as the recipe says."""
    pickled = request.recipe.train.get("pickled") is True
    kept = request.out / STATES / _VOTES_FOLDER
    return train_task(request, SpanTask(parse_options(request), pickled=pickled, kept=kept))


class SpanTask:
    """Learns spans; with ``null`` also that a passage holds no answer, as in SQuAD 2.0.

    Args:
        options: What is learned, and how it is to be read with.
        pickled: Whether teachers may have weights that are not safetensors.
        kept: The folder for what teachers said; None keeps none.
    """

    head: Head = "span"
    n_classes: int | None = None
    metric = "squad.f1"
    answers = staticmethod(SpanReader.answers)

    def __init__(
        self, options: SpanOptions, *, pickled: bool = False, kept: Path | None = None
    ) -> None:
        self._options = options
        self._pickled = pickled
        self._kept = kept
        if options.null:
            self.metric = "squad2.f1"

    def prepare(self, checkpoint: Checkpoint) -> None:
        """Write into the model's configuration what it shall be read with."""
        setattr(checkpoint.model.config, NULL_KEY, self._options.null)
        setattr(checkpoint.model.config, PENALTY_KEY, self._options.length_penalty)

    def teachers(self, model: str) -> tuple[str, ...]:
        """Return the models that it learns from, where it begins with a model."""
        taught = self._options.distillation > 0
        return teachers_of(model, self._options.teachers) if taught else ()

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield one window a question, drawn from those that hold an answer."""
        drawn = self._drawn(checkpoint, items, rng)
        if not self._options.distillation:
            yield from (_feature(window, spans) for window, spans in drawn)
            return
        teachers = Teachers(
            self.teachers(checkpoint.name),
            checkpoint,
            self._options.max_length,
            null=self._options.null,
            pickled=self._pickled,
        )
        share = self._options.distillation
        kept = VoteCache(self._kept, [share, self._options.null, *teachers.sha256])
        while some := list(islice(drawn, _WINDOWS_PER_CALL)):
            dealt = kept.of(some, partial(teachers.votes, share=share))
            for (window, _), places in zip(some, dealt.tolist(), strict=True):
                yield _feature(window, places)

    def _drawn(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[tuple[Window, list[tuple[int, int]]]]:
        """Yield a window a question, and the places of the answers there that are learned."""
        last, tokens = None, Tokens([], [], [])
        for passage, question in items:
            if passage is not last:
                last, tokens = passage, checkpoint.marked_tokens(passage.text)
            golds = list(_token_spans(tokens, passage.text, question))
            if not golds and not (self._options.null and _is_unanswerable(question)):
                continue
            cut = make_windows(
                checkpoint.tokens(question.text).ids,
                tokens.ids,
                checkpoint.template,
                max_length=min(self._options.max_length, checkpoint.max_length),
                stride=self._options.stride,
                overlap=ANSWER_TOKENS - 1,  # as when it is read: every answer whole in a window
            )
            found = self._one(cut, golds, rng)
            if found is not None:
                yield found

    def _one(
        self, cut: Sequence[Window], golds: Sequence[tuple[int, int]], rng: Random
    ) -> tuple[Window, list[tuple[int, int]]] | None:
        if not golds:
            return rng.choice(cut), [(0, 0)]
        held = [(window, [gold for gold in golds if _is_inside(window, gold)]) for window in cut]
        held = [one for one in held if one[1]]
        if not held:
            return None  # an answer longer than a window
        window, inside = rng.choice(held)
        taken = inside if self._options.all_answers else [rng.choice(inside)]
        moved = window.offset - window.first
        return window, [(start + moved, end + moved) for start, end in taken]

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean of start and end cross-entropy, of each question its answers' mean."""
        first, last = targets[:, :1], targets[:, 1:2]
        places = torch.arange(outputs.start_logits.shape[1], device=targets.device)
        shut = (places < first) | (places >= last)
        if self._options.null:
            shut[:, 0] = False
        starts, ends = targets[:, 2::2], targets[:, 3::2]
        known = starts != NO_TARGET  # rows of fewer answers are filled up
        halves = []
        for logits, golds in ((outputs.start_logits, starts), (outputs.end_logits, ends)):
            logs = log_softmax(logits.float().masked_fill(shut, -1e9), dim=-1)
            told = logs.gather(1, golds.clamp(min=0)).masked_fill(~known, 0.0)
            halves.append(-(told.sum(dim=1) / known.sum(dim=1)).mean())
        return (halves[0] + halves[1]) / 2

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the span reader over the model as it is."""
        told = self._options
        return SpanReader(
            checkpoint,
            max_length=told.max_length,
            stride=told.stride,
            null=told.null,
            length_penalty=told.length_penalty,
        )


def _feature(window: Window, spans: Sequence[tuple[int, int]]) -> Feature:
    """Return a window with the part of it that may be chosen, and the answers there."""
    ends = (window.offset, window.offset + window.length)
    return Feature((window.encoded,), (*ends, *(place for span in spans for place in span)))


def _is_inside(window: Window, gold: tuple[int, int]) -> bool:
    return window.first <= gold[0] and gold[1] < window.first + window.length


def _is_unanswerable(question: Question) -> bool:
    return bool(question.answers) and all(one.kind == "none" for one in question.answers)


def _token_spans(tokens: Tokens, text: str, question: Question) -> Iterator[tuple[int, int]]:
    """Yield (first, last) token of every known place of an answer."""
    for answer in question.answers:
        if answer.kind not in ("span", "spans") or not answer.texts:
            continue
        words = {_comparable(one) for one in answer.texts}
        spans = [span for span in answer.spans if _comparable(span.of(text)) in words]
        for span in spans or _first_occurrence(text, answer.texts[0]):
            first = bisect_right(tokens.ends, span.start)
            last = bisect_left(tokens.starts, span.end) - 1
            if first <= last < len(tokens.ids):
                yield first, last


def _comparable(text: str) -> str:
    """Return what makes two texts one answer: MRQA's places may have other capitals or articles."""
    return mrqa(text) or text


def _first_occurrence(text: str, answer: str) -> list[Span]:
    """The first place of an answer whose published place is wrong."""
    place = text.find(answer) if answer.strip() else -1
    return [Span(place, place + len(answer))] if place >= 0 else []
