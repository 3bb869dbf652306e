"""What a service tells of the reader that it puts questions to."""

import httpx
import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from closeread.readers.baselines import Floor
from closeread.runs.records import ReaderInfo
from closeread.serve import demo
from closeread.serve.app import app
from closeread.serve.service import Service
from closeread.serve.settings import Settings
from loops import in_a_loop


def test_another_seed_is_no_other_reader():
    """The options tell the seed; what is recorded beside it is hashed without."""

    def told(seed, model):
        record = {"model": model, "request": {"temperature": 1.0, "seed": seed}}
        info = ReaderInfo(name="chat", options={"seed": seed}, record=record)
        return Service(Floor(str), info, None, Settings()).health().record_sha256

    assert told(1, "a") == told(2, "a") != told(1, "b")


def test_the_page_is_whole_where_another_version_was_installed_meanwhile(monkeypatch, tmp_path):
    made = app(Service(Floor(str), ReaderInfo(name="floor"), None, Settings()))
    monkeypatch.setattr(demo, "_FOLDER", tmp_path)

    async def page():
        way = httpx.ASGITransport(made)
        async with httpx.AsyncClient(transport=way, base_url="http://localhost") as client:
            return await client.get("/")

    assert in_a_loop(page()).status_code == 200
