"""The runner asks every question once, hides gold, keeps failures and goes on where it stopped."""

import json
from pathlib import Path

import msgspec
import pytest

from closeread.errors import EndpointError, InputError, MismatchError, StorageError, UsageError
from closeread.formats import load
from closeread.runs import open_run
from closeread.runs.ledger import Ledger
from closeread.runs.predict import predict
from closeread.runs.records import ReaderInfo, ScoreSettings
from closeread.runs.score import score_run
from closeread.runs.store import INFO, LEDGER, PREDICTIONS, SUMMARY, Predictions
from closeread.runs.verify import verify
from closeread.types import Answer, Prediction


def predicted_ids(run):
    return [prediction.question_id for prediction in run.predictions()]


def test_canonical_file_is_in_the_data_sets_order(tmp_path, make_job, make_dataset):
    """predictions.jsonl has one line a question, in the file's order, under the real ids."""
    run = predict(make_job(passages=7, batch_size=4), tmp_path / "run")
    assert predicted_ids(run) == [question.question_id for question in make_dataset(7).questions()]
    assert run.info.complete
    assert run.info.n_predictions == run.info.dataset.n_questions == 21


def test_a_batch_holds_no_siblings(tmp_path, make_job, by_rule):
    """No two questions of one triple are shown to the reader together."""
    reader = by_rule()
    predict(make_job(reader, passages=9, batch_size=5), tmp_path / "run")
    for batch in reader.batches:
        passages = [passage.passage_id for passage, _ in batch]
        assert len(set(passages)) == len(passages)
    assert sum(map(len, reader.batches)) == 27


def test_a_reader_sees_no_gold(tmp_path, make_job, by_rule):
    """Answers, truth, evidence, groups, roles, tags, metadata and telling ids are gone."""
    reader = by_rule()
    predict(make_job(reader), tmp_path / "run")
    for passage, question in (item for batch in reader.batches for item in batch):
        assert not question.answers
        assert not question.option_truth
        assert not question.gold_evidence
        assert not question.group_id
        assert question.role is None
        assert not question.tags
        assert not question.metadata
        assert not passage.metadata
        assert not any(option.tags for option in question.options)
        assert "#" not in question.question_id
        assert not question.question_id.startswith("q")


def test_one_bad_question_does_not_affect_others(tmp_path, make_job, by_rule):
    """Where a batch raises, its questions are read one by one and only the bad one fails."""

    def rule(passage, question):
        if "original 2" in question.options[0].text:
            raise ValueError("cannot read this")
        return "B"

    run = predict(make_job(by_rule(rule), batch_size=8), tmp_path / "run")
    failed = [prediction for prediction in run.predictions() if prediction.error]
    assert [prediction.question_id for prediction in failed] == ["q2#original"]
    assert failed[0].error == "ValueError: cannot read this"
    assert failed[0].answer is None
    assert run.info.n_failed == 1
    assert len(predicted_ids(run)) == 15


class Skipping:
    def read(self, batch):
        return iter(())


class Foreign:
    def read(self, batch):
        yield Prediction(question_id="elsewhere")


class Infinite:
    def read(self, batch):
        for _, question in batch:
            yield Prediction(question_id=question.question_id, confidence=float("nan"))


class Surrogate:
    def read(self, batch):
        for _, question in batch:
            answer = Answer(kind="span", texts=("\ud800",))
            yield Prediction(question_id=question.question_id, answer=answer)


def test_an_unanswered_question_is_a_failure(tmp_path, make_job):
    """A reader that gives no prediction gets one with an error."""
    run = predict(make_job(Skipping()), tmp_path / "run")
    assert {prediction.error for prediction in run.predictions()} == {
        "the reader gave no prediction"
    }
    assert run.info.n_failed == 15


@pytest.mark.parametrize("reader", [Infinite(), Surrogate()])
def test_a_prediction_that_cannot_be_encoded_is_a_failure(tmp_path, make_job, reader):
    """A prediction that would not read back as it was becomes an error, and the run goes on."""
    run = predict(make_job(reader), tmp_path / "run")
    assert run.info.n_failed == 15
    assert all(prediction.error for prediction in run.predictions())


def test_an_unknown_id_stops_the_run(tmp_path, make_job):
    """A reader that answers what it was not asked is told so."""
    with pytest.raises(UsageError, match="elsewhere"):
        predict(make_job(Foreign()), tmp_path / "run")


def test_an_interrupted_run_can_be_resumed(tmp_path, make_job, by_rule):
    """Control-C keeps what was read; --resume gives the file of an uninterrupted run."""
    expected = predict(make_job(batch_size=4), tmp_path / "whole").path / PREDICTIONS
    asked = []

    def rule(passage, question):
        asked.append(question)
        if len(asked) == 9:
            raise KeyboardInterrupt
        return "A"

    with pytest.raises(KeyboardInterrupt):
        predict(make_job(by_rule(rule), batch_size=4), tmp_path / "run")
    assert not open_run(tmp_path / "run").info.complete
    with pytest.raises(InputError, match="not finished"):
        predicted_ids(open_run(tmp_path / "run"))
    run = predict(make_job(batch_size=4), tmp_path / "run", resume=True)
    assert (run.path / PREDICTIONS).read_bytes() == expected.read_bytes()


def test_an_error_before_the_first_answer_leaves_no_folder(tmp_path, make_job):
    """Neither of a new run nor of one in another's place; the next one begins without a word."""

    class Refused:
        def read(self, batch):
            raise EndpointError("no such model")
            yield

    with pytest.raises(EndpointError):
        predict(make_job(Refused()), tmp_path / "deep" / "run")
    assert not (tmp_path / "deep").exists()
    (tmp_path / "run").mkdir()
    with pytest.raises(EndpointError):
        predict(make_job(Refused(), only=("q1#original",)), tmp_path / "run")
    assert not list((tmp_path / "run").iterdir())
    predict(make_job(), tmp_path / "run")
    with pytest.raises(EndpointError):
        predict(make_job(Refused()), tmp_path / "run", overwrite=True)
    assert not list((tmp_path / "run").iterdir())


def test_a_run_can_be_resumed_after_an_error(tmp_path, make_job):
    """What was paid for is kept, though it was not yet flushed."""

    class Lost:
        def read(self, batch):
            yield Prediction(question_id=batch[0][1].question_id, answer=Answer(kind="none"))
            raise EndpointError("gone")

    with pytest.raises(EndpointError):
        predict(make_job(Lost()), tmp_path / "run")
    assert len((tmp_path / "run" / LEDGER).read_bytes().splitlines()) == 1
    assert predict(make_job(), tmp_path / "run", resume=True).info.complete


def test_resuming_a_finished_run_reads_nothing(tmp_path, make_job, by_rule):
    """--resume on a finished run changes no byte and asks the reader nothing."""
    run = predict(make_job(), tmp_path / "run")
    before = {path.name: path.read_bytes() for path in run.path.iterdir()}
    reader = by_rule()
    predict(make_job(reader), run.path, resume=True)
    assert not reader.batches
    assert {path.name: path.read_bytes() for path in run.path.iterdir()} == before


def test_tuples_in_a_reader_s_record_equal_lists(tmp_path, make_job):
    """run.json holds it in lists, and so does the lineage of every trained checkpoint."""
    told = ReaderInfo(
        name="rule",
        options={"stop": ("a", "b")},
        record={"lineage": {"stages": ({"reader": "span"},)}},
    )
    run = predict(make_job(reader_info=told), tmp_path / "run")
    assert predict(make_job(reader_info=told), run.path, resume=True).info.complete


def test_an_existing_run_needs_resume_or_overwrite(tmp_path, make_job):
    """A folder that holds a run is refused, and stays as it is."""
    run = predict(make_job(), tmp_path / "run")
    before = (run.path / INFO).read_bytes()
    with pytest.raises(UsageError, match="--resume"):
        predict(make_job(), run.path)
    assert (run.path / INFO).read_bytes() == before


def test_overwriting_starts_from_the_beginning(tmp_path, make_job, by_rule):
    """--overwrite discards predictions and numbers."""
    run = predict(make_job(), tmp_path / "run")
    (run.path / SUMMARY).write_text("{}")
    again = predict(make_job(by_rule(lambda p, q: "D")), run.path, overwrite=True)
    assert {prediction.answer.label for prediction in again.predictions()} == {"D"}
    assert not (run.path / SUMMARY).exists()


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"passages": 6}, "sha256"),
        ({"options": {"k": 3}}, "reader option k"),
        ({"batch_size": 2}, "batch size"),
        ({"limit": 4}, "limit"),
    ],
)
def test_resuming_with_other_settings_is_rejected(tmp_path, make_job, changed, named):
    """--resume names what differs from the run that is there."""
    predict(make_job(passages=5), tmp_path / "run")
    with pytest.raises(MismatchError, match=named):
        predict(make_job(**{"passages": 5, **changed}), tmp_path / "run", resume=True)


def test_limit_reads_the_first_questions(tmp_path, make_job):
    """--limit 4 reads on to the end of the second triple: a part of one is scored by no metric."""
    run = predict(make_job(limit=4), tmp_path / "run")
    assert predicted_ids(run) == [
        f"q{number}#{role}" for number in (0, 1) for role in ("original", "positive", "negative")
    ]
    assert run.info.dataset.n_questions == run.info.dataset.limit == 6
    score_run(run, ScoreSettings(metrics=("gcrc~strict",)))
    assert not verify(open_run(run.path)).differences
    again = predict(make_job(limit=5), tmp_path / "run", resume=True)
    assert again.info.dataset == run.info.dataset


@pytest.mark.parametrize("limit", [15, 100])
def test_a_limit_that_excludes_nothing_is_not_recorded(tmp_path, make_job, limit):
    """Runs with --limit 100 and without it answer the same 15 questions."""
    whole = predict(make_job(), tmp_path / "whole")
    more = predict(make_job(limit=limit), tmp_path / "more")
    assert more.info.dataset == whole.info.dataset
    assert (more.info.dataset.n_questions, more.info.dataset.limit) == (15, None)


def test_two_writers_exclude_each_other(tmp_path, make_job):
    """A second process that resumes a running run is refused."""
    run = predict(make_job(), tmp_path / "run")
    writer = Ledger(run.path / LEDGER)
    try:
        with pytest.raises(StorageError, match="another closeread"):
            predict(make_job(), run.path, resume=True)
    finally:
        writer.close()


def test_a_folder_that_is_not_a_run_is_rejected(tmp_path, make_job):
    """A folder with other things in it is never taken, not even with --overwrite."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match=r"thesis\.tex"):
        predict(make_job(), tmp_path / "run", overwrite=True)
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["thesis.tex"]


def test_an_edited_ledger_is_rejected(tmp_path, make_job):
    """A ledger with a line that belongs elsewhere is not silently repaired."""
    run = predict(make_job(), tmp_path / "run")
    info = json.loads((run.path / INFO).read_bytes()) | {"complete": False}
    (run.path / INFO).write_bytes(msgspec.json.encode(info))
    lines = (run.path / LEDGER).read_bytes().splitlines(keepends=True)
    (run.path / LEDGER).write_bytes(b"".join([lines[0], lines[0], *lines[1:]]))
    with pytest.raises(InputError, match="line 2"):
        predict(make_job(), run.path, resume=True)


def test_a_broken_data_set_leaves_no_folder(tmp_path, make_job, make_dataset):
    """The whole file is walked through before anything is written."""
    dataset = make_dataset(5)
    with Path(dataset.path).open("ab") as stream:
        stream.write(b'{"passage": 3}\n')
    with pytest.raises(InputError):
        predict(make_job(dataset=dataset), tmp_path / "deep" / "run")
    assert not (tmp_path / "deep").exists()


def test_questions_with_one_id_are_all_read(tmp_path, make_job, make_dataset, by_rule):
    """A repeated id is read as often as it stands in the file; its last prediction is scored."""
    dataset = make_dataset(3)
    path = Path(dataset.path)
    path.write_bytes(path.read_bytes().replace(b"q2#", b"q0#"))
    letters = iter("ABCD" * 9)
    job = make_job(by_rule(lambda p, q: next(letters)), dataset=load(path), batch_size=2)
    run = predict(job, tmp_path / "run")
    assert predicted_ids(run).count("q0#original") == 2
    assert run.info.n_predictions == 9
    assert run.info.defects["duplicate-id"] == 3
    *_, last = [one for one in run.predictions() if one.question_id == "q0#original"]
    assert Predictions(run)["q0#original"] == last
    score_run(run, ScoreSettings(metrics=("choice",)))
    assert not verify(run).differences
