"""Runs are compared only where their numbers were made alike, on the same questions."""

import json

import msgspec
import pytest

from closeread.errors import InputError, MismatchError, UsageError
from closeread.formats.submissions import load_submission
from closeread.metrics.intervals import Resampling
from closeread.readers.generative.extraction import Extraction
from closeread.runs.compare import compare_runs
from closeread.runs.from_submission import save_submission
from closeread.runs.predict import predict
from closeread.runs.records import LogInfo, ReaderInfo, ScoreSettings
from closeread.runs.score import score_run
from closeread.runs.store import open_run, write_document
from closeread.types import Answer, Generation, Prediction

RESAMPLING = Resampling(resamples=200)
CHOICE = ScoreSettings(metrics=("choice",))


@pytest.fixture
def make_run(tmp_path, make_job, by_rule):
    def make(name, label="A", settings=CHOICE, **given):
        job = make_job(by_rule(lambda p, q: label), **{"passages": 8, **given})
        run = predict(job, tmp_path / name)
        if settings:
            score_run(run, settings)
        return run

    return make


def test_two_runs(make_run):
    """The difference is the second's value minus the first's, tested triple by triple."""
    found = compare_runs([make_run("a", "A"), make_run("b", "B")], RESAMPLING)
    (one,) = found.comparisons
    assert (one.metric, one.first, one.second) == ("choice.accuracy", "a", "b")
    assert one.difference == one.second_value - one.first_value
    assert (one.test, one.n_units) == ("permutation-exact", 8)
    assert one.only_first is one.only_second is None
    assert one.p_value == 1.0
    assert found.systems.keys() == {"a", "b"}


def test_several_runs_are_adjusted(make_run):
    """Holm's p is never below the plain one."""
    found = compare_runs([make_run(name, name.upper()) for name in "abc"], RESAMPLING)
    assert [one.second for one in found.comparisons] == ["b", "c"]
    assert all(one.p_holm >= one.p_value for one in found.comparisons)


def test_seeds_are_one_system(make_run):
    """Runs that differ only in seed are averaged when asked to."""
    runs = [make_run("a")] + [
        make_run(f"s{seed}", "BCD"[seed], options={"seed": seed}) for seed in range(3)
    ]
    assert len(compare_runs(runs, RESAMPLING).systems) == 4
    runs = [make_run("other", options={"k": 1}), *runs[1:]]
    found = compare_runs(runs, RESAMPLING, group_seeds=True)
    assert [len(paths) for paths in found.systems.values()] == [1, 3]
    assert found.comparisons[0].second_spread.values
    with pytest.raises(UsageError, match="only one system"):
        compare_runs(runs[1:], RESAMPLING, group_seeds=True)


def test_the_served_reader_identifies_a_system(make_run):
    """Two readers that were served at one address, one after the other, are two systems."""
    record = {"address": "http://localhost:8000", "protocol": "closeread", "version": "0.1.0"}
    info = ReaderInfo(name="http:localhost:8000", options={"url": "http:localhost:8000"})

    def served(name, reader, **options):
        told = record | {"reader": reader, "options": options}
        return make_run(name, reader_info=msgspec.structs.replace(info, record=told))

    runs = [served("a", "rule", k=1), served("b", "rule", k=2), served("c", "other", k=1)]
    runs += [served("d", "other", k=1, seed=1)]
    found = compare_runs(runs, RESAMPLING, group_seeds=True)
    assert list(found.systems) == ["a", "b", "other k=1"]
    assert make_run("e", reader_info=info).info.reader.answering == (info.name, info.options)


def test_other_weights_behind_an_address_are_not_a_seed(make_run):
    """The same name and options, and another hash of what the reader records: told, not merged."""
    record = {"address": "http://localhost:8000", "reader": "cues", "version": "0.1.0"}
    info = ReaderInfo(name="http:localhost:8000")

    def served(name, weights, label, **options):
        told = record | {"options": options, "record_sha256": weights * 64}
        return make_run(name, label, reader_info=msgspec.structs.replace(info, record=told))

    runs = [served("a", "a", "A"), served("b", "b", "B"), served("c", "b", "C", seed=1)]
    found = compare_runs(runs, RESAMPLING, group_seeds=True)
    assert [len(paths) for paths in found.systems.values()] == [1, 2]
    assert found.apart == ["a, cues: not seeds of one reader, because they differ in record_sha256"]
    assert not compare_runs(runs, RESAMPLING).apart


def test_a_system_is_named_by_the_common_parts_of_its_runs(make_run):
    """No seed stands in its name, whatever the option is called."""
    runs = [make_run("a")] + [
        make_run(f"s{seed}", options={"k": 1, "sampling_seed": seed}) for seed in (3, 4)
    ]
    first, second = compare_runs(runs, RESAMPLING, group_seeds=True).systems
    assert (first, second.partition(" ")[2]) == ("a", "k=1")


def test_other_weights_in_one_process_are_not_a_seed(make_run):
    """Nor are they where the reader ran here; the seeds in its record are."""

    def read(name, weights, seed):
        record = {"model": {"weights_sha256": weights}, "request": {"seed": seed}}
        return make_run(name, reader_info=ReaderInfo(name="rule", record=record))

    runs = [read("a", "x", 0), read("b", "x", 1), read("c", "y", 1)]
    found = compare_runs(runs, RESAMPLING, group_seeds=True)
    assert [len(paths) for paths in found.systems.values()] == [2, 1]
    assert found.apart == [
        "rule, c: not seeds of one reader, because they differ in model.weights_sha256"
    ]


@pytest.fixture
def hand_in(tmp_path, make_dataset):
    """Keep a file of predictions that lies somewhere, scored."""
    dataset = make_dataset(4)

    def make(name):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({one.question_id: "A" for one in dataset.questions()}))
        out = tmp_path / f"r-{name.replace('/', '-')}"
        run = save_submission(dataset, load_submission(file, dataset), (file,), out)
        score_run(run, CHOICE)
        return open_run(run.path)

    return make


def test_files_with_one_name_are_distinguished_by_folder(hand_in):
    """Where seeds are asked for, too: systems are often handed in so."""
    runs = [hand_in(name) for name in ("one/p.json", "two/p.json", "three/else.json")]
    assert [run.info.reader.name for run in runs[:2]] == [
        "handed in: one/p.json",
        "handed in: two/p.json",
    ]
    for grouped in (False, True):
        found = compare_runs(runs, RESAMPLING, group_seeds=grouped)
        assert list(found.systems) == ["r-one-p.json", "r-two-p.json", "r-three-else.json"]
    (told,) = found.apart
    assert told.startswith("r-one-p.json, r-two-p.json: submitted as p.json; they count as seeds")


def test_submitted_seeds_are_numbered_in_folder_or_file(hand_in):
    """Their systems are told apart by the folder above that; one number twice is no seed."""
    names = [f"{of}/seed{seed}/p.json" for of in "ab" for seed in (1, 2)]
    names += [f"c/p.seed_{seed}.json" for seed in (1, 20)]
    found = compare_runs([hand_in(name) for name in names], RESAMPLING, group_seeds=True)
    assert {name: len(of) for name, of in found.systems.items()} == {
        "handed in: a/seed/p.json": 2,
        "handed in: b/seed/p.json": 2,
        "handed in: c/p.seed.json": 2,
    }
    assert not found.apart
    twice = [hand_in(f"{of}/d/p.seed1.json") for of in "xy"]
    found = compare_runs(twice, RESAMPLING, group_seeds=True)
    assert len(found.systems) == 2
    assert "submitted as p.seed.json; they count as seeds" in found.apart[0]


def test_calibrated_seeds_are_one_system(make_run):
    """Of what each was calibrated from counts only the calibrator."""

    def read(name, calibrator):
        calibrated = {"run": name, "predictions_sha256": name, "calibrator_sha256": calibrator}
        record = {"calibrated": calibrated}
        return make_run(name, reader_info=ReaderInfo(name="rule", record=record))

    runs = [read("a", "x"), read("b", "x"), read("c", "y")]
    found = compare_runs(runs, RESAMPLING, group_seeds=True)
    assert [len(paths) for paths in found.systems.values()] == [2, 1]
    (told,) = found.apart
    assert told.endswith("differ in calibrated.calibrator_sha256")


def test_logs_with_other_settings_are_not_seeds(make_run):
    """A harness' number of examples shown is no seed; that by which they were drawn is."""

    def logged(name, **settings):
        run = make_run(name)
        log = LogInfo(harness="lm-eval", settings=settings)
        info = msgspec.structs.replace(run.info, log=log)
        write_document(run.path / "run.json", info)
        return open_run(run.path)

    runs = [logged(name, num_fewshot=shots, fewshot_seed=seed)
            for name, shots, seed in (("a", 0, 0), ("b", 0, 1), ("c", 5, 0))]  # fmt: skip
    found = compare_runs(runs, RESAMPLING, group_seeds=True)
    assert [len(paths) for paths in found.systems.values()] == [2, 1]
    assert found.apart[0].endswith("differ in settings.num_fewshot")


def test_the_same_run_twice_counts_once(make_run):
    """A folder that is named twice is not compared with itself."""
    run = make_run("a")
    with pytest.raises(UsageError, match="only one system"):
        compare_runs([run, run], RESAMPLING)


def test_runs_on_other_questions_are_rejected(make_run):
    """Another data set, or another limit, is another exam."""
    with pytest.raises(MismatchError, match="first 9"):
        compare_runs([make_run("a"), make_run("b", limit=9)], RESAMPLING)
    with pytest.raises(MismatchError, match="different questions"):
        compare_runs([make_run("c"), make_run("d", passages=7)], RESAMPLING)


def test_different_signatures_are_rejected_unless_allowed(make_run):
    """Numbers made in different ways are compared only on demand."""
    runs = [
        make_run("a", settings=ScoreSettings(metrics=("selective",))),
        make_run(
            "b",
            settings=ScoreSettings(
                metrics=("selective",), options={"selective": {"threshold": 1.0}}
            ),
        ),
    ]
    with pytest.raises(MismatchError, match="--allow-different-signatures"):
        compare_runs(runs, RESAMPLING)
    found = compare_runs(runs, RESAMPLING, allow_different_signatures=True)
    assert set(found.signatures.values()) == {""}


def test_interval_settings_do_not_make_signatures_differ(make_run):
    """How intervals were made is no part of what must agree."""
    settings = ScoreSettings(metrics=("choice",), resamples=300)
    compare_runs([make_run("a"), make_run("b", "B", settings=settings)], RESAMPLING)


def test_edited_scores_are_not_compared(make_run):
    """The numbers in summary.json and the scores that are tested must belong together."""
    one, other = make_run("one", 0.5), make_run("other", 0.9)
    path = other.path / "scores.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"accuracy"', b'"acuracy"', 1))
    with pytest.raises(MismatchError, match=r"scores\.jsonl has sha256"):
        compare_runs([one, other], RESAMPLING)


def test_edited_predictions_are_not_compared(make_run):
    """A prediction edited after scoring is refused, though summary and scores still fit."""
    one, other = make_run("one", 0.5), make_run("other", 0.9)
    path = other.path / "predictions.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"question_id"', b' "question_id"', 1))
    with pytest.raises(MismatchError, match=r"predictions\.jsonl has sha256"):
        compare_runs([one, other], RESAMPLING)


class Talker:
    """Its answers were read wrongly from what it wrote, which is the right letter for originals."""

    def read(self, items):
        for _, question in items:
            letter = "ABCD"[int(question.options[0].text.split()[-1]) % 4]
            yield Prediction(
                question_id=question.question_id,
                answer=Answer(kind="choice", label="A"),
                generation=Generation(text=f"Answer: {letter}"),
            )


def test_extracted_answers_are_compared(make_run, make_job, tmp_path):
    """What the official program counts is what the summary counted."""
    anew = ScoreSettings(metrics=("gcrc",), extraction=Extraction())
    talker = predict(make_job(Talker(), passages=8), tmp_path / "talker")
    found = score_run(talker, anew)
    other = make_run("other", settings=ScoreSettings(metrics=("gcrc",)))
    (one,) = compare_runs(
        [other, talker], RESAMPLING, metrics=["gcrc.acc0"], allow_different_signatures=True
    ).comparisons
    assert one.second_value == found.metrics["gcrc.acc0"].value == 1.0


def test_missing_scores_and_metrics_are_reported(make_run):
    """A run without scores, and a metric that no run has."""
    with pytest.raises(InputError, match="closeread score"):
        compare_runs([make_run("a"), make_run("b", settings=None)], RESAMPLING)
    with pytest.raises(UsageError, match=r"choice\.accuracy"):
        compare_runs([make_run("c"), make_run("d")], RESAMPLING, metrics=["gcrc"])


def test_values_of_a_single_run_are_not_offered(make_run):
    """The message lists what can be compared, not what cannot."""
    more = ScoreSettings(metrics=("choice", "selective"))
    runs = [make_run("a"), make_run("b", settings=more)]
    with pytest.raises(UsageError, match="no value of selective in common") as told:
        compare_runs(runs, RESAMPLING, metrics=["selective"])
    assert told.value.expected == "one of choice.accuracy"
