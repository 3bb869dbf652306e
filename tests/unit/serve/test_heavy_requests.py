"""Requests that would cost a service much, and cost it little."""

import json
import select
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from serving_process import (
    question_body,
    receive_all,
    run_server,
    serving,
    shared_task_body,
    status_and_error,
)

HERE = Path(__file__).parent
HAN = "".join(chr(0x4E00 + (place * 7919 + place // 3) % 3000) for place in range(200_000))


def request_body(text: str, language: str, *asked: dict[str, Any]) -> Any:
    """A request of questions about one passage, without evidence in the reply."""
    questions = [one | {"question_id": str(number)} for number, one in enumerate(asked)]
    passage = {"text": text, "language": language}
    return {"items": [{"passage": passage, "questions": questions}], "evidence": False}


def test_a_stem_of_unclosed_marks_is_fast():
    """What a stem asks for is told by its marks; nobody else waits until they are all looked at."""
    body = question_body("1")
    stem = body["items"][0]["questions"][0]
    stem |= {"kind": "verification", "options": [{"label": "A", "text": "The lamp was lit."}]}
    with serving("lexical", "--max-question-characters", "3000000") as server:
        for length, status in ((4_000_000, 422), (2_000_000, 200)):
            stem["text"] = "(" * length
            assert server.post("/v1/answer", body).status == status
            assert server.get("/health").status == 200


def heavy_request():
    """A large request: its stems are read for seconds, and it is refused for what stands last."""
    body = question_body(*map(str, range(130)), "0")
    for stem in body["items"][0]["questions"]:
        options = [{"label": "A", "text": "It was lit."}]
        stem |= {"kind": "verification", "text": "对" * 9_900, "options": options}
    return request(json.dumps(body, ensure_ascii=False).encode())


def request(raw, path="/v1/answer"):
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(raw)}\r\n\r\n"
    return head.encode() + raw


def test_others_do_not_wait_for_a_large_body():
    with serving("lexical") as server, server.connect() as large:
        large.sendall(heavy_request())
        waits = []
        while not select.select([large], [], [], 0)[0]:
            asked = time.monotonic()
            assert server.get("/health").status == 200
            waits.append(time.monotonic() - asked)
        assert max(waits) < sum(waits) / 3  # of all the time that the large body takes
        assert large.recv(65536).startswith(b"HTTP/1.1 422")


def test_waiting_for_a_large_body_counts_as_time():
    """The time that it is looked at does, and that until the one in front of it has been."""
    light = json.dumps(question_body("1")).encode() + b" " * 300_000
    with serving("lexical", "--timeout-seconds", "0.2") as server, server.connect() as connection:
        for large in (
            heavy_request(),
            request(light),
        ):  # the first is looked at to its end all the same
            connection.sendall(large)
            raw = b""
            while not raw.endswith(b"}}"):
                raw += connection.recv(65536)
            status, error = status_and_error(raw)
            assert (status, error["what"]) == (504, "no answer within 0.2 seconds")


def test_a_client_that_leaves_is_not_parsed():
    """Nobody waits until its body is looked at, too."""
    with serving("lexical") as server, server.connect() as first:
        first.sendall(heavy_request())
        with server.connect() as second:
            second.sendall(heavy_request())
            server.until(lambda health: health["status"] == "ready")
        assert first.recv(65536).startswith(b"HTTP/1.1 422")
        posted = {"method": "POST", "path": "/v1/answer"}
        asked = "closeread_requests_total"
        while sum(server.metric(asked, **posted, status=one) for one in ("422", "499")) < 2:
            time.sleep(0.01)
        assert server.metric(asked, **posted, status="499") == 1


LOOKS = """
import time
from odd_readers import Echo
from closeread.runs.records import ReaderInfo
from closeread.serve import mrqa
from closeread.serve.app import app
from closeread.serve.listen import bind_socket, listen, url_of
from closeread.serve.service import Service
from closeread.serve.settings import Settings
service = Service(Echo(), ReaderInfo(name="echo"), None, Settings())
parse_context = mrqa.parse_context
def look(raw, settings):
    print("looks", flush=True)
    while not service.batcher.is_stopping:
        time.sleep(0.005)
    return parse_context(raw, settings)
mrqa.parse_context = look
with bind_socket("127.0.0.1", 0) as listening:
    listen(service, app(service), listening, lambda: print(url_of(listening), flush=True))
"""


def test_a_stop_parses_no_further_body():
    """Whoever waits for the turn of a large one is told to come again."""
    with run_server(["-c", LOOKS], HERE) as server, ExitStack() as stack:
        clients = [stack.enter_context(server.connect()) for _ in range(12)]
        for client in clients:
            client.sendall(
                request(json.dumps(shared_task_body("1")).encode() + b" " * 300_000, path="/")
            )
        assert server.process.stdout.readline() == "looks\n"
        assert server.stop() == 0
        replies = [status_and_error(receive_all(client)) for client in clients]
        assert server.process.stdout.read() == ""  # it looked at one, until it was told to stop
    assert {(status, error["what"]) for status, error in replies} == {
        (503, "the service is stopping")
    }


def test_the_longest_sentence_with_many_options_is_fast():
    """The sentence is taken apart once for all: for every option, these took minutes."""
    options = [
        {"label": str(place), "text": HAN[place : place + 80]} for place in range(0, 8000, 80)
    ]
    asked = {"text": "下列说法正确的是", "kind": "verification", "options": options}
    with serving("cues", "--timeout-seconds", "100") as server:
        reply = server.post("/v1/answer", request_body(HAN, "zh", asked, asked))
    assert reply.status == 200
    assert [len(one["option_scores"]) for one in reply.json()["predictions"]] == [100] * 2


@pytest.mark.parametrize(
    ("text", "language", "kind", "question"),
    [
        ("《" * 600_000, "zh", "span", "谁？"),
        ("1999 2 " * 28_000, "en", "discrete", "How many?"),
        ("\n".join(HAN[:100_000]), "zh", "span", HAN[:10_000]),
    ],
    ids=["titles-that-nothing-closes", "years-and-numbers", "lines-and-words"],
)
def test_coverage_is_not_quadratic(text, language, kind, question):
    """No mark with the rest of its sentence, no number with each year, no word with each line."""
    limits = ("--timeout-seconds", "100", "--max-passage-characters", "600000")
    with serving("lexical", *limits) as server:
        asked = {"text": question, "kind": kind}
        reply = server.post("/v1/answer", request_body(text, language, asked))
    assert reply.status == 200
    assert not reply.json()["predictions"][0].get("error")


def test_repeated_evidence_is_limited():
    """It is told by its spans then; what repeats little is told in words as well."""
    options = [{"label": str(place), "text": HAN[place : place + 80]} for place in range(100)]
    asked = {"text": "下列说法正确的是", "kind": "verification", "options": options}
    with serving("lexical", "--timeout-seconds", "100") as server:
        for text, said in ((HAN, None), (HAN[:400], [HAN[:400]])):
            reply = server.post("/v1/answer", request_body(text, "zh", asked) | {"evidence": True})
            assert len(reply.body) < 1_000_000
            evidence = reply.json()["predictions"][0]["evidence"]
            assert [one["spans"] for one in evidence] == [[[0, len(text)]]] * 100
            assert [one.get("texts") for one in evidence] == [said] * 100
