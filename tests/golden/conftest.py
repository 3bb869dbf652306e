"""Official outputs from the corpus, never fewer than its index promises."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Golden = Callable[[str], Any]


@pytest.fixture(scope="session")
def golden(corpus: Path) -> Golden:
    """Load ``folder/file`` of the golden outputs and say how many rows it has."""
    index = json.loads((corpus / "golden/INDEX.json").read_text("utf-8"))

    def load(name: str) -> Any:
        text = (corpus / "golden" / name).read_text("utf-8")
        if name.endswith(".jsonl"):
            found = [json.loads(line) for line in text.split("\n") if line]
        else:
            found = json.loads(text)
        assert len(found) == index[name], f"{name}: {len(found)} rows, not {index[name]}"
        print(f"{name}: {len(found)} rows to compare")
        return found

    return load


@pytest.fixture(scope="module")
def punkt(corpus: Path) -> Iterator[None]:
    """Let NLTK find the Punkt parameters that the official outputs were made with."""
    nltk = pytest.importorskip("nltk")
    folder = str(corpus / "data/nltk")
    nltk.data.path.insert(0, folder)
    yield
    nltk.data.path.remove(folder)
