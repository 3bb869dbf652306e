"""Whose fault a refusal or a lost question is, and how long is waited."""

import asyncio
from types import SimpleNamespace

import pytest

from closeread.errors import EndpointError
from closeread.readers import make
from closeread.readers.generative.refusals import explain_refusal
from closeread.readers.http import client as clients
from closeread.readers.http.budget import Budget
from closeread.readers.http.client import Client
from closeread.readers.http.endpoint import Endpoint as Address
from closeread.readers.http.failures import Reply, TransientError
from closeread.types import Passage, Question
from endpoint import Endpoint, last_user, serving
from event_loops import run_coroutine

PASSAGE = Passage(passage_id="p", text="The ferry left Marl at six. It carried 14 sheep.")


def make_items(n):
    return [
        (
            PASSAGE,
            Question(question_id=f"q{n}", passage_id="p", text=f"What is {n}?", kind="discrete"),
        )
        for n in range(n)
    ]


def number_asked(body):
    return int(last_user(body).rpartition("What is ")[2].partition("?")[0])


def read(endpoint, n, **options):
    reader, _ = make("chat", {"base_url": endpoint.url, "retries": 1, **options})
    found = {one.question_id: one for one in reader.read(make_items(n))}
    return [found[f"q{place}"] for place in range(n)]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_many_failing_questions_do_not_stop_a_run_on_a_live_server(concurrency):
    """The questions of one passage stand together, and may fail together."""
    bad = range(4, 14)
    with serving(Endpoint()) as endpoint:
        endpoint.fault = lambda number, body: (
            (500, {}, "boom") if number_asked(body) in bad else None
        )
        found = read(endpoint, 20, concurrency=concurrency)
    assert [place for place, one in enumerate(found) if one.error] == list(bad)


def test_a_dead_server_is_given_up_soon():
    """Its models are not listed either, once it is gone."""
    with serving(Endpoint()) as endpoint:
        reader, _ = make("chat", {"base_url": endpoint.url, "retries": 0, "concurrency": 1})
        assert reader.record["model"] == {"id": "tiny"}

        def gone(number, body):
            if number_asked(body) < 5:
                return None
            endpoint.get_status = 503
            return "vanish"

        endpoint.fault = gone
        with pytest.raises(EndpointError, match="--resume"):
            list(reader.read(make_items(40)))
        assert len(endpoint.seen) == 5 + 3


@pytest.mark.parametrize(("retries", "told"), [(2, 0), (3, 1), (6, 1)])
def test_waiting_is_reported_once(retries, told, capfd):
    """Of a server that died in the middle nothing was heard for half a minute."""
    with serving(Endpoint()) as endpoint:
        endpoint.fault = lambda number, body: (503, {}, "down") if number_asked(body) else None
        reader, _ = make("chat", {"base_url": endpoint.url, "retries": retries, "concurrency": 1})
        assert len([one for one in reader.read(make_items(3)) if one.error]) == 2
    said = capfd.readouterr().err.splitlines()
    assert len(said) == told
    for line in said:
        assert line.startswith(f"waiting for {endpoint.url}, ")
        assert line.endswith("left: status 503: down")


@pytest.mark.parametrize("refused", [{0}, {0, 1}, {2}])
def test_a_rejected_first_question_fails_alone(refused):
    """A provider that looks into passages refuses some: by 400, as it refuses a wrong request."""
    told = '{"error": {"code": "data_inspection_failed", "message": "inappropriate content"}}'
    with serving(Endpoint()) as endpoint:
        endpoint.fault = lambda number, body: (
            (400, {}, told) if number_asked(body) in refused else None
        )
        found = read(endpoint, 6, concurrency=1)
    assert {place for place, one in enumerate(found) if one.error} == refused
    assert all("inappropriate content" in found[place].error for place in refused)


def test_a_question_with_a_lone_surrogate_fails_alone():
    """No file that is read holds one; a program's own questions may."""
    half = Question(question_id="half", passage_id="p", text="\ud83d?", kind="discrete")
    with serving(Endpoint()) as endpoint:
        reader, _ = make("chat", {"base_url": endpoint.url})
        found = {one.question_id: one for one in reader.read([*make_items(2), (PASSAGE, half)])}
    assert "cannot be sent as UTF-8" in found.pop("half").error
    assert len(found) == 2 and not any(one.error for one in found.values())


@pytest.mark.parametrize("n", [1, 2, 30])
def test_always_rejected_requests_stop_the_run_without_output(n):
    with serving(Endpoint(fault=lambda number, body: (400, {}, "no such setting"))) as endpoint:
        with pytest.raises(EndpointError, match="no such setting"):
            read(endpoint, n, concurrency=1)
        assert len(endpoint.seen) <= 3


@pytest.mark.parametrize(("told", "seconds"), [("7", 7), ("86400", 600), ("soon", None)])
def test_retry_after_is_limited_to_ten_minutes(told, seconds):
    client = Client(Address("http://127.0.0.1:1", "NO_KEY"), Budget(), None, explain_refusal)
    with pytest.raises(TransientError) as fault:
        run_coroutine(client._raise_for_status(None, Reply(429, b"busy", retry_after=told)))
    assert fault.value.wait_seconds == seconds


def test_an_extended_pause_holds_waiting_requests(monkeypatch):
    """The second 429 comes while a lane waits for the end of the first one's pause."""
    clock, slept = SimpleNamespace(now=0.0, monotonic=lambda: clock.now), []

    async def asked_of(endpoint):
        client = Client(Address(endpoint.url, "NO_KEY"), Budget(), None, explain_refusal)
        client._not_before = 2.0

        async def sleep(seconds):
            slept.append(seconds)
            clock.now += seconds
            if len(slept) == 1:
                client._not_before = 7.0

        monkeypatch.setattr(clients, "time", clock)
        monkeypatch.setattr(asyncio, "sleep", sleep)
        async with client.lane() as lane:
            await client.ask(
                lane, "/chat/completions", {"messages": [{"content": "?"}]},
                read=lambda raw: raw, cost=lambda raw: (1, 1), max_completion_tokens=1,
            )  # fmt: skip

    with serving(Endpoint()) as endpoint:
        run_coroutine(asked_of(endpoint))
        assert len(endpoint.seen) == 1
    assert [one for one in slept if one] == [2.0, 5.0]
