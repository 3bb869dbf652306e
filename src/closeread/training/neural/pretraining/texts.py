"""Packs texts into blocks of tokens of equal length, for pretraining."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from closeread.registry.extras import missing_extra
from closeread.text.language import detect
from closeread.training.recipes.encoder import Masking

_TEXTS_PER_CALL = 256  # texts tokenized at once


class Block(NamedTuple):
    """A block of tokens to learn from.

    Attributes:
        ids: Token ids, special tokens included.
        words: The number of each token's word; tokens of one word are masked together.
        special: 1 for each special token, which is never masked, else 0.
        number: The number of the block, in the order of the texts.
    """

    ids: list[int]
    words: list[int]
    special: list[int]
    number: int


def blocks(texts: Iterable[str], tokenizer: Any, length: int, masking: Masking) -> Iterator[Block]:
    """Yield blocks filled with the texts one after the other, separated by a special token.

    This is the packing of RoBERTa (Liu et al. 2019, FULL-SENTENCES): a block may start in the
    middle of a text and contain the beginning of the next. The last block may be shorter.

    Args:
        texts: Passages, each used once.
        tokenizer: A fast tokenizer with [CLS] and [SEP] or their equivalents.
        length: Tokens of a block, special tokens included.
        masking: ``word`` numbers tokens by word: with jieba's dictionary for Chinese, else as the
            tokenizer's pre-tokenizer splits the text. ``token`` gives each token its own number.

    Raises:
        MissingExtraError: ``word`` masking of Chinese needs rjieba, which is not installed.
    """
    capacity = length - 2
    first_id, last_id = tokenizer.cls_token_id, tokenizer.sep_token_id
    ids: list[int] = []
    words: list[int] = []
    numbers = count()
    for text_ids, text_words in _iter_token_words(texts, tokenizer, masking):
        first_word = words[-1] + 1 if words else 0
        ids += [*text_ids, last_id]
        words += [*(first_word + word for word in text_words), first_word + len(text_ids)]
        while len(ids) > capacity:
            yield _make_block(ids[:capacity], words[:capacity], first_id, last_id, next(numbers))
            del ids[:capacity], words[:capacity]
    if len(ids) > 1:
        yield _make_block(ids[:-1], words[:-1], first_id, last_id, next(numbers))


def _make_block(
    ids: list[int], words: list[int], first_id: int, last_id: int, number: int
) -> Block:
    first_word = words[0]
    block_words = [0, *(value - first_word + 1 for value in words)]
    block_ids = [first_id, *ids, last_id]
    special = [int(value in (first_id, last_id)) for value in block_ids]
    return Block(block_ids, [*block_words, block_words[-1] + 1], special, number)


def _iter_token_words(
    texts: Iterable[str], tokenizer: Any, masking: Masking
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the token ids of each text, and the number of each token's word."""
    for batch in _batches(texts):
        encoding = tokenizer(
            batch, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        for row, (text, ids) in enumerate(zip(batch, encoding["input_ids"], strict=True)):
            if masking == "token":
                yield ids, list(range(len(ids)))
            elif detect(text) == "zh":
                yield ids, _number_chinese_words(text, encoding["offset_mapping"][row])
            else:
                yield ids, [word or 0 for word in encoding.word_ids(row)]


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == _TEXTS_PER_CALL:
            yield batch
            batch = []
    if batch:
        yield batch


def _number_chinese_words(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Return the number of the word in which each token starts.

    rjieba can lose a character; then each token counts as a word.
    """
    try:
        import rjieba
    except ModuleNotFoundError as error:
        raise missing_extra("hiding Chinese words whole", "rjieba", "zh") from error
    pieces = rjieba.cut(text)
    if "".join(pieces) != text:
        return list(range(len(offsets)))
    word_of = [number for number, piece in enumerate(pieces) for _ in piece]
    return [word_of[start] for start, _ in offsets]
