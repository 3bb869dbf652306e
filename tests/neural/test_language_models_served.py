"""The same language model in this process and behind `transformers serve`."""

import os
import socket
import subprocess
import sys
import time

import msgspec
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")

from closeread.errors import EndpointError
from closeread.readers import make
from neural.tiny import CHOICE, FREE, ITEMS, PASSAGE, make_model

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def server(model, tmp_path_factory):
    """`transformers serve` on a free port, ended when the module is done."""
    pytest.importorskip("fastapi", reason="needs transformers[serving]: make neural")
    pytest.importorskip("uvicorn", reason="needs transformers[serving]: make neural")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    command = "import sys; from transformers.cli.transformers import main; sys.exit(main())"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-c", command, "serve", model, "--host", "127.0.0.1",
             "--port", str(port), "--device", "cpu"],
            stdout=stream, stderr=stream, env=os.environ | {"HF_HUB_OFFLINE": "1"},
        )  # fmt: skip
    try:
        ends = time.monotonic() + 500  # of the 600 that a test has: it imports all there is
        while True:
            if process.poll() is not None:
                pytest.fail(f"the server ended: {log.read_text()[-2000:]}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if time.monotonic() > ends:
                pytest.fail(f"the server does not come up: {log.read_text()[-2000:]}")
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=30)


def test_the_served_model_writes_what_the_local_one_does(server, model):
    options = {"model": model, "max_tokens": 12}
    served, _ = make("chat", options | {"base_url": server, "concurrency": 2})
    local, _ = make("local", options | {"form": "chat"})
    found = {one.question_id: one for one in served.read(ITEMS)}
    for expected in local.read(ITEMS):
        prediction = found[expected.question_id]
        assert not prediction.error
        assert prediction.generation.text == expected.generation.text
        assert prediction.answer == expected.answer


@pytest.mark.parametrize("name", ["chat", "completion"])
def test_the_server_streams_what_it_sends_whole(server, model, name):
    """But for the end of a text that the limit of tokens cut within a character."""
    options = {"model": model, "base_url": server, "max_tokens": 12}
    whole, _ = make(name, options)
    streamed, _ = make(name, options | {"stream": True})
    found = {one.question_id: one.generation for one in streamed.read(ITEMS)}
    for one in whole.read(ITEMS):
        told = found[one.question_id]
        assert one.generation.text.startswith(told.text.rstrip("\ufffd"))
        assert len(one.generation.text) - len(told.text) <= 4  # bytes of no character, each shown
        assert told.completion_tokens == one.generation.completion_tokens
        assert told.finish_reason == one.generation.finish_reason == "length"


def test_the_server_judges_options_one_by_one(server, model):
    question = msgspec.structs.replace(CHOICE, kind="verification", asks_for="supported")
    options = {"model": model, "max_tokens": 6, "judge": "each"}
    served, _ = make("chat", options | {"base_url": server, "concurrency": 2})
    local, _ = make("local", options | {"form": "chat"})
    (one,), (other,) = served.read([(PASSAGE, question)]), local.read([(PASSAGE, question)])
    for mine, its in zip(
        (one.generation, *one.others), (other.generation, *other.others), strict=True
    ):
        assert (mine.text, mine.option_order) == (its.text, its.option_order)
    assert [each.option_order for each in (one.generation, *one.others)] == [
        ("A",), ("B",), ("C",), ("D",)
    ]  # fmt: skip


def test_the_server_stops_where_it_is_told(server, model):
    options = {"model": model, "base_url": server, "max_tokens": 12}
    (whole,) = make("completion", options | {"stop": ""})[0].read([(PASSAGE, FREE)])
    stop = whole.generation.text[3]
    told = options | {"server_stop": True, "stop": stop}
    (cut,) = make("completion", told)[0].read([(PASSAGE, FREE)])
    assert cut.generation.stops == (stop,)
    assert len(cut.generation.text) < len(whole.generation.text)
    assert whole.generation.text.startswith(cut.generation.text.removesuffix(stop))


def test_the_server_gives_no_logprobs_and_that_is_said(server, model):
    """It leaves out what a chat asks for, and refuses several texts at once."""
    for name, told in (
        ("chat", "returns no log-probabilities"),
        ("completion", "prompt must be a"),
    ):
        reader, _ = make(name, {"model": model, "base_url": server, "scoring": "letters"})
        with pytest.raises(EndpointError, match=told):
            list(reader.read([(PASSAGE, CHOICE)]))
