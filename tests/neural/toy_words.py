"""A toy language of six Chinese words and a little English, and its vocabulary."""

from pathlib import Path

WORDS = ("海水", "盐度", "蒸发", "降水", "河流", "冰川")
_PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "。", "the", "ferry", "##s", "left", "."]


def write_vocabulary(path: Path) -> Path:
    """Write BERT's vocabulary of characters and pieces of words; return the path."""
    path.write_text("\n".join([*_PIECES, *sorted(set("".join(WORDS)))]) + "\n", "utf-8")
    return path
