"""A causal language model of transformers in this process.

Models are folders or hub names; there is no default model. Their code is not run, their weights are
read from safetensors only, and HF_HUB_OFFLINE keeps the library from the network.

Sequences of similar lengths are computed together, with attention masks: generations are padded on
the left, scored sequences on the right. A text is the same as without a batch, with one exception:
numeric libraries add in another order if a matrix has another shape, so that a token whose lead
over the next is within rounding error (almost never in float32, sometimes in bfloat16) may change.
``batch=1`` computes one sequence at a time, independent of other questions.
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
from closeread.readers.generative.options import PromptingOptions, takes_options
from closeread.readers.generative.prompting import Prompter, PromptRequest
from closeread.readers.lineage import weights_record
from closeread.readers.models.location import require_model
from closeread.registry.factory import PathText
from closeread.types import Generation, Passage, PassageQuestion, Prediction, Question

if TYPE_CHECKING:
    from closeread.readers.neural.causal import GeneratedText

_FORMS = ("auto", "chat", "plain")
_GIVE_MODEL = "give a folder of a causal language model, or its name on the hub (docs/chat.md)"


@dataclass(frozen=True, kw_only=True)
class LocalOptions(PromptingOptions):
    """Options of ``local``.

    Attributes:
        model: A folder, or a hub name.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32``; ``auto`` is the dtype of the weights.
        form: ``chat`` uses the model's chat template, ``plain`` one text to be completed; ``auto``
            is ``chat`` if the model has a template.
        batch: Maximum sequences of a batch.
        batch_tokens: Maximum tokens of a batch, padding and ``max_tokens`` included.
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
            problem = f"batch={self.batch}, batch_tokens={self.batch_tokens}"
            raise UsageError(problem, expected="both at least 1")


@takes_options(LocalOptions)
def local(options: LocalOptions) -> "LocalReader":
    """Make the reader ``local``. Decoding is greedy.

    Raises:
        InputError: The model cannot be opened.
        UsageError: ``form=chat`` and the model has no chat template, or options are out of range.
        MissingExtraError: torch or transformers is not installed.
    """
    return LocalReader(options.make_prompter(), options)


@dataclass
class _PendingQuestion:
    """A question some of whose sequences are not computed yet.

    Attributes:
        passage: The passage.
        question: The question.
        requests: The request of each sequence: one per generation, or per option to score.
        sequences: The token ids of each.
        texts: The text of each.
        scored: Whether the sequences are scored instead of continued.
        shared: Number of tokens that all scored sequences begin with.
        results: Sequence index -> its generation, or its tokens with log-probabilities.
        seconds: The question's share of the time of its batches.
    """

    passage: Passage
    question: Question
    requests: list[PromptRequest]
    sequences: list[list[int]]
    texts: list[str]
    scored: bool
    shared: int = 0
    results: dict[int, Any] = field(default_factory=dict)
    seconds: float = 0.0


# A sequence: its question, and its index there.
_SequenceRef = tuple[_PendingQuestion, int]


class LocalReader:
    """Answers questions in batches of similar lengths; attributes as of ``RemoteReader``."""

    independent = True
    batch_size = 256
    passing_options = ("device", "batch", "batch_tokens")

    def __init__(self, prompter: Prompter, options: LocalOptions) -> None:
        self._prompter = prompter
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
        """The record for the run folder: the model, prompts and settings."""
        return {
            "model": {"name": self._name, **self._model.model_record},
            "transformers": self._model.library_version,
            "form": "chat" if self._chat else "plain",
            **weights_record(self._name),
            **self._prompter.record(),
        }

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, each when its last sequence is computed."""
        pending_questions = []
        for passage, question in items:
            started = time.perf_counter()
            try:
                pending = self._prepare(passage, question)
            except _TooLongError as error:
                yield Prediction(question_id=question.question_id, error=str(error))
                continue
            pending.seconds = time.perf_counter() - started
            pending_questions.append(pending)
        generation_jobs = [
            (pending, index)
            for pending in pending_questions
            if not pending.scored
            for index in range(len(pending.requests))
        ]
        scoring_jobs = [
            (pending, index)
            for pending in pending_questions
            if pending.scored
            for index in _first_occurrences(pending.sequences)
        ]
        yield from self._run_batches(
            generation_jobs, self._generate, self._max_tokens, self._model.padding_is_safe
        )
        yield from self._run_batches(scoring_jobs, self._score, 0, True)

    def _prepare(self, passage: Passage, question: Question) -> _PendingQuestion:
        requests = self._prompter.build_requests(passage, question)
        scored = self._prompter.scores_options(question)
        if scored:
            texts = [
                self._build_text(requests[0], continuation)
                for continuation in requests[0].continuations
            ]
            requests = [requests[0]] * len(texts)
        else:
            texts = [self._build_text(request) for request in requests]
        sequences = [self._tokenize(text, 0 if scored else self._max_tokens) for text in texts]
        shared = _shared_prefix_length(sequences) if scored else 0
        return _PendingQuestion(passage, question, requests, sequences, texts, scored, shared)

    def _run_batches(
        self,
        jobs: list[_SequenceRef],
        compute: Callable[[list[_SequenceRef]], list[Any]],
        max_new_tokens: int,
        padded: bool,
    ) -> Iterator[Prediction]:
        """Compute sequences in batches; yield predictions of questions as they are complete."""
        n_left: dict[int, int] = {}
        for pending, _ in jobs:
            n_left[id(pending)] = n_left.get(id(pending), 0) + 1
        lengths = [len(pending.sequences[index]) for pending, index in jobs]
        for indices in plan_by_length(
            lengths,
            max_new_tokens=max_new_tokens,
            max_batch_size=self._batch,
            token_budget=self._batch_tokens,
            padded=padded,
        ):
            started = time.perf_counter()
            batch = [jobs[job_index] for job_index in indices]
            results = compute(batch)
            seconds = (time.perf_counter() - started) / len(batch)
            for (pending, index), result in zip(batch, results, strict=True):
                pending.results[index] = result
                pending.seconds += seconds
                n_left[id(pending)] -= 1
            for pending in {id(pending): pending for pending, _ in batch}.values():
                if not n_left[id(pending)]:
                    yield self._build_prediction(pending)

    def _build_prediction(self, pending: _PendingQuestion) -> Prediction:
        if pending.scored:
            row_by_sequence = {
                tuple(pending.sequences[index]): row for index, row in pending.results.items()
            }
            rows = [row_by_sequence[tuple(sequence)] for sequence in pending.sequences]
            prediction = self._prompter.predict_from_scores(
                pending.question, score_from_divergence(rows)
            )
        else:
            generations = [pending.results[index] for index in range(len(pending.requests))]
            prediction = self._prompter.predict_from_generations(
                pending.passage, pending.question, generations
            )
        pending.results.clear()
        return msgspec.structs.replace(prediction, seconds=round(pending.seconds, 4))

    def _build_text(self, request: PromptRequest, continuation: str | None = None) -> str:
        """Return the text of the model's input: the prompt, and for scoring the continuation."""
        if not self._chat:
            return request.plain() + (continuation or "")
        prompt = self._model.apply_chat_template([turn._asdict() for turn in request.turns])
        return prompt if continuation is None else prompt + request.answer_prefix + continuation

    def _tokenize(self, text: str, max_new_tokens: int) -> list[int]:
        ids = self._model.encode(text, special=not self._chat)
        max_length = self._model.max_length
        if max_length is not None and len(ids) + max_new_tokens > max_length:
            raise _TooLongError(
                f"the question does not fit into the model's context: {len(ids)} tokens and "
                f"{max_new_tokens} to generate exceed {max_length}. Reduce -o shots= or "
                "-o max_tokens="
            )
        return ids

    def _generate(self, jobs: list[_SequenceRef]) -> list[Generation]:
        texts = self._model.generate(
            [pending.sequences[index] for pending, index in jobs], self._max_tokens
        )
        return [
            self._build_generation(*job, generated)
            for job, generated in zip(jobs, texts, strict=True)
        ]

    def _build_generation(
        self, pending: _PendingQuestion, index: int, generated: "GeneratedText"
    ) -> Generation:
        request = {
            "model": self._name,
            "text": pending.texts[index],
            "max_tokens": self._max_tokens,
        }
        return Generation(
            text=generated.text,
            finish_reason="stop" if generated.ended else "length",
            prompt_tokens=len(pending.sequences[index]),
            completion_tokens=generated.n_tokens,
            request_sha256=hashlib.sha256(msgspec.json.encode(request)).hexdigest(),
            option_order=pending.requests[index].option_order,
        )

    def _score(self, jobs: list[_SequenceRef]) -> list[list[tuple[str, float | None]]]:
        """Return the tokens after the shared ones of each sequence, with log-probabilities.

        The first token of a sequence has no log-probability.
        """
        rows = [pending.sequences[index] for pending, index in jobs]
        starts = [max(pending.shared, 1) for pending, _ in jobs]
        scored = []
        for (pending, _), row, start, values in zip(
            jobs, rows, starts, self._model.logprobs(rows, starts), strict=True
        ):
            logprobs = [None] * (start - pending.shared) + values
            scored.append(list(zip(map(str, row[pending.shared :]), logprobs, strict=True)))
        return scored


def _shared_prefix_length(sequences: list[list[int]]) -> int:
    """Return the number of tokens that all sequences begin with."""
    smallest, largest = min(sequences), max(sequences)
    pairs = enumerate(zip(smallest, largest, strict=False))
    return next(
        (index for index, (first, second) in pairs if first != second),
        min(len(smallest), len(largest)),
    )


def _first_occurrences(sequences: list[list[int]]) -> list[int]:
    """Return the index of the first of each group of equal sequences, to score them once."""
    return list(
        {
            tuple(sequence): index for index, sequence in reversed(list(enumerate(sequences)))
        }.values()
    )


class _TooLongError(Exception):
    """A prompt has more tokens than the model's context."""
