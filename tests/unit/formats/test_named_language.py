"""The language that MLQA's and XQuAD's files say in their names, and nowhere else."""

import json
from pathlib import Path

import pytest

from closeread import load
from closeread.formats.layouts.language_in_name import language_in_name
from closeread.types import Defects

NAMES = {
    "dev-context-de-question-de": "de",
    "test-context-vi-question-ar": "vi",  # the answers are of the context's language
    "xquad.el": "el",
    "xquad": "",
    "my-xquad.el": "",
    "dev-context-de": "",
    "train-v1.1": "",
}


@pytest.mark.parametrize(("stem", "language"), NAMES.items())
def test_the_file_name_gives_the_language(stem, language):
    assert language_in_name(stem) == language


def write_squad(folder: Path, name: str) -> Path:
    question = {
        "id": "a",
        "question": "Wem gehört sie?",
        "answers": [{"text": "Müller", "answer_start": 29}],
    }
    paragraph = {"context": "Die alte Fähre gehört Frau B. Müller.", "qas": [question]}
    file = folder / name
    file.write_text(json.dumps({"version": "1.0", "data": [{"paragraphs": [paragraph]}]}))
    return file


def test_passages_and_questions_get_the_language(tmp_path):
    """Also where questions are read without their passages, as for scoring."""
    named = load(write_squad(tmp_path, "dev-context-de-question-de.json"))
    ((passage, questions),) = named
    tags = {"answer_language": "de"}
    assert passage.language == "de" and questions[0].tags == tags
    assert [one.tags for one in named.read_gold(Defects())] == [tags]
    ((passage, questions),) = load(write_squad(tmp_path, "mine.json"))
    assert passage.language == "en" and questions[0].tags == {}


def test_the_named_language_equals_the_detected_one(corpus):
    """The names change nothing for English and Chinese."""
    from closeread.text.language import detect

    for name in ("xquad/xquad.en", "xquad/xquad.zh", "mlqa/dev-context-en-question-en"):
        passages = [passage for passage, _ in load(corpus / "data" / f"{name}.json")]
        assert len(passages) >= 240
        assert all(detect(one.text) == one.language for one in passages), name
