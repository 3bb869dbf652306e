"""Multiple choice of which logs have the gold letter alone: the options stand in the prompt."""

import json

import pytest

from closeread.formats.logs.prompts import find_options, strip_options
from closeread.runs.ingest import ingest

ASKED = (
    "Read the article, and answer the question by replying A, B or C.\n\nArticle:\nAnn ran home. "
    "Bob stayed.\n\nQ: Who ran?\nA. Bob\nB. Ann\nC. nobody"
)


def ingest_sample(tmp_path, *said, gold="B"):
    path = tmp_path / "race-middle.json"
    path.write_text(
        json.dumps(
            {
                str(place): {
                    "origin_prompt": [{"role": "HUMAN", "prompt": ASKED}],
                    "prediction": text,
                    "gold": gold,
                }
                for place, text in enumerate(said)
            }
        )
    )
    (run,) = ingest([path], tmp_path / "run").runs
    return run


def test_options_are_read_from_the_prompt(tmp_path):
    said = ("B", "B. Ann", "Bob stayed, so the answer is B.", "A and C", "")
    run = ingest_sample(tmp_path, *said)
    ((passage, questions),) = list(run.dataset())
    assert passage.text == "Ann ran home. Bob stayed."
    assert questions[0].text == "Who ran?"
    assert [one.text for one in questions[0].options] == ["Bob", "Ann", "nobody"]
    assert questions[0].answers[0].label == "B"
    labels = [one.answer.label if one.answer else None for one in run.predictions()]
    assert labels == ["B", "B", "B", None, None]
    assert [one.generation.text for one in run.predictions()] == list(said)
    assert {"extraction"} <= set(run.info.log.lost) and "gold-kinds" not in run.info.log.lost


def test_a_gold_without_an_option_letter_is_a_text(tmp_path):
    for gold in ("Ann", "D", "b"):
        folder = tmp_path / gold
        folder.mkdir()
        run = ingest_sample(folder, "Ann", gold=gold)
        (question,) = run.dataset().questions()
        assert (question.options, question.answers[0].texts) == ((), (gold,))


def test_simple_evals_letters_pick_options(tmp_path):
    path = tmp_path / "race_canned_20260101_120000_allresults.json"
    prompt = "Article:\nAnn ran home.\n\nQuestion: Who ran?\n\nA) Ann\nB) Bob"
    found = {
        "score": 0.5,
        "metrics": {"score": 0.5},
        "htmls": ["<p>Correct Answer: A</p>\n<p>Extracted Answer: A</p>\n<p>Score: 1.0</p>"] * 2,
        "convos": [
            [{"role": "user", "content": prompt}, {"role": "assistant", "content": said}]
            for said in ("Ann ran, so\nAnswer: A", "Answer: B")
        ],
    }
    path.write_text(json.dumps(found))
    (run,) = ingest([path], tmp_path / "run").runs
    questions = list(run.dataset().questions())
    assert [one.text for one in questions[0].options] == ["Ann", "Bob"]
    assert questions[0].text == "Who ran?"
    assert [one.answer.label for one in run.predictions()] == ["A", "B"]
    assert "extraction" in run.info.log.lost


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_an_option_with_many_blanks_is_parsed_in_linear_time(blank):
    """A hundred thousand of them took half a minute."""
    gap = blank * 200_000
    prompt = f"Who?\nA. one{gap}of us{gap}\nB. two"
    assert find_options(prompt) == (f"one{gap}of us", "two")
    assert strip_options(prompt) == "Who?"
