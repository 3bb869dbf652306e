"""What a budget holds back: prompts of every density, replies uncounted, attempts lost."""

import asyncio
import gc
import json
import random
import threading

import pytest

from closeread.errors import BudgetError, UsageError
from closeread.readers import make
from closeread.readers.http.budget import Budget
from closeread.types import Passage, Question
from endpoint import Endpoint, last_user, serving
from event_loops import run_coroutine


def make_items(n):
    """Every second passage is so written that each of its characters is a token."""
    return [
        (
            Passage(passage_id=f"p{place}", text=("a " * 50, "7" * 900)[place % 2]),
            Question(question_id=f"q{place}", passage_id=f"p{place}", text="?", kind="discrete"),
        )
        for place in range(n)
    ]


def dense(body):
    """Tokens as a tokenizer counts that joins no digits."""
    text = last_user(body)
    return text.count("7") + len(text.split())


def make_usage(body, completion_tokens=5):
    return {"prompt_tokens": dense(body), "completion_tokens": completion_tokens}


def make_reply(body, usage):
    choices = [{"message": {"content": "Answer: 1"}, "finish_reason": "stop"}]
    return json.dumps({"choices": choices, "usage": usage} if usage else {"choices": choices})


@pytest.mark.parametrize("concurrency", [1, 16])
def test_prompts_of_uneven_density_do_not_overshoot(concurrency):
    """By what earlier replies counted the dense half would be underestimated tenfold."""
    spent = []
    lock = threading.Lock()

    def answer(number, body):
        with lock:
            spent.append(sum(make_usage(body).values()))
        return make_reply(body, make_usage(body))

    with serving(Endpoint(fault=answer)) as endpoint:
        options = {"base_url": endpoint.url, "max_tokens": 5, "concurrency": concurrency}
        reader, _ = make("chat", {**options, "budget_tokens": 8000})
        with pytest.raises(BudgetError):
            list(reader.read(make_items(60)))
    assert 4000 < sum(spent) <= 8000
    assert reader.budget.tokens_in + reader.budget.tokens_out == sum(spent)


def test_without_usage_the_whole_reservation_is_spent():
    with serving(Endpoint(fault=lambda number, body: make_reply(body, None))) as endpoint:
        options = {"base_url": endpoint.url, "max_tokens": 500, "concurrency": 4}
        reader, _ = make("chat", {**options, "budget_tokens": 10_000})
        with pytest.raises(BudgetError):
            list(reader.read(make_items(60)))
        assert 0 < len(endpoint.seen) <= 10_000 // 500
    assert reader.budget.tokens_out == 500 * len(endpoint.seen)


@pytest.mark.parametrize("fault", ["cut", "hang", "no JSON", (504, {}, "upstream is slow")])
def test_attempts_whose_reply_was_lost_are_counted(fault):
    """The model may have written it all, and the provider charges for it."""
    with serving(Endpoint()) as endpoint:
        endpoint.fault = lambda number, body: fault if number < 2 else None
        patience = 1.0 if fault == "hang" else 60.0  # one attempt more would be counted, too
        reader, _ = make(
            "chat", {"base_url": endpoint.url, "max_tokens": 100, "timeout_seconds": patience}
        )
        assert len(list(reader.read(make_items(1)))) == 1
    assert reader.budget.tokens_out == 2 * 100 + 3


@pytest.mark.parametrize("status", [429, 500, 503])
def test_rejected_requests_cost_nothing(status):
    with serving(Endpoint()) as endpoint:
        endpoint.fault = lambda number, body: (status, {}, "no") if number < 2 else None
        reader, _ = make("chat", {"base_url": endpoint.url, "max_tokens": 100})
        assert len(list(reader.read(make_items(1)))) == 1
    assert reader.budget.tokens_out == 3


def test_a_budget_needs_a_limit_on_replies():
    options = {"base_url": "http://h/v1", "extra": '{"max_tokens": null}'}
    make("chat", options)
    with pytest.raises(UsageError, match="max_completion_tokens"):
        make("chat", options | {"budget_tokens": 1000})
    other = '{"max_tokens": null, "max_completion_tokens": 512}'
    make("chat", options | {"budget_tokens": 1000, "extra": other})


def test_concurrent_requests_stay_within_the_budget():
    """Reservations in a random order of ends, against a plain sum."""
    budget = Budget(max_tokens=20_000)
    drawing = random.Random(3)
    spent = reserved = 0

    async def one():
        nonlocal spent, reserved
        n_bytes, max_completion_tokens = drawing.randrange(1, 900), drawing.randrange(1, 300)
        ticket = await budget.reserve(n_bytes, max_completion_tokens)
        reserved += n_bytes + max_completion_tokens
        assert spent + reserved <= 20_000
        for _ in range(drawing.randrange(4)):
            await asyncio.sleep(0)
        tokens = drawing.randrange(n_bytes + 1), drawing.randrange(max_completion_tokens + 1)
        reserved -= n_bytes + max_completion_tokens
        spent += sum(tokens)
        budget.settle(ticket, *tokens)

    async def all_of_them():
        return await asyncio.gather(*(one() for _ in range(200)), return_exceptions=True)

    found = run_coroutine(all_of_them())
    assert {type(error) for error in found} == {type(None), BudgetError}
    assert spent == budget.tokens_in + budget.tokens_out <= 20_000


def test_a_thread_waits_for_reservations_of_others():
    """Each has an event loop of its own; what is settled in one wakes those who wait in others."""
    budget = Budget(max_tokens=10)
    reserved, waits = threading.Event(), threading.Event()
    found = []

    async def first():
        ticket = await budget.reserve(3, 5)
        reserved.set()
        while not waits.is_set() or not budget._waiting:
            await asyncio.sleep(0.001)
        budget.settle(ticket, 1, 1)

    async def second():
        waits.set()
        budget.settle(await budget.reserve(3, 5), 2, 2)
        found.append(budget.format_spent())

    threads = [threading.Thread(target=run_coroutine, args=(first(),))]
    threads[0].start()
    assert reserved.wait(60)
    threads.append(threading.Thread(target=run_coroutine, args=(second(),)))
    threads[1].start()
    for one in threads:
        one.join(60)
    assert found == ["3 prompt and 3 completion tokens"]


def test_a_reader_works_in_several_threads():
    """Of one budget; what is read in one thread begins and ends nothing of another's."""
    with serving(Endpoint(rule=lambda body: f"Answer: {last_user(body).count('a ')}")) as endpoint:
        reader, _ = make("chat", {"base_url": endpoint.url, "max_tokens": 5})
        told = {}

        def ask(thread):
            told[thread] = [one for _ in range(4) for one in reader.read(make_items(6))]

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(60)
    assert [len(of) for of in told.values()] == [24] * 6
    assert not [one.error for of in told.values() for one in of if one.error]


def test_an_abandoned_request_releases_its_reservation():
    """Neither a thread, nor an open file, nor a reservation; the reader goes on."""
    with serving(Endpoint()) as endpoint:
        reader, _ = make("chat", {"base_url": endpoint.url, "max_tokens": 5, "concurrency": 2})
        for drop in (lambda found: found.close(), lambda found: None):
            found = reader.read(make_items(60))
            next(found)
            drop(found)
            del found
            gc.collect()
            assert not reader.budget._reserved
        assert not [one for one in threading.enumerate() if one.name == "closeread-client"]
        assert len(list(reader.read(make_items(4)))) == 4


def test_a_budget_of_money_counts_both_prices():
    with serving(Endpoint()) as endpoint:
        options = {"base_url": endpoint.url, "max_tokens": 20, "concurrency": 1}
        prices = {"budget_money": 0.001, "price_in": 1.0, "price_out": 10.0}
        reader, _ = make("chat", options | prices)
        with pytest.raises(BudgetError):
            list(reader.read(make_items(100)))
        spent = reader.budget.tokens_in * 1e-6 + reader.budget.tokens_out * 1e-5
        assert 0 < spent <= 0.001
        assert spent == pytest.approx(reader.budget.money)
    with pytest.raises(UsageError, match="price"):
        make("chat", options | {"budget_money": 1.0})
