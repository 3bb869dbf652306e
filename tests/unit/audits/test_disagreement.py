"""Scorers over the same answers: how far apart, why, and who wins."""

import pytest

from audit_runs import loaded, make_run
from closeread.audits.disagreement import check


@pytest.mark.parametrize(
    ("name", "answer", "cause"),
    [
        ("run-on", lambda gold: gold + "\nPassage: more", "text on further lines"),
        ("prefix", lambda gold: f"I think so. Answer: {gold}", "words before `Answer:`"),
        ("blanks", lambda gold: gold.replace(" ", "\t"), "white space"),
        ("percent", lambda gold: gold + "%", "how numbers are written"),
        ("capitals", lambda gold: gold.upper(), "case"),
    ],
)
def test_the_cause_is_named(tmp_path, name, answer, cause):
    """The repair after which the scorers agree is the cause."""
    finding = check([loaded(make_run(tmp_path, name, answer))])
    assert finding.data["causes"], finding.headline
    assert next(iter(finding.data["causes"])).startswith(cause), finding.data["causes"]


def test_gold_answers_part_nobody(tmp_path):
    """Every scorer gives a gold answer all there is."""
    finding = check([loaded(make_run(tmp_path, "gold", lambda gold: gold))])
    assert finding.verdict == "sound"
    assert set(finding.data["means"]["gold"].values()) == {1.0}
    assert finding.data["causes"] == {}


def test_the_matrix_is_symmetric_and_zero_on_itself(tmp_path):
    """Apart from one another means the same both ways."""
    run = make_run(tmp_path, "dots", lambda gold: gold + ".")
    matrix = check([loaded(run)]).data["matrix"]
    for left, row in matrix.items():
        assert row[left] == 0
        for right, distance in row.items():
            assert matrix[right][left] == distance


def test_runs_change_places_by_scorer(tmp_path):
    """A run-on reader beats a terse one by the fuzzy match, and loses by F1."""
    runs = [
        make_run(tmp_path, "terse", lambda gold: gold if gold != "7" else "9"),
        make_run(tmp_path, "chatty", lambda gold: f"{gold}\nand then some more"),
    ]
    finding = check([loaded(run) for run in runs])
    order = {row[0]: row[1] for row in finding.tables[-1].rows}
    assert order["drop.f1"] == "terse > chatty"
    assert order["simple-evals.drop.score"] == "chatty > terse"


def test_scorers_can_be_chosen(tmp_path):
    """Only what was asked for is compared."""
    run = make_run(tmp_path, "dots", lambda gold: gold + ".")
    finding = check([loaded(run)], ["drop", "drop~fixed"])
    assert set(finding.data["matrix"]) == {
        "drop.em", "drop.f1", "drop.em~fixed", "drop.f1~fixed",
    }  # fmt: skip
