"""A fake reader service in both protocols, and the http reader that calls it."""

import msgspec

from closeread.formats import load
from closeread.readers import make
from closeread.readers.http.answer_wire import AnswerRequest
from closeread.runs.predict import Job, batch_size_of, predict
from closeread.runs.records import describe_reader
from closeread.types import Option, Passage, Question
from endpoint import Endpoint

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


def expected_answer(text):
    return text.removeprefix("What is ").removesuffix("?")


def own_protocol_reply(path, body):
    """Answer as ``closeread serve`` does, with the question's number as the answer."""
    assert path == "/v1/answer"
    request = msgspec.convert(body, AnswerRequest)
    predictions = [
        {
            "question_id": question.question_id,
            "answer": {"kind": "choice", "label": "B"}
            if question.options
            else {"kind": "span", "texts": [expected_answer(question.text)]},
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
        "predictions": predictions, "coverage": [[]] * len(predictions),
        **{name: HEALTH[name] for name in ("reader", "options", "version", "record_sha256")},
    }  # fmt: skip


def shared_task_reply(path, body):
    """Answer as a submission to the shared task does."""
    assert path == "/"
    return {row["qid"]: expected_answer(row["question"]) for row in body["qas"]}


def service(**given):
    return Endpoint(
        models=(), **({"pages": {"/health": HEALTH}, "reply": own_protocol_reply} | given)
    )


def submission(**given):
    return Endpoint(models=(), reply=shared_task_reply, **given)


def host(endpoint):
    return endpoint.url.removesuffix("/v1")


def make_reader(endpoint, **options):
    return make(f"http:{host(endpoint)}", {"retries": 3, "wait_seconds": 0.0, **options})[0]


def answers_by_id(found):
    return {one.question_id: one.error or (one.answer.texts or one.answer.label) for one in found}


def expected(n_passages, each=3):
    return {f"q{n}-{m}": (f"{n}.{m}",) for n in range(n_passages) for m in range(each)}


def run(path, out, name, resume=False, **options):
    reader, resolved = make(name, {"retries": 1, "wait_seconds": 0.0, **options})
    info = describe_reader(name, resolved, reader)
    job = Job(dataset=load(path), reader=reader, reader_info=info, batch_size=batch_size_of(reader))
    return predict(job, out, resume=resume)
