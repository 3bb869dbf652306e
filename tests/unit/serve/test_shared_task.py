"""The protocol of the MRQA shared task: one context in, an answer by question id out."""

import json
import re

import pytest

from project_paths import ROOT
from serving_process import shared_task_body


def test_a_context_is_answered(echo):
    """`{qid: answer}` and nothing else, in order, the text's markers in place."""
    text = "[TLE] Lamps [DOC] Lit at six. [PAR] Put out by nobody."
    reply = echo.post("/", shared_task_body("b", "a", text=text))
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json"
    assert "closeread-failed" not in reply.headers
    assert list(reply.json().items()) == [
        ("b", f"What is b? | {text}"), ("a", f"What is a? | {text}"),
    ]  # fmt: skip


def test_a_published_context_is_answered(echo):
    """Tokens and gold may stand beside, as in the shared task's own files."""
    body = shared_task_body("1") | {"context_tokens": [["The", 0]], "extra": {"of": "others"}}
    body["qas"][0] |= {
        "id": "x", "question_tokens": [["What", 0]], "answers": ["six"],
        "detected_answers": [{"text": "six", "char_spans": [[20, 22]], "token_spans": [[5, 5]]}],
    }  # fmt: skip
    assert list(echo.post("/", body).json()) == ["1"]


@pytest.mark.parametrize(
    "kind", [None, "application/json", "application/x-www-form-urlencoded", "text/plain"]
)
def test_the_content_type_does_not_matter(echo, kind):
    headers = {"content-type": kind} if kind else {}
    assert list(echo.post("/", shared_task_body("1"), headers).json()) == ["1"]


def test_a_header_line_gets_no_answers(echo):
    assert echo.post("/", {"header": {"dataset": "x", "split": "dev"}}).json() == {}
    assert echo.post("/", shared_task_body()).json() == {}
    assert echo.post("/v1/answer", {"items": []}).json()["predictions"] == []


def test_a_repeated_qid_is_answered_once(echo):
    """As in any JSON object the later one stands."""
    body = shared_task_body("1", "1")
    body["qas"][1]["question"] = "Again?"
    assert echo.post("/", body).json()["1"].startswith("Again? |")


def test_the_shared_tasks_client_works(echo):
    """What its program does: wait for the port, post one context at a time, merge."""
    echo.connect().close()
    contexts = [shared_task_body(f"{n}a", f"{n}b", text=f"Text {n}.") for n in range(5)]
    merged = {}
    for one in contexts:
        merged |= echo.post("/", one, {"content-type": "application/json"}).json()
    assert merged == {
        f"{n}{letter}": f"What is {n}{letter}? | Text {n}." for n in range(5) for letter in "ab"
    }


def test_a_context_with_failures_only_is_an_error(echo):
    body = shared_task_body("1")
    body["qas"][0]["question"] = "Please raise!"
    reply = echo.post("/", body)
    assert reply.status == 500
    assert reply.error["what"] == "the reader failed: RuntimeError: no such luck"


def test_the_documented_requests_work(lexical):
    """The requests of docs/serve.md are answered, the first by the line that stands below it."""
    page = (ROOT / "docs/serve.md").read_text("utf-8")
    (first, told), (second, _) = re.findall(r"\$ curl .*? -d '(.*?)'\n(.*?)```", page, re.DOTALL)
    assert lexical.post("/", json.loads(first)).body.decode() == told.strip()
    assert lexical.post("/v1/answer", json.loads(second)).status == 200
