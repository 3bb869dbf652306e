"""Texts -> blocks of tokens of one length, for learning a language from its passages alone."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from closeread.registry.extras import missing_extra
from closeread.text.language import detect
from closeread.training.recipes.encoder import Masking

_TEXTS_PER_CALL = 256  # texts tokenized at once


class Block(NamedTuple):
    """A piece of text to be learned from.

    Attributes:
        ids: Vocabulary ids, special ones included.
        words: For each token the number of its word; tokens of one word are hidden together.
        special: 1 for each token that is never hidden, else 0.
        number: The blocks are numbered in the order of the texts.
    """

    ids: list[int]
    words: list[int]
    special: list[int]
    number: int


def blocks(texts: Iterable[str], tokenizer: Any, length: int, masking: Masking) -> Iterator[Block]:
    """Yield blocks filled with one text after the other, a separator between them.

    This is the packing of RoBERTa (Liu et al. 2019, FULL-SENTENCES): a block may begin in the
    middle of a text and hold the beginning of the next. The last may be shorter.

    Args:
        texts: Passages; each is learned from once.
        tokenizer: A fast one, with [CLS] and [SEP] or their like.
        length: Tokens of a block, special ones included.
        masking: ``word`` numbers tokens by word: Chinese by jieba's dictionary, other languages
            as the tokenizer cuts them before it looks into its vocabulary. ``token`` gives each
            token its own number.

    Raises:
        MissingExtraError: Chinese words are wanted, and rjieba is not installed.
    """
    room = length - 2
    begin, end = tokenizer.cls_token_id, tokenizer.sep_token_id
    ids: list[int] = []
    words: list[int] = []
    number = count()
    for text_ids, text_words in _iter_numbered(texts, tokenizer, masking):
        base = words[-1] + 1 if words else 0
        ids += [*text_ids, end]
        words += [*(base + one for one in text_words), base + len(text_ids)]
        while len(ids) > room:
            yield _make_block(ids[:room], words[:room], begin, end, next(number))
            del ids[:room], words[:room]
    if len(ids) > 1:
        yield _make_block(ids[:-1], words[:-1], begin, end, next(number))


def _make_block(ids: list[int], words: list[int], begin: int, end: int, number: int) -> Block:
    first = words[0]
    numbers = [0, *(one - first + 1 for one in words)]
    framed = [begin, *ids, end]
    special = [int(one in (begin, end)) for one in framed]
    return Block(framed, [*numbers, numbers[-1] + 1], special, number)


def _iter_numbered(
    texts: Iterable[str], tokenizer: Any, masking: Masking
) -> Iterator[tuple[list[int], list[int]]]:
    for batch in _batches(texts):
        made = tokenizer(
            batch, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        for row, (text, ids) in enumerate(zip(batch, made["input_ids"], strict=True)):
            if masking == "token":
                yield ids, list(range(len(ids)))
            elif detect(text) == "zh":
                yield ids, _by_dictionary(text, made["offset_mapping"][row])
            else:
                yield ids, [one or 0 for one in made.word_ids(row)]


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == _TEXTS_PER_CALL:
            yield batch
            batch = []
    if batch:
        yield batch


def _by_dictionary(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Return the number of the word in which each token begins.

    rjieba can lose a character; tokens then stand alone.
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
