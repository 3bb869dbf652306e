"""Questions that come more than once are told, with what the score is without that."""

import json

import pytest

from audit_runs import load_run
from closeread import load
from closeread.audits.repeats import check
from closeread.formats.submissions import load_submission
from closeread.reports.words.audit_sentences import SENTENCES
from closeread.runs.from_submission import save_submission

ROW = {"passage": "The ferry left at six.", "question": "When?", "answer": "at six"}


def make_submitted_run(tmp_path, rows, said):
    lines = (json.dumps({"id": f"q{place}", **row}) + "\n" for place, row in enumerate(rows))
    (tmp_path / "own.jsonl").write_text("".join(lines))
    data, file = load(tmp_path / "own.jsonl"), tmp_path / "p.json"
    file.write_text(json.dumps({f"q{place}": one for place, one in enumerate(said)}))
    return load_run(save_submission(data, load_submission(file, data), (file,), tmp_path / "run"))


def test_the_score_without_repeats_is_reported(tmp_path):
    """Three of five are one question, which was answered rightly, and one of them otherwise."""
    other = ROW | {"question": "Where?", "answer": "Whit"}
    said = ["at six", "at six", "six", "no", "at six"]
    found = check(make_submitted_run(tmp_path, [ROW, ROW, ROW, other, ROW], said))
    assert found.verdict == "doubtful"
    assert (found.data["repeated"], found.data["questions"]) == (3, 5)
    assert found.data["ids"] == ["q1", "q2", "q4"]
    assert found.data["once"] == 0.5
    f1_of_six = 2 * 1 * 0.5 / 1.5
    assert found.data["score"] == pytest.approx((3 + f1_of_six) / 5)
    (row,) = found.tables[0].rows
    assert row == (4, 1, 0.5, "q0")
    for sentence in (found.headline, found.tables[0].title, found.tables[0].note):
        assert SENTENCES.say(sentence, "zh") != sentence


def test_other_options_or_passages_are_not_repetitions(tmp_path):
    rows = [ROW, ROW | {"passage": "It left at six."}]
    rows += [ROW | {"options": [one, "at six"], "answer": "B"} for one in ("a", "b")]
    found = check(make_submitted_run(tmp_path, rows, ["at six", "at six", "B", "B"]))
    assert found.verdict == "sound" and not found.tables
    assert SENTENCES.say(found.headline, "zh") != found.headline
