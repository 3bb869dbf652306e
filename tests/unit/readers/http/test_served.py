"""What the http reader asks a served reader, in either protocol, and what it makes of the reply."""

import json
import sys
import threading

import pytest

from closeread import catalog
from closeread.errors import EndpointError, MissingExtraError, UsageError
from closeread.formats.conversion.spacy_tokens import tokenizer
from closeread.readers import make
from closeread.readers.http.served import parse_address
from closeread.registry import lookup
from endpoint import serving
from fake_reader_service import (
    HEALTH,
    OPTIONS,
    answers_by_id,
    expected,
    host,
    items,
    make_reader,
    own_protocol_reply,
    run,
    service,
    shared_task_reply,
    submission,
)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("http:localhost:8000", "http://localhost:8000"),
        ("http:http://localhost:8000", "http://localhost:8000"),
        ("http://localhost:8000/", "http://localhost:8000"),
        ("http:https://reader.example/a/", "https://reader.example/a"),
        ("https://reader.example", "https://reader.example"),
        ("https:reader.example:8443", "https://reader.example:8443"),
        ("localhost:8000", "http://localhost:8000"),
        ("http:[::1]:8000", "http://[::1]:8000"),
        ("http://localhost:8000/v1/answer", "http://localhost:8000"),
    ],
)
def test_addresses_are_normalised(name, meant):
    assert parse_address(name) == meant
    if name.startswith("http"):
        assert lookup.find_entry("reader", name) == catalog.CATALOG["reader"]["http"]
        assert make(name)[1]["url"] == name


@pytest.mark.parametrize(
    ("name", "options", "match"),
    [
        ("http:", {}, "no server address given"),
        ("http://", {}, "no server address given"),
        ("http://me:secret@host:1", {}, "contains a password"),
        ("http", {}, "requires the option 'url'"),
        ("http:host:1", {"url": "http://other:1"}, "given twice"),
        ("http:host:1", {"protocol": "grpc"}, "no protocol 'grpc'"),
        ("http:host:1", {"concurrency": 0}, "concurrency=0, retries"),
        ("http:host:1", {"wait_seconds": -1.0}, "wait_seconds"),
        ("http:host:1", {"api_key_env": "sk-secret!"}, "not the name of an environment variable"),
        ("http:host:1", {"speed": 3}, "no option 'speed'"),
    ],
)
def test_invalid_addresses_and_options_are_rejected(name, options, match):
    with pytest.raises(UsageError, match=match) as caught:
        make(name, options)
    assert "secret" not in str(caught.value)


def test_an_address_is_only_a_reader_name():
    with pytest.raises(UsageError):
        lookup.find_entry("metric", "http:localhost:8000")


def test_each_question_gets_its_complete_answer():
    """N-best, confidence and evidence come back; a passage's questions travel together."""
    with serving(service()) as endpoint:
        found = list(make_reader(endpoint, concurrency=5).read(items(12)))
    assert answers_by_id(found) == expected(12)
    assert {one.confidence for one in found} == {0.75}
    assert {len(one.candidates) for one in found} == {7}
    assert {one.evidence[0].spans[0].end for one in found} == {9}
    assert len(endpoint.seen) == 12


def test_requests_obey_the_server_s_maximum_size():
    with serving(service()) as endpoint:
        assert answers_by_id(make_reader(endpoint).read(items(2, each=9))) == expected(2, 9)
    counts = [len(seen.body["items"][0]["questions"]) for seen in endpoint.seen]
    assert sorted(counts) == [1, 1, 4, 4, 4, 4]


def test_many_requests_are_concurrent():
    gate = threading.Barrier(64, timeout=60)

    def together(path, body):
        gate.wait()
        return own_protocol_reply(path, body)

    with serving(service(reply=together)) as endpoint:
        found = answers_by_id(make_reader(endpoint, concurrency=64).read(items(64, each=1)))
        assert found == expected(64, 1)
        assert endpoint.most_running == 64


def test_a_closeread_server_describes_its_reader():
    with serving(service()) as endpoint:
        assert make_reader(endpoint).record == {
            "address": host(endpoint), "protocol": "closeread", "reader": "echo",
            "options": {"loud": True}, "version": "0.1.0", "record_sha256": "a" * 64,
        }  # fmt: skip
        endpoint.pages["/health"] = HEALTH | {"record_sha256": ""}
        assert "record_sha256" not in make_reader(endpoint).record


def test_a_submission_server_is_asked_in_its_own_protocol():
    """The official form: context, tokens with offsets, one object a passage; no gold in it."""
    pytest.importorskip("spacy", reason="spaCy is not installed")
    with serving(submission()) as endpoint:
        reader = make_reader(endpoint)
        assert reader.record["protocol"] == "mrqa"
        assert answers_by_id(reader.read(items(3))) == expected(3)
    assert {seen.path for seen in endpoint.seen} == {"/"}
    body = endpoint.seen[0].body
    assert set(body) == {"context", "context_tokens", "qas"}
    assert all(
        body["context"][at : at + len(token)] == token for token, at in body["context_tokens"]
    )
    for row in body["qas"]:
        assert (row["answers"], row["detected_answers"]) == ([], [])
        assert row["question_tokens"][0] == ["What", 0]


def test_missing_packages_for_tokens_are_reported_first(monkeypatch):
    tokenizer.cache_clear()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with serving(submission()) as endpoint:
        with pytest.raises(MissingExtraError, match=r"closeread\[mrqa\]"):
            _ = make_reader(endpoint).record
        assert make_reader(endpoint, tokens=False).record["protocol"] == "mrqa"
        assert endpoint.seen == []


def test_tokens_and_protocols_can_be_chosen():
    with serving(submission()) as endpoint:
        assert answers_by_id(make_reader(endpoint, tokens=False).read(items(1))) == expected(1)
        assert set(endpoint.seen[0].body) == {"context", "qas"}
        with pytest.raises(EndpointError, match=r"is not `closeread serve`[\s\S]*protocol=mrqa"):
            _ = make_reader(endpoint, protocol="closeread").record
    with serving(service(reply=shared_task_reply)) as endpoint:
        reader = make_reader(endpoint, protocol="mrqa", tokens=False)
        assert answers_by_id(reader.read(items(1))) == expected(1)


def test_an_authenticating_gateway_is_not_a_submission_server():
    """It is told as what it is, and nothing is asked in a protocol that was guessed."""
    with serving(service(get_status=401)) as endpoint:
        for protocol in ("auto", "closeread"):
            with pytest.raises(EndpointError, match=r"401[\s\S]*bearer token[\s\S]*none is set"):
                _ = make_reader(endpoint, protocol=protocol).record
        assert endpoint.seen == []


def test_the_shared_task_s_protocol_has_no_options():
    with serving(submission()) as endpoint:
        mixed = [*items(1, options=OPTIONS), *items(2)[3:]]
        found = answers_by_id(make_reader(endpoint, tokens=False).read(mixed))
    assert all("cannot carry options" in found.pop(f"q0-{place}") for place in range(3))
    assert found == {name: texts for name, texts in expected(2).items() if name.startswith("q1")}
    with serving(service()) as endpoint:
        assert set(
            answers_by_id(make_reader(endpoint).read(items(2, options=OPTIONS))).values()
        ) == {"B"}


def test_a_failing_guessed_protocol_questions_the_address():
    with serving(submission()) as endpoint:
        with pytest.raises(EndpointError, match=r"not `closeread serve`[\s\S]*correct the address"):
            list(make_reader(endpoint, tokens=False).read(items(1, options=OPTIONS)))
        asked_for = make_reader(endpoint, tokens=False, protocol="mrqa")
        failed = answers_by_id(asked_for.read(items(1, options=OPTIONS))).values()
        assert all("cannot carry options" in one for one in failed)


def test_a_key_is_sent_and_never_shown(monkeypatch):
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("READER_KEY", key)
    with serving(service()) as endpoint:
        list(make_reader(endpoint, api_key_env="READER_KEY").read(items(1)))
        assert endpoint.seen[0].headers["Authorization"] == f"Bearer {key}"
        endpoint.fault = lambda number, body: (401, {}, f"wrong: {key}")
        with pytest.raises(EndpointError, match="api_key_env") as caught:
            list(make_reader(endpoint, api_key_env="READER_KEY").read(items(1)))
        assert key not in str(caught.value)


@pytest.mark.parametrize("make_endpoint", [service, submission], ids=["closeread", "mrqa"])
def test_no_gold_is_sent(tmp_path, questions, make_endpoint):
    """Neither answers nor evidence, tags, groups or real ids go over the wire."""
    with serving(make_endpoint()) as endpoint:
        done = run(questions, tmp_path / "run", f"http:{host(endpoint)}", tokens=False)
    assert [one.answer.texts for one in done.predictions()] == [(str(n),) for n in range(40)]
    sent = json.dumps([[seen.body, seen.path, seen.headers] for seen in endpoint.seen])
    assert len(endpoint.seen) == 40
    assert "GOLD" not in sent
    assert "[0, 7]" not in sent
