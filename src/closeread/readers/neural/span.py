"""The torch side of the reader ``span``: tokenises passages once, and batches windows."""

from collections.abc import Iterator, Sequence
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
ANSWER_TOKENS = 30  # the most, unless the user says otherwise
_SHARED = 96  # tokens that neighbours share: the longest answer, and as much before and behind it
_SHARED_PART = 3  # but of short windows no more than a third
# Windows held at once: enough of one length to share batches, few enough that answers come soon.
_MOST_WINDOWS = {"cpu": 512}
_MOST_WINDOWS_ELSEWHERE = 2048
# In the checkpoint's configuration:
NULL_KEY = "null_answers"  # it has learned SQuAD 2.0's way
PENALTY_KEY = "answer_length_penalty"  # it is to be read with


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
    """A passage, tokenised."""

    text: str
    language: str
    tokens: Tokens
    places: AnswerPlaces

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        return sentences(self.text, self.language)

    def sentence(self, span: Span) -> Evidence:
        """Return the sentences that a span touches."""
        held = (one for one in self.sentences if one.start < span.end and span.start < one.end)
        return Evidence(spans=tuple(held))


@dataclass(eq=False)
class _PendingQuestion:
    """A question with the windows that it is asked in, and what was said of them so far."""

    question: Question
    passage: _TokenizedPassage
    shown: list[Window]
    parts: dict[int, WindowSpans] = field(default_factory=dict)
    error: str = ""

    @property
    def answered(self) -> bool:
        return len(self.parts) == len(self.shown)


class SpanReader:
    """Answers with a piece of the passage; questions of other kinds get no answer, and a note.

    ``confidence`` and the candidates' scores are probabilities under one softmax over all spans of
    all windows of the question, "no answer" among them where the model knows of it.

    Attributes:
        batch_size: Many questions at once, so that windows of one length meet.
        passing_options: Options that leave answers as they are; a resumed run may have others.
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
        self._max_length = checkpoint.room(max_length, _QUESTION_TOKENS + 1)
        self._checkpoint = checkpoint
        self._network = network
        self._stride = stride
        self._max_answer_tokens = max_answer_tokens
        shared = 0 if stride is not None else min(_SHARED, self._max_length // _SHARED_PART)
        self._overlap = max(shared, max_answer_tokens - 1)  # every answer whole in one window
        self._n_best = n_best
        known = bool(getattr(checkpoint.model.config, NULL_KEY, False))
        self._null = known if null is None else null
        self._null_threshold = null_threshold
        self._length_penalty = (
            _model_penalty(checkpoint) if length_penalty is None else length_penalty
        )
        self._token_budget = token_budget
        self._passage = TextCache(self._tokenised, most=_PASSAGES_KEPT)

    @cached_property
    def record(self) -> dict[str, Any]:
        """What the run folder keeps about the model."""
        model = lineage_record(self._checkpoint.name, self._checkpoint.n_parameters)
        read: dict[str, Any] = {
            "max_length": self._max_length,
            "shared_tokens": self._overlap,
            "null": self._null,
        }
        if self._length_penalty:
            read["length_penalty"] = self._length_penalty
        return read | model

    @staticmethod
    def answers(question: Question) -> bool:
        """Whether it answers questions of this kind; of others it says that it does not."""
        return not question.options and question.kind in ("span", "discrete")

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, each as soon as its last window is computed."""
        waiting: list[_PendingQuestion] = []
        n_windows = 0
        most = _MOST_WINDOWS.get(self._checkpoint.model.device.type, _MOST_WINDOWS_ELSEWHERE)
        for passage, question in items:
            if not self.answers(question):
                yield not_for_it(question)
                continue
            waiting.append(self._asked(passage, question))
            n_windows += len(waiting[-1].shown)
            if n_windows >= most:
                yield from self._answered(waiting)
                waiting, n_windows = [], 0
        yield from self._answered(waiting)

    def _tokenised(self, text: str, language: str) -> _TokenizedPassage:
        tokens = self._checkpoint.marked_tokens(text)
        of = find_answer_places(text, tokens, self._checkpoint.mark_id)
        return _TokenizedPassage(text, language, tokens, of)

    def _asked(self, passage: Passage, question: Question) -> _PendingQuestion:
        read = self._passage(passage.text, passage.language)
        shown = make_windows(
            self._checkpoint.tokens(question.text).ids,
            read.tokens.ids,
            self._checkpoint.template,
            max_length=self._max_length,
            stride=self._stride,
            overlap=self._overlap,
            max_question_length=_QUESTION_TOKENS,
        )
        return _PendingQuestion(question, read, shown)

    def _answered(self, waiting: Sequence[_PendingQuestion]) -> Iterator[Prediction]:
        owners = [(asked, which) for asked in waiting for which in range(len(asked.shown))]
        rows = forward(
            self._checkpoint,
            [asked.shown[which].encoded for asked, which in owners],
            looked_at=[
                positions_taken(asked.shown, which, self._max_answer_tokens)
                for asked, which in owners
            ],
            token_budget=self._token_budget,
            network=self._network,
        )
        for index, row in rows:
            asked, which = owners[index]
            try:
                asked.parts[which] = decode_window(
                    row,
                    asked.shown,
                    which,
                    asked.passage.places,
                    max_answer_tokens=self._max_answer_tokens,
                    n_best=self._n_best,
                    length_penalty=self._length_penalty,
                )
            except NotFiniteError as error:
                asked.parts[which] = WindowSpans(0.0, [], 0.0)
                asked.error = str(error)
            if asked.answered:
                yield self._told(asked)

    def _told(self, asked: _PendingQuestion) -> Prediction:
        if asked.error:
            return Prediction(question_id=asked.question.question_id, error=asked.error)
        parts = [asked.parts[which] for which in range(len(asked.shown))]
        decoded = merge_windows(parts, n_best=self._n_best, null=self._null)
        found = [_candidate(asked.passage, *row) for row in decoded.best]
        silent = self._is_silent(decoded)
        if decoded.null is not None:
            none = Candidate(answer=Answer(kind="none"), score=round(decoded.null, DIGITS))
            found = sorted([*found, none], key=lambda one: -one.score)
        if silent:
            return _no_answer(asked.question, decoded.null or 0.0, tuple(found))
        best = _candidate(asked.passage, *decoded.best[0])
        return Prediction(
            question_id=asked.question.question_id,
            answer=best.answer,
            confidence=best.score,
            candidates=tuple(found),
            evidence=(asked.passage.sentence(best.answer.spans[0]),),
        )

    def _is_silent(self, decoded: Decoded) -> bool:
        if not decoded.best:
            return True
        return decoded.null is not None and decoded.null > self._null_threshold


def _model_penalty(checkpoint: Checkpoint) -> float:
    """Return the penalty for length that a checkpoint's configuration tells."""
    told = getattr(checkpoint.model.config, PENALTY_KEY, 0.0)
    if (
        isinstance(told, int | float)
        and not isinstance(told, bool)
        and 0 <= told <= MAX_LENGTH_PENALTY
    ):
        return float(told)
    raise InputError(
        f"config.json has {PENALTY_KEY}: {told!r}",
        where=checkpoint.name,
        expected=f"a number from 0 to {MAX_LENGTH_PENALTY:g}",
        cure="correct it there, or read without a penalty: -o length_penalty=0",
    )


def _candidate(passage: _TokenizedPassage, probability: float, first: int, last: int) -> Candidate:
    span = Span(int(passage.places.begins[first]), int(passage.places.ends[last]))
    answer = Answer(kind="span", texts=(span.of(passage.text),), spans=(span,))
    return Candidate(answer=answer, score=round(probability, DIGITS))


def _no_answer(
    question: Question, probability: float, candidates: tuple[Candidate, ...] = ()
) -> Prediction:
    return Prediction(
        question_id=question.question_id,
        answer=Answer(kind="none"),
        confidence=round(probability, DIGITS),
        candidates=candidates,
    )
