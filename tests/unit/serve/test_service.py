"""What a service tells of itself: its page, its interface, its state, and the reader behind it."""

import asyncio
import json
import threading
import tracemalloc

import httpx
import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from closeread.readers.baselines import Floor
from closeread.runs.records import ReaderInfo
from closeread.serve import demo, mrqa
from closeread.serve.app import app
from closeread.serve.refusals import stopping_refusal
from closeread.serve.service import Service
from closeread.serve.settings import Settings
from event_loops import run_coroutine
from serving_process import WAIT_SECONDS, shared_task_body


def test_another_seed_keeps_the_record_hash():
    """The options tell the seed; what is recorded beside it is hashed without."""

    def told(seed, model):
        record = {"model": model, "request": {"temperature": 1.0, "seed": seed}}
        info = ReaderInfo(name="chat", options={"seed": seed}, record=record)
        return Service(Floor(str), info, None, Settings()).health().record_sha256

    assert told(1, "a") == told(2, "a") != told(1, "b")


def test_the_page_is_built_at_the_start(monkeypatch, tmp_path):
    made = app(Service(Floor(str), ReaderInfo(name="floor"), None, Settings()))
    monkeypatch.setattr(demo, "_FOLDER", tmp_path)

    async def page():
        way = httpx.ASGITransport(made)
        async with httpx.AsyncClient(transport=way, base_url="http://localhost") as client:
            return await client.get("/")

    assert run_coroutine(page()).status_code == 200


def test_the_body_of_a_client_that_left_is_freed(monkeypatch):
    """It would be held, and counted no more, until all in front of it have been looked at."""
    begun, going = threading.Event(), threading.Event()

    def look(raw, settings):
        begun.set()
        going.wait(WAIT_SECONDS)
        raise stopping_refusal()

    monkeypatch.setattr(mrqa, "parse_context", look)
    made = app(Service(Floor(str), ReaderInfo(name="floor"), None, Settings()))
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": []}

    async def leave():
        messages = [{"type": "http.request", "body": bytes(3_000_000)}]

        async def receive():
            if messages:
                return messages.pop()
            await asyncio.to_thread(begun.wait, WAIT_SECONDS)
            return {"type": "http.disconnect"}

        async def send(message):
            pass

        await made(dict(scope), receive, send)

    async def held():
        await leave()
        tracemalloc.start()
        try:
            for _ in range(5):
                await leave()
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
            going.set()

    assert run_coroutine(held()) < 6_000_000  # the last may be on its way


def test_openapi_describes_the_interface(lexical):
    """The document names every record, and every reference in it leads somewhere."""
    document = lexical.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    schemas = document["components"]["schemas"]
    named = set(json.dumps(document).split('"#/components/schemas/')[1:])
    assert {one.split('"')[0] for one in named} <= set(schemas)
    assert {"AnswerRequest", "AnswerReply", "Prediction", "ErrorReply", "Health"} <= set(schemas)
    for path in ("/", "/v1/answer"):
        content = document["paths"][path]["post"]["requestBody"]["content"]
        reply = lexical.post(path, content["application/json"]["example"])
        assert reply.status == 200, reply.body
    fields = {name: one.get("properties", {}) for name, one in schemas.items()}
    assert not any("Attributes:" in one["description"] for one in schemas.values())
    assert "at most" in fields["AnswerRequest"]["n_best"]["description"]
    assert "stem asks" in fields["AskedQuestion"]["asks_for"]["description"]  # as it extends
    assert "other weights" in fields["Health"]["record_sha256"]["description"]  # of two lines
    page = lexical.get("/docs").body.decode()
    assert "if the reader gave no evidence itself" in page
    assert "<code>context_tokens</code>" in page and "`" not in page
    assert all(f'id="{name}"' in page for name in schemas)
    assert "http:" not in page.replace("http://127.0.0.1", "") and "<script" not in page


def test_the_demo_page_is_served(lexical):
    reply = lexical.get("/")
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert b"lexical" in reply.body


def test_health_and_metrics_are_served(lexical):
    health = lexical.health()
    assert health["status"] == "ready"
    assert health["options"]["sharpness"] == 4.0
    before = lexical.metric("closeread_requests_total", method="POST", path="/", status="200")
    questions = lexical.metric("closeread_questions_total", outcome="answered")
    assert lexical.post("/", shared_task_body("1", "2", "3")).status == 200
    after = lexical.metric("closeread_requests_total", method="POST", path="/", status="200")
    assert after == before + 1
    assert lexical.metric("closeread_questions_total", outcome="answered") == questions + 3
    assert lexical.metric("closeread_request_seconds_count", path="/") >= after
    assert lexical.metric("closeread_queue_questions") == 0
    assert lexical.metric("process_resident_memory_bytes") > 0
