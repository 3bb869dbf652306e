"""The http reader where a served reader errs, is late, dies or is exchanged."""

import io
import json
import socket
import threading
import time

import pytest

from closeread.errors import EndpointError, MismatchError
from closeread.readers import make
from closeread.runs.store import open_run
from closeread.types import Question
from endpoint import Endpoint, serving
from fake_reader_service import (
    HEALTH,
    answers_by_id,
    expected,
    host,
    items,
    make_reader,
    own_protocol_reply,
    passage,
    run,
    service,
    shared_task_reply,
)
from format_samples import write_sample


@pytest.fixture
def nobody():
    """An address where nobody is, and nobody comes while the test runs."""
    with socket.socket() as shut:
        shut.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{shut.getsockname()[1]}"


FAULTS = {
    "busy": (503, {"Retry-After": "0.02"}, '{"error": {"what": "the queue is full"}}'),
    "500": (500, {}, "boom"),
    "cut": "cut",
    "vanish": "vanish",
    "no JSON": "<html>Bad gateway</html>",
    "other JSON": '{"predictions": 3}',
    "fewer answers": '{"predictions": [], "reader": "e", "options": {}, "version": "1"}',
    "another's answers": json.dumps(
        {
            "predictions": [{"question_id": f"q99-{place}"} for place in range(3)],
            "reader": "e", "options": {}, "version": "1",
        }
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_transient_faults_do_not_change_predictions(fault):
    """Every third request goes wrong; all questions are answered as if none had."""
    with serving(service()) as endpoint:
        endpoint.fault = lambda number, body: fault if number % 3 == 1 else None
        assert answers_by_id(make_reader(endpoint, concurrency=1).read(items(10))) == expected(10)
        assert len(endpoint.seen) > 10


def test_retry_after_pauses_every_request():
    moments = []
    with serving(service()) as endpoint:

        def fault(number, body):
            moments.append(time.monotonic())
            return (503, {"Retry-After": "0.5"}, "full") if number == 2 else None

        endpoint.fault = fault
        assert answers_by_id(make_reader(endpoint, concurrency=1).read(items(6))) == expected(6)
    assert moments[3] - moments[2] >= 0.5


def test_a_rejected_question_does_not_affect_others():
    """A refused request is asked again question by question; only the bad one fails."""

    def fault(number, body):
        questions = body["items"][0]["questions"]
        if any(row["text"] == "What is 1.1?" for row in questions):
            return 413, {}, '{"error": {"what": "the passage is too long", "cure": "cut it"}}'
        return None

    with serving(service(fault=fault)) as endpoint:
        found = answers_by_id(make_reader(endpoint).read(items(3)))
    assert found.pop("q1-1") == "status 413: the passage is too long"
    assert found == {name: texts for name, texts in expected(3).items() if name != "q1-1"}


def test_a_lost_reply_does_not_affect_other_questions():
    def fault(number, body):
        questions = body["items"][0]["questions"]
        return "vanish" if any(row["text"] == "What is 1.1?" for row in questions) else None

    with serving(service(fault=fault)) as endpoint:
        found = answers_by_id(make_reader(endpoint, retries=1, concurrency=1).read(items(3)))
    assert "in each of 2 attempts" in found.pop("q1-1")
    assert found == {name: texts for name, texts in expected(3).items() if name != "q1-1"}


def test_missing_and_invalid_answers_are_failures():
    def reply(path, body):
        found = shared_task_reply(path, body)
        found.pop("q0-1", None)
        return found | ({"q1-0": {"answer": "1"}} if "q1-0" in found else {})

    with serving(Endpoint(models=(), reply=reply)) as endpoint:
        found = answers_by_id(make_reader(endpoint, tokens=False, retries=0).read(items(2)))
    assert "no answer to this question" in found.pop("q0-1")
    assert "not text, which the MRQA protocol requires" in found.pop("q1-0")
    assert found == {name: ts for name, ts in expected(2).items() if name not in ("q0-1", "q1-0")}


def test_a_submission_server_may_reply_with_n_best():
    """As the fork of the baseline does; a list that is none fails alone, as any other reply."""
    lists = {
        "q0-0": {"answers": ["b", "a"], "scores": [0.2, 0.7]},
        "q1-0": {"answers": ["b", "a"], "scores": [0.2]},
        "q1-1": {"answers": [], "scores": []},
    }

    def reply(path, body):
        found = shared_task_reply(path, body)
        return found | {name: given for name, given in lists.items() if name in found}

    with serving(Endpoint(models=(), reply=reply)) as endpoint:
        reader = make_reader(endpoint, tokens=False, retries=0)
        found = {one.question_id: one for one in reader.read(items(2))}
    best = found["q0-0"]
    assert (best.answer.texts, best.confidence) == (("a",), 0.7)
    assert [(one.answer.text, one.score) for one in best.candidates] == [("b", 0.2), ("a", 0.7)]
    assert "2 answers and 1 score" in found["q1-0"].error
    assert found["q1-1"].answer is None and not found["q1-1"].error
    assert found["q0-1"].answer.texts == expected(2)["q0-1"]


def test_a_text_with_lone_surrogates_fails_alone():
    broken = (passage(0), Question(question_id="b", passage_id="p0", text="\ud800", kind="span"))
    with serving(service()) as endpoint:
        found = answers_by_id(make_reader(endpoint).read([*items(1), broken]))
    assert "cannot be sent as UTF-8" in found.pop("b")
    assert found == expected(1)


def test_an_unreachable_server_is_reported_after_the_wait(nobody, capfd):
    started = time.monotonic()
    with pytest.raises(EndpointError, match="nothing answers at this address") as caught:
        _ = make(f"http:{nobody}", {"wait_seconds": 0.3})[0].record
    assert time.monotonic() - started >= 0.3
    assert "closeread serve" in str(caught.value)
    waited = capfd.readouterr().err
    assert waited.count("\n") == 1
    assert waited.startswith(f"waiting for http://{nobody}, at most 0.3 seconds")


@pytest.mark.parametrize("status", [408, 429, 503])
def test_a_busy_server_is_not_taken_for_a_submission_server(status):
    """Something in front of it may hold us back; the shared task's protocol would lose a lot."""
    with serving(service(get_status=status)) as endpoint:
        with pytest.raises(EndpointError, match=f"it answers with status {status}"):
            _ = make_reader(endpoint, tokens=False).record
        endpoint.get_status = 0
        assert make_reader(endpoint, tokens=False).record["protocol"] == "closeread"


def test_an_unreachable_server_leaves_no_folder(nobody, tmp_path):
    with pytest.raises(EndpointError):
        run(write_sample(tmp_path, "squad"), tmp_path / "run", f"http:{nobody}", wait_seconds=0.0)
    assert not (tmp_path / "run").exists()


def test_a_starting_server_is_waited_for(monkeypatch):
    """It comes up when the reader has said that it waits."""
    endpoint = service()
    late, done = threading.Event(), threading.Event()
    with socket.socket() as first:
        first.bind(("127.0.0.1", 0))
        port = first.getsockname()[1]

    class Watched(io.StringIO):
        def write(self, text):
            late.set()
            return super().write(text)

    def come_up():
        late.wait(60)
        with serving(endpoint, port):
            done.wait(60)

    said = Watched()
    monkeypatch.setattr("sys.stderr", said)
    thread = threading.Thread(target=come_up)
    thread.start()
    try:
        reader = make(f"http:127.0.0.1:{port}", {"wait_seconds": 60.0})[0]
        assert answers_by_id(reader.read(items(2))) == expected(2)
    finally:
        late.set()
        done.set()
        thread.join()
    assert said.getvalue().startswith(f"waiting for http://127.0.0.1:{port}, at most 60 seconds")


def test_a_restarted_server_is_asked_again():
    """It was there when it told what it serves, and may be gone for a moment at every batch."""
    with serving(service()) as endpoint:
        port = int(host(endpoint).rpartition(":")[2])
        reader = make_reader(endpoint, retries=12)
        assert reader.record["reader"] == "echo"
    found = []
    thread = threading.Thread(target=lambda: found.extend(reader.read(items(2))))
    thread.start()
    thread.join(0.3)  # nobody is there: without patience it is at its end already
    with serving(service(), port):
        thread.join(60)
    assert answers_by_id(found) == expected(2)


def test_an_address_without_the_path_fails_at_once():
    with serving(service()) as endpoint:
        endpoint.fault = lambda number, body: (404, {}, "nothing here")
        with pytest.raises(EndpointError, match="nothing here"):
            list(make_reader(endpoint).read(items(50)))
        assert len(endpoint.seen) < 50


def test_a_run_stopped_by_a_dead_server_can_be_resumed(tmp_path, questions):
    """The resumed run asks only for what is missing, and equals one that was never cut."""
    with serving(service()) as endpoint:
        name = f"http:{host(endpoint)}"
        endpoint.fault = lambda number, body: "vanish" if number >= 10 else None
        with pytest.raises(EndpointError, match="--resume"):
            run(questions, tmp_path / "run", name, concurrency=4)
        assert not open_run(tmp_path / "run").info.complete
        kept = len((tmp_path / "run" / "ledger.jsonl").read_text("utf-8").splitlines())
        endpoint.fault = lambda number, body: None
        before = len(endpoint.seen)
        done = run(questions, tmp_path / "run", name, resume=True, concurrency=2, retries=5)
        assert done.info.complete
        assert kept > 0
        # What the first run had under way may arrive late; it was not kept, and is asked again.
        asked = [json.dumps(one.body, sort_keys=True) for one in endpoint.seen[before:]]
        assert len(set(asked)) == 40 - kept
        assert len(asked) <= 40 - kept + 4
        whole = run(questions, tmp_path / "whole", name, concurrency=7)
    assert (tmp_path / "run/predictions.jsonl").read_bytes() == (
        tmp_path / "whole/predictions.jsonl"
    ).read_bytes()
    assert whole.info.n_failed == 0


def test_a_run_is_not_resumed_with_another_reader_behind_the_address(tmp_path, questions):
    with serving(service()) as endpoint:
        name = f"http:{host(endpoint)}"
        run(questions, tmp_path / "run", name)
        endpoint.pages["/health"] = HEALTH | {"reader": "shout"}
        endpoint.pages["/health"] = HEALTH | {"reader": "shout", "options": {"loud": False}}
        with pytest.raises(MismatchError) as caught:
            run(questions, tmp_path / "run", name, resume=True)
        assert str(caught.value).splitlines()[1:] == [
            "    served reader: echo in the run, shout now",
            "    served reader's option loud: True in the run, False now",
            "  do: use the same reader to resume it, or write to another folder with --out",
        ]
        endpoint.pages["/health"] = HEALTH | {"record_sha256": "b" * 64}
        with pytest.raises(MismatchError, match="served reader's record_sha256: aaaa"):
            run(questions, tmp_path / "run", name, resume=True)


def test_an_address_may_be_written_in_another_way_when_a_run_is_resumed(tmp_path, questions):
    with serving(service()) as endpoint:
        for name in (f"http:{host(endpoint)}", f"{host(endpoint)}/"):
            done = run(questions, tmp_path / "run", name, resume=True)
            assert done.info.reader.name == f"http:{host(endpoint)}"
    with serving(service()) as other, pytest.raises(MismatchError) as caught:
        run(questions, tmp_path / "run", f"http:{host(other)}", resume=True)
    message = f"    reader: {host(endpoint)} in the run, {host(other)} requested"
    assert message in str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("other", "told"),
    [({"reader": "shout"}, "reader: echo at the start, shout now"),
     ({"options": {"loud": False}}, "option loud: True at the start, False now"),
     ({"record_sha256": "b" * 64}, "record_sha256: aaaa")],
    ids=["reader", "option", "weights"],
)  # fmt: skip
def test_a_changed_reader_behind_an_address_stops_the_run(tmp_path, questions, other, told):
    """The server was started again with it; half of a run would be another model's."""
    with serving(service()) as endpoint:
        name = f"http:{host(endpoint)}"

        def exchanged(path, body):
            return own_protocol_reply(path, body) | (other if len(endpoint.seen) > 10 else {})

        endpoint.reply = exchanged
        with pytest.raises(EndpointError, match=told) as caught:
            run(questions, tmp_path / "run", name, concurrency=1)
        assert "--resume" in caught.value.cure
        kept = len((tmp_path / "run" / "ledger.jsonl").read_text("utf-8").splitlines())
        assert kept == 10
        endpoint.reply = own_protocol_reply
        assert run(questions, tmp_path / "run", name, resume=True).info.n_failed == 0
        run(questions, tmp_path / "whole", name)
    assert (tmp_path / "run/predictions.jsonl").read_bytes() == (
        tmp_path / "whole/predictions.jsonl"
    ).read_bytes()


def test_a_run_resumes_if_the_server_records_more_facts(tmp_path, questions):
    """An earlier version of it told nothing by which weights are known."""
    with serving(service()) as endpoint:
        name = f"http:{host(endpoint)}"
        endpoint.pages["/health"] = HEALTH | {"record_sha256": ""}
        endpoint.reply = lambda path, body: own_protocol_reply(path, body) | {"record_sha256": ""}
        endpoint.fault = lambda number, body: "vanish" if number >= 10 else None
        with pytest.raises(EndpointError, match="in each of 2 attempts"):
            run(questions, tmp_path / "run", name)
        endpoint.pages["/health"], endpoint.fault = HEALTH, lambda number, body: None
        endpoint.reply = own_protocol_reply
        assert run(questions, tmp_path / "run", name, resume=True).info.complete
