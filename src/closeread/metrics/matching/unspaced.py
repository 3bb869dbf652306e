"""Add a note to F1 if gold answers have no blanks between words, as in Chinese and Japanese.

SQuAD's program treats each of them as one word, so bag-of-words F1 is little more than exact match.
The official number is not changed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from closeread.protocols import Pool
from closeread.text.unicode_scripts import HAN, KANA

ONE_WORD = "a gold answer without spaces: one word"
_F1 = (".f1", ".hasans_f1", ".best_f1", ".pr_f1_ap")
_CJK_RUN = re.compile(f"[{HAN}{KANA}]{{2}}")


def unspaced_note(golds: Sequence[str]) -> str:
    """Return a question's note: ``ONE_WORD`` if its first reference is Chinese or Japanese."""
    first = golds[0] if golds else ""
    if first.isascii() or len(first.split()) > 1 or not _CJK_RUN.search(first):
        return ""
    return ONE_WORD


def add_unspaced_note(pools: Iterable[Pool], n_unspaced: int, n_answers: int) -> tuple[Pool, ...]:
    """Return the pools, with a note on those of F1 if most gold answers are unspaced."""
    if 2 * n_unspaced <= n_answers:
        return tuple(pools)
    note = (
        f"{n_unspaced:,} of {n_answers:,} answers are Chinese or Japanese, and this metric counts "
        "each as one word, so F1 is close to exact match: `--metric cmrc~mixed` compares "
        "characters"
    )
    return tuple(
        replace(pool, note="; ".join(filter(None, (pool.note, note))))
        if pool.metric.endswith(_F1)
        else pool
        for pool in pools
    )
