"""Cache teachers' votes beside a training's states, so that a resumed training reuses them."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from closeread.formats.files.atomic_write import replacing
from closeread.readers.windows import Window
from closeread.training.processes import is_first_process

Golds = Sequence[tuple[int, int]]
Votes = NDArray[np.int32]  # shape (windows, votes, 2): where answers start and end


class VoteCache:
    """Caches votes in files named by a hash of everything they depend on.

    So votes of other teachers, windows or answers are never reused. A broken file is computed
    again. Of several processes, which have the same examples, only the first writes.

    Args:
        folder: The folder of the files, which is removed with the states; None disables the cache.
        follows_from: What all votes depend on, such as hashes of the teachers; an empty string
            stands for an unknown hash, and disables the cache.
    """

    def __init__(self, folder: Path | None, follows_from: Sequence[Any]) -> None:
        self._folder = None if "" in follows_from else folder
        self._follows_from = follows_from

    def get(
        self,
        examples: Sequence[tuple[Window, Golds]],
        compute: Callable[[Sequence[tuple[Window, Golds]]], Votes],
    ) -> Votes:
        """Return the cached votes of some examples; if there are none, compute and cache them.

        Raises:
            StorageError: The file cannot be written.
        """
        if self._folder is None:
            return compute(examples)
        key = msgspec.json.encode([self._follows_from, examples])
        path = self._folder / f"{hashlib.sha256(key).hexdigest()}.npy"
        votes = _read_votes(path, len(examples))
        if votes is None:
            votes = compute(examples)
            if is_first_process():
                with replacing(path) as stream:
                    np.save(stream, votes)
        return votes


def _read_votes(path: Path, n_examples: int) -> Votes | None:
    """Return the votes in a file; None if it is missing, incomplete or of another shape."""
    try:
        votes = np.load(path, allow_pickle=False)
    except (OSError, EOFError, ValueError):
        return None
    fits = votes.dtype == np.int32 and votes.ndim == 3 and len(votes) == n_examples
    return votes if fits else None
