"""Streamed replies: put together, their ends noticed, by a real server over a real connection."""

import json

import pytest

from closeread.errors import UsageError
from closeread.readers import make
from closeread.readers.http.event_stream import BrokenStreamError, decode_body, join_stream
from closeread.types import Option, Passage, Question
from endpoint import Endpoint, last_user, serving

PASSAGE = Passage(passage_id="p", text="渡船六点离开。It carried 14 sheep.")


def make_items(n):
    return [
        (PASSAGE, Question(question_id=f"q{one}", passage_id="p", text=f"第 {one} 问", kind="span"))
        for one in range(n)
    ]


def make_answer(body):
    return "“答案”：" + last_user(body).rpartition("第 ")[2].partition(" 问")[0] + " 只羊🐑"


def read(endpoint, name="chat", n=12, **options):
    reader, _ = make(name, {"base_url": endpoint.url, "retries": 3, **options})
    found = {one.question_id: one for one in reader.read(make_items(n))}
    return [found[f"q{one}"] for one in range(n)]


@pytest.mark.parametrize("name", ["chat", "completion"])
def test_a_streamed_reply_equals_a_whole_one(name):
    """Text, ending and tokens."""
    with serving(Endpoint(rule=make_answer)) as endpoint:
        whole = read(endpoint, name)
        streamed = read(endpoint, name, stream=True)
        assert endpoint.seen[-1].body["stream_options"] == {"include_usage": True}
    for one, other in zip(whole, streamed, strict=True):
        assert one.generation.text == other.generation.text and "🐑" in one.generation.text
        assert (one.answer, one.generation.finish_reason) == (other.answer, "stop")
        assert one.generation.prompt_tokens == other.generation.prompt_tokens > 0
        assert other.generation.completion_tokens == 3


def test_a_server_that_only_streams_is_supported():
    with serving(Endpoint(rule=make_answer, only_streams=True)) as endpoint:
        texts = [one.generation.text for one in read(endpoint)]
        assert "stream" not in endpoint.seen[0].body
    assert len(set(texts)) == 12 and all(text.endswith("🐑") for text in texts)


def test_a_server_that_does_not_stream_is_supported():
    whole = {"choices": [{"index": 0, "message": {"content": "6"}, "finish_reason": "stop"}]}
    with serving(Endpoint()) as endpoint:
        endpoint.fault = lambda number, body: json.dumps(whole)
        assert [one.answer.texts for one in read(endpoint, n=2, stream=True)] == [("6",)] * 2


@pytest.mark.parametrize("fault", ["cut", "error"])
def test_a_broken_stream_is_requested_again(fault):
    """The connection ends as if all were well; half a text is never taken for the whole."""
    with serving(Endpoint(rule=make_answer)) as endpoint:
        endpoint.fault = lambda number, body: fault if number % 3 == 1 else None
        found = read(endpoint, stream=True, concurrency=1)
        assert len(endpoint.seen) > 12
    assert all(one.generation.text.endswith("🐑") and not one.error for one in found)


def test_an_always_broken_stream_fails_with_the_reason():
    with serving(Endpoint(rule=make_answer)) as endpoint:
        endpoint.fault = lambda number, body: "cut" if "第 1 问" in last_user(body) else None
        found = read(endpoint, n=3, stream=True, concurrency=1, retries=1)
    assert "ended too early" in found[1].error and not found[0].error and not found[2].error


def event(**chunk):
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def make_delta(text, **more):
    return event(choices=[{"index": 0, "delta": {"content": text}, **more}])


def test_without_a_done_line_the_finish_reasons_decide():
    """Some servers never send [DONE]; the reason of every choice is as good."""
    assert join_stream(make_delta("6") + make_delta("", finish_reason="stop"))["choices"] == [
        {"index": 0, "message": {"content": "6"}, "finish_reason": "stop"}
    ]
    assert join_stream(make_delta("6") + b"data: [DONE]")["choices"][0]["message"] == {
        "content": "6"
    }
    for broken in (
        make_delta("6"),
        b": nothing\n\n",
        make_delta("6") + b'data: {"choices": [{"index"',
    ):
        with pytest.raises(BrokenStreamError, match="ended too early"):
            join_stream(broken)


def test_the_last_usage_counts():
    """Some servers count from chunk to chunk."""
    raw = event(choices=[], usage={"prompt_tokens": 1}) + make_delta("6", finish_reason="stop")
    raw += event(choices=[], usage={"prompt_tokens": 7, "completion_tokens": 2})
    assert join_stream(raw)["usage"] == {"prompt_tokens": 7, "completion_tokens": 2}


def test_all_line_ends_and_multi_line_data_are_read():
    raw = b'event: message\r\nid: 1\r\ndata: {\r\ndata: "choices": []}\r\n\r\n'
    raw += b"data:[DONE]\r\n\r\n"
    assert join_stream(raw) == json.loads(decode_body(raw)) == {"choices": []}
    for whole in (b'{"choices": []}', b""):
        assert decode_body(whole) == whole


@pytest.mark.parametrize(
    "raw", [b"data: 5\n\n", b"data: {]\n\n", event(choices=[5]), event(choices=[{"index": "x"}])]
)
def test_an_invalid_chunk_is_reported(raw):
    with pytest.raises(BrokenStreamError, match="chunk"):
        join_stream(raw + b"data: [DONE]\n\n")


OPTIONS = tuple(Option(label=one, text=one * 2) for one in "ABCD")


def choose(endpoint, **options):
    question = Question(
        question_id="q", passage_id="p", text="Which?", kind="choice", options=OPTIONS
    )
    reader, _ = make("chat", {"base_url": endpoint.url, "scoring": "letters", **options})
    return next(reader.read([(PASSAGE, question)]))


def tops(*pairs):
    listed = [{"token": token, "logprob": value} for token, value in pairs]
    return lambda body: [{"content": [{**listed[0], "top_logprobs": listed}]}]


def test_letters_beyond_the_limit_get_their_upper_bound():
    """Of five tokens .5 .2 .1 .1 .08 are listed: 0.02 is left for all others."""
    import math

    listed = [(token, math.log(share)) for token, share in
              (("B", 0.5), ("A", 0.2), ("The", 0.1), (" C", 0.1), ("So", 0.08))]  # fmt: skip
    for stream in (False, True):
        with serving(Endpoint(logprobs=tops(*listed))) as endpoint:
            found = choose(endpoint, top_logprobs=5, stream=stream)
            assert endpoint.seen[-1].body["top_logprobs"] == 5
        assert found.answer.label == "B"
        assert found.option_scores == pytest.approx([math.log(x) for x in (0.2, 0.5, 0.1, 0.02)])
        assert found.note.startswith("D not among the 5 likeliest")


def test_no_letter_among_the_top_tokens_is_no_answer():
    """Not the first option by default."""
    with serving(Endpoint(logprobs=tops(("The", -0.1), ("I", -3.0)))) as endpoint:
        found = choose(endpoint)
    assert found.answer is None and "no option's letter" in found.error


@pytest.mark.parametrize("many", [0, 21])
def test_an_impossible_limit_is_rejected(many):
    with pytest.raises(UsageError, match="top_logprobs"):
        make("chat", {"base_url": "http://localhost:1/v1", "top_logprobs": many})
