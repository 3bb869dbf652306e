"""Trains the reader ``span``: the start and the end of an answer, in one window per question.

This is the baseline of MRQA 2019 (Fisch et al.), with differences. One window is drawn from those
that contain an answer. The loss is the mean of the cross-entropies of start and end (the published
program adds them), for one answer drawn from the window (the program takes the first), averaged
over all of them, or for the teachers' probabilities. Only tokens of the passage are candidates; in
the program those of the question are too, though a reader never chooses them.
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

_VOTES_FOLDER = "votes"  # in STATES
_WINDOWS_PER_CALL = 512  # windows per call of the teachers, enough to batch by length


def train(request: Request) -> Trained:
    """Train a span reader, as the recipe says."""
    pickled = request.recipe.train.get("pickled") is True
    folder = request.out / STATES / _VOTES_FOLDER
    task = SpanTask(parse_options(request), pickled=pickled, votes_folder=folder)
    return train_task(request, task)


class SpanTask:
    """The task of a span head; with ``null`` it also learns no-answer, as in SQuAD 2.0.

    Args:
        options: The reader's options in the recipe.
        pickled: Whether teachers may have weights that are not safetensors.
        votes_folder: The folder to cache the teachers' votes in; None disables the cache.
    """

    head: Head = "span"
    n_classes: int | None = None
    metric = "squad.f1"
    answers = staticmethod(SpanReader.answers)

    def __init__(
        self, options: SpanOptions, *, pickled: bool = False, votes_folder: Path | None = None
    ) -> None:
        self._options = options
        self._pickled = pickled
        self._votes_folder = votes_folder
        if options.null:
            self.metric = "squad2.f1"

    def prepare(self, checkpoint: Checkpoint) -> None:
        """Write the options that the reader needs into the model's configuration."""
        setattr(checkpoint.model.config, NULL_KEY, self._options.null)
        setattr(checkpoint.model.config, PENALTY_KEY, self._options.length_penalty)

    def teachers(self, model: str) -> tuple[str, ...]:
        """Return the teachers' folders or hub names if training starts from ``model``; or ()."""
        has_teachers = self._options.distillation > 0
        return teachers_of(model, self._options.teachers) if has_teachers else ()

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield one window for each question, drawn from those that contain an answer."""
        drawn = self._draw_windows(checkpoint, items, rng)
        if not self._options.distillation:
            yield from (_make_feature(window, spans) for window, spans in drawn)
            return
        teachers = Teachers(
            self.teachers(checkpoint.name),
            checkpoint,
            self._options.max_length,
            null=self._options.null,
            pickled=self._pickled,
        )
        share = self._options.distillation
        cache = VoteCache(self._votes_folder, [share, self._options.null, *teachers.sha256])
        while examples := list(islice(drawn, _WINDOWS_PER_CALL)):
            votes = cache.get(examples, partial(teachers.votes, share=share))
            for (window, _), spans in zip(examples, votes.tolist(), strict=True):
                yield _make_feature(window, spans)

    def _draw_windows(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[tuple[Window, list[tuple[int, int]]]]:
        """Yield a window for each question, and (first, last) token of the answers to learn."""
        previous, tokens = None, Tokens([], [], [])
        for passage, question in items:
            if passage is not previous:
                previous, tokens = passage, checkpoint.marked_tokens(passage.text)
            golds = list(_token_spans(tokens, passage.text, question))
            if not golds and not (self._options.null and _is_unanswerable(question)):
                continue
            windows = make_windows(
                checkpoint.tokens(question.text).ids,
                tokens.ids,
                checkpoint.template,
                max_length=min(self._options.max_length, checkpoint.max_length),
                stride=self._options.stride,
                overlap=ANSWER_TOKENS - 1,  # as the reader: some window contains each whole answer
            )
            drawn = self._draw_window(windows, golds, rng)
            if drawn is not None:
                yield drawn

    def _draw_window(
        self, windows: Sequence[Window], golds: Sequence[tuple[int, int]], rng: Random
    ) -> tuple[Window, list[tuple[int, int]]] | None:
        """Draw a window, with its answers as tokens of its sequence; None if none contains any."""
        if not golds:
            return rng.choice(windows), [(0, 0)]
        candidates = [
            (window, [gold for gold in golds if _is_inside(window, gold)]) for window in windows
        ]
        candidates = [candidate for candidate in candidates if candidate[1]]
        if not candidates:
            return None  # the answer is longer than a window
        window, inside = rng.choice(candidates)
        chosen = inside if self._options.all_answers else [rng.choice(inside)]
        shift = window.offset - window.first
        return window, [(first + shift, last + shift) for first, last in chosen]

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean of the start and end cross-entropies, averaged over answers first."""
        first, end = targets[:, :1], targets[:, 1:2]
        positions = torch.arange(outputs.start_logits.shape[1], device=targets.device)
        is_excluded = (positions < first) | (positions >= end)
        if self._options.null:
            is_excluded[:, 0] = False
        starts, ends = targets[:, 2::2], targets[:, 3::2]
        is_answer = starts != NO_TARGET  # rows with fewer answers are padded
        halves = []
        for logits, golds in ((outputs.start_logits, starts), (outputs.end_logits, ends)):
            logs = log_softmax(logits.float().masked_fill(is_excluded, -1e9), dim=-1)
            gold_logs = logs.gather(1, golds.clamp(min=0)).masked_fill(~is_answer, 0.0)
            halves.append(-(gold_logs.sum(dim=1) / is_answer.sum(dim=1)).mean())
        return (halves[0] + halves[1]) / 2

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the span reader with the model in its current state."""
        options = self._options
        return SpanReader(
            checkpoint,
            max_length=options.max_length,
            stride=options.stride,
            null=options.null,
            length_penalty=options.length_penalty,
        )


def _make_feature(window: Window, spans: Sequence[tuple[int, int]]) -> Feature:
    """Return a window as a feature.

    The target is the range of the passage's tokens, half-open, then (first, last) of each answer.
    """
    passage = (window.offset, window.offset + window.length)
    return Feature(
        (window.encoded,), (*passage, *(position for span in spans for position in span))
    )


def _is_inside(window: Window, gold: tuple[int, int]) -> bool:
    return window.first <= gold[0] and gold[1] < window.first + window.length


def _is_unanswerable(question: Question) -> bool:
    return bool(question.answers) and all(answer.kind == "none" for answer in question.answers)


def _token_spans(tokens: Tokens, text: str, question: Question) -> Iterator[tuple[int, int]]:
    """Yield (first, last) token of each annotated span of an answer; else of its occurrence."""
    for answer in question.answers:
        if answer.kind not in ("span", "spans") or not answer.texts:
            continue
        texts = {_comparable(answer_text) for answer_text in answer.texts}
        spans = [span for span in answer.spans if _comparable(span.of(text)) in texts]
        for span in spans or _first_occurrence(text, answer.texts[0]):
            first = bisect_right(tokens.ends, span.start)
            last = bisect_left(tokens.starts, span.end) - 1
            if first <= last < len(tokens.ids):
                yield first, last


def _comparable(text: str) -> str:
    """Normalise a text for comparison: MRQA's spans may differ in capitals or articles."""
    return mrqa(text) or text


def _first_occurrence(text: str, answer: str) -> list[Span]:
    """Return the first span of an answer whose annotated spans are missing or wrong."""
    start = text.find(answer) if answer.strip() else -1
    return [Span(start, start + len(answer))] if start >= 0 else []
