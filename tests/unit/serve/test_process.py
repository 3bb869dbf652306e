"""The service under load, with readers that hang, and at its end."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from serving_process import (
    WAIT_SECONDS,
    question_body,
    receive_all,
    run_server,
    serving,
    shared_task_body,
)

HERE = Path(__file__).parent


class Client(threading.Thread):
    """Posts one request in a thread of its own."""

    def __init__(self, server, path, body):
        super().__init__()
        self.reply = None
        self._asked = (server, path, body)
        self.start()

    def run(self):
        server, path, body = self._asked
        self.reply = server.post(path, body)

    def answer(self):
        self.join(WAIT_SECONDS)
        return self.reply


def post_raw(connection, path, body):
    raw = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(raw)}\r\n\r\n"
    connection.sendall(head.encode() + raw)


@pytest.fixture
def go(tmp_path):
    return tmp_path / "go"


@pytest.fixture
def held(go):
    """Its reader waits for the file `go` at the word `last`; four questions may wait."""
    with serving(
        "odd_readers:Streams", "--queue", "4", "--batch-size", "1", "--grace-seconds", "60",
        folder=HERE, GO=str(go),
    ) as server:  # fmt: skip
        yield server


def occupy_reader(server):
    """Give the reader something that it does not come back from before `go`."""
    client = Client(server, "/", shared_task_body("last"))
    server.until(lambda health: health["reading_questions"] == 1)
    return client


def test_a_full_queue_refuses(held, go):
    """What is beyond is refused and told when to come again; what was accepted is answered."""
    first = occupy_reader(held)
    waiting = [Client(held, "/", shared_task_body(f"a{n}", f"b{n}")) for n in range(2)]
    held.until(lambda health: health["queue_questions"] == 4)
    held.until(lambda health: health["reading_seconds"] > 1)
    for body in (question_body("x"), question_body("x", "y")):
        reply = held.post("/v1/answer", body)
        assert reply.status == 503
        assert reply.error["what"] == "the queue holds 4 questions of at most 4"
        # one question takes a second at least: two of four are not read sooner than in two
        assert 2 < int(reply.headers["retry-after"]) <= 60
    assert held.metric("closeread_refused_total", reason="queue-full") == 2
    assert held.metric("closeread_queue_questions") == 4
    go.touch()
    assert first.answer().json() == {"last": "What is last?"}
    for number, client in enumerate(waiting):
        assert client.answer().json() == {
            f"{letter}{number}": f"What is {letter}{number}?" for letter in "ab"
        }
    assert held.post("/", shared_task_body("again")).status == 200


@pytest.mark.parametrize(
    ("path", "body"), [("/v1/answer", question_body(*"abcde")), ("/", shared_task_body(*"abcde"))]
)
def test_more_questions_than_the_queue_are_refused(held, path, body):
    reply = held.post(path, body)
    assert reply.status == 413
    assert (reply.error["what"], reply.error["expected"]) == (
        "the request holds 5 questions", "at most 4"
    )  # fmt: skip


def test_too_many_questions_are_refused_before_checks():
    """Looking at all that four megabytes hold would keep every other client waiting."""
    from closeread.serve import answer, mrqa
    from closeread.serve.refusals import RefusedError
    from closeread.serve.settings import Settings

    settings = Settings(queue=2, max_passage_characters=1)
    ours, theirs = (
        json.dumps(body).encode() for body in (question_body(*"abc"), shared_task_body(*"abc"))
    )
    for look in (
        lambda: answer.parse_request(ours, settings),
        lambda: mrqa.parse_context(theirs, settings),
    ):
        with pytest.raises(RefusedError) as refused:
            look()
        assert refused.value.status == 413


def test_a_client_that_leaves_frees_its_place(held, go):
    """Its questions are taken out of the queue, and the reader never sees them."""
    first = occupy_reader(held)
    with held.connect() as connection:
        post_raw(connection, "/", shared_task_body("gone1", "gone2", "gone3"))
        held.until(lambda health: health["queue_questions"] == 3)
    held.until(lambda health: health["queue_questions"] == 0)
    go.touch()
    assert first.answer().status == 200
    assert held.metric("closeread_questions_total", outcome="answered") == 1
    assert held.metric("closeread_requests_total", method="POST", path="/", status="499") == 1


def test_a_client_may_leave_while_it_is_read(held, go):
    """Its answer goes nowhere; the next question gets its own."""
    with held.connect() as connection:
        post_raw(connection, "/", shared_task_body("last"))
        held.until(lambda health: health["reading_questions"] == 1)
    following = Client(held, "/", shared_task_body("next"))
    held.until(lambda health: health["queue_questions"] == 1)
    go.touch()
    assert following.answer().json() == {"next": "What is next?"}


def test_a_slow_reader_times_out(go):
    """504 for whoever waits; the reader's late answer harms nobody."""
    with serving(
        "odd_readers:Streams", "--timeout-seconds", "2", "--batch-size", "1",
        folder=HERE, GO=str(go),
    ) as server:  # fmt: skip
        late = occupy_reader(server)
        behind = Client(server, "/", shared_task_body("behind"))
        for client in (late, behind):
            reply = client.answer()
            assert reply.status == 504
            assert reply.error["what"] == "no answer within 2 seconds"
        assert server.health()["queue_questions"] == 0
        go.touch()
        server.until(lambda health: health["reading_questions"] == 0)
        assert server.post("/", shared_task_body("x")).json() == {"x": "What is x?"}
        assert server.metric("closeread_questions_total", outcome="answered") == 1


def test_a_hanging_reader_does_not_block_the_stop():
    """Health says since when; requests get 504, then 503; the process can still be stopped."""
    with serving(
        "odd_readers:Hangs", "--timeout-seconds", "2", "--queue", "2", "--grace-seconds", "0.2",
        folder=HERE,
    ) as server:  # fmt: skip
        assert server.post("/", shared_task_body("fine")).json() == {"fine": "here"}
        assert server.post("/", shared_task_body("hang")).status == 504
        assert server.post("/", shared_task_body("fine")).status == 504
        server.until(lambda health: health["reading_seconds"] > 0.1)
        assert server.stop() == 0  # nobody waits any more


def test_a_hundred_clients_get_their_own_answers():
    """Every client has the same ids and another text; each gets its own answers."""
    with serving("odd_readers:Echo", folder=HERE) as server:
        clients = [
            Client(server, "/", shared_task_body("1", "2", text=f"Text {n}.")) for n in range(100)
        ]
        for number, client in enumerate(clients):
            assert client.answer().json() == {
                qid: f"What is {qid}? | Text {number}." for qid in "12"
            }
        server.until(lambda health: not health["reading_questions"])  # counted when all is said
        batches = server.metric("closeread_batch_questions_count")
        assert server.metric("closeread_batch_questions_sum") == 200
        assert batches < 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_answers_accepted_requests(held, go, number):
    """And refuses what comes later, on old connections and new ones, until it ends with 0."""
    accepted = [occupy_reader(held), Client(held, "/v1/answer", question_body("x", "y"))]
    held.until(lambda health: health["queue_questions"] == 2)
    with held.connect() as idle, held.connect() as begun:
        begun.sendall(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{")
        assert held.health()["status"] == "ready"
        held.process.send_signal(number)
        held.until(lambda health: health["status"] == "stopping")
        assert held.get("/health").status == 503
        for path in ("/", "/v1/answer"):
            reply = held.post(path, shared_task_body("new"))
            assert reply.status == 503
            assert reply.error["what"] == "the service is stopping"
            assert int(reply.headers["retry-after"]) >= 1
        go.touch()
        assert accepted[0].answer().json() == {"last": "What is last?"}
        answers = [one["answer"]["texts"] for one in accepted[1].answer().json()["predictions"]]
        assert answers == [["What is x?"], ["What is y?"]]
        assert receive_all(idle) == b""
        assert receive_all(begun).startswith(b"HTTP/1.1 503 ")
    assert held.process.wait(WAIT_SECONDS) == 0
    with pytest.raises(ConnectionError):
        held.connect()
    assert held.process.stderr.read() == (
        "stopping: 2 requests are still to be answered, at most 60 seconds; a second signal stops "
        "at once\n"
    )
    assert held.process.stdout.read() == ""


def test_a_stop_closes_connections(held, go):
    """A connection that stays would be cut when the process ends, with what was just sent on it."""
    with held.connect() as asked, held.connect() as idle, held.connect() as piped:
        post_raw(piped, "/", shared_task_body("last"))
        piped.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
        held.until(lambda health: health["reading_questions"] == 1)
        post_raw(asked, "/", shared_task_body("last"))
        held.until(lambda health: health["queue_questions"] == 1)
        held.process.send_signal(signal.SIGTERM)
        held.until(lambda health: health["status"] == "stopping")
        post_raw(idle, "/", shared_task_body("late"))
        refused = [receive_all(idle)]
        for path, status in (("/health", b"503"), ("/metrics", b"200"), ("/nothing", b"404")):
            with held.connect() as watching:
                watching.sendall(f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
                raw = receive_all(watching)
                assert raw.startswith(b"HTTP/1.1 " + status)
                refused.append(raw)
        go.touch()
        answered, both = receive_all(asked), receive_all(piped)
    assert both.startswith(b"HTTP/1.1 200") and both.count(b"HTTP/1.1 503") == 1
    for raw, status in ((refused[0], b"503"), (answered, b"200")):
        assert raw.startswith(b"HTTP/1.1 " + status)
    for raw in (*refused, answered, both):
        assert raw.count(b"\r\nconnection: close\r\n") == 1
    assert held.process.wait(WAIT_SECONDS) == 0


def test_a_stop_refuses_later_clients():
    """They kept their connections and were about to ask again; nothing else is left to do."""
    # half a second is what they have, and may be over before a busy machine has asked
    code = "import closeread.cli as c, closeread.serve.listen as l; l._IDLE_CLOSE_SECONDS = 600"
    command = ["-c", f"{code}; c.main()", "serve", "odd_readers:Echo", "--port", "0"]
    with run_server([*command, "--grace-seconds", "600"], HERE) as server, ExitStack() as stack:
        kept = [stack.enter_context(server.connect()) for _ in range(3)]
        server.until(lambda health: health["status"] == "ready")  # all of them are accepted
        server.process.send_signal(signal.SIGTERM)
        server.until(lambda health: health["status"] == "stopping")
        for connection in kept:
            time.sleep(0.05)
            post_raw(connection, "/", shared_task_body("late"))
            raw = receive_all(connection)
            assert raw.startswith(b"HTTP/1.1 503") and b"\r\nconnection: close\r\n" in raw
        assert server.process.wait(WAIT_SECONDS) == 0  # with the last of them


def test_a_stop_does_not_wait_for_a_batch_to_fill():
    with serving("odd_readers:Echo", "--batch-wait-milliseconds", "600000", folder=HERE) as server:
        client = Client(server, "/", shared_task_body("1"))
        server.until(lambda health: health["queue_questions"] == 1)
        assert server.stop() == 0
        assert client.answer().json() == {
            "1": "What is 1? | The lamp was lit at six. [PAR] Nobody put it out."
        }


def test_a_stop_with_unanswered_questions_exits_with_1(go):
    """When the grace is over, the exit code is 1."""
    with serving(
        "odd_readers:Streams", "--grace-seconds", "0.2", folder=HERE, GO=str(go)
    ) as server:
        client = occupy_reader(server)
        assert server.stop() == 1
        assert client.answer().status == 503
        told = server.process.stderr.read()
        assert "stopping: 1 request is still to be answered, at most 0.2 seconds" in told
        assert "before all accepted questions were answered" in told


def test_a_second_signal_ends_it_at_once(held):
    with held.connect() as connection:
        post_raw(connection, "/", shared_task_body("last"))
        held.until(lambda health: health["reading_questions"] == 1)
        held.process.send_signal(signal.SIGTERM)
        held.until(lambda health: health["status"] == "stopping")
        assert held.stop() == 1


def test_the_port_opens_when_the_reader_is_ready(tmp_path):
    """Whoever waits for the port waits for the reader; a taken port is told before."""
    go = tmp_path / "go"
    (tmp_path / "late.py").write_text(
        "import os, time\nfrom pathlib import Path\n"
        "def reader():\n"
        "    print('loading', flush=True)\n"
        "    while not Path(os.environ['GO']).exists():\n        time.sleep(0.005)\n"
        "    from closeread.readers.baselines import first_sentence\n"
        "    return first_sentence()\n",
        "utf-8",
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "closeread", "serve", "late:reader", "--port", str(port)]
    with subprocess.Popen(
        command, cwd=tmp_path, env=os.environ | {"GO": str(go)},
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "loading\n"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
        go.touch()
        assert process.stdout.readline() == f"http://127.0.0.1:{port}\n"
        socket.create_connection(("127.0.0.1", port)).close()
        process.terminate()
        assert process.wait(WAIT_SECONDS) == 0


def run_python(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=HERE
    )


def test_public_addresses_are_reported():
    """Known by the address that is listened on, however it was named."""
    from closeread.serve.listen import bind_socket, is_public

    for host, wide in (("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True), ("0", True)):
        with bind_socket(host, 0) as listening:
            assert is_public(listening) is wide


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["lexicle"], "perhaps lexical"),
        (["lexical", "-o", "sharp=1"], "has no option 'sharp'"),
        (["lexical", "--retriever", "covr"], "perhaps cover"),
        (["lexical", "--host", "256.0.0.1"], "cannot listen on 256.0.0.1"),
        (["lexical", "--host", "a" * 64], "label too long"),
        (["lexical", "--host", ""], "the host to listen on is empty"),
        (["majority", "--port", "70000"], "70000"),
        (["majority", "--batch-wait-milliseconds", "nan"], "nan is not a finite time"),
        (["majority", "--batch-wait-milliseconds", "1e300"], "0<=x<=3600000"),
        (["majority", "--grace-seconds", "inf"], "inf is not a finite time"),
        (["lexical", "--allow-origin", "https://example.org/"], "do: --allow-origin https://ex"),
        (["lexical", "--allow-origin", "example.org"], "expected: a scheme, a host and optionally"),
    ],
)
def test_invalid_arguments_are_errors(arguments, told):
    done = run_python("-m", "closeread", "serve", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_missing_extra_is_named():
    """The error names the package and what installs it."""
    code = (
        "import sys\n"
        "sys.modules['uvicorn'] = None\n"
        "from closeread.cli import main\n"
        "main(['serve', 'majority'])\n"
    )
    done = run_python("-c", code)
    assert done.returncode == 2
    assert "pip install 'closeread[serve]'" in done.stderr
    assert "'uvicorn'" in done.stderr


def test_other_commands_do_not_load_the_service():
    """The verb's own help needs no server's package."""
    code = (
        "import contextlib, io, sys\n"
        "from closeread.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main(['serve', '--help'])\n"
        "print(*sys.modules)"
    )
    loaded = {name.split(".")[0] for name in run_python("-c", code).stdout.split()}
    assert "closeread" in loaded
    assert not loaded & {"starlette", "uvicorn", "httptools", "prometheus_client", "torch"}


def test_memory_is_released_after_large_requests():
    """A hundred requests of a megabyte each leave the process as large as ten do."""
    with serving("odd_readers:Echo", "--max-passage-characters", "2000000", folder=HERE) as server:

        def peak(count):
            for number in range(count):
                body = shared_task_body(str(number), text="Long. " * 170_000)
                assert server.post("/", body).status == 200
            return server.metric("process_resident_memory_bytes")

        before = peak(10)
        assert peak(100) - before < 16e6


def test_memory_of_concurrent_large_requests_is_bounded():
    """Bodies that would hold too much memory together are told to come again."""
    from closeread.serve.limits import BodyReader
    from closeread.serve.refusals import RefusedError
    from closeread.serve.settings import Settings

    bodies = BodyReader(Settings(max_held_bytes=100))
    with bodies.hold() as first, bodies.hold() as second:
        first.add(60)
        second.add(40)
        with pytest.raises(RefusedError) as refused:
            second.add(1)
        assert (refused.value.status, refused.value.headers["retry-after"]) == (503, "1")
    assert bodies.n_held_bytes == 0
