"""All checks of an audit, one after the other."""

import json

import closeread
from audit_runs import make_run
from closeread.audits.checks import AuditOptions
from closeread.audits.examine import audit
from closeread.audits.loading import load_subject
from closeread.audits.problems import Problems
from closeread.types import Answer, Candidate, Prediction


def test_progress_counts_the_checks(tmp_path):
    run = make_run(tmp_path, "gold", lambda gold: gold)
    told = []

    def begin(total):
        told.append(total)
        return told.append

    found = audit([run.path], AuditOptions(checks=("shortcuts", "leakage")), begin=begin)
    assert told == [2, 1, 1]
    assert [one.check for one in found.findings] == ["shortcuts", "leakage"]


def test_metadata_of_formats_is_not_kept(tmp_path):
    """MRQA's tokens take twenty times the room of the texts; no check asks for them."""
    set_ = tmp_path / "set.jsonl"
    closeread.convert("exam/en", set_, "mrqa")
    assert any(passage.metadata for passage, _ in closeread.load(set_))
    run = closeread.read(set_, "first-sentence", tmp_path / "run")
    held = load_subject(run, Problems())
    assert held.questions
    assert not any(one.metadata for one in (*held.questions, *held.passages.values()))


def test_questions_with_only_truth_values_are_valid(tmp_path):
    """MultiRC's options are true or false, and no letter is right: all were without gold."""
    answers = [{"text": "Sand", "isAnswer": True}, {"text": "Tar", "isAnswer": False}]
    asked = [{"question": f"What is {n}?", "sentences_used": [], "answers": answers, "idx": str(n)}
             for n in range(24)]  # fmt: skip
    held = {"id": "p", "paragraph": {"text": "Sand is here.", "questions": asked}}
    (tmp_path / "set.json").write_text(json.dumps({"data": [held]}))
    run = closeread.read(tmp_path / "set.json", "lexical", tmp_path / "run")
    problems = Problems()
    assert len(load_subject(run, problems).questions) == 24
    found = audit([run.path], AuditOptions(checks=("order", "shortcuts")))
    assert (problems.defects.counts, found.skipped) == ({}, {})
    assert [one.verdict for one in found.findings] == ["skipped", "skipped"]


def test_a_data_set_is_read_once_for_all_its_runs(tmp_path):
    """Two hundred runs on one set parsed it two hundred times, and held it as often."""
    right, wrong = (
        make_run(tmp_path, name, answer)
        for name, answer in (("right", lambda gold: gold), ("wrong", lambda gold: "no"))
    )
    read = {}
    one, other = (load_subject(run, Problems(), read) for run in (right, wrong))
    assert one.passages is other.passages
    assert all(a is b for a, b in zip(one.questions, other.questions, strict=True))
    assert one.questions == load_subject(right, Problems()).questions
    assert dict(one.predictions) != dict(other.predictions)


def test_candidates_are_kept_only_for_external_scorers(tmp_path, monkeypatch):
    """Of a reader with twenty candidates they are most of what it says; no check looks at them."""

    class Sure:
        def read(self, items):
            for _, question in items:
                answer = Answer(kind="span", texts=("wool",))
                several = tuple(Candidate(answer=answer, score=0.1) for _ in range(20))
                yield Prediction(
                    question_id=question.question_id, answer=answer, candidates=several
                )

    make_run(tmp_path, "gold", lambda gold: gold)
    run = closeread.read(tmp_path / "ours.jsonl", Sure(), tmp_path / "run")
    held = load_subject(run, Problems()).predictions.values()
    assert held
    assert not any(one.candidates for one in held)
    (tmp_path / "of_candidates.py").write_text(
        "from dataclasses import dataclass\n"
        "from closeread.metrics.pools import mean_pools\n"
        "from closeread.types import Score\n\n"
        "SEEN = []\n\n"
        "@dataclass(frozen=True)\n"
        "class Counts:\n"
        "    name: str = 'counts'\n"
        "    unit: str = 'question'\n"
        "    def signature(self):\n"
        "        return 'counts|v:1'\n"
        "    def score(self, question, prediction):\n"
        "        SEEN.append(len(prediction.candidates) if prediction else None)\n"
        "        return Score(question_id=question.question_id, values={'em': 0.0})\n"
        "    def pool(self, scores, submission):\n"
        "        return mean_pools({'em': 'counts.em'}, scores, submission)\n\n"
        "def metric() -> Counts:\n"
        "    return Counts()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    audit(
        [run.path], AuditOptions(checks=("disagreement",), metrics=("of_candidates:metric", "drop"))
    )
    import of_candidates

    assert 20 in of_candidates.SEEN
