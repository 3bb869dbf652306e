"""What the service refuses, how it says so, and that nobody else is harmed."""

import json
from pathlib import Path

import pytest

from serving_process import (
    question_body,
    receive_all,
    serving,
    shared_task_body,
    status_and_error,
)

HERE = Path(__file__).parent
HEAD = "POST {path} HTTP/1.1\r\nhost: x\r\n"


@pytest.mark.parametrize("path", ["/", "/v1/answer"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"a=b",
        b'{"items": [], "context": "x", "qas": []} {}',
        b'{"items": [{"passage": {"text": "\\ud800"}}], "context": "\\ud800"}',
    ],
)
def test_invalid_json_is_refused(echo, path, body):
    if path == "/v1/answer":
        body = body.replace(b', "context": "x", "qas": []', b"")
    reply = echo.post(path, body)
    assert reply.status == 400
    assert reply.headers["content-type"] == "application/json"
    assert "JSON" in reply.error["what"] or reply.error["what"] == "the body is empty"
    assert all(reply.error.values())


@pytest.mark.parametrize("path", ["/", "/v1/answer"])
@pytest.mark.parametrize(
    "body",
    [b"\xff\xfe", b'{"items": [{"passage": {"text": "\xe4"}}], "context": "\xe4", "qas": []}'],
)
def test_invalid_utf_8_is_refused(echo, path, body):
    reply = echo.post(path, body)
    assert (reply.status, reply.error["what"]) == (400, "not UTF-8 text")
    assert all(reply.error.values())
    assert reply.error["cure"] == "send it in UTF-8"


def broken_request(number):
    """A request with one thing wrong, and what the refusal says of it."""
    body = question_body("q1", "q2")
    passage, questions = body["items"][0]["passage"], body["items"][0]["questions"]
    second = questions[1]
    options = [{"label": "A", "text": "x"}, {"label": "A", "text": "y"}]
    changes = [
        (lambda: body.pop("items"), "the field 'items' is missing", ""),
        (lambda: body["items"][0].pop("passage"), "the field 'passage' is missing", "items[0]"),
        (lambda: body["items"][0].pop("questions"), "the field 'questions' is missing", "items[0]"),
        (lambda: passage.pop("text"), "the field 'text' is missing", "items[0].passage"),
        (lambda: passage.update(text=7), "found an integer", "items[0].passage.text"),
        (lambda: passage.update(txt=""), "unknown field 'txt'", "items[0].passage"),
        (lambda: second.pop("kind"), "the field 'kind' is missing", "question q2"),
        (lambda: second.update(kind="riddle"), "'riddle'", "items[0].questions[1].kind"),
        (lambda: second.update(kind="choice"), "has no options", "items[0].questions[1].options"),
        (lambda: second.update(kind="choice", options=options), "two options have the label 'A'",
         "items[0].questions[1].options[1].label"),
        (lambda: second.update(kind="choice", options=[{"label": "", "text": "x"}]),
         "the option's label is empty", "items[0].questions[1].options[0].label"),
        (lambda: second.update(question_id="q1"), "items[0].questions[0] has the id 'q1' too",
         "items[0].questions[1].question_id"),
        (lambda: second.update(passage_id="other"), "names the passage 'other'",
         "items[0].questions[1].passage_id"),
        (lambda: second.update(text="x" * 501), "501 characters", "items[0].questions[1].text"),
        (lambda: second.update(kind="choice", options=[{"label": "A", "text": "x" * 600}]),
         "question and options have 611 characters", "items[0].questions[1]"),
        (lambda: passage.update(text="x" * 5001), "5,001 characters", "items[0].passage.text"),
        (lambda: second.update(options=[{"label": str(n), "text": ""} for n in range(101)]),
         "101 options", "items[0].questions[1].options"),
        (lambda: body.update(n_best=-1), "out of range", "n_best"),
        (lambda: body.update(evidence="yes"), "found a string", "evidence"),
        (lambda: body.update(answer=1), "unknown field 'answer'", ""),
    ]  # fmt: skip
    if number is None:
        return len(changes)
    change, what, where = changes[number]
    change()
    return body, what, where


@pytest.mark.parametrize("number", range(broken_request(None)))
def test_wrong_fields_are_refused(echo, number):
    body, what, where = broken_request(number)
    reply = echo.post("/v1/answer", body)
    assert reply.status == 422
    assert what in reply.error["what"]
    assert where in reply.error["where"]
    assert all(reply.error.values())


def test_a_refusal_shortens_long_texts(echo):
    """An id, a name or a path may be as long as a body; what is wrong with it is still told."""
    twice, unknown = question_body("q1", "q2"), question_body("q", **{"n" * 9_000: 1})
    for question in twice["items"][0]["questions"]:
        question["question_id"] = "q" * 9_000
    for path, body, what, where in (
        ("/v1/answer", twice, "items[0].questions[0] has the id 'q", "questions[1].question_id"),
        ("/v1/answer", unknown, "unknown field 'nnn", "the request's body"),
        ("/" + "p" * 9_000, None, "there is no such path", "/ppp"),
    ):
        reply = echo.post(path, body)
        assert len(reply.body) < 2_000
        assert what in reply.error["what"]
        assert where in reply.error["where"]


@pytest.mark.parametrize(
    ("body", "what", "where"),
    [
        ({}, "the field 'context' is missing", "the request's body"),
        ([], "found a list", "the request's body"),
        ({"context": "x"}, "the field 'qas' is missing", ""),
        ({"context": "x", "qas": [{"qid": 7, "question": "x"}]}, "found an integer", "qas[0].qid"),
        ({"context": "x", "qas": [{"qid": "7"}]}, "'question' is missing", "question 7, at qas[0]"),
        ({"context": "x" * 5001, "qas": []}, "5,001 characters", "context"),
        ({"context": "x", "qas": [{"qid": "7", "question": "x" * 501}]}, "501", "qas[0].question"),
    ],
)
def test_wrong_fields_of_the_shared_task_are_refused(echo, body, what, where):
    reply = echo.post("/", body)
    assert reply.status == 422
    assert what in reply.error["what"]
    assert reply.error["where"].endswith(where)
    assert all(reply.error.values())


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/v1/answer", {}, "'items': a list of objects"),
        ("/v1/answer", {"items": [{"questions": []}]}, "'passage': an object with 'text'"),
        ("/v1/answer", {"items": [{"passage": {}, "questions": []}]}, "'text': a string"),
        ("/v1/answer", {"items": [{"passage": {"text": "x"}, "questions": [{"question_id": "1"}]}]},
         "'text': a string"),
        ("/v1/answer",
         {"items": [{"passage": {"text": "x"}, "questions": [{"question_id": "1", "text": "x"}]}]},
         "'kind': one of choice, discrete, entailment, span, verification"),
        ("/", {"context": "x"}, "'qas': a list of objects"),
        ("/", {"context": "x", "qas": [{"question": "x"}]}, "'qid': a string"),
    ],
)  # fmt: skip
def test_a_missing_field_is_named_with_its_type(echo, path, body, expected):
    assert echo.post(path, body).error["expected"] == expected


def test_records_are_named_by_their_kind(echo):
    """What stands where a list belongs is no question, whatever it holds, and a passage is none."""
    first = question_body("q1")["items"][0]
    odd = first | {"passage": {"passage_id": "p7", "text": 5}}
    for path, body, where in (
        ("/", {"context": "x", "qas": {"qid": "7", "question": "x"}}, "qas"),
        ("/v1/answer", {"items": [first | {"questions": {"question_id": "7"}}]},
         "items[0].questions"),
        ("/v1/answer", {"items": [odd]}, "line 1, passage p7, at items[0].passage.text"),
    ):  # fmt: skip
        reply = echo.post(path, body)
        assert (reply.status, reply.error["where"]) == (422, where)


@pytest.mark.parametrize(
    ("body", "what", "where"),
    [
        (b"", "the body is empty", "the request's body"),
        (b" \n", "the body is empty", "the request's body"),
        (b'{"items": [', "ends in the middle of a value", "the request's body"),
        (b'{"items": NaN}', "invalid character", "line 1, character 11"),
        (b'{"items": []}\n{"items": []}', "trailing characters", "line 2, character 1"),
        ('{"n_best": 5,\n "items": [{"passage": {"text": "\u4e2d\u6587" x'.encode(),
         "not JSON: expected", "line 2, character 38"),
    ],
)  # fmt: skip
def test_json_errors_name_the_place(echo, body, what, where):
    reply = echo.post("/v1/answer", body)
    assert reply.status == 400
    assert what in reply.error["what"]
    assert (reply.error["where"], reply.error["expected"]) == (where, "one JSON object")


def test_deeply_nested_json_is_refused(echo):
    reply = echo.post("/", b'{"context": "x", "qas": ' + b"[" * 50_000)
    assert reply.status in (400, 422)
    assert reply.error["what"]


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://x", 200),
        ("http://x:80?probe", 200),
        ("HTTP://[::1]:80/docs?x=y", 200),
        ("http://x/nowhere", 404),
        ("http:///health", 400),
        ("x/health", 400),
    ],
)
@pytest.mark.parametrize("offer", ["", "connection: upgrade\r\nupgrade: h2c\r\n"])
def test_an_absolute_request_target_is_accepted(echo, target, status, offer):
    """As clients of a proxy send it; its path counts."""
    with echo.connect() as connection:
        connection.sendall(f"GET {target} HTTP/1.0\r\nhost: x\r\n{offer}\r\n".encode())
        raw = receive_all(connection)
    assert raw.startswith(f"HTTP/1.1 {status} ".encode())
    assert status != 200 or raw.partition(b"\r\n\r\n")[2].startswith(b"<!doctype html>")


@pytest.mark.parametrize(
    ("method", "path", "status", "expected"),
    [
        ("GET", "/v1/answer", 405, "POST"),
        ("PUT", "/", 405, "GET, HEAD, POST"),
        ("DELETE", "/health", 405, "GET, HEAD"),
        ("GET", "/v1", 404, "one of /, /v1/answer, "),
        ("POST", "/v1/answer/", 404, "one of /"),
        ("GET", "/../../etc/passwd", 404, "one of /"),
    ],
)
def test_wrong_methods_and_paths_are_refused(echo, method, path, status, expected):
    reply = echo.send(method, path)
    assert reply.status == status
    assert reply.error["where"] == path
    assert reply.error["expected"].startswith(expected)
    if status == 405:
        assert reply.headers["allow"] == expected


def test_a_compressed_body_is_refused(echo):
    reply = echo.post("/", b"\x1f\x8b", {"content-encoding": "gzip"})
    assert (reply.status, reply.error["what"]) == (415, "the body is compressed")


def test_bytes_that_are_not_http_are_refused(echo):
    for raw in (b"\x16\x03\x01\x02\x00\x01", b"HELLO\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
        with echo.connect() as connection:
            connection.sendall(raw)
            status, error = status_and_error(receive_all(connection))
            assert (status, error["what"]) == (400, "this is not an HTTP request")


def test_a_declared_large_body_is_refused(echo):
    """It is refused before any of it was sent."""
    for path in ("/", "/v1/answer"):
        with echo.connect() as connection:
            connection.sendall(
                f"{HEAD}content-length: 100000000\r\n\r\n".format(path=path).encode()
            )
            head = connection.recv(65536)
            assert head.startswith(b"HTTP/1.1 413 ")
            assert b"100,000,000 bytes" in head + connection.recv(65536)


def test_expect_continue_is_supported(echo):
    """`expect: 100-continue` with a large body gets 413 and never 100; with a small one, 100."""
    with echo.connect() as connection:
        connection.sendall(
            f"{HEAD}expect: 100-continue\r\ncontent-length: 200000\r\n\r\n".format(
                path="/"
            ).encode()
        )
        assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")
    body = json.dumps(shared_task_body("1")).encode()
    with echo.connect() as connection:
        connection.sendall(
            f"{HEAD}expect: 100-continue\r\ncontent-length: {len(body)}\r\n\r\n".format(
                path="/"
            ).encode()
        )
        assert connection.recv(65536).startswith(b"HTTP/1.1 100 ")
        connection.sendall(body)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_pipelined_requests_are_answered_in_order(echo):
    """HTTP pipelining: two requests at once on one connection."""
    raw = b""
    for name in ("first", "second"):
        body = json.dumps(shared_task_body(name)).encode()
        raw += f"{HEAD}content-length: {len(body)}\r\n\r\n".format(path="/").encode() + body
    with echo.connect() as connection:
        connection.sendall(raw)
        got = b""
        while b'"second"' not in got:
            got += connection.recv(65536)
    assert got.index(b'"first"') < got.index(b'"second"')
    assert got.count(b"HTTP/1.1 200 ") == 2


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("offer", ["h2c", "websocket"])
def test_an_offer_to_upgrade_is_ignored(echo, offer, chunked):
    """The request is answered as any other, body and all, and so is the next on its connection."""
    answers = []
    with echo.connect() as connection:
        for name in ("first", "second"):
            body = json.dumps(shared_task_body(name)).encode()
            length = "transfer-encoding: chunked" if chunked else f"content-length: {len(body)}"
            sent = (
                (
                    f"{HEAD}connection: Upgrade, HTTP2-Settings\r\nupgrade: {offer}\r\n"
                    f"http2-settings: AAMAAABkAAQ\r\n{length}\r\n\r\n"
                )
                .format(path="/")
                .encode()
            )
            if chunked:
                body = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
            # the head alone, a part of the body with it, and both at once
            for piece in (sent[:40], sent[40:] + body[:9], body[9:]):
                connection.sendall(piece)
            raw = b""
            while not raw.endswith(b"}"):
                raw += connection.recv(65536)
            answers.append(raw)
    for name, raw in zip(("first", "second"), answers, strict=True):
        assert raw.startswith(b"HTTP/1.1 200 ")
        assert f'"{name}":"What is {name}?'.encode() in raw


def test_a_tunnel_is_refused(echo):
    with echo.connect() as connection:
        connection.sendall(b"CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n")
        assert status_and_error(receive_all(connection))[0] == 400


def test_trailers_are_ignored(echo):
    """Headers behind a chunked body are not kept, however many."""
    body = json.dumps(shared_task_body("1")).encode()
    with echo.connect() as connection:
        connection.sendall(
            f"{HEAD}transfer-encoding: chunked\r\n\r\n{len(body):x}\r\n".format(path="/").encode()
            + body + b"\r\n0\r\nx-late: yes\r\n\r\n"
        )  # fmt: skip
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_web_pages_of_other_origins_are_refused(echo):
    foreign = {"origin": "https://example.org"}
    assert (
        "access-control-allow-origin" not in echo.post("/", shared_task_body("1"), foreign).headers
    )
    with serving(
        "odd_readers:Echo", "--allow-origin", "https://example.org", folder=HERE
    ) as server:
        allowed = server.post("/", shared_task_body("1"), foreign).headers
        assert allowed["access-control-allow-origin"] == "https://example.org"
        other = server.post("/", shared_task_body("1"), {"origin": "https://example.com"}).headers
        assert "access-control-allow-origin" not in other


@pytest.mark.parametrize("path", ["/", "/v1/answer"])
def test_preflights_of_other_origins_are_refused(echo, path):
    """A browser would send its request and keep the reply from it; the reader never sees it."""
    body = shared_task_body("1") if path == "/" else question_body("1")
    before = echo.metric("closeread_questions_total", outcome="answered")
    for site in ("cross-site", "same-site"):
        sent = {"origin": "https://example.org", "sec-fetch-site": site}
        reply = echo.post(path, body, sent | {"content-type": "text/plain"})
        assert (reply.status, reply.error["where"]) == (403, "https://example.org")
    assert echo.metric("closeread_questions_total", outcome="answered") == before
    for site in ("same-origin", "none"):
        assert echo.post(path, body, {"sec-fetch-site": site}).status == 200


@pytest.mark.parametrize("allowed", ["https://example.org", "*"])
def test_allowed_origins_may_send_requests(allowed):
    with serving("odd_readers:Echo", "--allow-origin", allowed, folder=HERE) as server:
        sent = {"origin": "https://example.org", "sec-fetch-site": "cross-site"}
        assert server.post("/", shared_task_body("1"), sent).status == 200
