"""A reader asked from Python, or by `ask`, whose confidences a calibrator tells."""

import json

import msgspec
import pytest
from click.testing import CliRunner

import closeread
from closeread.cli import cli
from closeread.errors import InputError, UsageError
from closeread.readers.confidence.calibrate import Calibrator, Linear, Threshold, save_calibrator
from closeread.readers.confidence.provenance import AnsweredBy

TEXT = "The lamp was lit at six. Nobody saw who put it out. The fox came in 1912."
SURE, UNSURE = "When did the fox come?", "Whose was the hat?"
HALF = Threshold(value=0.5, risk=0.1, delta=0.05, n_answered=30, n_questions=60, bound=0.09)
KNOWN = Calibrator(
    method="platt",
    features=("confidence",),
    scale="probabilities",
    model=Linear(intercept=-4.0, weights=(10.0,), means=(0.0,), spreads=(1.0,)),
    threshold=HALF,
    datasets={"mine": "0" * 64},
    readers=(AnsweredBy(name="lexical"),),
)


def run_command(*arguments):
    return CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.fixture
def file(tmp_path):
    save_calibrator(tmp_path / "known.json", KNOWN)
    return tmp_path / "known.json"


def test_answers_equal_those_of_the_command_calibrate(tmp_path, file):
    """Confidences, and what is withheld, question by question."""
    assert (
        run_command("read", "exam/zh", "--reader", "lexical", "--out", tmp_path / "own").exit_code
        == 0
    )
    made = (
        "calibrate",
        tmp_path / "own",
        "--with",
        file,
        "--selective",
        "--out",
        tmp_path / "made",
    )
    assert run_command(*made, "--resamples", 0).exit_code == 0
    reader = closeread.open_reader("lexical").calibrated(file, selective=True)
    pairs = list(
        zip(
            reader.answers("exam/zh"),
            closeread.open_run(tmp_path / "made").predictions(),
            strict=True,
        )
    )
    assert len(pairs) == 108 and reader.warnings == ()
    for one, other in pairs:
        assert (one.question_id, one.confidence) == (other.question_id, other.confidence)
        assert (one.answer, one.option_scores, one.note) == (
            other.answer, other.option_scores, other.note
        )  # fmt: skip
    assert 0 < sum(one.answer is None for one, _ in pairs) < 108


def test_calibrated_does_not_change_the_reader(file):
    """One is asked with a calibrator, the other without."""
    plain = closeread.open_reader("lexical")
    sure = plain.calibrated(file)
    own, told = (one.ask(UNSURE, TEXT) for one in (plain, sure))
    assert told.answer == own.answer
    assert (
        told.confidence
        == KNOWN.confidence_from_features({"confidence": own.confidence})
        != own.confidence
    )
    (withheld,) = plain.calibrated(file, selective=True).ask_all([(UNSURE, TEXT)])
    assert withheld.answer is None and withheld.note == "withheld: confidence below 0.5"


def test_warnings_and_calibrators_that_cannot_be_applied(tmp_path, file):
    """Another reader's answers, no threshold, no calibrator."""
    other = closeread.open_reader("first-sentence").calibrated(file)
    assert other.warnings == (
        "the calibrator was fitted on answers of lexical but is applied to first-sentence: "
        "its guarantee does not hold",
    )
    lexical = closeread.open_reader("lexical")
    save_calibrator(tmp_path / "no.json", msgspec.structs.replace(KNOWN, threshold=None))
    with pytest.raises(UsageError, match="make one with `closeread calibrate --risk`"):
        lexical.calibrated(tmp_path / "no.json", selective=True)
    with pytest.raises(InputError, match="cannot be read"):
        lexical.calibrated(tmp_path / "gone.json")


def test_runs_and_attacks_reject_a_calibrated_reader(tmp_path, file):
    """A run of it would hold the reader's own confidences, and answers that it withholds."""
    sure = closeread.open_reader("lexical").calibrated(file, selective=True)
    with pytest.raises(UsageError, match=r"lexical has a calibrator(.|\n)*calibrate RUN --with"):
        closeread.read("exam/zh", sure, tmp_path / "run")
    with pytest.raises(UsageError, match="lexical has a calibrator"):
        closeread.attack("exam/zh", "keyword", tmp_path / "hard.jsonl", against=sure)
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


def test_the_command_ask_prints_calibrated_confidences(file):
    """With --selective nothing is answered that is not sure enough."""
    asked = ("ask", SURE, UNSURE, "--text", TEXT, "--calibrator", file, "--json")
    done = run_command(*asked, "--reader", "lexical", "--selective")
    sure, unsure = json.loads(done.stdout)["predictions"]
    assert sure["answer"]["texts"] == ["1912"] and sure["confidence"] > 0.5
    assert "answer" not in unsure and unsure["note"] == "withheld: confidence below 0.5"
    done = run_command(*asked, "--reader", "first-sentence")
    assert "its guarantee does not hold" in done.stderr and "warnings" not in done.stdout
    done = run_command("ask", SURE, "--reader", "lexical", "--text", TEXT, "--selective")
    assert "needs a calibrator" in str(done.exception)
