"""A causal language model: generates text after tokens, and gives their log-probabilities."""

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


class Written(NamedTuple):
    """A text, whether the model ended it itself, and its tokens, the end's own included."""

    text: str
    ended: bool
    n_tokens: int


class CausalModel:
    """Weights and tokenizer of one model."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer

    @classmethod
    def open(cls, name: str, device: str, dtype: str) -> "CausalModel":
        """Open a folder or a hub name.

        Raises:
            InputError: There is no causal language model with safetensors.
            MissingExtraError: torch or transformers is not installed.
            UsageError: There is no such dtype.
        """
        return cls(*_open_model(name, device, dtype))

    @property
    def has_template(self) -> bool:
        """Whether the model says how a conversation is written."""
        return bool(self._tokenizer.chat_template)

    @property
    def most(self) -> int | None:
        """Tokens that the model can hold; None where it does not say."""
        found: int | None = getattr(self._model.config, "max_position_embeddings", None)
        return found

    @property
    def facts(self) -> dict[str, Any]:
        """What a run says of the weights."""
        from closeread.readers.neural.opening import configuration

        config = configuration(self._model)
        return {
            "config_sha256": hashlib.sha256(config.encode()).hexdigest(),
            "n_parameters": self._model.num_parameters(),
            "dtype": str(self._model.dtype),
        }

    @property
    def library(self) -> str:
        """The version of transformers."""
        import transformers

        return str(transformers.__version__)

    def apply_chat_template(self, messages: Sequence[dict[str, str]]) -> str:
        """Return a conversation as the model's chat template writes it, the answer to follow."""
        found: str = self._tokenizer.apply_chat_template(
            list(messages), add_generation_prompt=True, tokenize=False
        )
        return found

    def ids(self, text: str, *, special: bool) -> list[int]:
        """Return a text's tokens, with those that the tokenizer puts around it or without.

        Raises:
            InputError: The tokenizer gives up at it.
        """
        with reporting_tokenizer_crash(self._model.name_or_path):
            found: list[int] = self._tokenizer(text, add_special_tokens=special)["input_ids"]
        return found

    def generate(self, rows: Sequence[list[int]], max_tokens: int) -> list[Written]:
        """Return what greedy decoding writes after each row, the rows computed together."""
        with _inference():
            ids, mask = self._padded(rows, left=True)
            found = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                do_sample=False,
                num_beams=1,
                max_new_tokens=max_tokens,
                pad_token_id=self._pad,
            )[:, ids.shape[1] :].tolist()
        return [self._written(row, max_tokens) for row in found]

    def _written(self, row: list[int], max_tokens: int) -> Written:
        """Cut the padding behind the end of a text."""
        end = next((place for place, one in enumerate(row) if one in self._ends), None)
        kept = row if end is None else row[: end + 1]
        text = self._tokenizer.decode(kept, skip_special_tokens=True)
        return Written(text, end is not None or len(kept) < max_tokens, len(kept))

    def logprobs(self, rows: Sequence[list[int]], starts: Sequence[int]) -> list[list[float]]:
        """Return the log-probability of every token from ``starts`` on, given all before it.

        Only the positions that are asked for go through the last layer, where the model allows it:
        its output has as many columns as there are words in the vocabulary.

        Args:
            rows: Tokens of each sequence.
            starts: For each the first place that is asked for, at least 1.
        """
        import torch

        found = []
        with _inference():
            ids, mask = self._padded(rows, left=False)
            kept = {"logits_to_keep": ids.shape[1] - min(starts) + 1} if self._keeps_few else {}
            logits = self._model(input_ids=ids, attention_mask=mask, **kept).logits
            skipped = ids.shape[1] - logits.shape[1]
            for place, (row, start) in enumerate(zip(rows, starts, strict=True)):
                part = logits[place, start - 1 - skipped : len(row) - 1 - skipped].float()
                wanted = ids[place, start : len(row), None]
                found.append(torch.log_softmax(part, dim=-1).gather(1, wanted)[:, 0].tolist())
        return found

    def _padded(self, rows: Sequence[list[int]], *, left: bool) -> tuple[Any, Any]:
        """Return ids and attention mask, shape (rows, the longest's tokens), on the device."""
        import torch

        width = max(map(len, rows))
        ids = torch.full((len(rows), width), self._pad)
        mask = torch.zeros_like(ids)
        for place, row in enumerate(rows):
            start = width - len(row) if left else 0
            ids[place, start : start + len(row)] = torch.tensor(row)
            mask[place, start : start + len(row)] = 1
        return ids.to(self._model.device), mask.to(self._model.device)

    @cached_property
    def may_pad(self) -> bool:
        """Whether padding before a prompt leaves what is written as it is.

        It does not where the model carries a state from token to token, nor where the model's own
        generation settings count or look back upon all tokens before.
        """
        settings = self._model.generation_config
        return not (
            getattr(self._model, "_is_stateful", False)
            or getattr(settings, "repetition_penalty", None) not in (None, 1.0)
            or getattr(settings, "no_repeat_ngram_size", None)
            or getattr(settings, "min_length", None)
        )

    @cached_property
    def _ends(self) -> set[int]:
        found = self._model.generation_config.eos_token_id
        return set(found if isinstance(found, list) else [found])

    @cached_property
    def _pad(self) -> int:
        found = (self._tokenizer.pad_token_id, self._tokenizer.eos_token_id)
        return next((int(one) for one in found if one is not None), 0)

    @cached_property
    def _keeps_few(self) -> bool:
        return "logits_to_keep" in inspect.signature(self._model.forward).parameters


@contextmanager
def _inference() -> Iterator[None]:
    """Compute without gradients; say what to do where the memory does not hold a batch."""
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
        import torch  # noqa: F401 - what is imported below needs it
        import transformers
    except ModuleNotFoundError as error:
        raise missing_extra("the reader local", error.name or "transformers", "local") from error
    from transformers.utils.logging import disable_progress_bar

    from closeread.readers.neural.opening import loading_options, number_type, open_tokenizer

    disable_progress_bar()  # progress is the verb's to show
    as_type = dtype if dtype == "auto" else number_type(dtype, "auto")
    given = loading_options(name)
    tokenizer = open_tokenizer(name, given)
    try:
        model, report = transformers.AutoModelForCausalLM.from_pretrained(
            name,
            use_safetensors=True,
            dtype=as_type,
            output_loading_info=True,
            **given,
        )
        model = model.to(device).eval()
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
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
