"""What a session in a notebook brings: numpy's numbers, one text for several, folders that go."""

import shutil

import numpy as np
import pytest

import closeread
from closeread import Answer, Passage, Question
from closeread.errors import InputError, UsageError


def test_numpy_numbers_are_accepted_as_settings(tmp_path):
    """They stand in the records as Python's own; no file was left without the one beside it."""
    run = closeread.read("exam/en", "majority", tmp_path / "run", limit=np.int64(6))
    again = closeread.read("exam/en", "majority", tmp_path / "run", limit=6, resume=True)
    assert again.info == closeread.open_run(run.path).info
    seed, resamples = np.int64(3), np.int32(200)
    found = closeread.score(run, metrics="drop", seed=seed, resamples=resamples)
    assert run.summary() == found
    assert closeread.verify(run).verdict == "verified"


class Table:
    """As those of pandas, polars and pyarrow: it has columns, and is walked through by them."""

    columns = ("id", "answer")

    def __iter__(self):
        return iter(self.columns)


def test_a_table_must_be_given_as_rows():
    """The names of its columns were taken for predictions; what is missing in pandas is nan."""
    with pytest.raises(InputError, match=r'a table, not its rows\n.*\n.*to_dict\("records"\)'):
        closeread.score("exam/en", Table())
    rows = [{"id": "en-01-q1", "answer": "x"}, {"id": "en-01-q2", "answer": float("nan")}]
    with pytest.raises(
        InputError, match=r"question en-01-q2: .*\n.*\n.*table.dropna\(subset='answer'\) in pandas"
    ):
        closeread.score("exam/en", rows)


def test_an_exhausted_iterator_is_an_error():
    """An iterator gives them once: the second numbers were 0, of nothing answered."""
    told = closeread.open_reader("first-sentence").answers("exam/en", 6)
    found = closeread.score("exam/en", told, metrics="drop", resamples=0)
    assert found.metrics["drop.em"].n_answered == 6
    with pytest.raises(InputError, match=r"holds no predictions\n.*pass a list"):
        closeread.score("exam/en", told, metrics="drop", resamples=0)
    assert closeread.score("exam/en", {}, metrics="drop").metrics["drop.em"].n_answered == 0


def test_an_unscored_run_has_no_scores(tmp_path):
    run = closeread.read("exam/en", "majority", tmp_path / "run", limit=6)
    with pytest.raises(InputError, match=r"the run has not been scored\n.*closeread score"):
        next(run.scores())


def test_unknown_roles_of_variants_are_rejected(tmp_path):
    """One role may be given as a text; letters, and unknown roles, were written into the file."""
    out = tmp_path / "out.jsonl"
    with pytest.raises(UsageError, match=r"no variants have the role 'pos'\n.*positive or neg"):
        closeread.attack("exam/zh", "logic", out, roles=["pos"])
    assert not out.exists()
    one = closeread.attack("exam/zh", "logic", out, roles="positive", limit=9)
    several = closeread.attack(
        "exam/zh", "logic", tmp_path / "2.jsonl", roles=["positive"], limit=9
    )
    assert one.groups == several.groups > 0
    assert out.read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    roles = {question.role for question in closeread.load(out).questions()}
    assert roles == {"original", "positive"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"answers": "Ann"}, "Expected `array`, got `str` - at `$.answers`"),
        ({"answers": ("Ann",)}, r"got `str` - at `$.answers[0]`"),
        ({"kind": "sentence"}, "Invalid enum value 'sentence' - at `$.kind`"),
        ({"text": None}, "Expected `str`, got `null` - at `$.text`"),
        ({"question_id": 7}, "the question 7 is invalid: Expected `str`, got `int`"),
    ],
)
def test_a_constructed_question_is_validated(fields, said, tmp_path):
    """The record takes anything: an AttributeError came from deep inside, or a broken file."""
    right = {"question_id": "q", "passage_id": "p", "text": "Who?", "kind": "span"}
    items = [(Passage(passage_id="p", text="Ann ran."), [Question(**right | fields)])]
    for asked in (
        lambda: closeread.score(items, {"q": "Ann"}, metrics="squad"),
        lambda: closeread.dump(items, tmp_path / "mine.jsonl"),
    ):
        with pytest.raises(UsageError) as told:
            asked()
        assert said in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_a_question_may_hold_lists_instead_of_tuples():
    answers = [Answer(kind="span", texts=["Ann"])]
    made = Question(
        question_id="q", passage_id="p", text="Who?", kind="span", answers=answers,
        metadata={"mine": (1, b"x")},
    )  # fmt: skip
    items = [(Passage(passage_id="p", text="Ann ran."), [made])]
    found = closeread.score(items, {"q": "Ann"}, metrics="squad", resamples=0)
    assert found.metrics["squad.em"].value == 1.0


class Mine:
    name, unit = "mine", "question"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: closeread.open_reader(Mine()),
        lambda: closeread.score("exam/en", {"en-01-q1": "x"}, metrics=Mine()),
        lambda: closeread.score("exam/en", {"en-01-q1": "x"}, metrics=["drop", Mine]),
        lambda: closeread.attack("exam/en", [Mine], "out.jsonl"),
    ],
)
def test_an_object_in_place_of_its_name_is_rejected(wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"Mine.* is not a .*name\n.*in a notebook __main__:Name"):
        wrong()
    assert list(tmp_path.iterdir()) == []


def test_verifying_a_missing_run_is_an_error(tmp_path):
    """Its folder was deleted, or the working folder changed: nothing is known of its numbers."""
    run = closeread.read("exam/en", "majority", tmp_path / "run", limit=6)
    shutil.rmtree(run.path)
    with pytest.raises(InputError, match="there is no such run folder"):
        closeread.verify(run)


def test_ingesting_no_log_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="no log given"):
        closeread.ingest([], tmp_path / "out")
