"""Teachers' votes, cached beside a training's states, so that a resumed training reuses them."""

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
    """Votes in files that are named by a hash of all that they follow from.

    So none is taken for those of other teachers, windows or answers; one that is broken is made
    anew. Of several processes, which have the same examples, the first writes.

    Args:
        folder: Where they lie, to be removed with the states; None keeps none.
        follows_from: What all of them follow from, such as hashes of the teachers; an empty text
            in it stands for what is not known, and keeps none.
    """

    def __init__(self, folder: Path | None, follows_from: Sequence[Any]) -> None:
        self._folder = None if "" in follows_from else folder
        self._follows_from = follows_from

    def of(
        self,
        examples: Sequence[tuple[Window, Golds]],
        make: Callable[[Sequence[tuple[Window, Golds]]], Votes],
    ) -> Votes:
        """Return the votes of some examples: those that are kept, else those made now.

        Raises:
            StorageError: They cannot be written.
        """
        if self._folder is None:
            return make(examples)
        told = msgspec.json.encode([self._follows_from, examples])
        path = self._folder / f"{hashlib.sha256(told).hexdigest()}.npy"
        found = _read_votes(path, len(examples))
        if found is None:
            found = make(examples)
            if is_first_process():
                with replacing(path) as stream:
                    np.save(stream, found)
        return found


def _read_votes(path: Path, n_examples: int) -> Votes | None:
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, EOFError, ValueError):  # none is there, or a part of one
        return None
    fits = found.dtype == np.int32 and found.ndim == 3 and len(found) == n_examples
    return found if fits else None
