"""What a service tells of the reader that it puts questions to."""

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from closeread.readers.baselines import Floor
from closeread.runs.records import ReaderInfo
from closeread.serve.service import Service
from closeread.serve.settings import Settings


def test_another_seed_is_no_other_reader():
    """The options tell the seed; what is recorded beside it is hashed without."""

    def told(seed, model):
        record = {"model": model, "request": {"temperature": 1.0, "seed": seed}}
        info = ReaderInfo(name="chat", options={"seed": seed}, record=record)
        return Service(Floor(str), info, None, Settings()).health().record_sha256

    assert told(1, "a") == told(2, "a") != told(1, "b")
