"""MLQA's scorer equals the official program in all seven languages: HOW.md tells what it said."""

import json
from collections import Counter
from pathlib import Path

import pytest

from closeread.errors import CloseReadError, UsageError
from closeread.metrics import mlqa
from closeread.text.normalize import MLQA_LANGUAGES, mlqa_words
from closeread.types import Answer, Prediction, Question


@pytest.fixture(scope="module")
def recorded():
    lines = Path(__file__).with_name("pairs.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def asked(golds, **fields):
    answers = tuple(Answer(kind="span", texts=(gold,)) for gold in golds)
    return Question(
        question_id="q", passage_id="p", text="?", kind="span", answers=answers, **fields
    )


def test_every_number_whether_option_or_tag_says_the_language(recorded):
    for row in recorded:
        language = row["language"]
        said = Prediction(question_id="q", answer=Answer(kind="span", texts=(row["said"],)))
        by_option = mlqa.metric(answer_language=language).score(asked(row["golds"]), said)
        tagged = asked(row["golds"], tags={"answer_language": language})
        wanted = {"em": row["em"], "f1": row["f1"]}
        assert by_option.values == wanted == mlqa.metric().score(tagged, said).values, row
        assert " ".join(mlqa_words(row["said"], language)) == row["normalised"]
    assert Counter(row["language"] for row in recorded) == dict.fromkeys(MLQA_LANGUAGES, 40)
    assert sum(0 < row["f1"] < 1 for row in recorded) > 100
    assert any(row["em"] and not row["f1"] for row in recorded)


def test_files_are_summed_as_the_program_sums(recorded):
    """100 * sum / questions, what was not handed in counting 0."""
    rows = [row for row in recorded if row["language"] == "vi"]
    golds = [(str(place), row["golds"]) for place, row in enumerate(rows)]
    said = {str(place): row["said"] for place, row in enumerate(rows) if place % 3}
    exact = f1 = 0.0
    for place, row in enumerate(rows):
        if place % 3:
            exact += row["em"]
            f1 += row["f1"]
    wanted = {"exact_match": 100.0 * exact / len(rows), "f1": 100.0 * f1 / len(rows)}
    assert mlqa.official(golds, said, "vi") == wanted


def test_a_language_decides():
    """Each loses its own articles alone; Arabic within words too; Chinese is cut by characters."""
    assert mlqa_words("The end, die Fähre", "en") == ("end", "die", "fähre")
    assert mlqa_words("The end, die Fähre", "de") == ("the", "end", "fähre")
    assert mlqa_words("la barca", "es") == ("barca",)
    assert mlqa_words("la barca", "hi") == ("la", "barca")
    assert mlqa_words("مال البيت", "ar") == ("م", "بيت")
    assert mlqa_words("渡船ab 3．5", "zh") == ("渡", "船", "ab", "35")


@pytest.mark.parametrize("language", ["", "ru", "EN"])
def test_an_undetermined_or_unknown_language_is_one_error(language):
    tags = {"answer_language": language} if language else {}
    with pytest.raises(UsageError) as caught:
        mlqa.metric().score(asked(["x"], tags=tags), None)
    assert "one of ar, de, en, es, hi, vi, zh" in str(caught.value)
    if language:
        with pytest.raises(UsageError, match=f"does not support the language {language!r}"):
            mlqa.metric(answer_language=language)
        with pytest.raises(UsageError):
            mlqa.official([], {}, language)
    else:
        assert "--answer-language" in str(caught.value)


def test_what_the_program_stops_at_is_an_error():
    metric = mlqa.metric(answer_language="de")
    with pytest.raises(CloseReadError, match="no gold answer"):
        metric.score(asked([]), Prediction(question_id="q", answer=Answer(kind="none")))
    with pytest.raises(CloseReadError, match="not a string: None"):
        mlqa.official([("q", ["x"])], {"q": None}, "de")
    with pytest.raises(CloseReadError, match="no question"):
        mlqa.official([], {}, "de")


def test_the_signature_says_the_language():
    assert mlqa.metric(answer_language="zh").signature().startswith("mlqa|norm:mlqa|language:zh|")
    assert "|language:tag|" in mlqa.metric().signature()
