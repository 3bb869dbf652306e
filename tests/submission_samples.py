"""Provide a data set of two questions on one passage, and read submissions for it."""

import json

from closeread.formats.submissions import load_submission
from closeread.types import Answer, Dataset, Option, Passage, Question

TEXT = "甲先到。乙后到。甲先到。丙没有来。"


def two_questions() -> Dataset:
    """Return a set whose first question asks for the supported option, the second for the other."""
    options = tuple(Option(label=label, text=label * 3) for label in "AB")
    questions = tuple(
        Question(
            question_id=f"q{n}",
            passage_id="p",
            text="?",
            kind="verification",
            asks_for=asks,
            options=options,
            answers=(Answer(kind="choice", label="A"),),
        )
        for n, asks in ((1, "supported"), (2, "contradicted"))
    )
    item = (Passage(passage_id="p", text=TEXT, language="zh"), questions)
    return Dataset(name="d", format="vgaokao", read=lambda _: iter([item]))


def load_submitted(tmp_path, content, **options):
    """Read a submission with this content: text unchanged, anything else as JSON."""
    path = tmp_path / "predictions.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return load_submission(path, **options)
