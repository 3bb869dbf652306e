"""A causal language model of transformers in this process.

Models are folders or hub names and are never chosen for the user. Their code is not run, their
weights are read from safetensors only, and HF_HUB_OFFLINE keeps the library from the network.

Sequences of like lengths are computed together: generations padded on the left, scored sequences on
the right, both behind attention masks. So a text is what it would be alone, but for this: numeric
libraries add up in another order when a matrix has another shape, and a token whose lead over the
next is within the last bits of the arithmetic (as good as never in float32, now and then in
bfloat16) may come out the other way. ``batch=1`` computes one sequence at a time; its texts do not
depend on what is asked beside them.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from closeread.errors import UsageError
from closeread.readers.generative.length_batches import plan_by_length
from closeread.readers.generative.option_scores import score_from_divergence
from closeread.readers.generative.options import AskingOptions, takes_options
from closeread.readers.generative.prompting import Ask, Asking
from closeread.readers.lineage import weights_record
from closeread.readers.models.location import require_model
from closeread.registry.factory import PathText
from closeread.types import Generation, Passage, PassageQuestion, Prediction, Question

if TYPE_CHECKING:
    from closeread.readers.neural.causal import Written

_FORMS = ("auto", "chat", "plain")
_GIVE_MODEL = "give a folder of a causal language model, or its name on the hub (docs/chat.md)"


@dataclass(frozen=True, kw_only=True)
class LocalOptions(AskingOptions):
    """Options of ``local``.

    Attributes:
        model: A folder, or a hub name.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32``; ``auto`` is the one of the weights.
        form: ``chat`` puts questions through the model's chat template, ``plain`` as one text to
            be completed; ``auto`` is ``chat`` where the model has a template.
        batch: The most sequences that are computed together; 1 is one at a time.
        batch_tokens: The most tokens that they have together, padding and ``max_tokens`` included.
    """

    model: PathText = ""
    device: str = "cpu"
    dtype: str = "auto"
    form: str = "auto"
    batch: int = 16
    batch_tokens: int = 16384

    def __post_init__(self) -> None:
        super().__post_init__()
        require_model(self.model, cure=_GIVE_MODEL)
        if self.form not in _FORMS:
            raise UsageError(f"form={self.form}", expected="one of " + ", ".join(_FORMS))
        if self.batch < 1 or self.batch_tokens < 1:
            found = f"batch={self.batch}, batch_tokens={self.batch_tokens}"
            raise UsageError(found, expected="both at least 1")


@takes_options(LocalOptions)
def local(options: LocalOptions) -> "LocalReader":
    """Make the reader. Decoding is greedy."""
    return LocalReader(options.asking(), options)


@dataclass
class _PendingQuestion:
    """One question under way.

    Attributes:
        asks: What is put to the model, one a generation or a continuation.
        sequences: The tokens of each.
        shared: How many tokens all of them begin with, where they are scored.
        done: What came of each so far: generations, or token rows with log-probabilities.
        seconds: Its share of the time of the batches that it was in.
    """

    passage: Passage
    question: Question
    asks: list[Ask]
    sequences: list[list[int]]
    texts: list[str]
    scored: bool
    shared: int = 0
    done: dict[int, Any] = field(default_factory=dict)
    seconds: float = 0.0


# A sequence by its work and its place there.
_Job = tuple[_PendingQuestion, int]


class LocalReader:
    """Answers questions in batches of like lengths; see ``RemoteReader`` for the attributes."""

    independent = True
    batch_size = 256
    passing_options = ("device", "batch", "batch_tokens")

    def __init__(self, asking: Asking, options: LocalOptions) -> None:
        self._asking = asking
        self._name = options.model
        self._max_tokens = options.max_tokens
        self._batch = options.batch
        self._batch_tokens = options.batch_tokens
        from closeread.readers.neural.causal import CausalModel

        self._model = CausalModel.open(options.model, options.device, options.dtype)
        self._chat = options.form == "chat" or (options.form == "auto" and self._model.has_template)
        if self._chat and not self._model.has_template:
            raise UsageError(
                "the model has no chat template", where=options.model, cure="use -o form=plain"
            )

    @cached_property
    def record(self) -> dict[str, Any]:
        """What an open track asks for: the model, prompts, settings."""
        return {
            "model": {"name": self._name, **self._model.facts},
            "transformers": self._model.library,
            "form": "chat" if self._chat else "plain",
            **weights_record(self._name),
            **self._asking.record(),
        }

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, each as soon as its last sequence is computed."""
        works = []
        for passage, question in items:
            started = time.perf_counter()
            try:
                work = self._work(passage, question)
            except _TooLongError as error:
                yield Prediction(question_id=question.question_id, error=str(error))
                continue
            work.seconds = time.perf_counter() - started
            works.append(work)
        written = [(one, at) for one in works if not one.scored for at in range(len(one.asks))]
        weighed = [(one, at) for one in works if one.scored for at in _first_places(one.sequences)]
        yield from self._computed(written, self._generate, self._max_tokens, self._model.may_pad)
        yield from self._computed(weighed, self._weigh, 0, True)

    def _work(self, passage: Passage, question: Question) -> _PendingQuestion:
        asks = self._asking.asks(passage, question)
        scored = self._asking.scores_options(question)
        if scored:
            texts = [self._text(asks[0], after) for after in asks[0].continuations]
            asks = [asks[0]] * len(texts)
        else:
            texts = [self._text(ask) for ask in asks]
        sequences = [self._ids(text, 0 if scored else self._max_tokens) for text in texts]
        shared = _shared_prefix_length(sequences) if scored else 0
        return _PendingQuestion(passage, question, asks, sequences, texts, scored, shared)

    def _computed(
        self, jobs: list[_Job], compute: Callable[[list[_Job]], list[Any]], room: int, padded: bool
    ) -> Iterator[Prediction]:
        """Compute sequences in batches; yield the predictions of questions that are whole."""
        left: dict[int, int] = {}
        for work, _ in jobs:
            left[id(work)] = left.get(id(work), 0) + 1
        lengths = [len(work.sequences[at]) for work, at in jobs]
        for places in plan_by_length(
            lengths, room=room, most=self._batch, token_budget=self._batch_tokens, padded=padded
        ):
            started = time.perf_counter()
            batch = [jobs[place] for place in places]
            found = compute(batch)
            seconds = (time.perf_counter() - started) / len(batch)
            for (work, at), one in zip(batch, found, strict=True):
                work.done[at] = one
                work.seconds += seconds
                left[id(work)] -= 1
            for work in {id(work): work for work, _ in batch}.values():
                if not left[id(work)]:
                    yield self._prediction(work)

    def _prediction(self, work: _PendingQuestion) -> Prediction:
        if work.scored:
            first = {tuple(work.sequences[at]): row for at, row in work.done.items()}
            rows = [first[tuple(sequence)] for sequence in work.sequences]
            found = self._asking.weigh(work.question, score_from_divergence(rows))
        else:
            generations = [work.done[at] for at in range(len(work.asks))]
            found = self._asking.read(work.passage, work.question, generations)
        work.done.clear()
        return msgspec.structs.replace(found, seconds=round(work.seconds, 4))

    def _text(self, ask: Ask, continuation: str | None = None) -> str:
        """Return what the model is given: the prompt, and for scoring what follows it."""
        if not self._chat:
            return ask.plain() + (continuation or "")
        shown = self._model.apply_chat_template([turn._asdict() for turn in ask.turns])
        return shown if continuation is None else shown + ask.begun + continuation

    def _ids(self, text: str, room: int) -> list[int]:
        ids = self._model.ids(text, special=not self._chat)
        most = self._model.most
        if most is not None and len(ids) + room > most:
            raise _TooLongError(
                f"the question does not fit into the model's context: {len(ids)} tokens and {room} "
                f"to generate exceed {most}. Reduce -o shots= or -o max_tokens="
            )
        return ids

    def _generate(self, jobs: list[_Job]) -> list[Generation]:
        found = self._model.generate([work.sequences[at] for work, at in jobs], self._max_tokens)
        return [self._generation(*job, one) for job, one in zip(jobs, found, strict=True)]

    def _generation(self, work: _PendingQuestion, at: int, found: "Written") -> Generation:
        request = {"model": self._name, "text": work.texts[at], "max_tokens": self._max_tokens}
        return Generation(
            text=found.text,
            finish_reason="stop" if found.ended else "length",
            prompt_tokens=len(work.sequences[at]),
            completion_tokens=found.n_tokens,
            request_sha256=hashlib.sha256(msgspec.json.encode(request)).hexdigest(),
            option_order=work.asks[at].option_order,
        )

    def _weigh(self, jobs: list[_Job]) -> list[list[tuple[str, float | None]]]:
        """Return what is not shared of each sequence, every token with its log-probability.

        A sequence's first token has none.
        """
        rows = [work.sequences[at] for work, at in jobs]
        starts = [max(work.shared, 1) for work, _ in jobs]
        found = []
        for (work, _), row, start, values in zip(
            jobs, rows, starts, self._model.logprobs(rows, starts), strict=True
        ):
            own = [None] * (start - work.shared) + values
            found.append(list(zip(map(str, row[work.shared :]), own, strict=True)))
        return found


def _shared_prefix_length(sequences: list[list[int]]) -> int:
    """Return how many tokens all sequences begin with."""
    least, most = min(sequences), max(sequences)
    pairs = enumerate(zip(least, most, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(least), len(most)))


def _first_places(sequences: list[list[int]]) -> list[int]:
    """Return the place of the first of equal sequences, so that equal ones get one number."""
    return list({tuple(one): at for at, one in reversed(list(enumerate(sequences)))}.values())


class _TooLongError(Exception):
    """A question needs more tokens than the model can hold."""
