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
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")  # no tokenizer takes them
_TOLERANCE = 1e-4  # by which two computations of one sequence may part
_PROBE_TOKENS = 12  # tokens by which it is tried what padding does
_POSITIONS = 512  # where a model does not tell how many it has
_WORDS = 5  # the first id that is a word: as a rule special tokens stand before them
EXPECTED_ENCODER = "an encoder like BERT or RoBERTa"
_USE_ANOTHER = "use another model"
EXPECTED_TOKENIZER = "the tokenizer that the model was trained with"
_BLANKS = ("\u2581", "\u0120")  # a token that is nothing but a blank, of pieces and of bytes


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """An opened model with its tokenizer.

    Attributes:
        name: The folder or hub name.
        head: ``span`` (start and end of an answer), ``choice`` (one number a sequence) or ``pair``
            (classes of two texts).
        model: In evaluation mode, on its device.
        tokenizer: A fast one: it knows the characters of its tokens.
    """

    name: str
    head: Head
    model: Any
    tokenizer: Any

    @cached_property
    def template(self) -> Template:
        """How the tokenizer frames texts, read off what it does to two of them.

        Raises:
            InputError: It does so otherwise than in one row with two kinds of segments, whose
                first token speaks for all.
        """
        first, second = (self.tokens(text).ids for text in ("a", "b"))
        pair = self.tokenizer("a", "b")
        ids, types = pair["input_ids"], pair.get("token_type_ids") or [0]
        begin = self._find(ids, first, 0)
        then = self._find(ids, second, begin + len(first))
        found = Template(
            before=tuple(ids[:begin]),
            between=tuple(ids[begin + len(first) : then]),
            after=tuple(ids[then + len(second) :]),
            second=max(types),
        )
        if found.pair(first, second) != Encoded(ids, pair.get("token_type_ids") or [0] * len(ids)):
            raise InputError(
                "the tokenizer has more than two segment types, like XLNet's",
                where=self.name,
                expected=EXPECTED_ENCODER,
                cure=_USE_ANOTHER,
            )
        whole = self.tokenizer.cls_token_id
        if whole is not None and whole in found.after and whole not in found.before:
            raise InputError(
                f"the tokenizer puts the classification token {self.tokenizer.cls_token} after the "
                "texts, like XLNet's",
                where=self.name,
                expected=EXPECTED_ENCODER,
                cure=_USE_ANOTHER,
            )
        return found

    @cached_property
    def max_length(self) -> int:
        """How many tokens the model can be given."""
        return max_sequence_length(self.model, self.tokenizer)

    @cached_property
    def has_segments(self) -> bool:
        """Whether the model tells a pair's second text from its first by segments.

        A tokenizer may tell them to a model that does not take them, or has embeddings of one.
        One that tells none leaves them out: to GPT-2 that is something else than segments of 0.
        """
        taken = inspect.signature(self.model.forward).parameters
        n_kinds = getattr(self.model.config, "type_vocab_size", 2)
        return self.template.second > 0 and "token_type_ids" in taken and n_kinds > 1

    @property
    def padding_id(self) -> int:
        """What fills up a sequence: the token that the model takes for padding, if it tells one.

        A head that takes the last token looks for those before it; decoders' tokenizers have none.
        """
        by_model = getattr(self.model.config, "pad_token_id", None)
        known = (by_model, self.tokenizer.pad_token_id, self.tokenizer.eos_token_id)
        return next((one for one in known if one is not None and 0 <= one < self._n_embeddings), 0)

    @cached_property
    def minds_padding(self) -> bool:
        """Whether padding changes what is said of a sequence, though it is masked.

        So it is where convolutions run over all tokens, or a head takes the last one.

        Raises:
            InputError: The model cannot compute what its tokenizer frames.
            UsageError: No memory is left to try it.
        """
        told = self.tried(_PROBE_TOKENS)
        ids = torch.full((1, 2 * _PROBE_TOKENS), self.padding_id)
        ids[0, :_PROBE_TOKENS] = torch.tensor(told.ids)
        mask = (torch.arange(2 * _PROBE_TOKENS) < _PROBE_TOKENS).long()[None]
        exact = self.model.dtype == torch.float32  # else rounding would look like padding
        try:
            model = self.model if exact else copy.deepcopy(self.model).float()
            alone, padded = (
                self._said(model, ids[:, :width], mask[:, :width])[..., :_PROBE_TOKENS]
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
        apart, most = (alone - padded).abs().max(), alone.abs().max()
        return bool(apart > _TOLERANCE * (1 + most))

    @cached_property
    def mark_id(self) -> int | None:
        """The token that a mark in a text becomes: a separator, where the model takes any number.

        Some look for those of the frame, and fail where a text has more of them (Longformer for
        spans), or not as many as another one of its batch (BART for pairs): there it is the mask.
        None where the tokenizer has none of these.

        Raises:
            UsageError: No memory is left to try it.
        """
        separator, unknown = self._separator, self.tokenizer.unk_token_id
        if separator is not None and (separator == unknown or self._takes_more(separator)):
            return int(separator)
        others = (self.tokenizer.mask_token_id, unknown, separator)
        return next((int(one) for one in others if one is not None), None)

    def _takes_more(self, separator: int) -> bool:
        """Whether texts of one and of no separator can be computed together."""
        told = self.tried(_PROBE_TOKENS)
        ids = torch.tensor([told.ids, told.ids])
        ids[1, _PROBE_TOKENS - len(self.template.after) - 2] = separator
        try:
            self._said(self.model, ids, torch.ones_like(ids))
        except Exception as error:  # each has its own way to refuse
            check_memory(self.name, error)
            return False
        return True

    def _said(self, model: Any, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        given = (one.to(model.device) for one in (ids, mask))
        ids, mask = (one[None] if self.head == "choice" else one for one in given)
        with torch.inference_mode():
            out = model(input_ids=ids, attention_mask=mask)
        said = (out.start_logits, out.end_logits) if self.head == "span" else (out.logits,)
        return torch.cat(said)

    def tried(self, n_tokens: int, at: int = 0) -> Encoded:
        """Return a pair of texts by which a way to compute the model is tried.

        It is framed as all that the model is given: some look for their separators.

        Args:
            n_tokens: Of both, special ones included.
            at: Another number, other texts.
        """
        n_words = getattr(self.model.config, "vocab_size", None) or _WORDS
        n_free = n_tokens - self.template.n_special
        ids = [_WORDS + 37 * (at + place) % max(1, n_words - _WORDS) for place in range(n_free)]
        return self.template.pair(ids[: n_free // 3], ids[n_free // 3 :])

    def _find(self, ids: Sequence[int], part: Sequence[int], begin: int) -> int:
        for place in range(begin, len(ids) - len(part) + 1):
            if list(ids[place : place + len(part)]) == list(part):
                return place
        raise InputError(
            "the tokenizer encodes a text differently when it is paired with another",
            where=self.name,
            expected=EXPECTED_ENCODER,
            cure=_USE_ANOTHER,
        )

    @property
    def n_parameters(self) -> int:
        """How many numbers the model has learned."""
        return int(self.model.num_parameters())

    def tokens(self, text: str) -> Tokens:
        """Return a text's tokens, without special ones.

        Raises:
            InputError: One is of a tokenizer that knows more words than the model.
        """
        return self._tokens_of([text])[0]

    def _tokens_of(self, texts: Sequence[str]) -> list[Tokens]:
        """Return each text's tokens; one call for many costs much less than many calls."""
        with reporting_tokenizer_crash(self.name):
            made = self.tokenizer(
                [_LONE_SURROGATES.sub("\ufffd", text) for text in texts],
                add_special_tokens=False,
                return_offsets_mapping=True,
                verbose=False,
            )
        rows = zip(texts, made["input_ids"], made["offset_mapping"], strict=True)
        return [self._as_tokens(*row) for row in rows]

    def _as_tokens(self, text: str, ids: list[int], offsets: Sequence[tuple[int, int]]) -> Tokens:
        if ids and max(ids) >= self._n_embeddings:  # an accelerator would end the process for it
            raise InputError(
                f"the tokenizer has the token {self.tokenizer.convert_ids_to_tokens(max(ids))!r} "
                f"with id {max(ids):,}, but the model has only {self._n_embeddings:,} embeddings",
                where=self.name,
                expected=EXPECTED_TOKENIZER,
                cure="copy the tokenizer's files again: they may be another model's",
            )
        if self._separator in ids and self.mark_id not in (self._separator, None):
            # A text may spell it out.
            ids = [self.mark_id if one == self._separator else one for one in ids]
        found = Tokens(ids, [one[0] for one in offsets], [one[1] for one in offsets])
        if ids and not text[0].isspace() and ids[0] in self._blanks:
            # The blank that some tokenizers put before a text is told to be its first character,
            # and an answer would begin with it and not with the token that is that character.
            found.ends[0] = found.starts[0]
        return found

    @cached_property
    def _n_embeddings(self) -> int:
        return int(self.model.get_input_embeddings().weight.shape[0])

    @cached_property
    def _separator(self) -> int | None:
        found: int | None = self.tokenizer.sep_token_id
        return found

    @cached_property
    def _blanks(self) -> frozenset[int]:
        # Of what it lacks it tells another's id, or None.
        told = self.tokenizer.convert_tokens_to_ids([*_BLANKS])
        ids = [one for one in told if one is not None]
        found = self.tokenizer.convert_ids_to_tokens(ids)
        return frozenset(one for one, name in zip(ids, found, strict=True) if name in _BLANKS)

    def marked_tokens(self, text: str) -> Tokens:
        """Return a passage's tokens; MRQA's ``[TLE]``, ``[DOC]`` and ``[PAR]`` are ``mark_id``."""
        marks = list(_MARKS.finditer(text))
        begins = [0, *(mark.end() for mark in marks)]
        ends = [*(mark.start() for mark in marks), len(text)]
        parts = self._tokens_of([text[begin:end] for begin, end in zip(begins, ends, strict=True)])
        if not marks:
            return parts[0]
        found = Tokens([], [], [])
        for part, base, mark in zip(parts, begins, [*marks, None], strict=True):
            found.ids.extend(part.ids)
            found.starts.extend(base + start for start in part.starts)
            found.ends.extend(base + end for end in part.ends)
            if mark and self.mark_id is not None:
                found.ids.append(self.mark_id)
                found.starts.append(mark.start())
                found.ends.append(mark.end())
        return found

    def room(self, max_length: int, beside: int) -> int:
        """Return how many tokens a sequence may have: what is asked for, or what the model takes.

        Args:
            max_length: What is asked for.
            beside: With fewer beside the special ones nothing can be said.

        Raises:
            UsageError: There are fewer.
        """
        least = self.template.n_special + beside
        found = min(max_length, self.max_length)
        if found >= least:
            return found
        by_model = self.max_length < least
        raise UsageError(
            f"max_length={found}" + (", the model's maximum" if by_model else ""),
            where=self.name,
            expected=f"at least {least}",
            cure="use a model of longer sequences"
            if by_model
            else f"give max_length={least} or more, or leave it out",
        )

    def save(self, folder: Path) -> None:
        """Write a folder that ``open_checkpoint`` and transformers' Auto classes read."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def max_sequence_length(model: Any, tokenizer: Any) -> int:
    """Return how many tokens a model can be given, by its positions and its tokenizer."""
    positions = getattr(model.config, "max_position_embeddings", None) or _POSITIONS
    if positions < 1:  # XLNet's way to say that there is no limit
        positions = _POSITIONS
    embeddings = getattr(model.base_model, "embeddings", None)
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    if padding is not None:  # RoBERTa and its like: positions begin behind the padding's
        positions -= padding + 1
    return int(min(positions, tokenizer.model_max_length))
