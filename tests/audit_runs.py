"""Builds small runs for the tests of audits."""

import json
from pathlib import Path

from closeread import load
from closeread.audits.loading import load_subject
from closeread.audits.problems import Problems
from closeread.formats.submissions import load_submission
from closeread.runs.from_submission import save_submission
from closeread.runs.store import Run
from closeread.types import Answer, Generation, Prediction, Question

PASSAGES = [
    ("The ferry made 7 trips a day and carried 12.25 tonnes of wool in 1931.", [
        ("How many trips were made?", "7"), ("How many tonnes were carried?", "12.25"),
        ("In which year?", "1931"),
    ]),
    ("Ada Quill kept the lamp for 46 years; the St. Brendan sank in 1948.", [
        ("Who kept the lamp?", "Ada Quill"), ("Which ship sank?", "St. Brendan"),
        ("How long was the lamp kept?", "46 years"),
    ]),
    ("Of the sheep 62.5 percent were white and 37.5 percent were black.", [
        ("What share was white?", "62.5"), ("What share was black?", "37.5"),
    ]),
]  # fmt: skip


def write_dataset(folder: Path) -> Path:
    """Write the questions in DROP's simple form."""
    path = folder / "ours.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for text, questions in PASSAGES:
            for stem, gold in questions:
                row = {
                    "context": f"Passage: {text}\nQuestion: {stem}\nAnswer:",
                    "completion": f" {gold}", "ref_text": gold,
                }  # fmt: skip
                stream.write(json.dumps(row) + "\n")
    return path


def make_run(folder: Path, name: str, answer) -> Run:
    """Make a run whose answers are ``answer(gold)``."""
    path = folder / "ours.jsonl"
    dataset = load(path if path.exists() else write_dataset(folder))
    said = {one.question_id: answer(one.answers[0].texts[0]) for one in dataset.questions()}
    file = folder / f"{name}.json"
    file.write_text(json.dumps({key: text for key, text in said.items() if text is not None}))
    return save_submission(dataset, load_submission(file, dataset), (file,), folder / name)


def load_run(run: Run):
    """Load a run as the subject of an audit."""
    return load_subject(run, Problems())


def question_with_golds(*golds: str) -> Question:
    """Return a question with these answers, one per annotator."""
    return Question(
        question_id="q", passage_id="p", text="?", kind="discrete",
        answers=tuple(Answer(kind="span", texts=(gold,)) for gold in golds),
    )  # fmt: skip


def generated_prediction(
    question_id: str, text: str, *, taken: str | None = None, **more
) -> Prediction:
    """Return a prediction with a generation and the answer extracted from it: by default all."""
    answer = Answer(kind="span", texts=(text if taken is None else taken,))
    return Prediction(
        question_id=question_id, answer=answer, generation=Generation(text=text, **more)
    )
