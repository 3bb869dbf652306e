"""The check of garbled answers and gold answers, and the cost that it reports."""

import json

import pytest

from audit_runs import load_run
from closeread import load
from closeread.audits.garbled import check
from closeread.formats.submissions import load_submission
from closeread.metrics.squad import metric
from closeread.reports.words.audit_sentences import CELLS, SENTENCES
from closeread.runs.from_submission import save_submission

PASSAGE = "In Köln lebte José bis 1912; dann zog Zoë nach Zürich."
GOLD = {"a": "Köln", "b": "José", "c": "1912", "d": "Zoë", "e": "Zürich"}


def make_submitted_run(tmp_path, golds, said):
    rows = [
        {"id": name, "passage": PASSAGE, "question": f"{name}?", "answer": gold}
        for name, gold in golds.items()
    ]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "p.json").write_text(json.dumps(said))
    data = load(tmp_path / "own.jsonl")
    files = (tmp_path / "p.json",)
    return load_run(save_submission(data, load_submission(files[0], data), files, tmp_path / "run"))


def garble_as_latin(text):
    return text.encode().decode("latin-1")


def test_garbled_answers_and_golds_are_reported_with_their_cost(tmp_path):
    said = GOLD | {"a": garble_as_latin("Köln"), "b": "Jos&eacute;", "d": "wrong"}
    one = make_submitted_run(tmp_path, GOLD | {"e": garble_as_latin("Zürich")}, said)
    found = check(one)
    assert found.verdict == "broken"
    assert found.headline.endswith(
        "2 answers and 1 gold answer are garbled; undoing this changes squad F1 from 20.00 to 80.00"
    )
    assert [(each["whose"], each["question_id"], each["was"]) for each in found.data["texts"]] == [
        ("predicted", "a", "Köln"), ("predicted", "b", "José"), ("gold", "e", "Zürich"),
    ]  # fmt: skip
    assert [row[1] for row in found.tables[1].rows] == pytest.approx([0.2, 0.6, 0.8])
    for table in found.tables:
        for text in (table.title, *table.headings[:2], *(row[0] for row in table.rows)):
            assert CELLS.say(text, "zh") != text or "squad" in text
    for text in (found.headline, found.tables[0].note):
        assert SENTENCES.say(text, "zh") != text


@pytest.mark.parametrize(
    ("gold", "answers", "counts"),
    [
        ({}, ("a",), "1 answer and 0 gold answers"),
        ({}, ("a", "b"), "2 answers and 0 gold answers"),
        ({"e": "ZÃ¼rich"}, ("a",), "1 answer and 1 gold answer"),
    ],
)
def test_the_headline_counts_in_the_singular_and_the_plural(tmp_path, gold, answers, counts):
    predictions = GOLD | {name: garble_as_latin(GOLD[name]) for name in answers}
    headline = check(make_submitted_run(tmp_path, GOLD | gold, predictions)).headline
    assert f": {counts} are garbled; " in headline
    assert SENTENCES.say(headline, "zh") != headline


def test_restored_texts_score_as_the_originals(tmp_path):
    """Every answer garbled, and none: the same numbers, from the scorer itself."""
    clean = make_submitted_run(tmp_path, GOLD, GOLD)
    (tmp_path / "again").mkdir()
    one = make_submitted_run(
        tmp_path / "again", GOLD, {name: garble_as_latin(text) for name, text in GOLD.items()}
    )
    judge = metric()
    values = [judge.score(q, clean.predictions[q.question_id]).values for q in clean.questions]
    scores = check(one).data["scores"]
    assert scores["answers undone"] == {
        key: sum(one[key] for one in values) / len(values) for key in ("em", "f1")
    }
    assert scores["as saved"]["em"] == 0.2  # 1912 alone


def test_clean_runs_are_sound(tmp_path):
    found = check(make_submitted_run(tmp_path, GOLD, GOLD | {"a": "«KÖLN»", "b": None}))
    assert found.verdict == "sound"
    assert found.headline == "run: no answer and no gold answer is garbled"
    assert not any(table.rows for table in found.tables)
