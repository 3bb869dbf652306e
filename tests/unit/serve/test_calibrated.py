"""A service whose confidences a calibrator tells, and which withholds what it is not sure of."""

import msgspec
import pytest
from click.testing import CliRunner

from closeread.cli import cli
from closeread.readers.confidence.calibrate import Calibrator, Linear, Threshold, save_calibrator
from closeread.readers.confidence.provenance import AnsweredBy
from closeread.runs.store import open_run
from serving_process import serving, shared_task_body

TEXT = "The lamp was lit at six. Nobody saw who put it out. The fox came in 1912."
ASKED = {
    "items": [
        {
            "passage": {"text": TEXT},
            "questions": [
                {"question_id": "sure", "kind": "span", "text": "When did the fox come?"},
                {"question_id": "not", "kind": "span", "text": "Whose was the hat?"},
            ],
        }
    ]
}
HALF = Threshold(value=0.5, risk=0.1, delta=0.05, n_answered=30, n_questions=60, bound=0.09)


def run_command(*arguments):
    return CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.fixture
def file(tmp_path):
    """A calibrator: the logistic of ten times the reader's own confidence, less four."""
    model = Linear(intercept=-4.0, weights=(10.0,), means=(0.0,), spreads=(1.0,))
    known = Calibrator(
        method="platt", features=("confidence",), scale="probabilities", model=model,
        threshold=HALF, datasets={"mine": "0" * 64}, readers=(AnsweredBy(name="lexical"),),
    )  # fmt: skip
    save_calibrator(tmp_path / "known.json", known)
    return tmp_path / "known.json"


@pytest.fixture
def calibrator(file):
    return msgspec.json.decode(file.read_bytes(), type=Calibrator)


def test_served_confidences_are_calibrated(lexical, file, calibrator):
    plain = lexical.post("/v1/answer", ASKED).json()
    assert lexical.health()["calibrated"] == {}
    with serving("lexical", "-o", "sharpness=4", "--calibrator", str(file)) as server:
        told = server.post("/v1/answer", ASKED).json()
        health = server.health()
    for own, other in zip(plain["predictions"], told["predictions"], strict=True):
        expected = calibrator.confidence_from_features({"confidence": own["confidence"]})
        assert other == own | {"confidence": expected}
    assert health["calibrated"]["learned_from"] == {"mine": "0" * 64}
    assert health["record_sha256"] and health["calibrated"].keys().isdisjoint(
        ("threshold", "warnings")
    )


def test_unsure_answers_are_withheld(file):
    with serving("lexical", "--calibrator", str(file), "--selective") as server:
        told = server.post("/v1/answer", ASKED).json()
        plain = server.post("/", shared_task_body("the hat of whom", text=TEXT)).json()
        assert server.health()["calibrated"]["threshold"]["value"] == 0.5
        outcomes = ("answered", "unanswered", "failed")
        counts = [server.metric("closeread_questions_total", outcome=one) for one in outcomes]
        confidences = [
            server.metric("closeread_confidence_bucket", le=edge) for edge in ("0.5", "+Inf")
        ]
    assert (counts, confidences) == ([1, 2, 0], [2, 3])
    sure, unsure = told["predictions"]
    assert sure["answer"]["texts"] == ["1912"] and sure["confidence"] > 0.5
    assert "answer" not in unsure and unsure["confidence"] < 0.5
    assert unsure["note"] == "withheld: confidence below 0.5"
    assert plain == {"the hat of whom": ""}


def test_a_run_over_the_service_equals_calibrate(tmp_path, file):
    """The same predictions, and the same record of how confidences came about."""
    with serving("lexical", "--calibrator", str(file), "--selective") as server:
        read = ("read", "exam/zh", "--reader", f"http:{server.url}", "--out", tmp_path / "served")
        assert run_command(*read).exit_code == 0
    assert (
        run_command("read", "exam/zh", "--reader", "lexical", "--out", tmp_path / "own").exit_code
        == 0
    )
    made = ("calibrate", tmp_path / "own", "--with", file, "--selective")
    assert run_command(*made, "--out", tmp_path / "made", "--resamples", 100).exit_code == 0
    both = [open_run(tmp_path / name) for name in ("served", "made")]
    served, made_of = (one.info.reader.record["calibrated"] for one in both)
    assert served.items() <= made_of.items()
    served, made_of = ((one.path / "predictions.jsonl").read_bytes() for one in both)
    assert served == made_of and b"withheld" in served
    done = run_command("calibrate", tmp_path / "served", "--out", tmp_path / "c.json")
    assert "without --calibrator" in str(done.exception)


def test_calibrators_that_cannot_be_applied_are_errors(tmp_path, file, calibrator):
    """It is said before the reader is loaded; another reader's answers are warned of."""
    done = run_command("serve", "lexical", "--selective")
    assert "needs a calibrator" in str(done.exception)
    done = run_command("serve", "lexical", "--calibrator", tmp_path / "none.json")
    assert "cannot be read" in str(done.exception)
    save_calibrator(tmp_path / "no.json", msgspec.structs.replace(calibrator, threshold=None))
    done = run_command("serve", "lexical", "--calibrator", tmp_path / "no.json", "--selective")
    assert "make one with `closeread calibrate --risk`" in str(done.exception)
    with serving("majority", "--calibrator", str(file)) as server:
        again = run_command("serve", f"http:{server.url}", "--port", 0, "--calibrator", file)
        assert "are already calibrated" in str(again.exception)
        told = server.health()["calibrated"]["warnings"]
        server.stop()
        assert told == [
            "the calibrator was fitted on answers of lexical but is applied to majority: "
            "its guarantee does not hold"
        ]
        assert told[0] in server.process.stderr.read()


def test_a_missing_threshold_withholds_all_answers(tmp_path, calibrator):
    none = msgspec.structs.replace(HALF, value=2.0, n_answered=0)
    save_calibrator(tmp_path / "no.json", msgspec.structs.replace(calibrator, threshold=none))
    with serving("lexical", "--calibrator", str(tmp_path / "no.json"), "--selective") as server:
        assert server.post("/", shared_task_body("1")).json() == {"1": ""}
        server.stop()
        assert "every answer is withheld" in server.process.stderr.read()
