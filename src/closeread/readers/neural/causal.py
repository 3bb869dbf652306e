"""A causal language model: generates text, and returns log-probabilities of tokens."""

import hashlib
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

from closeread.errors import InputError, UsageError
from closeread.readers.models.location import (
    first_line,
    is_offline,
    load_one_at_a_time,
    reporting_tokenizer_crash,
)
from closeread.registry.extras import missing_extra


class GeneratedText(NamedTuple):
    """A generated text, whether it ended within the limit, and its length with the end token."""

    text: str
    ended: bool
    n_tokens: int


class CausalModel:
    """The weights and the tokenizer of one model."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer

    @classmethod
    def open(cls, name: str, device: str, dtype: str) -> "CausalModel":
        """Open a model from a folder or a hub name.

        Args:
            name: The folder or hub name.
            device: Such as ``cpu`` or ``cuda:0``.
            dtype: Such as ``float32``; ``auto`` is the dtype of the weights.

        Raises:
            InputError: It is not a causal language model with safetensors.
            MissingExtraError: torch or transformers is not installed.
            UsageError: There is no such dtype.
        """
        return cls(*_open_model(name, device, dtype))

    @property
    def has_template(self) -> bool:
        """Whether the model has a chat template."""
        return bool(self._tokenizer.chat_template)

    @property
    def max_length(self) -> int | None:
        """Maximum tokens of a sequence; None if the model's configuration does not say."""
        max_length: int | None = getattr(self._model.config, "max_position_embeddings", None)
        return max_length

    @property
    def model_record(self) -> dict[str, Any]:
        """The record of the model for the run folder: configuration's hash, size and dtype."""
        from closeread.readers.neural.opening import configuration

        config = configuration(self._model)
        return {
            "config_sha256": hashlib.sha256(config.encode()).hexdigest(),
            "n_parameters": self._model.num_parameters(),
            "dtype": str(self._model.dtype),
        }

    @property
    def library_version(self) -> str:
        """The version of transformers."""
        import transformers

        return str(transformers.__version__)

    def apply_chat_template(self, messages: Sequence[dict[str, str]]) -> str:
        """Return a conversation in the model's chat template, up to the start of the answer."""
        text: str = self._tokenizer.apply_chat_template(
            list(messages), add_generation_prompt=True, tokenize=False
        )
        return text

    def encode(self, text: str, *, special: bool) -> list[int]:
        """Return the token ids of a text.

        Args:
            text: The text.
            special: Whether to include the special tokens that the tokenizer adds.

        Raises:
            InputError: The tokenizer crashes on the text.
        """
        with reporting_tokenizer_crash(self._model.name_or_path):
            ids: list[int] = self._tokenizer(text, add_special_tokens=special)["input_ids"]
        return ids

    def generate(self, rows: Sequence[list[int]], max_tokens: int) -> list[GeneratedText]:
        """Return the greedy continuation of each row, computed as one batch.

        Args:
            rows: Token ids of each sequence.
            max_tokens: Maximum tokens generated after each.

        Raises:
            UsageError: The batch does not fit in the device's memory.
        """
        with _report_out_of_memory():
            ids, mask = self._pad_rows(rows, left=True)
            generated = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                do_sample=False,
                num_beams=1,
                max_new_tokens=max_tokens,
                pad_token_id=self._padding_id,
            )[:, ids.shape[1] :].tolist()
        return [self._cut_at_end(row, max_tokens) for row in generated]

    def _cut_at_end(self, row: list[int], max_tokens: int) -> GeneratedText:
        """Return a generated text without the padding after its end token."""
        end = next((index for index, token_id in enumerate(row) if token_id in self._end_ids), None)
        kept = row if end is None else row[: end + 1]
        text = self._tokenizer.decode(kept, skip_special_tokens=True)
        return GeneratedText(text, end is not None or len(kept) < max_tokens, len(kept))

    def logprobs(self, rows: Sequence[list[int]], starts: Sequence[int]) -> list[list[float]]:
        """Return the log-probability of every token from ``starts`` on, given all before it.

        If the model supports it, only the needed positions go through the last layer, whose output
        has one column per token of the vocabulary.

        Args:
            rows: Token ids of each sequence.
            starts: For each the first position needed, at least 1.

        Raises:
            UsageError: The batch does not fit in the device's memory.
        """
        import torch

        values = []
        with _report_out_of_memory():
            ids, mask = self._pad_rows(rows, left=False)
            extra = (
                {"logits_to_keep": ids.shape[1] - min(starts) + 1}
                if self._takes_logits_to_keep
                else {}
            )
            logits = self._model(input_ids=ids, attention_mask=mask, **extra).logits
            skipped = ids.shape[1] - logits.shape[1]
            for index, (row, start) in enumerate(zip(rows, starts, strict=True)):
                row_logits = logits[index, start - 1 - skipped : len(row) - 1 - skipped].float()
                targets = ids[index, start : len(row), None]
                values.append(
                    torch.log_softmax(row_logits, dim=-1).gather(1, targets)[:, 0].tolist()
                )
        return values

    def _pad_rows(self, rows: Sequence[list[int]], *, left: bool) -> tuple[Any, Any]:
        """Return padded ids and attention mask, shape (rows, longest row), on the device."""
        import torch

        width = max(map(len, rows))
        ids = torch.full((len(rows), width), self._padding_id)
        mask = torch.zeros_like(ids)
        for index, row in enumerate(rows):
            start = width - len(row) if left else 0
            ids[index, start : start + len(row)] = torch.tensor(row)
            mask[index, start : start + len(row)] = 1
        return ids.to(self._model.device), mask.to(self._model.device)

    @cached_property
    def padding_is_safe(self) -> bool:
        """Whether padding before a prompt does not change the generated text.

        It does if the model has a recurrent state, or if its generation settings depend on the
        preceding tokens or their number.
        """
        settings = self._model.generation_config
        return not (
            getattr(self._model, "_is_stateful", False)
            or getattr(settings, "repetition_penalty", None) not in (None, 1.0)
            or getattr(settings, "no_repeat_ngram_size", None)
            or getattr(settings, "min_length", None)
        )

    @cached_property
    def _end_ids(self) -> set[int]:
        end_ids = self._model.generation_config.eos_token_id
        return set(end_ids if isinstance(end_ids, list) else [end_ids])

    @cached_property
    def _padding_id(self) -> int:
        candidates = (self._tokenizer.pad_token_id, self._tokenizer.eos_token_id)
        return next((int(token_id) for token_id in candidates if token_id is not None), 0)

    @cached_property
    def _takes_logits_to_keep(self) -> bool:
        return "logits_to_keep" in inspect.signature(self._model.forward).parameters


@contextmanager
def _report_out_of_memory() -> Iterator[None]:
    """Compute without gradients, and report a batch that does not fit in memory."""
    import torch

    try:
        with torch.inference_mode():
            yield
    except torch.OutOfMemoryError as error:
        raise UsageError(
            f"a batch does not fit in the device's memory: {str(error).partition('. ')[0]}",
            cure="give a smaller -o batch_tokens= or -o batch=; predictions so far are saved; "
            "rerun the same command with --resume to continue",
        ) from error


@load_one_at_a_time
def _open_model(name: str, device: str, dtype: str) -> tuple[Any, Any]:
    try:
        import torch  # noqa: F401 - fail here if it is missing: the imports below need it
        import transformers
    except ModuleNotFoundError as error:
        raise missing_extra("the reader local", error.name or "transformers", "local") from error
    from transformers.utils.logging import disable_progress_bar

    from closeread.readers.neural.opening import loading_options, number_type, open_tokenizer

    disable_progress_bar()  # commands show their own progress
    torch_dtype = dtype if dtype == "auto" else number_type(dtype, "auto")
    options = loading_options(name)
    tokenizer = open_tokenizer(name, options)
    try:
        model, report = transformers.AutoModelForCausalLM.from_pretrained(
            name,
            use_safetensors=True,
            dtype=torch_dtype,
            output_loading_info=True,
            **options,
        )
        model = model.to(device).eval()
    except Exception as error:  # broken files make the libraries raise many types of errors
        raise InputError(
            f"the model cannot be opened: {first_line(error)}",
            where=name,
            expected="a folder of a causal language model with safetensors, or a hub name",
            cure="HF_HUB_OFFLINE is set: give a local folder, or unset it"
            if is_offline()
            else "check the name and the device",
        ) from error
    if missing := sorted(report["missing_keys"]):
        raise InputError(
            f"the checkpoint has no weights for {', '.join(missing[:4])}, which would be random",
            where=name,
            expected="a causal language model (AutoModelForCausalLM)",
            cure="use a model that was trained to generate text",
        )
    return model, tokenizer
