"""The http reader against a stand-in for a served reader, in both protocols, sound and broken."""

import io
import json
import socket
import sys
import threading
import time

import msgspec
import pytest

from closeread import catalog
from closeread.errors import EndpointError, MismatchError, MissingExtraError, UsageError
from closeread.formats import load
from closeread.formats.conversion.spacy_tokens import tokenizer
from closeread.readers import make
from closeread.readers.http.answer_wire import AnswerRequest
from closeread.readers.http.served import address
from closeread.runs.predict import Job, batch_size_of, predict
from closeread.runs.records import describe_reader
from closeread.runs.store import open_run
from closeread.types import Option, Passage, Question
from endpoint import Endpoint, serving
from samples import written

HEALTH = {
    "status": "ready", "reader": "echo", "options": {"loud": True}, "version": "0.1.0",
    "batch_size": 4, "queue_limit": 64, "queue_questions": 0, "record_sha256": "a" * 64,
}  # fmt: skip
OPTIONS = tuple(
    Option(label=label, text=text) for label, text in zip("AB", ("six", "seven"), strict=True)
)


def passage(number):
    return Passage(
        passage_id=f"p{number}", text=f"Passage {number} says “{number}” twice: {number}."
    )


def items(n_passages, each=3, options=()):
    return [
        (
            passage(number),
            Question(
                question_id=f"q{number}-{place}", passage_id=f"p{number}",
                text=f"What is {number}.{place}?", kind="choice" if options else "span",
                options=options,
            ),
        )
        for number in range(n_passages)
        for place in range(each)
    ]  # fmt: skip


def said_of(text):
    return text.removeprefix("What is ").removesuffix("?")


def own(path, body):
    """What ``closeread serve`` would answer, the question's number being the answer."""
    assert path == "/v1/answer"
    request = msgspec.convert(body, AnswerRequest)
    predictions = [
        {
            "question_id": question.question_id,
            "answer": {"kind": "choice", "label": "B"}
            if question.options
            else {"kind": "span", "texts": [said_of(question.text)]},
            "confidence": 0.75,
            "candidates": [
                {"answer": {"kind": "span", "texts": [str(place)]}, "score": 1 - place / 8}
                for place in range(min(request.n_best, 7))
            ],
            "evidence": [{"spans": [[0, 9]], "score": 0.5}],
        }
        for each in request.items
        for question in each.questions
    ]
    return {
        "predictions": predictions, "coverage": [[]] * len(predictions), "reader": "echo",
        "options": {}, "version": "0.1.0",
    }  # fmt: skip


def shared_task(path, body):
    """What a submission to the shared task would answer."""
    assert path == "/"
    return {row["qid"]: said_of(row["question"]) for row in body["qas"]}


def service(**given):
    return Endpoint(models=(), **({"pages": {"/health": HEALTH}, "reply": own} | given))


def submission(**given):
    return Endpoint(models=(), reply=shared_task, **given)


def host(endpoint):
    return endpoint.url.removesuffix("/v1")


def reading(endpoint, **options):
    return make(f"http:{host(endpoint)}", {"retries": 3, "wait_seconds": 0.0, **options})[0]


def told(found):
    return {one.question_id: one.error or (one.answer.texts or one.answer.label) for one in found}


def expected(n_passages, each=3):
    return {f"q{n}-{m}": (f"{n}.{m}",) for n in range(n_passages) for m in range(each)}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Waits between attempts are short here."""
    monkeypatch.setattr("closeread.readers.http.client._FIRST_WAIT_SECONDS", 0.01)


@pytest.fixture
def nobody():
    """An address where nobody is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("http:localhost:8000", "http://localhost:8000"),
        ("http:http://localhost:8000", "http://localhost:8000"),
        ("http://localhost:8000/", "http://localhost:8000"),
        ("http:https://reader.example/a/", "https://reader.example/a"),
        ("https://reader.example", "https://reader.example"),
        ("localhost:8000", "http://localhost:8000"),
        ("http:[::1]:8000", "http://[::1]:8000"),
        ("http://localhost:8000/v1/answer", "http://localhost:8000"),
    ],
)
def test_addresses_are_read_as_they_are_meant(name, meant):
    assert address(name) == meant
    if name.startswith("http"):
        assert catalog.entry("reader", name) == catalog.CATALOG["reader"]["http"]
        assert make(name)[1]["url"] == name


@pytest.mark.parametrize(
    ("name", "options", "match"),
    [
        ("http:", {}, "no server is named"),
        ("http://", {}, "no server is named"),
        ("http://me:secret@host:1", {}, "holds a password"),
        ("http", {}, "needs the option 'url'"),
        ("http:host:1", {"url": "http://other:1"}, "given twice"),
        ("http:host:1", {"protocol": "grpc"}, "no protocol 'grpc'"),
        ("http:host:1", {"concurrency": 0}, "concurrency is at least 1"),
        ("http:host:1", {"wait_seconds": -1.0}, "wait_seconds"),
        ("http:host:1", {"api_key_env": "sk-secret!"}, "no name of an environment variable"),
        ("http:host:1", {"speed": 3}, "no option 'speed'"),
    ],
)
def test_odd_addresses_and_options_are_refused(name, options, match):
    with pytest.raises(UsageError, match=match) as caught:
        make(name, options)
    assert "secret" not in str(caught.value)


def test_the_address_is_a_reader_and_nothing_else():
    with pytest.raises(UsageError):
        catalog.entry("metric", "http:localhost:8000")


def test_each_question_gets_its_own_answer_whole():
    """N-best, confidence and evidence come back; a passage's questions travel together."""
    with serving(service()) as endpoint:
        found = list(reading(endpoint, concurrency=5).read(items(12)))
    assert told(found) == expected(12)
    assert {one.confidence for one in found} == {0.75}
    assert {len(one.candidates) for one in found} == {7}
    assert {one.evidence[0].spans[0].end for one in found} == {9}
    assert len(endpoint.seen) == 12


def test_no_request_holds_more_than_the_server_takes_at_once():
    with serving(service()) as endpoint:
        assert told(reading(endpoint).read(items(2, each=9))) == expected(2, 9)
    counts = [len(seen.body["items"][0]["questions"]) for seen in endpoint.seen]
    assert sorted(counts) == [1, 1, 4, 4, 4, 4]


def test_a_server_of_ours_says_what_it_serves():
    with serving(service()) as endpoint:
        assert reading(endpoint).record == {
            "address": host(endpoint), "protocol": "closeread", "reader": "echo",
            "options": {"loud": True}, "version": "0.1.0", "record_sha256": "a" * 64,
        }  # fmt: skip
        endpoint.pages["/health"] = HEALTH | {"record_sha256": ""}
        assert "record_sha256" not in reading(endpoint).record


def test_a_submission_is_asked_in_its_own_protocol():
    """The official form: context, tokens with offsets, one object a passage; no gold in it."""
    pytest.importorskip("spacy", reason="spaCy is not installed")
    with serving(submission()) as endpoint:
        reader = reading(endpoint)
        assert reader.record["protocol"] == "mrqa"
        assert told(reader.read(items(3))) == expected(3)
    assert {seen.path for seen in endpoint.seen} == {"/"}
    body = endpoint.seen[0].body
    assert set(body) == {"context", "context_tokens", "qas"}
    assert all(
        body["context"][at : at + len(token)] == token for token, at in body["context_tokens"]
    )
    for row in body["qas"]:
        assert (row["answers"], row["detected_answers"]) == ([], [])
        assert row["question_tokens"][0] == ["What", 0]


def test_what_tokens_need_is_said_before_anything_is_asked(monkeypatch):
    tokenizer.cache_clear()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with serving(submission()) as endpoint:
        with pytest.raises(MissingExtraError, match=r"closeread\[mrqa\]"):
            _ = reading(endpoint).record
        assert reading(endpoint, tokens=False).record["protocol"] == "mrqa"
        assert endpoint.seen == []


def test_tokens_can_be_left_out_and_each_protocol_asked_for():
    with serving(submission()) as endpoint:
        assert told(reading(endpoint, tokens=False).read(items(1))) == expected(1)
        assert set(endpoint.seen[0].body) == {"context", "qas"}
        with pytest.raises(EndpointError, match=r"no server of closeread's[\s\S]*protocol=mrqa"):
            _ = reading(endpoint, protocol="closeread").record
    with serving(service(reply=shared_task)) as endpoint:
        reader = reading(endpoint, protocol="mrqa", tokens=False)
        assert told(reader.read(items(1))) == expected(1)


def test_a_guard_that_wants_a_token_is_no_submission():
    """It is told as what it is, and nothing is asked in a protocol that was guessed."""
    with serving(service(get_status=401)) as endpoint:
        for protocol in ("auto", "closeread"):
            with pytest.raises(EndpointError, match=r"401[\s\S]*bearer token[\s\S]*none is set"):
                _ = reading(endpoint, protocol=protocol).record
        assert endpoint.seen == []


def test_options_have_no_place_in_the_shared_tasks_protocol():
    with serving(submission()) as endpoint:
        mixed = [*items(1, options=OPTIONS), *items(2)[3:]]
        found = told(reading(endpoint, tokens=False).read(mixed))
    assert all("no place for options" in found.pop(f"q0-{place}") for place in range(3))
    assert found == {name: texts for name, texts in expected(2).items() if name.startswith("q1")}
    with serving(service()) as endpoint:
        assert set(told(reading(endpoint).read(items(2, options=OPTIONS))).values()) == {"B"}


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
def test_faults_that_pass_move_nothing(fault):
    """Every third request goes wrong; all questions are answered as if none had."""
    with serving(service()) as endpoint:
        endpoint.fault = lambda number, body: fault if number % 3 == 1 else None
        assert told(reading(endpoint, concurrency=1).read(items(10))) == expected(10)
        assert len(endpoint.seen) > 10


def test_retry_after_holds_every_lane():
    moments = []
    with serving(service()) as endpoint:

        def fault(number, body):
            moments.append(time.monotonic())
            return (503, {"Retry-After": "0.5"}, "full") if number == 2 else None

        endpoint.fault = fault
        assert told(reading(endpoint, concurrency=1).read(items(6))) == expected(6)
    assert moments[3] - moments[2] >= 0.5


def test_a_question_that_is_refused_costs_no_other():
    """A refused request is asked again question by question; only the bad one fails."""

    def fault(number, body):
        questions = body["items"][0]["questions"]
        if any(row["text"] == "What is 1.1?" for row in questions):
            return 413, {}, '{"error": {"what": "the passage is too long", "cure": "cut it"}}'
        return None

    with serving(service(fault=fault)) as endpoint:
        found = told(reading(endpoint).read(items(3)))
    assert found.pop("q1-1") == "status 413: the passage is too long"
    assert found == {name: texts for name, texts in expected(3).items() if name != "q1-1"}


def test_what_is_lost_at_one_question_costs_no_other():
    def fault(number, body):
        questions = body["items"][0]["questions"]
        return "vanish" if any(row["text"] == "What is 1.1?" for row in questions) else None

    with serving(service(fault=fault)) as endpoint:
        found = told(reading(endpoint, retries=1, concurrency=1).read(items(3)))
    assert "in each of 2 attempts" in found.pop("q1-1")
    assert found == {name: texts for name, texts in expected(3).items() if name != "q1-1"}


def test_an_answer_that_is_missing_or_no_text():
    def reply(path, body):
        found = shared_task(path, body)
        found.pop("q0-1", None)
        return found | ({"q1-0": {"answer": "1"}} if "q1-0" in found else {})

    with serving(Endpoint(models=(), reply=reply)) as endpoint:
        found = told(reading(endpoint, tokens=False, retries=0).read(items(2)))
    assert "no answer for it" in found.pop("q0-1")
    assert "no text, as the MRQA protocol has it" in found.pop("q1-0")
    assert found == {name: ts for name, ts in expected(2).items() if name not in ("q0-1", "q1-0")}


def test_a_text_that_is_no_unicode_fails_alone():
    broken = (passage(0), Question(question_id="b", passage_id="p0", text="\ud800", kind="span"))
    with serving(service()) as endpoint:
        found = told(reading(endpoint).read([*items(1), broken]))
    assert "cannot be sent as UTF-8" in found.pop("b")
    assert found == expected(1)


def test_nobody_there_is_said_after_the_wait(nobody, capfd):
    started = time.monotonic()
    with pytest.raises(EndpointError, match="no endpoint answers here") as caught:
        _ = make(f"http:{nobody}", {"wait_seconds": 0.3})[0].record
    assert time.monotonic() - started >= 0.3
    assert "closeread serve" in str(caught.value)
    waited = capfd.readouterr().err
    assert waited.count("\n") == 1
    assert waited.startswith(f"waiting for http://{nobody}, 0.3 seconds at most")


def test_nobody_there_leaves_no_folder(nobody, tmp_path):
    with pytest.raises(EndpointError):
        run(written(tmp_path, "squad"), tmp_path / "run", f"http:{nobody}", wait_seconds=0.0)
    assert not (tmp_path / "run").exists()


def test_a_server_that_comes_up_late_is_waited_for(monkeypatch):
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
        assert told(reader.read(items(2))) == expected(2)
    finally:
        late.set()
        done.set()
        thread.join()
    assert said.getvalue().startswith(f"waiting for http://127.0.0.1:{port}, 60 seconds at most")


def test_a_key_is_sent_and_never_shown(monkeypatch):
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("READER_KEY", key)
    with serving(service()) as endpoint:
        list(reading(endpoint, api_key_env="READER_KEY").read(items(1)))
        assert endpoint.seen[0].headers["Authorization"] == f"Bearer {key}"
        endpoint.fault = lambda number, body: (401, {}, f"wrong: {key}")
        with pytest.raises(EndpointError, match="api_key_env") as caught:
            list(reading(endpoint, api_key_env="READER_KEY").read(items(1)))
        assert key not in str(caught.value)


def test_a_place_without_the_path_stops_at_once():
    with serving(service()) as endpoint:
        endpoint.fault = lambda number, body: (404, {}, "nothing here")
        with pytest.raises(EndpointError, match="nothing here"):
            list(reading(endpoint).read(items(50)))
        assert len(endpoint.seen) < 50


def run(path, out, name, resume=False, **options):
    reader, resolved = make(name, {"retries": 1, "wait_seconds": 0.0, **options})
    info = describe_reader(name, resolved, reader)
    job = Job(dataset=load(path), reader=reader, reader_info=info, batch_size=batch_size_of(reader))
    return predict(job, out, resume=resume)


@pytest.fixture
def questions(tmp_path):
    rows = [
        {
            "passage": {"passage_id": f"p{place}", "text": f"Passage {place} says little."},
            "questions": [
                {
                    "question_id": f"GOLD-ID-{place}", "passage_id": f"p{place}",
                    "text": f"What is {place}?", "kind": "span", "tags": {"hint": "GOLD-TAG"},
                    "answers": [{"kind": "span", "texts": [f"GOLD-TEXT-{place}"]}],
                    "gold_evidence": [{"spans": [[0, 7]]}], "group_id": f"GOLD-GROUP-{place}",
                }
            ],
        }
        for place in range(40)
    ]  # fmt: skip
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("make_endpoint", [service, submission], ids=["closeread", "mrqa"])
def test_no_gold_leaves(tmp_path, questions, make_endpoint):
    """Neither answers nor evidence, tags, groups or real ids go over the wire."""
    with serving(make_endpoint()) as endpoint:
        done = run(questions, tmp_path / "run", f"http:{host(endpoint)}", tokens=False)
    assert [one.answer.texts for one in done.predictions()] == [(str(n),) for n in range(40)]
    sent = json.dumps([[seen.body, seen.path, seen.headers] for seen in endpoint.seen])
    assert len(endpoint.seen) == 40
    assert "GOLD" not in sent
    assert "[0, 7]" not in sent


def test_a_server_that_dies_stops_the_run_which_goes_on_later(tmp_path, questions):
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
        with pytest.raises(MismatchError, match="reader's reader: echo in the run, shout asked"):
            run(questions, tmp_path / "run", name, resume=True)
        endpoint.pages["/health"] = HEALTH | {"record_sha256": "b" * 64}
        with pytest.raises(MismatchError, match="reader's record_sha256: aaaa"):
            run(questions, tmp_path / "run", name, resume=True)


def test_many_are_on_their_way_at_once():
    gate = threading.Barrier(64, timeout=20)

    def together(path, body):
        gate.wait()
        return own(path, body)

    with serving(service(reply=together)) as endpoint:
        found = told(reading(endpoint, concurrency=64).read(items(64, each=1)))
        assert found == expected(64, 1)
        assert endpoint.most_running == 64
