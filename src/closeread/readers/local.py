"""A causal language model of transformers in this process; torch is imported here alone.

Models are folders or hub names and are never chosen for the user. Their code is not run, their
weights are read from safetensors only, and HF_HUB_OFFLINE keeps the library from the network. One
sequence is computed at a time, so that an answer never depends on what stood beside it.
"""

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from closeread.catalog import missing_extra
from closeread.errors import InputError, UsageError
from closeread.readers.asking import Ask, Asking
from closeread.readers.examples import Examples
from closeread.readers.extraction import Extraction, stops_in
from closeread.readers.option_scores import parted
from closeread.types import Generation, Passage, Prediction, Question

Item = tuple[Passage, Question]
_FORMS = ("auto", "chat", "plain")


def local(
    *,
    model: str = "",
    device: str = "cpu",
    dtype: str = "auto",
    form: str = "auto",
    prompt: str = "",
    examples: str = "",
    shots: int = 0,
    seed: int = 0,
    shuffles: int = 1,
    scoring: str = "generation",
    judge: str = "together",
    max_tokens: int = 256,
    stop: str = "",
    extract: str = "auto",
) -> "LocalReader":
    """Make the reader; options not named here are those of ``chat``. Decoding is greedy.

    Args:
        model: A folder, or a hub name.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32``; ``auto`` is the one of the weights.
        form: ``chat`` puts questions through the model's chat template, ``plain`` as one text to
            be completed; ``auto`` is ``chat`` where the model has a template.
        prompt: A prompt file of your own.
        examples: A data set with gold to draw examples from.
        shots: How many examples.
        seed: Of examples and orders.
        shuffles: Ask questions with options so often, in different orders.
        scoring: ``generation``, ``letters`` or ``texts``.
        judge: ``together`` or ``each``.
        max_tokens: That an answer may have.
        stop: Where the saved text is cut before it is read.
        extract: The rule by which the answer is read.
    """
    if not model:
        raise UsageError("no model is named", expected="-o model=PATH or a hub name")
    if form not in _FORMS:
        raise UsageError(f"form={form}", expected="one of " + ", ".join(_FORMS))
    if max_tokens < 1:
        raise UsageError(f"max_tokens={max_tokens}", expected="1 or more")
    asking = Asking(
        examples=Examples.opened(examples, shots, seed),
        extraction=Extraction(stops=stops_in(stop), rule=extract),
        prompt=prompt,
        shuffles=shuffles,
        scoring=scoring,
        judge=judge,
        seed=seed,
    )
    return LocalReader(asking, model, device=device, dtype=dtype, form=form, max_tokens=max_tokens)


class LocalReader:
    """Answers one question after the other; see ``RemoteReader`` for the attributes."""

    independent = True
    passing_options = ("device",)

    def __init__(
        self, asking: Asking, name: str, *, device: str, dtype: str, form: str, max_tokens: int
    ) -> None:
        self._asking = asking
        self._name = name
        self._max_tokens = max_tokens
        self._model, self._tokenizer = _opened(name, device, dtype)
        self._chat = form == "chat" or (form == "auto" and bool(self._tokenizer.chat_template))
        if self._chat and not self._tokenizer.chat_template:
            raise UsageError("the model has no chat template", where=name, cure="-o form=plain")

    @cached_property
    def record(self) -> dict[str, Any]:
        """What an open track asks for: the model, prompts, settings."""
        import transformers

        config = self._model.config.to_json_string(use_diff=False)
        return {
            "model": {
                "name": self._name,
                "config_sha256": hashlib.sha256(config.encode()).hexdigest(),
                "n_parameters": self._model.num_parameters(),
                "dtype": str(self._model.dtype),
            },
            "transformers": transformers.__version__,
            "form": "chat" if self._chat else "plain",
            **self._asking.record(),
        }

    def read(self, items: Sequence[Item]) -> Iterator[Prediction]:
        """Yield one prediction an item, in order, each as soon as it is made."""
        for passage, question in items:
            started = time.perf_counter()
            try:
                found = self._one(passage, question)
            except _TooLongError as error:
                found = Prediction(question_id=question.question_id, error=str(error))
            seconds = round(time.perf_counter() - started, 4)
            yield msgspec.structs.replace(found, seconds=seconds)

    def _one(self, passage: Passage, question: Question) -> Prediction:
        asks = self._asking.asks(passage, question)
        if self._asking.scores_options(question):
            rows = [
                self._logprobs(self._text(asks[0], continuation))
                for continuation in asks[0].continuations
            ]
            return self._asking.weigh(question, parted(rows))
        return self._asking.read(passage, question, [self._generate(ask) for ask in asks])

    def _text(self, ask: Ask, continuation: str | None = None) -> str:
        """Return what the model is given: the prompt, and for scoring what follows it."""
        if not self._chat:
            return ask.plain() + (continuation or "")
        shown: str = self._tokenizer.apply_chat_template(
            [turn._asdict() for turn in ask.turns], add_generation_prompt=True, tokenize=False
        )
        return shown if continuation is None else shown + ask.begun + continuation

    def _ids(self, text: str, room: int) -> Any:
        ids = self._tokenizer(text, return_tensors="pt", add_special_tokens=not self._chat)
        most = getattr(self._model.config, "max_position_embeddings", None)
        length = ids["input_ids"].shape[1]
        if most is not None and length + room > most:
            raise _TooLongError(
                f"the question does not fit the model: {length} tokens and {room} to "
                f"write, of {most}. Give fewer examples (-o shots=) or a smaller -o max_tokens"
            )
        return ids.to(self._model.device)

    def _generate(self, ask: Ask) -> Generation:
        import torch

        text = self._text(ask)
        ids = self._ids(text, self._max_tokens)
        with torch.inference_mode():
            written = self._model.generate(
                input_ids=ids["input_ids"],
                attention_mask=ids["attention_mask"],
                do_sample=False,
                max_new_tokens=self._max_tokens,
                pad_token_id=self._tokenizer.pad_token_id or self._tokenizer.eos_token_id or 0,
            )[0, ids["input_ids"].shape[1] :]
        ended = len(written) < self._max_tokens or int(written[-1]) in self._ends
        request = {"model": self._name, "text": text, "max_tokens": self._max_tokens}
        return Generation(
            text=self._tokenizer.decode(written, skip_special_tokens=True),
            finish_reason="stop" if ended else "length",
            prompt_tokens=int(ids["input_ids"].shape[1]),
            completion_tokens=len(written),
            request_sha256=hashlib.sha256(msgspec.json.encode(request)).hexdigest(),
            option_order=ask.option_order,
        )

    @cached_property
    def _ends(self) -> set[int]:
        found = self._model.generation_config.eos_token_id
        return set(found if isinstance(found, list) else [found])

    def _logprobs(self, text: str) -> list[tuple[str, float | None]]:
        """Return every token with its log-probability given all before it."""
        import torch

        ids = self._ids(text, 0)["input_ids"]
        with torch.inference_mode():
            logits = self._model(input_ids=ids).logits[0, :-1].float()
            values = torch.log_softmax(logits, dim=-1).gather(1, ids[0, 1:, None])[:, 0].tolist()
        return list(zip(map(str, ids[0].tolist()), [None, *values], strict=True))


class _TooLongError(Exception):
    """A question needs more tokens than the model can hold."""


def _opened(name: str, device: str, dtype: str) -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise missing_extra("the reader local", error.name or "transformers", "local") from error
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # progress is the verb's to show
    if dtype != "auto" and not isinstance(getattr(torch, dtype, None), torch.dtype):
        raise UsageError(f"dtype={dtype}", expected="auto, float32, bfloat16 or float16")
    offline = os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0")
    given = {
        "trust_remote_code": False,
        "local_files_only": offline or Path(name).is_dir(),
    }
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **given)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            name,
            use_safetensors=True,
            dtype=dtype if dtype == "auto" else getattr(torch, dtype),
            **given,
        )
        return model.to(device).eval(), tokenizer
    except (OSError, ValueError, RuntimeError) as error:
        first = str(error).strip().partition("\n")[0]
        raise InputError(
            f"the model cannot be opened: {first}",
            where=name,
            expected="a folder of a causal language model with safetensors, or a hub name",
            cure="HF_HUB_OFFLINE is set: give a folder" if offline else "check name and device",
        ) from error
