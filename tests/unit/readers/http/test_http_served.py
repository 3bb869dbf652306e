"""The http reader, and the shared task's client, against real services."""

import errno
import gzip
import json
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from command_line import run_in_process
from serving_process import WAIT_SECONDS, serving

READERS = '''
import time
from pathlib import Path

from closeread.types import Answer, Prediction


class Slow:
    """Says the question's own words; slowly while the file `slow` is there."""

    batch_size = 2

    def read(self, items):
        for _, question in items:
            if Path("slow").exists():
                time.sleep(0.05)
            yield Prediction(
                question_id=question.question_id,
                answer=Answer(kind="span", texts=(question.text,)),
            )
'''


def closeread(*args, folder):
    return run_in_process(*args, folder=folder, NO_COLOR="1")


def run_command(*args, folder):
    finished = closeread(*args, folder=folder)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def metric_values(printed):
    return {name: found["value"] for name, found in json.loads(printed)["metrics"].items()}


@pytest.mark.parametrize("reader", ["lexical", "cues"])
def test_a_run_over_http_equals_the_local_run(tmp_path, reader):
    """Byte for byte: answers, n-best, scores, confidence, evidence and notes."""
    with serving(reader) as server:
        run_command(
            "read", "exam/zh", "--reader", f"http:{server.url}", "--out", "far", folder=tmp_path
        )
    run_command("read", "exam/zh", "--reader", reader, "--out", "near", folder=tmp_path)
    far, near = (tmp_path / name / "predictions.jsonl" for name in ("far", "near"))
    assert far.read_bytes() == near.read_bytes()
    record = json.loads((tmp_path / "far/run.json").read_bytes())["reader"]["record"]
    assert (record["protocol"], record["reader"]) == ("closeread", reader)


def test_a_served_reader_can_be_served_again(tmp_path):
    with serving("lexical") as first, serving(f"http:{first.url}") as second:
        run_command("read", "exam/en", "--reader", second.url, "--out", "far", folder=tmp_path)
    run_command("read", "exam/en", "--reader", "lexical", "--out", "near", folder=tmp_path)
    far, near = (tmp_path / name / "predictions.jsonl" for name in ("far", "near"))
    assert far.read_bytes() == near.read_bytes()


def predict_server(dataset, output, port):
    """Do what the shared task's client does, with the standard library.

    It reads the contexts, waits for the port (connecting once a second until the error is no
    refusal), posts each context by itself as it stands, gold included, on a new connection,
    and merges whatever JSON comes back.
    """
    contexts = []
    with gzip.open(dataset, "rb") as lines:
        for line in lines:
            context = json.loads(line)
            if "header" not in context:
                contexts.append(context)
    with socket.socket() as waiting:
        for _ in range(600):
            try:
                waiting.connect(("127.0.0.1", port))
            except OSError as error:
                if error.errno != errno.ECONNREFUSED:
                    break  # connected before: the second attempt says so
            time.sleep(1)
        else:
            raise TimeoutError("could not connect to the server")
    predictions = {}
    for context in contexts:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}",
            data=json.dumps(context).encode(),
            headers={"Content-Type": "application/json", "Accept-Encoding": "gzip, deflate"},
        )
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as reply:
            predictions.update(json.loads(reply.read()))
    output.write_text(json.dumps(predictions))


@pytest.fixture
def shared_task_set(tmp_path):
    """The exam's English passages with spans for answers, as the shared task hands sets out."""
    pytest.importorskip("spacy", reason="spaCy is not installed")
    run_command("convert", "exam/en", "exam.jsonl.gz", "--to", "mrqa", folder=tmp_path)
    return tmp_path / "exam.jsonl.gz"


def test_the_shared_task_s_client_works_unchanged(tmp_path, shared_task_set):
    """It waits for the port; what it writes scores exactly as our own run of the reader does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    output = tmp_path / "predictions.json"
    client = threading.Thread(target=predict_server, args=(shared_task_set, output, port))
    client.start()
    with serving("lexical", "--port", str(port)) as server:
        client.join(WAIT_SECONDS)
        assert not client.is_alive()
        assert b"closeread_refused_total{" not in server.get("/metrics").body
    by_client = run_command(
        "score", "--dataset", str(shared_task_set), "--predictions", str(output), "--json",
        folder=tmp_path,
    )  # fmt: skip
    run_command(
        "read", str(shared_task_set), "--reader", "lexical", "--out", "own", folder=tmp_path
    )
    own = run_command("score", "own", "--json", folder=tmp_path)
    assert metric_values(by_client) == metric_values(own)
    assert metric_values(own)["mrqa.f1"] > 0
    answered = json.loads(output.read_text())
    with gzip.open(shared_task_set) as lines:
        rows = [json.loads(line) for line in lines]
    assert list(answered) == [row["qid"] for found in rows for row in found.get("qas", ())]


def test_both_protocols_give_equal_scores(tmp_path, shared_task_set):
    with serving("lexical") as server:
        for name in ("closeread", "mrqa"):
            run_command(
                "read", str(shared_task_set), "--reader", server.url, "-o", f"protocol={name}",
                "--out", name, folder=tmp_path,
            )  # fmt: skip
    ours, theirs = (
        metric_values(run_command("score", name, "--metric", "mrqa", "--json", folder=tmp_path))
        for name in ("closeread", "mrqa")
    )
    assert ours == theirs


def test_a_killed_client_resumes(tmp_path):
    """Killed in the middle and resumed, the run equals one that never was, but for times."""
    (tmp_path / "my_readers.py").write_text(READERS, "utf-8")
    (tmp_path / "slow").touch()
    with serving("my_readers:Slow", folder=tmp_path) as server:
        command = ["read", "exam/en", "--reader", f"http:{server.url}", "-o", "concurrency=1"]
        ledger = tmp_path / "run" / "ledger.jsonl"
        process = subprocess.Popen(
            [sys.executable, "-m", "closeread", *command, "--out", "run"],
            cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        end = time.monotonic() + WAIT_SECONDS
        while not server.metric("closeread_questions_total", outcome="answered"):
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait(WAIT_SECONDS)
        (tmp_path / "slow").unlink()
        run_command(*command, "--out", "run", "--resume", folder=tmp_path)
        run_command(*command, "--out", "whole", folder=tmp_path)
    assert ledger.exists()
    run, whole = (tmp_path / name / "predictions.jsonl" for name in ("run", "whole"))
    assert run.read_bytes() == whole.read_bytes()
    assert len(run.read_bytes().splitlines()) > 20


def test_an_unreachable_server_gives_one_message(tmp_path):
    """Exit code 2, what was expected and what to do; no folder is left."""
    with socket.socket() as shut:
        shut.bind(("127.0.0.1", 0))
        name = f"http:127.0.0.1:{shut.getsockname()[1]}"
        finished = closeread("read", "exam/en", "--reader", name, "-o", "wait_seconds=1.5",
                             "--out", "run", folder=tmp_path)  # fmt: skip
    assert finished.returncode == 2
    assert "Traceback" not in finished.stderr
    assert "waiting for http://" in finished.stderr
    assert "closeread serve" in finished.stderr
    assert not (tmp_path / "run").exists()
