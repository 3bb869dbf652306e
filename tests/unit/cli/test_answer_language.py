"""``closeread score --metric mlqa``: the language is the file's or the option's, never a guess."""

import json

import pytest

from command_line import closeread

QUESTIONS = [
    {"id": name, "question": "Was?", "answers": [{"text": "Die Fähre", "answer_start": 0}]}
    for name in "ab"
]
SET = {
    "version": "1.0",
    "data": [{"paragraphs": [{"context": "Die Fähre ist alt.", "qas": QUESTIONS}]}],
}


@pytest.fixture
def score(tmp_path, capsys):
    """Score a file of this name; return the exit code, the numbers and what was said."""

    def call(name, *more):
        dataset, said = tmp_path / name, tmp_path / "said.json"
        dataset.write_text(json.dumps(SET))
        said.write_text(json.dumps({"a": "der Fähre!", "b": "alt"}))
        code = closeread(
            *("score", "--dataset", dataset, "--predictions", said, "--json", "--no-intervals"),
            *more,
        )
        out, err = capsys.readouterr()
        return code, json.loads(out)["metrics"] if out else None, err

    return call


def test_the_file_name_gives_the_language(score):
    code, found, _ = score("dev-context-de-question-es.json", "--metric", "mlqa")
    assert code == 0 and found["mlqa.em"]["value"] == 0.5


@pytest.mark.parametrize("name", ["mine.json", "dev-context-de-question-es.json"])
def test_the_option_overrides_the_file_name(score, name):
    for language, value in (("de", 0.5), ("en", 0.0)):
        metric = ("--metric", "mlqa.em", "--answer-language", language)
        found = score(name, *metric)[1]["mlqa.em"]
        assert found["value"] == value
        assert f"|language:{language}|" in found["signature"]


def test_a_missing_language_is_an_error(score):
    code, found, err = score("mine.json", "--metric", "mlqa")
    assert code == 2 and found is None
    assert "--answer-language" in err and "Traceback" not in err


def test_the_default_metric_stays_squad(score):
    _, found, _ = score("dev-context-de-question-de.json")
    assert set(found) == {"squad.em", "squad.f1"}
