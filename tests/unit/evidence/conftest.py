"""What tests of evidence share: word vectors that are there in full."""

import pytest

from closeread.evidence.vectors.matrix import load
from topic_encoder import TOPICS


@pytest.fixture
def vectors(tmp_path, monkeypatch):
    """Of length 0.05: lengths must not matter where directions are compared."""
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path))
    load.cache_clear()
    path = tmp_path / "v.txt"
    rows = [
        f"{word} {' '.join(str(0.05 * (axis == n)) for n in range(3))}"
        for word, axis in TOPICS.items()
    ]
    path.write_text(f"{len(rows)} 3\n" + "\n".join(rows) + "\n", "utf-8")
    return str(path)
