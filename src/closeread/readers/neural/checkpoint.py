"""An opened checkpoint: an encoder with a head, and its tokenizer."""

import copy
import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import torch

from closeread.errors import InputError, UsageError
from closeread.readers.models.location import first_line, reporting_tokenizer_crash
from closeread.readers.neural.out_of_memory import check_memory
from closeread.readers.windows import Encoded, Template, Tokens
from closeread.text.mrqa_marks import MARK

Head = Literal["span", "choice", "pair"]
_MARKS = re.compile(MARK)
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")  # tokenizers reject them
_TOLERANCE = 1e-4  # by which two computations of one sequence may differ
_PROBE_TOKENS = 12  # of the sequence that shows the effect of padding
_DEFAULT_POSITIONS = 512  # if the configuration does not say
_FIRST_WORD_ID = 5  # special tokens usually have lower ids
EXPECTED_ENCODER = "an encoder like BERT or RoBERTa"
_USE_ANOTHER = "use another model"
EXPECTED_TOKENIZER = "the tokenizer that the model was trained with"
_SPACE_TOKENS = ("\u2581", "\u0120")  # a token of a space alone: SentencePiece, byte-level BPE


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """An opened model with its tokenizer.

    Attributes:
        name: The folder or hub name.
        head: ``span`` (start and end of an answer), ``choice`` (one number per sequence) or
            ``pair`` (classes of two texts).
        model: In evaluation mode, on its device.
        tokenizer: A fast tokenizer, which maps tokens to characters.
    """

    name: str
    head: Head
    model: Any
    tokenizer: Any

    @cached_property
    def template(self) -> Template:
        """How the tokenizer frames a pair of texts, found by encoding two of them.

        Raises:
            InputError: The frame has more than two segments, or its classification token is not
                the first token.
        """
        first, second = (self.tokens(text).ids for text in ("a", "b"))
        pair = self.tokenizer("a", "b")
        ids, types = pair["input_ids"], pair.get("token_type_ids") or [0]
        first_start = self._find_ids(ids, first, 0)
        second_start = self._find_ids(ids, second, first_start + len(first))
        template = Template(
            before=tuple(ids[:first_start]),
            between=tuple(ids[first_start + len(first) : second_start]),
            after=tuple(ids[second_start + len(second) :]),
            second=max(types),
        )
        if template.pair(first, second) != Encoded(
            ids, pair.get("token_type_ids") or [0] * len(ids)
        ):
            raise InputError(
                "the tokenizer has more than two segment types, like XLNet's",
                where=self.name,
                expected=EXPECTED_ENCODER,
                cure=_USE_ANOTHER,
            )
        classification_id = self.tokenizer.cls_token_id
        if (
            classification_id is not None
            and classification_id in template.after
            and classification_id not in template.before
        ):
            raise InputError(
                f"the tokenizer puts the classification token {self.tokenizer.cls_token} after the "
                "texts, like XLNet's",
                where=self.name,
                expected=EXPECTED_ENCODER,
                cure=_USE_ANOTHER,
            )
        return template

    @cached_property
    def max_length(self) -> int:
        """Maximum tokens of a sequence."""
        return max_sequence_length(self.model, self.tokenizer)

    @cached_property
    def has_segments(self) -> bool:
        """Whether the model needs segment ids for the two texts of a pair.

        A tokenizer may return them for a model that does not take them, or has embeddings of only
        one. Without need they are left out: to GPT-2, segments of 0 are not the same as none.
        """
        arguments = inspect.signature(self.model.forward).parameters
        n_segments = getattr(self.model.config, "type_vocab_size", 2)
        return self.template.second > 0 and "token_type_ids" in arguments and n_segments > 1

    @property
    def padding_id(self) -> int:
        """The id of the padding token, as configured in the model, else in the tokenizer.

        The model's own comes first, because heads that use the last token search for it. Tokenizers
        of decoders have none: then it is the end token, or 0.
        """
        model_id = getattr(self.model.config, "pad_token_id", None)
        candidates = (model_id, self.tokenizer.pad_token_id, self.tokenizer.eos_token_id)
        return next(
            (
                token_id
                for token_id in candidates
                if token_id is not None and 0 <= token_id < self._n_embeddings
            ),
            0,
        )

    @cached_property
    def padding_changes_output(self) -> bool:
        """Whether padding changes the output of a sequence although it is masked.

        It does if the model has convolutions over all tokens, or if the head uses the last token.

        Raises:
            InputError: The model fails on texts as its tokenizer encodes them.
            UsageError: The memory is used up.
        """
        probe = self.make_probe_pair(_PROBE_TOKENS)
        ids = torch.full((1, 2 * _PROBE_TOKENS), self.padding_id)
        ids[0, :_PROBE_TOKENS] = torch.tensor(probe.ids)
        mask = (torch.arange(2 * _PROBE_TOKENS) < _PROBE_TOKENS).long()[None]
        # In lower precision, rounding errors would look like an effect.
        is_float32 = self.model.dtype == torch.float32
        try:
            model = self.model if is_float32 else copy.deepcopy(self.model).float()
            alone, padded = (
                self._compute_logits(model, ids[:, :width], mask[:, :width])[..., :_PROBE_TOKENS]
                for width in (_PROBE_TOKENS, 2 * _PROBE_TOKENS)
            )
        except Exception as error:  # each has its own way to refuse
            check_memory(self.name, error)
            raise InputError(
                f"the model fails on two texts as its tokenizer encodes them: {first_line(error)}",
                where=self.name,
                expected=f"{EXPECTED_ENCODER}, with {EXPECTED_TOKENIZER}",
                cure="copy the tokenizer's files again, or use another model",
            ) from error
        difference, largest = (alone - padded).abs().max(), alone.abs().max()
        return bool(difference > _TOLERANCE * (1 + largest))

    @cached_property
    def mark_id(self) -> int | None:
        """The id that replaces a mark in a text: the separator if the model allows more of them.

        Some models search for the separators of the frame. They fail if a text has further ones
        (Longformer for spans), or another number than other texts of its batch (BART for pairs):
        then it is the mask token. None if the tokenizer has none of these.

        Raises:
            UsageError: The memory is used up.
        """
        separator, unknown = self._separator, self.tokenizer.unk_token_id
        if separator is not None and (
            separator == unknown or self._takes_extra_separator(separator)
        ):
            return int(separator)
        candidates = (self.tokenizer.mask_token_id, unknown, separator)
        return next((int(token_id) for token_id in candidates if token_id is not None), None)

    def _takes_extra_separator(self, separator: int) -> bool:
        """Return whether texts with and without an extra separator can be computed as a batch."""
        probe = self.make_probe_pair(_PROBE_TOKENS)
        ids = torch.tensor([probe.ids, probe.ids])
        ids[1, _PROBE_TOKENS - len(self.template.after) - 2] = separator
        try:
            self._compute_logits(self.model, ids, torch.ones_like(ids))
        except Exception as error:  # each has its own way to refuse
            check_memory(self.name, error)
            return False
        return True

    def _compute_logits(self, model: Any, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        tensors = (tensor.to(model.device) for tensor in (ids, mask))
        ids, mask = (tensor[None] if self.head == "choice" else tensor for tensor in tensors)
        with torch.inference_mode():
            output = model(input_ids=ids, attention_mask=mask)
        logits = (
            (output.start_logits, output.end_logits) if self.head == "span" else (output.logits,)
        )
        return torch.cat(logits)

    def make_probe_pair(self, n_tokens: int, variant: int = 0) -> Encoded:
        """Return a pair of artificial texts, to compare two ways of computing the model.

        It has the tokenizer's frame, because some models search for its separators.

        Args:
            n_tokens: Tokens of the sequence, special ones included.
            variant: Different numbers give different texts.
        """
        n_words = getattr(self.model.config, "vocab_size", None) or _FIRST_WORD_ID
        n_text = n_tokens - self.template.n_special
        ids = [
            _FIRST_WORD_ID + 37 * (variant + index) % max(1, n_words - _FIRST_WORD_ID)
            for index in range(n_text)
        ]
        return self.template.pair(ids[: n_text // 3], ids[n_text // 3 :])

    def _find_ids(self, ids: Sequence[int], part: Sequence[int], start: int) -> int:
        for index in range(start, len(ids) - len(part) + 1):
            if list(ids[index : index + len(part)]) == list(part):
                return index
        raise InputError(
            "the tokenizer encodes a text differently when it is paired with another",
            where=self.name,
            expected=EXPECTED_ENCODER,
            cure=_USE_ANOTHER,
        )

    @property
    def n_parameters(self) -> int:
        """Number of the model's parameters."""
        return int(self.model.num_parameters())

    def tokens(self, text: str) -> Tokens:
        """Return a text's tokens, without special ones.

        Raises:
            InputError: The model has no embedding for one of the tokens.
        """
        return self._tokenize_all([text])[0]

    def _tokenize_all(self, texts: Sequence[str]) -> list[Tokens]:
        """Return each text's tokens, in one call of the tokenizer, which is faster than many."""
        with reporting_tokenizer_crash(self.name):
            encoded = self.tokenizer(
                [_LONE_SURROGATES.sub("\ufffd", text) for text in texts],
                add_special_tokens=False,
                return_offsets_mapping=True,
                verbose=False,
            )
        rows = zip(texts, encoded["input_ids"], encoded["offset_mapping"], strict=True)
        return [self._to_tokens(*row) for row in rows]

    def _to_tokens(self, text: str, ids: list[int], offsets: Sequence[tuple[int, int]]) -> Tokens:
        if ids and max(ids) >= self._n_embeddings:  # on an accelerator it would crash the process
            raise InputError(
                f"the tokenizer has the token {self.tokenizer.convert_ids_to_tokens(max(ids))!r} "
                f"with id {max(ids):,}, but the model has only {self._n_embeddings:,} embeddings",
                where=self.name,
                expected=EXPECTED_TOKENIZER,
                cure="copy the tokenizer's files again: they may be another model's",
            )
        if self._separator in ids and self.mark_id not in (self._separator, None):
            # The text itself contains the separator's name.
            ids = [self.mark_id if token_id == self._separator else token_id for token_id in ids]
        tokens = Tokens(ids, [start for start, _ in offsets], [end for _, end in offsets])
        if ids and not text[0].isspace() and ids[0] in self._space_ids:
            # Some tokenizers add a space before a text and report the first character as its
            # offsets. Make it empty, so that an answer begins with the token of that character.
            tokens.ends[0] = tokens.starts[0]
        return tokens

    @cached_property
    def _n_embeddings(self) -> int:
        return int(self.model.get_input_embeddings().weight.shape[0])

    @cached_property
    def _separator(self) -> int | None:
        separator: int | None = self.tokenizer.sep_token_id
        return separator

    @cached_property
    def _space_ids(self) -> frozenset[int]:
        # For an unknown token the tokenizer returns the id of another one, or None.
        known_ids = self.tokenizer.convert_tokens_to_ids([*_SPACE_TOKENS])
        ids = [token_id for token_id in known_ids if token_id is not None]
        names = self.tokenizer.convert_ids_to_tokens(ids)
        return frozenset(
            token_id for token_id, name in zip(ids, names, strict=True) if name in _SPACE_TOKENS
        )

    def marked_tokens(self, text: str) -> Tokens:
        """Return a passage's tokens; MRQA's ``[TLE]``, ``[DOC]`` and ``[PAR]`` are ``mark_id``."""
        marks = list(_MARKS.finditer(text))
        begins = [0, *(mark.end() for mark in marks)]
        ends = [*(mark.start() for mark in marks), len(text)]
        parts = self._tokenize_all(
            [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
        )
        if not marks:
            return parts[0]
        tokens = Tokens([], [], [])
        for part, base, mark in zip(parts, begins, [*marks, None], strict=True):
            tokens.ids.extend(part.ids)
            tokens.starts.extend(base + start for start in part.starts)
            tokens.ends.extend(base + end for end in part.ends)
            if mark and self.mark_id is not None:
                tokens.ids.append(self.mark_id)
                tokens.starts.append(mark.start())
                tokens.ends.append(mark.end())
        return tokens

    def limit_length(self, max_length: int, min_text_tokens: int) -> int:
        """Return the maximum tokens of a sequence: ``max_length``, or the model's if smaller.

        Args:
            max_length: The requested maximum.
            min_text_tokens: Minimum tokens of a sequence besides the special ones.

        Raises:
            UsageError: The maximum has no room for the minimum.
        """
        minimum = self.template.n_special + min_text_tokens
        length = min(max_length, self.max_length)
        if length >= minimum:
            return length
        model_is_limit = self.max_length < minimum
        raise UsageError(
            f"max_length={length}" + (", the model's maximum" if model_is_limit else ""),
            where=self.name,
            expected=f"at least {minimum}",
            cure="use a model of longer sequences"
            if model_is_limit
            else f"give max_length={minimum} or more, or leave it out",
        )

    def save(self, folder: Path) -> None:
        """Write a folder that ``open_checkpoint`` and transformers' Auto classes read."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def max_sequence_length(model: Any, tokenizer: Any) -> int:
    """Return the maximum tokens of a sequence, by the model's positions and its tokenizer."""
    positions = getattr(model.config, "max_position_embeddings", None) or _DEFAULT_POSITIONS
    if positions < 1:  # XLNet: no limit
        positions = _DEFAULT_POSITIONS
    embeddings = getattr(model.base_model, "embeddings", None)
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    if padding is not None:  # models like RoBERTa: positions begin after the padding's
        positions -= padding + 1
    return int(min(positions, tokenizer.model_max_length))
