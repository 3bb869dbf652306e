"""The chat and completion readers against a server that answers, and against one that does not."""

import json
import socket
import sqlite3
import threading

import msgspec
import pytest

from closeread.errors import BudgetError, EndpointError, UsageError
from closeread.formats import load
from closeread.readers import make
from closeread.runs.predict import Job, batch_size_of, predict
from closeread.runs.records import describe_reader
from closeread.runs.store import open_run
from closeread.types import Option, Passage, Question
from endpoint import Endpoint, last_user, serving

PASSAGE = Passage(passage_id="p", text="The ferry left Marl at six. It carried 14 sheep.")
OPTIONS = tuple(
    Option(label=label, text=text)
    for label, text in zip("ABCD", ("six", "seven", "eight", "nine"), strict=True)
)


def make_items(n, kind="discrete", options=()):
    return [
        (
            PASSAGE,
            Question(
                question_id=f"q{number}", passage_id="p", text=f"What is {number}?", kind=kind,
                options=options,
            ),
        )
        for number in range(n)
    ]  # fmt: skip


def number_asked(body):
    return last_user(body).rpartition("What is ")[2].partition("?")[0]


def echo_number(body):
    return f"Answer: {number_asked(body)}"


def make_reader(endpoint, name="chat", **options):
    return make(name, {"base_url": endpoint.url, "retries": 3, **options})[0]


def answers(reader, given):
    return {
        one.question_id: one.answer.texts if one.answer else one.error for one in reader.read(given)
    }


@pytest.fixture
def questions(tmp_path):
    rows = [
        {
            "passage": {"passage_id": f"p{place}", "text": f"Passage {place} says little."},
            "questions": [
                {
                    "question_id": f"q{place}", "passage_id": f"p{place}",
                    "text": f"What is {place}?", "kind": "discrete",
                    "answers": [{"kind": "number", "texts": [str(place)]}],
                }
            ],
        }
        for place in range(40)
    ]  # fmt: skip
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def run(path, out, endpoint, resume=False, **options):
    given = {"base_url": endpoint.url, "retries": 3, **options}
    reader, resolved = make("chat", given)
    info = describe_reader("chat", resolved, reader)
    job = Job(dataset=load(path), reader=reader, reader_info=info, batch_size=batch_size_of(reader))
    return predict(job, out, resume=resume)


def all_but_times(done):
    return [msgspec.structs.replace(one, seconds=None) for one in done.predictions()]


EXPECTED = {f"q{number}": (str(number),) for number in range(30)}


@pytest.mark.parametrize("name", ["chat", "completion"])
def test_each_question_gets_its_own_answer(name):
    with serving(Endpoint(rule=echo_number)) as endpoint:
        reader = make_reader(endpoint, name, concurrency=8)
        assert answers(reader, make_items(30)) == EXPECTED
        assert {seen.path for seen in endpoint.seen} == {
            "/v1/chat/completions" if name == "chat" else "/v1/completions"
        }


FAULTS = {
    "500": (500, {}, '{"error": {"message": "out of luck"}}'),
    "429": (429, {"Retry-After": "0.05"}, '{"error": "slow down"}'),
    "503 with a date": (503, {"Retry-After": "Fri, 01 Jan 2021 00:00:00 GMT"}, "busy"),
    "cut": "cut",
    "vanish": "vanish",
    "no JSON": "<html>Bad gateway</html>",
    "other JSON": '{"object": "list"}',
    "no choice": '{"choices": []}',
    "no message": '{"choices": [{"index": 0}]}',
    "two answers": json.dumps(
        {"choices": [{"index": 0, "message": {"content": text}} for text in ("1", "2")]}
    ),
    "another index": '{"choices": [{"index": 1, "message": {"content": "1"}}]}',
    "not UTF-8 by its length": '{"choices": [{"message": {"content": "',
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_transient_faults_do_not_change_predictions(fault):
    """Every third request goes wrong; all questions are answered as if none had."""
    with serving(Endpoint(rule=echo_number)) as endpoint:
        endpoint.fault = lambda number, body: fault if number % 3 == 1 else None
        assert answers(make_reader(endpoint, concurrency=1), make_items(30)) == EXPECTED
        assert len(endpoint.seen) > 30


def test_a_repeated_reply_is_used_once():
    twice = [{"index": 0, "message": {"content": "Answer: 5"}}] * 2
    with serving(Endpoint()) as endpoint:
        endpoint.fault = lambda number, body: json.dumps({"choices": twice})
        assert answers(make_reader(endpoint), make_items(1)) == {"q0": ("5",)}


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_a_request_that_times_out_is_repeated(fault):
    with serving(Endpoint(rule=echo_number)) as endpoint:
        endpoint.fault = lambda number, body: fault if number == 0 else None
        reader = make_reader(endpoint, concurrency=2, timeout_seconds=0.4)
        assert answers(reader, make_items(4)) == {
            name: EXPECTED[name] for name in ("q0", "q1", "q2", "q3")
        }


def test_retry_after_pauses_all_requests(monkeypatch):
    """After one 429 that asks for a pause nothing is sent before the pause is over."""
    import time

    moments = []
    with serving(Endpoint(rule=echo_number)) as endpoint:

        def fault(number, body):
            moments.append(time.monotonic())
            return (429, {"Retry-After": "0.5"}, "wait") if number == 4 else None

        endpoint.fault = fault
        assert answers(make_reader(endpoint, concurrency=1), make_items(10)) == {
            f"q{number}": (str(number),) for number in range(10)
        }
    assert moments[5] - moments[4] >= 0.5


def test_one_failing_question_does_not_affect_others():
    with serving(Endpoint(rule=echo_number)) as endpoint:
        endpoint.fault = lambda number, body: (
            (500, {}, "boom") if number_asked(body) == "7" else None
        )
        found = answers(make_reader(endpoint, concurrency=1, retries=1), make_items(12))
    assert "status 500: boom, in each of 2 attempts" in found.pop("q7")
    assert found == {f"q{number}": (str(number),) for number in range(12) if number != 7}


def test_failing_questions_at_the_end_do_not_stop_the_run():
    with serving(Endpoint(rule=echo_number)) as endpoint:
        endpoint.fault = lambda number, body: "vanish" if number_asked(body) in ("4", "5") else None
        found = answers(make_reader(endpoint, concurrency=1, retries=1), make_items(6))
    assert [name for name, texts in found.items() if isinstance(texts, str)] == ["q4", "q5"]


def test_an_overlong_context_fails_only_its_question():
    told = '{"error": {"message": "maximum context length is 2048 tokens, you asked for 4000"}}'
    with serving(Endpoint(rule=echo_number)) as endpoint:
        endpoint.fault = lambda number, body: (400, {}, told) if number_asked(body) == "0" else None
        found = answers(make_reader(endpoint), make_items(3))
    assert "does not fit into the model's context" in found["q0"]
    assert "-o shots" in found["q0"]
    assert (found["q1"], found["q2"]) == (("1",), ("2",))


def test_an_unreachable_server_is_reported():
    with socket.socket() as shut:
        shut.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{shut.getsockname()[1]}/v1"
        with pytest.raises(EndpointError, match="nothing answers at this address"):
            _ = make("chat", {"base_url": url})[0].record


def test_missing_and_invalid_endpoints_are_rejected(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for url, told in [
        ("", "no endpoint given"),
        ("localhost:8000", "not an http or https address"),
        ("http://localhost:99999", r"a port \(1 to 65535\)"),
        ("http://me:secret@host/v1", "contains a password"),
    ]:
        with pytest.raises(UsageError, match=told) as caught:
            _ = make("chat", {"base_url": url})[0].record
        assert "secret" not in str(caught.value)


def test_an_unknown_model_lists_those_of_the_server():
    with serving(Endpoint(models=("qwen", "llama"))) as endpoint:
        with pytest.raises(EndpointError, match="qwen, llama"):
            _ = make_reader(endpoint, model="gpt").record
        with pytest.raises(EndpointError, match="no model given"):
            _ = make_reader(endpoint).record
        assert make_reader(endpoint, model="llama").record["model"] == {"id": "llama"}


def test_an_unlisted_model_folder_is_requested_anyway():
    with serving(Endpoint(rule=echo_number, models=("gpt2",))) as endpoint:
        assert answers(make_reader(endpoint, model="/models/tiny"), make_items(1)) == {"q0": ("0",)}
        endpoint.fault = lambda number, body: (404, {}, "no such model")
        with pytest.raises(
            EndpointError, match="no such model; the server lists no model '/models/tiny'"
        ):
            answers(make_reader(endpoint, model="/models/tiny"), make_items(1))


def test_a_server_without_a_model_list_is_used():
    with serving(Endpoint(rule=echo_number, models=())) as endpoint:
        assert answers(make_reader(endpoint, model="any"), make_items(2)) == {
            "q0": ("0",),
            "q1": ("1",),
        }


def test_the_cache_answers_repeated_requests(tmp_path):
    cache = str(tmp_path / "deep" / "cache.sqlite")
    with serving(Endpoint(rule=echo_number)) as endpoint:
        first = list(make_reader(endpoint, cache=cache).read(make_items(30)))
        assert len(endpoint.seen) == 30
        again = list(make_reader(endpoint, cache=cache).read(make_items(30)))
        assert len(endpoint.seen) == 30
        told = {one.question_id: one.generation for one in first}
        assert told == {one.question_id: one.generation for one in again}
        list(make_reader(endpoint, cache=cache, max_tokens=7).read(make_items(30)))
        assert len(endpoint.seen) == 60
    with sqlite3.connect(cache) as base:
        assert base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        keys = {row[0] for row in base.execute("SELECT request FROM replies")}
    base.close()
    assert {one.generation.request_sha256 for one in first} < keys


def test_failures_are_not_cached(tmp_path):
    cache = str(tmp_path / "cache.sqlite")
    with serving(Endpoint(rule=echo_number)) as endpoint:
        endpoint.fault = lambda number, body: "no JSON" if number < 2 else None
        assert answers(make_reader(endpoint, cache=cache), make_items(1)) == {"q0": ("0",)}
        assert len(endpoint.seen) == 3


def test_a_run_stopped_by_the_budget_can_be_resumed(tmp_path, questions):
    """Tokens are never overspent; after a raise of the budget nothing is asked twice."""
    with serving(Endpoint(rule=echo_number)) as endpoint:
        with pytest.raises(BudgetError, match="--resume"):
            run(questions, tmp_path / "run", endpoint, budget_tokens=900, max_tokens=50)
        first = len(endpoint.seen)
        assert 0 < first < 40
        done = run(questions, tmp_path / "run", endpoint, resume=True, max_tokens=50)
        assert len(endpoint.seen) == 40
    found = {one.question_id: one.answer.texts for one in done.predictions()}
    assert found == {f"q{number}": (str(number),) for number in range(40)}


def test_a_run_stopped_by_a_dead_server_can_be_resumed(tmp_path, questions):
    with serving(Endpoint(rule=echo_number)) as endpoint:
        endpoint.fault = lambda number, body: "vanish" if number >= 10 else None
        with pytest.raises(EndpointError, match="--resume"):
            run(questions, tmp_path / "run", endpoint, concurrency=4, retries=1)
        assert not open_run(tmp_path / "run").info.complete
        endpoint.fault = lambda number, body: None
        done = run(questions, tmp_path / "run", endpoint, resume=True, concurrency=2, retries=1)
        assert done.info.complete
        whole = run(questions, tmp_path / "whole", endpoint, concurrency=7)
        assert all_but_times(done) == all_but_times(whole)
        assert len(all_but_times(done)) == 40


def test_the_run_records_model_prompts_and_settings(tmp_path, questions):
    with serving(Endpoint(rule=echo_number)) as endpoint:
        done = run(questions, tmp_path / "run", endpoint, shots=0)
    record = done.info.reader.record
    assert record["model"] == {"id": "tiny"}
    assert record["request"] == {"model": "tiny", "max_tokens": 1024, "temperature": 0.0}
    prompt = record["prompts"]["discrete.en"]
    import hashlib

    assert prompt["sha256"] == hashlib.sha256(prompt["text"].encode()).hexdigest()
    assert record["examples"] == {"shots": 0}


def test_the_generated_text_is_kept_unchanged():
    text = " Well.\r\n\n10\u3000Passage:\u2028 next \x00"
    with serving(Endpoint(rule=lambda body: text)) as endpoint:
        (found,) = make_reader(endpoint, "completion").read(make_items(1))
        (cut,) = make_reader(endpoint, "completion", server_stop=True, stop="\\n||Passage:").read(
            make_items(1)
        )
        assert "stop" not in endpoint.seen[0].body
        assert endpoint.seen[1].body["stop"] == ["\n", "Passage:"]
    assert found.generation.text == text
    assert (found.generation.finish_reason, found.generation.stops) == ("stop", ())
    assert found.generation.completion_tokens == 3
    assert cut.generation.stops == ("\n", "Passage:")


def test_server_stops_need_a_stop():
    """It would change nothing, and the run's record would say that it had."""
    with pytest.raises(UsageError, match="no stop string to send"):
        make("chat", {"base_url": "http://127.0.0.1:1/v1", "server_stop": True})
    make("completion", {"base_url": "http://127.0.0.1:1/v1", "server_stop": True})


def test_examples_come_by_seed_and_never_from_the_same_passage(tmp_path, questions):
    dataset = load(questions)
    given = [(passage, of[0]) for passage, of in dataset]
    with serving(Endpoint(rule=echo_number)) as endpoint:
        for seed in (1, 1, 2):
            options = {"examples": str(questions), "shots": 5, "seed": seed, "concurrency": 1}
            list(make_reader(endpoint, **options).read(given))
        bodies = [seen.body["messages"] for seen in endpoint.seen]
    assert bodies[:40] == bodies[40:80] != bodies[80:]
    for messages in bodies:
        shown = [one["content"].split("\n")[1] for one in messages if one["role"] == "user"]
        assert len(shown) == len(set(shown)) == 6
        roles = [one["role"] for one in messages]
        assert roles == ["system", *["user", "assistant"] * 5, "user"]
    asked = messages[-1]["content"]
    assert "Answer: " not in asked


def test_options_are_shuffled_and_the_majority_counts():
    """A model that always says "B" picks what stands second; one that knows is not confused."""
    given = make_items(20, "choice", OPTIONS)

    def knows(body):
        line = next(line for line in last_user(body).splitlines() if line.endswith(". eight"))
        return f"Answer: {line[0]}"

    with serving(Endpoint(rule=knows)) as endpoint:
        found = list(make_reader(endpoint, shuffles=5).read(given))
        assert {one.answer.label for one in found} == {"C"}
        assert {one.confidence for one in found} == {1.0}
        assert len(endpoint.seen) == 100
    for one in found:
        orders = [each.option_order for each in (one.generation, *one.others)]
        assert len(set(orders)) == 5
        assert orders[0] == tuple("ABCD")
    with serving(Endpoint(rule=lambda body: "B")) as endpoint:
        found = list(make_reader(endpoint, shuffles=5).read(given))
    assert {one.answer.label for one in found} != {"B"}


def test_up_to_256_requests_are_concurrent():
    gate = threading.Barrier(256, timeout=60)

    def together(body):
        gate.wait()
        return echo_number(body)

    with serving(Endpoint(rule=together)) as endpoint:
        reader = make_reader(endpoint, concurrency=256)
        assert len(answers(reader, make_items(256))) == 256
        assert endpoint.most_running == 256


def test_a_reader_closed_early_sends_no_more_requests():
    with serving(Endpoint(rule=echo_number)) as endpoint:
        stream = make_reader(endpoint, concurrency=2).read(make_items(300))
        next(stream)
        stream.close()
        assert len(endpoint.seen) < 300
