"""What is held in memory of the sets that are learned from."""

import json

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from closeread.api.datasets import open_dataset
from closeread.training.neural.tasks.cloze import ClozeTask
from closeread.training.neural.training_data import draw_questions
from closeread.training.recipes.cloze import ClozeOptions
from closeread.training.recipes.settings import Source

pytestmark = pytest.mark.neural


@pytest.fixture(scope="module")
def mrqa(tmp_path_factory):
    """Write two passages with two questions each in MRQA's form, which holds every token."""
    path = tmp_path_factory.mktemp("mrqa") / "train.jsonl"
    rows = []
    for place in ("Marl", "Oster"):
        text = f"The ferry left {place} at six ."
        tokens = [[word, text.index(word)] for word in text.split()]
        asked = [
            {"qid": f"{place}-{number}", "question": "When ?", "question_tokens": [["When", 0]],
             "detected_answers": [], "answers": ["six"]}
            for number in range(2)
        ]  # fmt: skip
        rows.append({"context": text, "context_tokens": tokens, "qas": asked})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("gathers", [None, ClozeTask(ClozeOptions())])
def test_what_a_format_alone_knows_is_not_held(mrqa, gathers):
    """MRQA's lists of tokens take twenty times the room of the texts, tens of GB for its sets."""
    whole = list(open_dataset(str(mrqa)))
    assert all(passage.metadata["context_tokens"] for passage, _ in whole)
    items, _ = draw_questions(Source(path=str(mrqa)), open_dataset, None, 0, gathers)
    assert [passage.text for passage, _ in whole] == list(
        dict.fromkeys(passage.text for passage, _ in items)
    )
    assert not any(passage.metadata or question.metadata for passage, question in items)
    assert len({id(passage) for passage, _ in items}) == len(whole), "one for all its questions"
