"""verify finds whatever was changed in a run folder by hand."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import closeread
from closeread.errors import InputError
from closeread.formats import load
from closeread.formats.submissions import load_submission
from closeread.metrics.intervals import VERSION
from closeread.runs import open_run
from closeread.runs.from_submission import save_submission
from closeread.runs.predict import predict
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run
from closeread.runs.scoring.provenance import Versions, computed_by
from closeread.runs.verify import verify, verify_each

SETTINGS = ScoreSettings(metrics=("choice", "gcrc"), by=("topic",), resamples=200)


@pytest.fixture
def run(tmp_path, make_job):
    run = predict(make_job(), tmp_path / "run")
    score_run(run, SETTINGS)
    return run


def differences(run):
    return "\n".join(verify(open_run(run.path)).differences)


def edit_bytes(path, change):
    path.write_bytes(change(path.read_bytes()))


def edit_json(path, change):
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value))


def test_an_unchanged_run_is_verified(run):
    """Nothing differs, and everything was looked at."""
    found = verify(run)
    assert not found.differences
    assert not found.unchecked
    assert len(found.checked) == 9


def test_an_edited_prediction_is_found(run):
    """A letter that was changed shows in the hash and against the ledger."""
    edit_bytes(run.path / "predictions.jsonl", lambda raw: raw.replace(b'"A"', b'"B"', 1))
    assert "sha256" in differences(run)
    assert "only in the ledger" in differences(run)


def test_an_edited_prediction_is_found_despite_adapted_hashes(run):
    """Even with ledger and hashes mended, the scores do not follow any more."""
    import hashlib

    for name in ("predictions.jsonl", "ledger.jsonl"):
        edit_bytes(run.path / name, lambda raw: raw.replace(b'"label":"A"', b'"label":"D"', 1))
    digest = hashlib.sha256((run.path / "predictions.jsonl").read_bytes()).hexdigest()
    for name in ("run.json", "summary.json"):
        edit_json(run.path / name, lambda found: found.update(predictions_sha256=digest))
    found = differences(run)
    assert "q0#original" in found
    assert "is right" in found


def test_a_missing_file_is_reported_in_one_line(run):
    """What would have to be done belongs to a verb that goes on, not into a list of checks."""
    (run.path / "predictions.jsonl").unlink()
    assert differences(run).splitlines() == [
        f"{run.path / 'predictions.jsonl'}: cannot be read: No such file or directory"
    ]


def test_a_missing_ledger_is_reported(run):
    """What the predictions are held against is missing: they are not vouched for."""
    (run.path / "ledger.jsonl").unlink()
    assert "ledger.jsonl cannot be read: No such file" in differences(run)


def test_an_edited_score_is_found(run):
    """A score that was changed follows from nothing."""
    edit_bytes(run.path / "scores.jsonl", lambda raw: raw.replace(b":0.0", b":1.0", 1))
    assert "scores.jsonl is reproduced" in differences(run)


def test_renamed_values_of_scores_are_found(run):
    """What cannot be summed is told as a difference."""
    edit_bytes(run.path / "scores.jsonl", lambda raw: raw.replace(b'"accuracy"', b'"acuracy"', 1))
    assert "'acuracy'" in differences(run)
    (run.path.parent / "triples.jsonl").unlink()
    found = verify(open_run(run.path))
    assert "scores.jsonl has sha256" in "\n".join(found.differences)
    assert "summary.json: it was made from a different scores.jsonl" in found.unchecked


@pytest.mark.parametrize("field", ["value", "low", "high", "n_questions", "signature"])
def test_an_edited_summary_is_found(run, field):
    """Every field of every summary is recomputed."""

    def change(found):
        found["metrics"]["gcrc.acc0"][field] = "x" if field == "signature" else 7

    edit_json(run.path / "summary.json", change)
    assert f"gcrc.acc0: {field}" in differences(run)


def test_an_edited_breakdown_is_found(run):
    """So are the breakdowns."""

    def change(found):
        found["breakdowns"]["topic"]["odd"]["choice.accuracy"]["value"] = 0.99

    edit_json(run.path / "summary.json", change)
    assert "topic odd, choice.accuracy: value 0.99 is stored" in differences(run)


def test_edited_counts_are_found(run):
    """run.json cannot claim that nothing failed, or that more was read."""
    edit_json(run.path / "run.json", lambda found: found.update(n_failed=3))
    assert "0 failed; run.json says 15 and 3" in differences(run)


@pytest.mark.parametrize("count", [-1, 10**30])
@pytest.mark.parametrize("field", ["n_predictions", "n_failed"])
def test_impossible_counts_are_found(run, field, count):
    """They are refused at the border, with the file's name."""
    edit_json(run.path / "run.json", lambda found: found.update({field: count}))
    with pytest.raises(InputError, match=r"run\.json"):
        open_run(run.path)


def test_a_summary_that_is_not_json_is_found(run):
    """A broken file is a difference, not a crash."""
    edit_bytes(run.path / "summary.json", lambda raw: raw[:50])
    assert "summary.json" in differences(run)


def test_a_run_without_its_data_set_is_verified_in_part(run, make_dataset):
    """Where the data set has changed, the scores are taken as they stand, and it says so."""
    assert verify(run).verdict == "verified"
    make_dataset(6)
    found = verify(run)
    assert not found.differences
    assert found.verdict == "verified in part"
    assert any("data set" in one for one in found.unchecked)


def test_a_received_run_is_verified_against_a_given_data_set(run, tmp_path):
    """What was made to fit without gold does not fit with it; another file is a difference."""
    info = open_run(run.path).info.dataset
    own = tmp_path / "own.jsonl"
    Path(info.path).rename(own)
    edit_bytes(
        run.path / "scores.jsonl", lambda raw: raw.replace(b'"accuracy":0.0', b'"accuracy":1.0')
    )
    found = verify(open_run(run.path))
    assert any("was not found" in one for one in found.unchecked)
    found = verify(open_run(run.path), own)
    assert not found.unchecked
    assert "scores.jsonl is reproduced from predictions and gold answers" in "\n".join(
        found.differences
    )
    edit_bytes(own, lambda raw: raw + b"\n")
    (told, *_) = verify(open_run(run.path), own).differences
    assert told == f"the data set: {own}: this file is not the data set that the run answers"
    with pytest.raises(InputError, match="cannot be read"):
        verify(open_run(run.path), tmp_path / "nowhere.jsonl")


def test_runs_on_other_sets_are_not_compared_with_the_given_one(
    run, make_job, make_dataset, tmp_path
):
    """They are checked by themselves, and say so; a file that no run answers is wrong for all."""
    other = predict(make_job(dataset=make_dataset(3, "others")), tmp_path / "other")
    score_run(other, SETTINGS)
    own = tmp_path / "own.jsonl"
    (tmp_path / "triples.jsonl").rename(own)
    mine, apart = verify_each([run, other], own)
    assert mine.verdict == "verified"
    assert apart.unchecked == [f"the run answers others, so it was not checked against {own}"]
    assert not apart.differences
    assert "the data set matches the hash in run.json" in apart.checked
    edit_json(other.path / "run.json", lambda found: found["dataset"].update(name="triples"))
    _, changed = verify_each([run, open_run(other.path)], own)
    assert (
        f"the data set: {own}: this file is not the data set that the run answers"
        in changed.differences
    )
    edit_bytes(own, lambda raw: raw + b"\n")
    assert all(found.differences for found in verify_each([run, other], own))
    assert all(not found.differences for found in verify_each([run, other]))


def test_an_unfinished_run_differs(run):
    """A run that was cut off is not verified."""
    edit_json(run.path / "run.json", lambda found: found.update(complete=False))
    assert "not finished" in differences(run)


OTHERS = {"closeread": "0.0.1", "intervals": 0, "counts": 0, "numpy": "1.0"}
SAYS = "computed by another version"


def scored_by_another(run, change, **versions):
    """The run as another version would have scored it, which recorded what it was, or not."""

    def edited(found):
        change(found["metrics"]["gcrc.acc0"])
        if versions:
            found["computed_by"] |= versions
        else:
            del found["computed_by"]

    edit_json(run.path / "summary.json", edited)
    return verify(open_run(run.path))


def test_a_summary_records_its_versions(run):
    """The package, the intervals' and the counts' version, and what drew the resamples."""
    import numpy as np

    from closeread import __version__

    recorded = run.summary().computed_by
    assert recorded.closeread == __version__
    assert recorded.intervals >= 1
    assert recorded.counts >= 1
    assert recorded.numpy == np.__version__


@pytest.mark.parametrize(
    ("field", "version"),
    [("low", "intervals"), ("high", "numpy"), ("n_answered", "counts"), ("n_failed", "counts")],
)
def test_differences_of_another_version_are_explained(run, field, version):
    """It is no error, but was not checked; what versions they are is said."""
    found = scored_by_another(run, lambda one: one.update({field: 7}), **{version: OTHERS[version]})
    assert not found.differences
    assert found.verdict == "verified in part"
    (told,) = (one for one in found.unchecked if SAYS in one)
    assert f"({version} {OTHERS[version]}; here {version}" in told
    assert f"gcrc.acc0: {field} 7" in told
    assert "score the run again" in told


def scored_one_by_one(run, **versions):
    """The run as if each question of a triple were a unit of its own."""
    lines = [json.loads(line) for line in (run.path / "scores.jsonl").read_bytes().splitlines()]
    for one in lines:
        if one["metric"] == "choice":
            one["unit_id"] = one["question_id"]
    raw = b"".join(json.dumps(one).encode() + b"\n" for one in lines)
    (run.path / "scores.jsonl").write_bytes(raw)

    def edited(found):
        found["scores_sha256"] = hashlib.sha256(raw).hexdigest()
        found["computed_by"] |= versions

    edit_json(run.path / "summary.json", edited)
    return verify(open_run(run.path))


def test_other_resampling_units_of_another_version_are_explained(run):
    """It is no error of the scores; in a run of this version it is."""
    found = scored_one_by_one(run, intervals=OTHERS["intervals"])
    assert not found.differences
    (told,) = (one for one in found.unchecked if one.startswith("scores.jsonl"))
    assert "unit q0#original is stored, q0 is computed here" in told
    assert any("unit" in one for one in scored_one_by_one(run, intervals=VERSION).differences)


@pytest.mark.parametrize("field", ["low", "n_answered"])
def test_differences_without_recorded_versions_are_explained(run, field):
    """A summary of earlier is told as one."""
    found = scored_by_another(run, lambda one: one.update({field: 7}))
    assert not found.differences
    assert any(f"{SAYS} (written before versions were recorded)" in one for one in found.unchecked)


@pytest.mark.parametrize("versions", [OTHERS, {}])
@pytest.mark.parametrize("field", ["value", "n_questions", "signature"])
def test_differences_that_no_version_explains_are_errors(run, field, versions):
    """A value, the number of questions and a metric's settings are the same in every version."""
    wrong = "gcrc|denominator:triples|v:1" if field == "signature" else 7
    found = scored_by_another(run, lambda one: one.update({field: wrong}), **versions)
    assert any(f"gcrc.acc0: {field} {wrong}" in one for one in found.differences)


def test_another_version_s_interval_in_the_signature_is_explained(run):
    """A bound that was found in another way is marked in the signature, too."""

    def without(one):
        one.update(low=None, high=None, note="no interval")
        one["signature"] = one["signature"].partition("|ci:")[0]

    assert not scored_by_another(run, without, intervals=0).differences


def test_functions_named_in_a_run_are_not_called(run, tmp_path):
    """Its record is somebody else's text; that a command was run by it, no hash would tell."""
    out = tmp_path / "called"

    def change(name, option):
        def changed(summary):
            summary["settings"].update(metrics=[name], options={name: option})

        return changed

    edit_json(run.path / "summary.json", change("os:system", {"command": f"touch {out}"}))
    assert "os:system is in Python's standard library" in differences(run)
    edit_json(run.path / "summary.json", change("pytest:main", {"args": f"--junit-xml={out}"}))
    assert "the metric pytest:main does not declare that it makes a metric" in differences(run)
    assert not out.exists()


def test_a_module_beside_a_received_run_is_not_imported(run):
    """Neither by `python -m`, which has the folder that one works in sought before all others."""
    beside = run.path.parent
    (beside / "put_here.py").write_text("open('imported', 'w')\n", "utf-8")
    edit_json(
        run.path / "summary.json",
        lambda one: one["settings"].update(metrics=["put_here:metric"]),
    )
    command = [sys.executable, "-m", "closeread", "verify", run.path.name]
    path = str(Path(closeread.__file__).parents[1])
    done = subprocess.run(
        command,
        cwd=beside,
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert "put_here:metric" in done.stdout
    assert not (beside / "imported").exists()


def test_values_of_a_missing_metric_are_not_checked(run):
    """Of somebody else's that is not installed nothing is known: they do not differ."""

    def change(summary):
        summary["settings"]["metrics"] = ["nowhere_to_be_found:metric"]

    edit_json(run.path / "summary.json", change)
    found = verify(open_run(run.path))
    assert found.verdict == "verified in part"
    assert "nowhere_to_be_found:metric" in found.unchecked[0]
    edit_json(run.path / "summary.json", lambda one: one["settings"].update(metrics=["nix"]))
    assert "there is no metric named 'nix'" in differences(run)


def test_scores_of_another_metric_version_are_explained(run):
    """Its version stands in the signature: scores and values may differ."""
    edit_bytes(
        run.path / "scores.jsonl", lambda raw: raw.replace(b'"accuracy":0.0', b'"accuracy":1.0')
    )

    def change(found):
        import hashlib

        digest = hashlib.sha256((run.path / "scores.jsonl").read_bytes()).hexdigest()
        found["scores_sha256"] = digest
        for of in (found["metrics"], *found["breakdowns"]["topic"].values()):
            of["choice.accuracy"]["value"] = 1.0
            of["choice.accuracy"]["signature"] = of["choice.accuracy"]["signature"].replace(
                "|v:1", "|v:0"
            )

    edit_json(run.path / "summary.json", change)
    found = verify(open_run(run.path))
    assert not found.differences
    told = [one for one in found.unchecked if f"{SAYS} (choice 0; here choice 1)" in one]
    assert [one.partition(":")[0] for one in told] == [
        "scores.jsonl is reproduced from predictions and gold answers",
        "summary.json is reproduced from the scores",
        "breakdowns are reproduced from the scores",
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("selective.aurc|base:drop.em", "selective.aurc|base:drop.em|base-v:2", "base-v 1; here"),
        ("expmrc.answer_f1|nltk:3.9|punkt:none", "expmrc.answer_f1|nltk:3.9|punkt:english",
         "punkt none; here punkt english"),
        ("drop.f1|golds:all", "drop.f1|golds:all", ""),
    ],
)  # fmt: skip
def test_dependencies_of_a_metric_are_versions(old, new, told):
    """Its base's program from the second version on, and data that are there or not."""
    own = computed_by(ScoreSettings(metrics=()))
    found = Versions(own, own).explain_signatures(f"{old}|v:1", f"{new}|v:1")
    assert found.startswith(told) and bool(found) == bool(told)


@pytest.fixture
def handed_in(tmp_path):
    """A run of eight predictions that were handed in, beside its data set ``set.json``."""
    path, answers = tmp_path / "set.json", tmp_path / "answers.json"
    questions = [
        {"id": str(n), "question": "Who sat?", "answers": [{"text": "cat", "answer_start": 2}]}
        for n in range(8)
    ]
    paragraph = {"context": "A cat sat. A dog ran.", "qas": questions}
    data = [{"title": "t", "paragraphs": [paragraph]}]
    path.write_text(json.dumps({"version": "1.1", "data": data}))
    answers.write_text(json.dumps({str(n): "cat" if n % 3 else "dog" for n in range(8)}))
    dataset = load(path)
    return save_submission(dataset, load_submission(answers, dataset), (answers,), tmp_path / "run")


def test_a_submission_without_its_data_set_is_verified_in_part(tmp_path, handed_in):
    """The counts come from the files in the folder: nothing differs because the set is gone."""
    score_run(handed_in, ScoreSettings(metrics=("squad",), resamples=200))
    (tmp_path / "set.json").unlink()
    found = verify(open_run(handed_in.path))
    assert not found.differences
    assert "summary.json is reproduced from the scores" in found.checked


def test_submitted_predictions_in_another_order_are_verified(handed_in):
    """The line and what it answers are told, and the question that should stand there."""

    def swap(raw):
        first, second, *rest = raw.splitlines(keepends=True)
        return b"".join((second, first, *rest))

    edit_bytes(handed_in.path / "predictions.jsonl", swap)
    assert "line 1 answers 1, but the data set has 0 there" in differences(handed_in)
