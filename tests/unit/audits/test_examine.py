"""All checks of an audit, one after the other."""

from audit_runs import make_run
from closeread.audits.examine import Wanted, audit


def test_whoever_watches_is_told_how_many_checks_there_are_and_each_one(tmp_path):
    run = make_run(tmp_path, "gold", lambda gold: gold)
    told = []

    def begin(total):
        told.append(total)
        return told.append

    found = audit([run.path], Wanted(checks=("shortcuts", "leakage")), begin=begin)
    assert told == [2, 1, 1]
    assert [one.check for one in found.findings] == ["shortcuts", "leakage"]
