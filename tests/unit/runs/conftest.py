"""A small data set of triples, written to disk, and readers that behave in known ways."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from closeread.formats import load
from closeread.formats.submissions import load_submission
from closeread.runs.from_submission import save_submission
from closeread.runs.predict import Job
from closeread.runs.records import ReaderInfo
from closeread.runs.score import score_run
from closeread.types import Answer, Dataset, Evidence, Option, Passage, Prediction, Question, Span

ROLES = ("original", "positive", "negative")
LETTERS = "ABCD"


def triple(number: int, passage: Passage) -> tuple[Question, ...]:
    return tuple(
        Question(
            question_id=f"q{number}#{role}",
            passage_id=passage.passage_id,
            text=f"Which statement is {'wrong' if role == 'negative' else 'right'}? ({number})",
            kind="verification",
            asks_for="contradicted" if role == "negative" else "supported",
            options=tuple(
                Option(label=letter, text=f"{letter} of {role} {number}", tags={"truth": "same"})
                for letter in LETTERS
            ),
            option_truth=tuple((one == place) != (role == "negative") for one in range(4)),
            answers=(Answer(kind="choice", label=LETTERS[(number + place) % 4]),),
            gold_evidence=(Evidence(spans=(Span(0, 4),), option_label="A"),),
            group_id=f"q{number}",
            role=role,
            tags={"topic": "odd" if number % 2 else "even", "truth": LETTERS[number % 4]},
            metadata={"answer": LETTERS[number % 4]},
        )
        for place, role in enumerate(ROLES)
    )


def items(passages: int):
    for number in range(passages):
        passage = Passage(
            passage_id=f"p{number}", text=f"Text {number}. It is short.", metadata={"key": "A"}
        )
        yield passage, triple(number, passage)


@pytest.fixture
def make_dataset(tmp_path: Path) -> Callable[..., Dataset]:
    def make(passages: int = 5, name: str = "triples") -> Dataset:
        path = tmp_path / f"{name}.jsonl"
        lines = [
            msgspec.json.encode({"passage": passage, "questions": questions})
            for passage, questions in items(passages)
        ]
        path.write_bytes(b"\n".join(lines) + b"\n")
        return load(path)

    return make


class ByRule:
    """Answers each question by a function of passage and question; remembers what it was given."""

    def __init__(self, rule=lambda passage, question: question.options[0].label) -> None:
        self.rule = rule
        self.batches: list[list[tuple[Passage, Question]]] = []

    def read(self, batch):
        self.batches.append(list(batch))
        for passage, question in batch:
            label = self.rule(passage, question)
            yield Prediction(
                question_id=question.question_id,
                answer=Answer(kind="choice", label=label),
                confidence=0.5,
            )


@pytest.fixture
def by_rule():
    return ByRule


@pytest.fixture
def make_job(make_dataset):
    def make(reader=None, *, passages: int = 5, options=None, **given) -> Job:
        dataset = given.pop("dataset", None) or make_dataset(passages)
        return Job(
            dataset=dataset,
            reader=reader or ByRule(),
            **{"reader_info": ReaderInfo(name="rule", options=options or {})} | given,
        )

    return make


@pytest.fixture
def hand_in(tmp_path):
    """Keep and score a submission that answers the first ``right`` of a set's questions."""

    def make(name, questions, right, settings, out):
        ids = [f"{name}{number}" for number in range(questions)]
        rows = [
            {"id": one, "passage": f"{name} left at six.", "question": "When?", "answer": "at six"}
            for one in ids
        ]
        data, answers = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.json"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        answers.write_text(json.dumps(dict.fromkeys(ids[:right], "at six")))
        run = save_submission(load(data), load_submission(answers), [answers], out)
        score_run(run, settings)
        return run

    return make
