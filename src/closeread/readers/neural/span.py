"""The torch part of the reader ``span``: tokenises passages once, and batches windows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from closeread.errors import InputError
from closeread.readers.competition import DIGITS, not_for_it
from closeread.readers.lineage import lineage_record
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.engine import Network, forward
from closeread.readers.neural.fused import open_fused
from closeread.readers.neural.spans import (
    MAX_LENGTH_PENALTY,
    AnswerPlaces,
    Decoded,
    NotFiniteError,
    WindowSpans,
    decode_window,
    find_answer_places,
    merge_windows,
    positions_taken,
)
from closeread.readers.neural.vocabulary import unknown_share
from closeread.readers.windows import Tokens, Window, make_windows
from closeread.text.memo import TextCache
from closeread.text.segment import sentences
from closeread.types import (
    Answer,
    Candidate,
    Evidence,
    Passage,
    PassageQuestion,
    Prediction,
    Question,
    Span,
)

_PASSAGES_KEPT = 8
_QUESTION_TOKENS = 64
ANSWER_TOKENS = 30  # maximum tokens of an answer by default
_SHARED_TOKENS = 96  # by neighbouring windows: the longest answer, and as much on both sides
_SHARED_DIVISOR = 3  # short windows share at most a third
# Windows computed together: enough for full batches of one length, few enough for early answers.
_MAX_WINDOWS = {"cpu": 512}
_MAX_WINDOWS_ELSEWHERE = 2048
# Keys in the checkpoint's configuration, written by ``closeread train``:
NULL_KEY = "null_answers"  # whether it was trained with unanswerable questions (SQuAD 2.0)
PENALTY_KEY = "answer_length_penalty"  # the length penalty to read it with


def open_reader(
    model: str, *, device: str, dtype: str, pickled: bool, runtime: str, null: str, **settings: Any
) -> "SpanReader":
    """Open the model and make the reader; see ``readers.span.span``."""
    checkpoint = open_checkpoint(model, "span", device=device, dtype=dtype, pickled=pickled)
    network: Network | None
    if runtime == "torch":
        network = open_fused(checkpoint)
    else:
        from closeread.readers.neural.onnx import open_network

        network = open_network(checkpoint, int8=runtime == "int8")
    return SpanReader(
        checkpoint, null=None if null == "auto" else null == "on", network=network, **settings
    )


@dataclass(frozen=True, eq=False)
class _TokenizedPassage:
    """A passage with its tokens and the positions where answers may start and end."""

    text: str
    language: str
    tokens: Tokens
    places: AnswerPlaces

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        return sentences(self.text, self.language)

    def sentence_evidence(self, span: Span) -> Evidence:
        """Return the sentences that overlap a span, as evidence."""
        touched = (
            sentence
            for sentence in self.sentences
            if sentence.start < span.end and span.start < sentence.end
        )
        return Evidence(spans=tuple(touched))


@dataclass(eq=False)
class _PendingQuestion:
    """A question with its windows, and the decoded spans of those that are computed."""

    question: Question
    passage: _TokenizedPassage
    windows: list[Window]
    window_spans: dict[int, WindowSpans] = field(default_factory=dict)
    error: str = ""

    @property
    def answered(self) -> bool:
        return len(self.window_spans) == len(self.windows)


class SpanReader:
    """Answers with a span of the passage; questions of other kinds get a note instead.

    ``confidence`` and the candidates' scores are probabilities under one softmax over all spans of
    all windows of the question, and "no answer" if the model was trained with it.

    Attributes:
        batch_size: Questions read together: enough for full batches of windows of one length.
        passing_options: Options that do not change answers; a resumed run may change them.
    """

    batch_size = 512
    passing_options = ("device", "token_budget")

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        max_length: int = 384,
        stride: int | None = None,
        max_answer_tokens: int = ANSWER_TOKENS,
        n_best: int = 5,
        null: bool | None = None,
        null_threshold: float = 0.5,
        length_penalty: float | None = None,
        token_budget: int | None = None,
        network: Network | None = None,
    ) -> None:
        self._max_length = checkpoint.limit_length(max_length, _QUESTION_TOKENS + 1)
        self._checkpoint = checkpoint
        self._network = network
        self._stride = stride
        self._max_answer_tokens = max_answer_tokens
        shared_tokens = (
            0 if stride is not None else min(_SHARED_TOKENS, self._max_length // _SHARED_DIVISOR)
        )
        # So every answer is whole in some window.
        self._overlap = max(shared_tokens, max_answer_tokens - 1)
        self._n_best = n_best
        trained_with_null = bool(getattr(checkpoint.model.config, NULL_KEY, False))
        self._null = trained_with_null if null is None else null
        self._null_threshold = null_threshold
        self._length_penalty = (
            _read_length_penalty(checkpoint) if length_penalty is None else length_penalty
        )
        self._token_budget = token_budget
        self._passage = TextCache(self._tokenize_passage, max_results=_PASSAGES_KEPT)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record of the model for the run folder."""
        model = lineage_record(self._checkpoint.name, self._checkpoint.n_parameters)
        record: dict[str, Any] = {
            "max_length": self._max_length,
            "shared_tokens": self._overlap,
            "null": self._null,
        }
        if self._length_penalty:
            record["length_penalty"] = self._length_penalty
        return record | model

    def unknown_share(self, texts: Iterable[str]) -> float:
        """Return the share of the texts' tokens that the model's vocabulary lacks."""
        return unknown_share(self._checkpoint, texts)

    @staticmethod
    def answers(question: Question) -> bool:
        """Return whether the reader answers questions of this kind."""
        return not question.options and question.kind in ("span", "discrete")

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, each when its last window is computed."""
        pending: list[_PendingQuestion] = []
        n_windows = 0
        max_windows = _MAX_WINDOWS.get(self._checkpoint.model.device.type, _MAX_WINDOWS_ELSEWHERE)
        for passage, question in items:
            if not self.answers(question):
                yield not_for_it(question)
                continue
            pending.append(self._tokenize_question(passage, question))
            n_windows += len(pending[-1].windows)
            if n_windows >= max_windows:
                yield from self._answer_pending(pending)
                pending, n_windows = [], 0
        yield from self._answer_pending(pending)

    def _tokenize_passage(self, text: str, language: str) -> _TokenizedPassage:
        tokens = self._checkpoint.marked_tokens(text)
        places = find_answer_places(text, tokens, self._checkpoint.mark_id)
        return _TokenizedPassage(text, language, tokens, places)

    def _tokenize_question(self, passage: Passage, question: Question) -> _PendingQuestion:
        tokenized = self._passage(passage.text, passage.language)
        windows = make_windows(
            self._checkpoint.tokens(question.text).ids,
            tokenized.tokens.ids,
            self._checkpoint.template,
            max_length=self._max_length,
            stride=self._stride,
            overlap=self._overlap,
            max_question_length=_QUESTION_TOKENS,
        )
        return _PendingQuestion(question, tokenized, windows)

    def _answer_pending(self, pending: Sequence[_PendingQuestion]) -> Iterator[Prediction]:
        owners = [
            (question, index) for question in pending for index in range(len(question.windows))
        ]
        rows = forward(
            self._checkpoint,
            [question.windows[index].encoded for question, index in owners],
            needed_positions=[
                positions_taken(question.windows, index, self._max_answer_tokens)
                for question, index in owners
            ],
            token_budget=self._token_budget,
            network=self._network,
        )
        for sequence_index, row in rows:
            question, index = owners[sequence_index]
            try:
                question.window_spans[index] = decode_window(
                    row,
                    question.windows,
                    index,
                    question.passage.places,
                    max_answer_tokens=self._max_answer_tokens,
                    n_best=self._n_best,
                    length_penalty=self._length_penalty,
                )
            except NotFiniteError as error:
                question.window_spans[index] = WindowSpans(0.0, [], 0.0)
                question.error = str(error)
            if question.answered:
                yield self._build_prediction(question)

    def _build_prediction(self, pending: _PendingQuestion) -> Prediction:
        if pending.error:
            return Prediction(question_id=pending.question.question_id, error=pending.error)
        window_spans = [pending.window_spans[index] for index in range(len(pending.windows))]
        decoded = merge_windows(window_spans, n_best=self._n_best, null=self._null)
        candidates = [_build_candidate(pending.passage, *row) for row in decoded.best]
        no_answer = self._gives_no_answer(decoded)
        if decoded.null is not None:
            none = Candidate(answer=Answer(kind="none"), score=round(decoded.null, DIGITS))
            candidates = sorted([*candidates, none], key=lambda candidate: -candidate.score)
        if no_answer:
            return _build_no_answer(pending.question, decoded.null or 0.0, tuple(candidates))
        best = _build_candidate(pending.passage, *decoded.best[0])
        return Prediction(
            question_id=pending.question.question_id,
            answer=best.answer,
            confidence=best.score,
            candidates=tuple(candidates),
            evidence=(pending.passage.sentence_evidence(best.answer.spans[0]),),
        )

    def _gives_no_answer(self, decoded: Decoded) -> bool:
        if not decoded.best:
            return True
        return decoded.null is not None and decoded.null > self._null_threshold


def _read_length_penalty(checkpoint: Checkpoint) -> float:
    """Return the length penalty in a checkpoint's configuration; 0 if there is none."""
    penalty = getattr(checkpoint.model.config, PENALTY_KEY, 0.0)
    if (
        isinstance(penalty, int | float)
        and not isinstance(penalty, bool)
        and 0 <= penalty <= MAX_LENGTH_PENALTY
    ):
        return float(penalty)
    raise InputError(
        f"config.json has {PENALTY_KEY}: {penalty!r}",
        where=checkpoint.name,
        expected=f"a number from 0 to {MAX_LENGTH_PENALTY:g}",
        cure="correct it there, or read without a penalty: -o length_penalty=0",
    )


def _build_candidate(
    passage: _TokenizedPassage, probability: float, first: int, last: int
) -> Candidate:
    span = Span(int(passage.places.begins[first]), int(passage.places.ends[last]))
    answer = Answer(kind="span", texts=(span.of(passage.text),), spans=(span,))
    return Candidate(answer=answer, score=round(probability, DIGITS))


def _build_no_answer(
    question: Question, probability: float, candidates: tuple[Candidate, ...] = ()
) -> Prediction:
    return Prediction(
        question_id=question.question_id,
        answer=Answer(kind="none"),
        confidence=round(probability, DIGITS),
        candidates=candidates,
    )
