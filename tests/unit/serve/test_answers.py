"""What the service answers, and what its reader is shown of a question."""

import threading
from itertools import islice
from pathlib import Path

import msgspec
import pytest

import closeread
from closeread.exam import EXAMS, locate
from closeread.formats import load
from closeread.readers import make
from closeread.readers.http.answer_wire import AnswerReply, AnswerRequest, to_wire
from closeread.runs.plan import plan_batches
from closeread.types import Span
from serving_process import question_body, serving, shared_task_body

HERE = Path(__file__).parent


def decode_reply(reply):
    assert reply.status == 200, reply.body
    return msgspec.json.decode(reply.body, type=AnswerReply)


def answer_texts(reply):
    return {one.question_id: one.answer.texts[0] for one in decode_reply(reply).predictions}


@pytest.fixture(scope="module")
def echo():
    with serving("odd_readers:Echo", folder=HERE) as server:
        yield server


def test_a_failed_question_does_not_affect_others(echo):
    """It is left out of the shared task's answers, and named with its error in ours."""
    body = shared_task_body("1", "2", "3")
    body["qas"][1]["question"] = "Please raise!"
    reply = echo.post("/", body)
    assert (reply.status, sorted(reply.json())) == (200, ["1", "3"])
    assert reply.headers["closeread-failed"] == "1"
    for word, told in (
        ("raise", "RuntimeError: no such luck"),
        ("usage", "UsageError: a question that this reader refuses"),
        ("exit", "SystemExit: 3"),
        ("cancel", "CancelledError: "),
        ("silent", "the reader gave no prediction"),
    ):
        asked_for = question_body("1", "2", "3")
        asked_for["items"][0]["questions"][1]["text"] = f"Please {word}!"
        first, second, third = decode_reply(echo.post("/v1/answer", asked_for)).predictions
        assert first.answer.texts == ("What is 1? | The lamp was lit at six.",)
        assert (second.answer, second.error) == (None, told)
        assert third.answer.texts == ("What is 3? | The lamp was lit at six.",)


def test_a_failing_retriever_fails_one_question():
    """The thread that reads goes on for all others."""
    with serving("odd_readers:Echo", "--retriever", "odd_readers:Leaves", folder=HERE) as server:
        asked_for = question_body("1", "2")
        asked_for["items"][0]["questions"][0]["text"] = "When did it leave?"
        for _ in range(2):
            first, second = decode_reply(server.post("/v1/answer", asked_for)).predictions
            assert (first.answer, first.error) == (None, "SystemExit: 3")
            assert second.evidence[0].texts == ("The",)


def test_answers_are_in_the_requests_order(echo):
    body = {"items": []}
    for number in range(40):
        item = question_body(f"q{number}", f"r{number}", text=f"Text {number}.")["items"][0]
        body["items"].append(item)
    reply = decode_reply(echo.post("/v1/answer", body))
    wanted = [f"{letter}{number}" for number in range(40) for letter in "qr"]
    assert [one.question_id for one in reply.predictions] == wanted
    assert [one.answer.texts[0] for one in reply.predictions] == [
        f"What is {name}? | Text {name[1:]}." for name in wanted
    ]


def test_a_reader_never_sees_gold():
    """Nor tags, metadata, groups, or ids that could tell of them."""
    with serving("odd_readers:Shows", folder=HERE) as server:
        gold = {
            "answers": [{"kind": "choice", "label": "B", "texts": ["SECRET"]}],
            "option_truth": [False, True],
            "gold_evidence": [{"spans": [[0, 3]], "texts": ["SECRET"]}],
            "group_id": "SECRET-1", "role": "positive", "tags": {"type": "SECRET"},
            "metadata": {"solution": "SECRET"},
        }  # fmt: skip
        options = [
            {"label": "A", "text": "a"},
            {"label": "B", "text": "b", "tags": {"t": "SECRET"}},
        ]
        question = {
            "question_id": "SECRET-q", "passage_id": "SECRET-p", "text": "Which?", "kind": "choice",
            "options": options, **gold,
        }  # fmt: skip
        passage = {"passage_id": "SECRET-p", "text": "x", "metadata": {"s": "SECRET"}}
        body = {"items": [{"passage": passage, "questions": [question]}]}
        (found,) = decode_reply(server.post("/v1/answer", body)).predictions
        assert found.question_id == "SECRET-q"
        assert "SECRET" not in found.answer.texts[0]
        mrqa = shared_task_body("SECRET")
        mrqa["qas"][0] |= {"answers": ["SECRET"], "question": "?"}
        assert "SECRET" not in server.post("/", mrqa).json()["SECRET"]


def test_questions_of_a_group_are_never_shown_together():
    with serving("odd_readers:Shows", folder=HERE) as server:
        body = question_body(*(f"q{number}" for number in range(9)))
        for number, question in enumerate(body["items"][0]["questions"]):
            question["group_id"] = f"g{number // 3}"
        shown = answer_texts(server.post("/v1/answer", body))
        assert [found.split()[0] for found in shown.values()] == ["3"] * 9


def test_clients_with_the_same_ids_share_a_batch_and_are_not_mixed(tmp_path):
    """Every id stands in the batch once, each passage id names one text."""
    go = tmp_path / "go"
    replies = {}
    with serving("odd_readers:Together", folder=HERE, GO=str(go)) as server:

        def ask(number):
            body = question_body("same", "other", text=f"Text {number}.")
            body["items"][0]["passage"]["passage_id"] = "p"
            body["items"][0]["questions"][0]["text"] = f"same{number}"
            body["items"][0]["questions"][1]["text"] = f"other{number}"
            replies[number] = answer_texts(server.post("/v1/answer", body))

        threads = [threading.Thread(target=ask, args=(0,))]
        threads[0].start()
        server.until(lambda health: health["reading_questions"] == 2)
        for number in range(1, 5):
            threads.append(threading.Thread(target=ask, args=(number,)))
            threads[-1].start()
        server.until(lambda health: health["queue_questions"] == 8)
        go.touch()
        for thread in threads:
            thread.join()
    together = " ".join(
        sorted(f"{name}{number}" for number in range(1, 5) for name in ("same", "other"))
    )
    for number in range(1, 5):
        assert replies[number] == {
            name: f"{name}{number}@Text {number}. of {together}" for name in ("same", "other")
        }


def test_an_answer_does_not_wait_for_the_rest_of_its_batch(tmp_path):
    """Of three requests in one batch two are answered while the third keeps the reader busy."""
    go, replies = tmp_path / "go", {}
    with serving(
        "odd_readers:Streams", "--batch-wait-milliseconds", "60000", "--batch-size", "3",
        folder=HERE, GO=str(go),
    ) as server:  # fmt: skip

        def ask(name):
            replies[name] = server.post("/", shared_task_body(name)).json()

        threads = {name: threading.Thread(target=ask, args=(name,)) for name in ("a", "b", "last")}
        for number, name in enumerate(threads):
            threads[name].start()
            if number < 2:
                server.until(lambda health, n=number: health["queue_questions"] == n + 1)
        threads["a"].join()
        threads["b"].join()
        assert replies == {"a": {"a": "What is a?"}, "b": {"b": "What is b?"}}
        assert server.health()["reading_questions"] == 3
        go.touch()
        threads["last"].join()
        assert replies["last"] == {"last": "What is last?"}
        server.until(lambda health: not health["reading_questions"])  # counted when all is said
        assert server.metric("closeread_batch_questions_sum") == 3
        assert server.metric("closeread_batch_questions_count") == 1


def test_the_exam_is_answered_as_by_the_reader(lexical):
    """Through the service as in a run: answer, confidence, scores and evidence are equal."""
    reader, options = make("lexical", {"sharpness": 4.0})
    for name in EXAMS:
        items = list(islice(load(locate(name)), 50))  # a request holds 1,024 questions at most
        body = AnswerRequest(items=tuple(to_wire(*item) for item in items), n_best=1000)
        reply = decode_reply(lexical.post("/v1/answer", msgspec.json.encode(body)))
        assert (reply.reader, reply.options) == ("lexical", options)
        assert reply.version == closeread.__version__
        own = {}
        for batch in plan_batches(items, 32):
            names = {one.shown[1].question_id: one.question_id for one in batch}
            for found in reader.read([one.shown for one in batch]):
                own[names[found.question_id]] = found
        assert len(reply.predictions) == len(own) > 5
        for found in reply.predictions:
            same = own[found.question_id]
            assert (found.answer, found.confidence, found.candidates, found.option_scores) == (
                same.answer, same.confidence, same.candidates, same.option_scores
            )  # fmt: skip
            assert [one.spans for one in found.evidence] == [one.spans for one in same.evidence]


def test_ids_are_the_same_as_in_a_run():
    """The id that a reader sees is the same here and in a run."""
    with serving("random-option") as server:
        body = question_body(*(f"q{number}" for number in range(20)))
        for question in body["items"][0]["questions"]:
            question |= {
                "kind": "choice",
                "options": [{"label": label, "text": label} for label in "ABCD"],
            }
        replies = [server.post("/v1/answer", body) for _ in range(2)]
        labels = [
            [one.answer.label for one in decode_reply(reply).predictions] for reply in replies
        ]
        assert labels[0] == labels[1]
        reader, _ = make("random-option")
        items = [
            (item.passage, item.questions) for item in msgspec.convert(body, AnswerRequest).items
        ]
        (batch,) = plan_batches(items, 32)
        assert labels[0] == [one.answer.label for one in reader.read([p.shown for p in batch])]


def test_evidence_has_its_coverage(lexical):
    body = question_body("q", text="The lamp was lit at six. Nobody saw who put it out.")
    body["items"][0]["questions"][0] |= {
        "kind": "verification",
        "options": [
            {"label": "A", "text": "The lamp was lit at seven."},
            {"label": "B", "text": "Nobody saw who put it out."},
        ],
    }
    reply = decode_reply(lexical.post("/v1/answer", body))
    (found,), (first, second) = reply.predictions, reply.coverage[0]
    text = body["items"][0]["passage"]["text"]
    assert [one.option_label for one in found.evidence] == ["A", "B"]
    assert found.evidence[1].texts == ("Nobody saw who put it out.",)
    assert (first.claim, first.option_label) == ("The lamp was lit at seven.", "A")
    assert [span.of(first.claim) for span in first.uncovered] == ["seven"]
    assert first.covered[0].option_span.of(first.claim) == first.covered[0].passage_span.of(text)
    assert second.uncovered == ()


def test_the_readers_evidence_is_kept_and_explained():
    with serving("odd_readers:Wordy", folder=HERE) as server:
        reply = decode_reply(server.post("/v1/answer", question_body("six", n_best=3)))
        (found,) = reply.predictions
        assert len(found.candidates) == 3
        assert [(one.spans, one.score) for one in found.evidence] == [((Span(0, 24),), 0.25)]
        assert reply.coverage[0][0].claim == "What is six?"
        assert reply.coverage[0][0].found_by == ""
        assert [span.of("What is six?") for span in reply.coverage[0][0].uncovered] == []
        bare = decode_reply(
            server.post("/v1/answer", question_body("six", n_best=0, evidence=False))
        )
        assert (bare.predictions[0].candidates, bare.predictions[0].evidence) == ((), ())
        assert bare.coverage == ()


@pytest.mark.parametrize(("retriever", "count"), [("cover", 2), ("none", 0)])
def test_the_retriever_finds_missing_evidence(retriever, count):
    with serving("majority", "--retriever", retriever) as server:
        body = question_body("q", text="The lamp was lit at six.")
        body["items"][0]["questions"][0] |= {
            "kind": "choice",
            "options": [{"label": "A", "text": "at six"}, {"label": "B", "text": "elephants"}],
        }
        reply = decode_reply(server.post("/v1/answer", body))
        assert len(reply.predictions[0].evidence) == len(reply.coverage[0]) == count
        assert {one.found_by for one in reply.coverage[0]} == ({retriever} if count else set())
        if count:
            assert reply.predictions[0].evidence[0].texts == ("The lamp was lit at six.",)
            assert [span.of("elephants") for span in reply.coverage[0][1].uncovered] == [
                "elephants"
            ]


def test_the_language_is_detected():
    with serving("odd_readers:Shows", folder=HERE) as server:
        found = answer_texts(
            server.post(
                "/v1/answer", question_body("q", text="灯在六点点亮。没有人看见谁把它熄灭。")
            )
        )
        assert "language='zh'" in found["q"]
        body = question_body("q", text="灯在六点点亮。")
        body["items"][0]["passage"]["language"] = "ja-JP"
        assert "language='ja'" in answer_texts(server.post("/v1/answer", body))["q"]


def test_the_stem_gives_asks_for_by_default(lexical):
    options = [
        {"label": "A", "text": "灯在六点点亮"},
        {"label": "B", "text": "守灯人住在海边的城里"},
    ]
    stem = {"text": "下列说法不正确的一项是", "options": options}
    questions = [
        stem | {"question_id": "said", "kind": "verification", "asks_for": "supported"},
        stem | {"question_id": "untold", "kind": "verification"},
        stem | {"question_id": "choice", "kind": "choice"},
    ]
    passage = {"text": "灯在六点点亮。没有人把它熄灭。守灯人住在山上。"}
    reply = lexical.post("/v1/answer", {"items": [{"passage": passage, "questions": questions}]})
    assert [one.answer.label for one in decode_reply(reply).predictions] == ["A", "B", "A"]


def test_unencodable_predictions_fail_alone():
    with serving("odd_readers:Unsendable", folder=HERE) as server:
        words = ("nan", "fine", "surrogate", "stranger", "twice", "text")
        found = decode_reply(server.post("/v1/answer", question_body(*words))).predictions
        assert [one.question_id for one in found] == list(words)
        assert [bool(one.error) for one in found] == [True, False, True, True, False, True]
        assert found[1].answer.texts == ("fine",)
        assert found[4].answer.texts == ("once",)


def test_an_unreachable_model_is_reported():
    with serving("odd_readers:Gone", folder=HERE) as server:
        (found,) = decode_reply(server.post("/v1/answer", question_body("q"))).predictions
        assert found.error == "EndpointError: the model's server is gone"
        assert server.post("/", shared_task_body("q")).status == 500
        assert server.metric("closeread_questions_total", outcome="failed") == 2
