"""All checks of an audit, one after the other."""

import closeread
from audit_runs import make_run
from closeread.audits.examine import Wanted, audit
from closeread.audits.material import Problems, subject


def test_whoever_watches_is_told_how_many_checks_there_are_and_each_one(tmp_path):
    run = make_run(tmp_path, "gold", lambda gold: gold)
    told = []

    def begin(total):
        told.append(total)
        return told.append

    found = audit([run.path], Wanted(checks=("shortcuts", "leakage")), begin=begin)
    assert told == [2, 1, 1]
    assert [one.check for one in found.findings] == ["shortcuts", "leakage"]


def test_what_a_format_alone_knows_is_not_held(tmp_path):
    """MRQA's tokens take twenty times the room of the texts; no check asks for them."""
    set_ = tmp_path / "set.jsonl"
    closeread.convert("exam/en", set_, "mrqa")
    assert any(passage.metadata for passage, _ in closeread.load(set_))
    run = closeread.read(set_, "first-sentence", tmp_path / "run")
    held = subject(run, Problems())
    assert held.questions
    assert not any(one.metadata for one in (*held.questions, *held.passages.values()))


def test_a_data_set_is_read_once_for_all_of_its_runs(tmp_path):
    """Two hundred runs on one set parsed it two hundred times, and held it as often."""
    right, wrong = (
        make_run(tmp_path, name, answer)
        for name, answer in (("right", lambda gold: gold), ("wrong", lambda gold: "no"))
    )
    read = {}
    one, other = (subject(run, Problems(), read) for run in (right, wrong))
    assert one.passages is other.passages
    assert all(a is b for a, b in zip(one.questions, other.questions, strict=True))
    assert one.questions == subject(right, Problems()).questions
    assert dict(one.predictions) != dict(other.predictions)
