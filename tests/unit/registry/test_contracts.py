"""Others' metrics, retrievers and strategies: what breaks its promise is told with whose it is."""

import itertools
import sys

import pytest

import closeread
from closeread import Answer, Evidence, Option, Passage, Prediction, Question, Score, Span
from closeread.errors import CloseReadError, OutsideError, UsageError
from closeread.protocols import Pool
from closeread.registry.factory import make, make_from
from closeread.types import Edit

PASSAGE = Passage(passage_id="p", text="Ann ran. Bob slept.")
OPTIONS = (Option(label="A", text="Ann ran"), Option(label="B", text="Bob ran"))
GOLD = (Answer(kind="span", texts=("Ann",)),)
QUESTIONS = tuple(
    Question(question_id=name, passage_id="p", text="Who?", kind="span", answers=GOLD)
    for name in ("one", "two")
)
CHOICE = Question(question_id="q", passage_id="p", text="Who?", kind="choice", options=OPTIONS)


class Length:
    """A metric that keeps its promises but for what a test takes from it."""

    name, unit = "length", "question"
    values: object = {"characters": 1.0}
    question_id = ""
    pooled: dict[str, object] = {}  # noqa: RUF012

    def signature(self):
        return "length|v:1"

    def score(self, question, prediction):
        name = question.question_id
        return Score(question_id=self.question_id or name, unit_id=name, values=self.values)

    def pool(self, scores, submission):
        rows = list(scores)
        fields = {
            "metric": "length.characters",
            "unit_ids": [row.unit_id for row in rows],
            "numerators": [row.values["characters"] for row in rows],
            "denominators": [1.0] * len(rows),
            "n_questions": len(rows),
            "n_scored": len(rows),
            "n_answered": len(rows),
        }
        return (Pool(**fields | self.pooled),)


class Silent:
    def read(self, items):
        return iter(())


class Raising:
    name, unit = "raising", "question"

    def signature(self):
        return "raising"

    def score(self, question, prediction):
        raise ZeroDivisionError("no characters")

    def pool(self, scores, submission):
        return list(scores)

    def retrieve(self, question, passage, option, k=None):
        raise RuntimeError("no index")

    def propose(self, passage, question):
        raise RuntimeError("no words")


@pytest.fixture
def outside(monkeypatch):
    """Return how a class with these attributes is named, as a user names his own."""

    def named(base, **changed):
        made = type("Made", (base,), changed)
        module = type(sys)("others")

        def factory(*_) -> made:
            return made()

        module.made = module.other = factory
        monkeypatch.setitem(sys.modules, "others", module)
        return "others:made"

    return named


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"batch_size": "many"}, "batch_size = 'many'"),
        ({"batch_size": 0}, "batch_size = 0"),
        ({"passing_options": 5}, "passing_options = 5"),
        ({"passing_options": "workers"}, "passing_options = 'workers'"),
        (
            {"record": {"model": object()}},
            "a record that JSON cannot hold: Encoding objects of type",
        ),
        ({"record": ["model"]}, "a record of the type list"),
    ],
)
def test_a_readers_attributes_are_validated(outside, tmp_path, told, said):
    """By name, and as an object in Python; nothing is written."""
    with pytest.raises(UsageError) as by_name:
        closeread.open_reader(outside(Silent, **told))
    assert str(by_name.value).startswith(f"the reader others:made gave {said}")
    with pytest.raises(UsageError) as as_object:
        closeread.read("exam/en", type("Mine", (Silent,), told)(), tmp_path / "run")
    assert f"the reader {__name__}:Mine gave {said}" in str(as_object.value)
    assert not (tmp_path / "run").exists()


def score_with(*metrics):
    given = {"one": "Ann", "two": "Bob"}
    return closeread.score([(PASSAGE, QUESTIONS)], given, metrics=metrics, resamples=100)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"unit": "sentence"}, "gave the unit 'sentence'"),
        ({"signature": lambda self: None}, "gave the signature None"),
        ({"score": lambda self, *_: 0.5}, "gave an object of the type float"),
        ({"values": {"characters": "x"}}, "a broken Score: Expected `float | null`, got `str`"),
        ({"values": {"characters": float("nan")}}, "gave nan for 'characters' of question one"),
        ({"question_id": "two"}, "gave a score of question 'two'"),
        ({"pool": lambda self, *_: None}, "gave NoneType for its pools"),
        ({"pool": lambda self, *_: ()}, "gave no value"),
        ({"pool": lambda self, *_: (0.5,)}, "gave float for a pool"),
        ({"pool": lambda self, *_: Length().pool([], None) * 2}, "two values with the same name"),
        ({"pooled": {"metric": "squad.em"}}, "gave a value named 'squad.em'"),
        ({"pooled": {"numerators": [1.0]}}, "2 units, 1 numerator and 2 denominators"),
        ({"pooled": {"unit_ids": ["one"]}}, "1 unit, 2 numerators and 2 denominators"),
        ({"pooled": {"numerators": [1.0, float("inf")]}}, "inf among the numerators"),
        ({"pooled": {"denominators": [1.0, -1.0]}}, "-1.0 among the denominators"),
        ({"pooled": {"numerators": ["a", "b"]}}, "numerators of length.characters where it holds"),
    ],
)
def test_invalid_values_of_a_metric_are_rejected(outside, changed, said):
    """It printed nan, another metric's name, or an interval over units that were not there."""
    with pytest.raises(UsageError) as told:
        score_with(outside(Length, **changed))
    assert "the metric others:made gave " in str(told.value)
    assert said in str(told.value)
    assert "docs/extend.md" in str(told.value)


def test_a_valid_metric_is_accepted(outside):
    np = pytest.importorskip("numpy")
    name = outside(Length, pooled={"numerators": np.array([1, 0]), "denominators": np.ones(2)})
    (found,) = score_with(name).metrics.values()
    assert (found.metric, found.value) == ("length.characters", 0.5)


def test_two_metrics_with_the_same_value_are_rejected(outside):
    """The second took the place of the first without a word."""
    with pytest.raises(
        UsageError, match=r"others:made and others:other both define a value length.characters"
    ):
        score_with(outside(Length), "others:other")


def test_exceptions_of_a_metric_name_the_question(outside):
    with pytest.raises(OutsideError, match="failed at question one: ZeroDivisionError: no char"):
        score_with(outside(Raising))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "an object of the type NoneType"),
        (Evidence(option_label="B"), r"evidence labelled 'B' at the question 'Who\?'"),
        (Evidence(option_label="A", score=float("nan")), "the score nan"),
        (Evidence(option_label="A", spans=(Span(0, 99),)), r"the span \[0, 99\)"),
        (Evidence(option_label="A", spans=(Span(9, 3),)), r"the span \[9, 3\)"),
        (Evidence(option_label="A", spans=(Span(9, 12), Span(0, 3))), "unsorted spans"),
        (Evidence(option_label="A", spans=(Span(0, 3), Span(9, 12))), "2 spans at the question"),
        (Evidence(option_label="A", spans=(Span(0.5, 3),)), "a broken Evidence: Expected `int`"),
    ],
)
def test_evidence_must_belong_to_passage_and_option(outside, given, said):
    name = outside(Raising, retrieve=lambda self, *_: given)
    retriever, _ = make("retriever", name)
    with pytest.raises(UsageError, match=f"the retriever others:made gave {said}"):
        retriever.retrieve(CHOICE, PASSAGE, OPTIONS[0], 1)


def test_a_failing_retriever_fails_only_its_question(outside):
    """Of a reader that asks it; the error names it."""
    reader = closeread.open_reader("evidence", retriever=outside(Raising))
    told = reader.ask("Who?", PASSAGE.text)
    assert isinstance(told, Prediction)
    assert told.error == (
        "the retriever others:made failed at the question 'Who?': RuntimeError: no index"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[1.0, 0.0]], r"returned an array of shape \(1, 2\) for 2 texts"),
        ([1.0, 0.0], r"returned an array of shape \(2,\) for 2 texts"),
        ([["a"], ["b"]], "did not return an array of numbers: could not convert"),
        ([[1.0], [float("inf")]], "returned values that are not finite"),
    ],
)
def test_an_encoder_returns_one_row_per_text(outside, given, said):
    retriever, _ = make(
        "retriever", "dense", {"encoder": outside(Raising, encode=lambda *_: given)}
    )
    with pytest.raises(CloseReadError, match=f"the encoder {said}"):
        retriever.retrieve(CHOICE, PASSAGE, OPTIONS[0], 1)


def test_exceptions_of_an_encoder_name_it(outside):
    def encode(self, texts):
        raise RuntimeError("no GPU")

    retriever, _ = make("retriever", "dense", {"encoder": outside(Raising, encode=encode)})
    assert [one.name for one in retriever.models] == [f"{__name__}.Made"]
    with pytest.raises(OutsideError, match="the encoder others:made failed: RuntimeError: no GPU"):
        retriever.retrieve(CHOICE, PASSAGE, OPTIONS[0], 1)


def _edit(**changed):
    fields = {"strategy": "s", "rule": "r", "place": "question", "span": Span(0, 1), "words": "x"}
    return Edit(**fields | changed)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("x", "an object of the type str"),
        (_edit(words=None), "a broken Edit: Expected `str`, got `null` - at `$.words`"),
        (_edit(place="title"), "a broken Edit: Invalid enum value 'title'"),
        (_edit(place="option", label="Z"), "a change of option 'Z' at question q"),
        (_edit(truth="opposite"), "a change of the question with truth='opposite'"),
    ],
)
def test_changes_must_refer_to_existing_options(outside, given, said):
    name = outside(Raising, propose=lambda self, *_: iter([given]))
    with pytest.raises(UsageError) as told:
        list(make_from("perturbation", name, "around").propose(PASSAGE, CHOICE))
    assert f"the strategy others:made gave {said}" in str(told.value)


def test_too_many_changes_are_an_error(outside):
    name = outside(Raising, propose=lambda self, *_: itertools.repeat(_edit()))
    with pytest.raises(UsageError, match="gave more than 100,000 changes at question q"):
        list(make_from("perturbation", name, "around").propose(PASSAGE, CHOICE))


def test_exceptions_of_a_strategy_name_the_question(outside):
    strategy = make_from("perturbation", outside(Raising), "around")
    with pytest.raises(OutsideError, match="strategy others:made failed at question q: Runtime"):
        list(strategy.propose(PASSAGE, CHOICE))


def test_runs_are_compared_by_an_external_metric(outside, tmp_path):
    """By its own name, too, which does not begin with that of the metric."""
    name = outside(Length)
    runs = [
        closeread.read("exam/en", reader, tmp_path / reader, limit=8)
        for reader in ("majority", "first-sentence")
    ]
    for run in runs:
        closeread.score(run, metrics=[name, "drop"])
    for asked in (name, "length.characters"):
        found = closeread.compare(*runs, metrics=asked, resamples=100)
        assert [one.metric for one in found.comparisons] == ["length.characters"]
