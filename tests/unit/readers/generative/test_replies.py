"""Messages of a chat endpoint that are more than a text, by a real server, whole and streamed."""

import json

import pytest

from closeread.cli import main
from closeread.readers import make
from closeread.types import Option, Passage, Question
from endpoint import Endpoint, serving

ITEM = (
    Passage(passage_id="p", text="The ferry left Marl at six."),
    Question(
        question_id="q", passage_id="p", text="When did it leave?", kind="choice",
        options=tuple(Option(label=one, text=one * 2) for one in "ABCD"),
    ),
)  # fmt: skip
SORRY = "I'm sorry, I can't help with that."
THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "Answer: A"}]}


def text_part(said, kind="text"):
    return {"type": kind, "text": said}


def read(*messages, finish_reason="stop", stream=False, **options):
    """Read one question, answered by a message, or by the deltas of a stream."""
    if stream:
        chunks = [{"choices": [{"index": 0, "delta": one}]} for one in messages]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]})
        reply = "".join(f"data: {json.dumps(one)}\n\n" for one in chunks)
    else:
        (message,) = messages
        choice = {"index": 0, "message": message, "finish_reason": finish_reason}
        reply = json.dumps({"choices": [choice]})
    with serving(Endpoint(fault=lambda number, body: reply)) as endpoint:
        reader, _ = make("chat", {"base_url": endpoint.url, "retries": 0, **options})
        (found,) = reader.read([ITEM])
        assert len(endpoint.seen) == 1
    return found


MESSAGES = {
    "parts": {"content": [text_part("Answer: "), text_part("B")]},
    "parts of a proxy": {"content": [text_part("Answer: B", "output_text"), "\n"]},
    "thoughts among the parts": {"content": [THOUGHT, text_part("Answer: B")]},
    "thoughts beside": {"content": "Answer: B", "reasoning_content": "Answer: A"},
    "a reference among the parts": {
        "content": [
            text_part("Answer:"),
            {"type": "reference", "reference_ids": [1]},
            text_part(" B"),
        ]
    },
    "a part without its text": {"content": [text_part(None), text_part("Answer: B")]},
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_the_text_of_a_message_is_read(message, stream):
    found = read(message, stream=stream)
    assert found.answer.label == "B" and not found.error
    assert found.generation.text.strip() == "Answer: B"


def test_parts_and_pieces_of_a_stream_are_joined():
    """Reasoning comes in lists, the answer behind it in plain pieces."""
    deltas = [{"content": [THOUGHT]}, {"content": None}, {"content": "Answer:"}, {"content": " B"}]
    assert read(*deltas, stream=True).generation.text == "Answer: B"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "refusal": SORRY},
        {"content": "", "refusal": SORRY},
        {"content": [{"type": "refusal", "refusal": SORRY}]},
    ],
)
def test_the_words_of_a_refusal_are_kept(message, stream):
    found = read(message, stream=stream)
    assert (found.generation.text, found.answer.kind, found.error) == (SORRY, "none", "")


def test_a_streamed_refusal_is_joined():
    found = read(*({"refusal": piece} for piece in (SORRY[:9], SORRY[9:])), stream=True)
    assert (found.generation.text, found.answer.kind) == (SORRY, "none")


def test_a_key_in_parts_of_a_stream_is_hidden(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123")
    deltas = [{"content": [text_part("Answer: B sk-sec")]}, {"content": [text_part("ret-0123")]}]
    assert read(*deltas, stream=True).generation.text == "Answer: B ***"


@pytest.mark.parametrize("stream", [False, True])
def test_a_message_without_text_fails_with_its_kind(stream):
    parts = [{"type": "image_url", "image_url": {"url": "data:"}}, {"type": ["audio"]}, THOUGHT]
    behind = [{"content": ""}, {"content": None}] if stream else []
    found = read({"content": parts}, *behind, stream=stream)
    assert found.generation is None
    assert "no text but image_url, ['audio']" in found.error and "-o extra=" in found.error


def test_letters_are_scored_for_any_message_content():
    """Its text is not wanted."""
    place = {"token": "B", "logprob": -0.5, "top_logprobs": [{"token": "B", "logprob": -0.5}]}
    choice = {"message": {"content": [{"type": "audio"}]}, "logprobs": {"content": [place]}}
    with serving(Endpoint(reply=lambda path, body: {"choices": [choice]})) as endpoint:
        reader, _ = make("chat", {"base_url": endpoint.url, "scoring": "letters"})
        assert next(reader.read([ITEM])).answer.label == "B"


@pytest.mark.parametrize(
    ("message", "finish_reason", "told"),
    [
        ({"content": None, "reasoning_content": "So"}, "length", "is length: a larger -o max_t"),
        ({"content": None, "tool_calls": [{"id": "x"}]}, "tool_calls", "is tool_calls\n"),
        ({"content": [THOUGHT]}, "", "no finish reason is given\n"),
    ],
)
def test_blank_texts_are_counted_by_finish_reason(message, finish_reason, told, tmp_path, capsys):
    """Not laid to the kind of the questions."""
    choice = {"message": message, "finish_reason": finish_reason}
    with serving(Endpoint(reply=lambda path, body: {"choices": [choice]})) as endpoint:
        with pytest.raises(SystemExit) as ended:
            main(["read", "exam/zh", "--reader", "chat", "-o", f"base_url={endpoint.url}",
                  "--limit", "3", "--out", str(tmp_path / "run")])  # fmt: skip
        assert ended.value.code == 0
    said = " ".join(capsys.readouterr().err.split(" "))
    assert "returned empty text for 3 of 3 questions" in said and told in said
    assert "which kinds of questions each reader answers" not in said


def test_texts_without_answer_are_not_blamed_on_the_questions(tmp_path, capsys):
    """They are there, and another rule may find one."""
    with serving(Endpoint(rule=lambda body: SORRY)) as endpoint:
        with pytest.raises(SystemExit) as ended:
            main(["read", "exam/zh", "--reader", "chat", "-o", f"base_url={endpoint.url}",
                  "--limit", "3", "--out", str(tmp_path / "run")])  # fmt: skip
        assert ended.value.code == 0
    said = capsys.readouterr().err
    assert "gave no answer to any of 3 questions; its texts are in predictions.jsonl" in said
    assert "which kinds of questions each reader answers" not in said
