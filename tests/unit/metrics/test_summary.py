"""Summaries: value, interval, counts and signature; subsets by tag; the macro-average."""

from dataclasses import replace

import pytest

from closeread.metrics.intervals import Resampling
from closeread.metrics.pools import counts, mean_pools
from closeread.metrics.summary import (
    breakdowns,
    comparable,
    macro_average,
    restrict,
    summarize,
)
from closeread.protocols import Pool
from closeread.types import Answer, Evidence, Prediction, Score, Span, Submission


class Toy:
    name = "toy"
    unit = "passage"

    def signature(self):
        return "toy|missing:zero|v:1"

    def score(self, question, prediction):
        raise NotImplementedError

    def pool(self, scores, submission):
        return mean_pools({"em": "toy.em", "half": "toy.half"}, scores, submission)


SCORES = [
    Score(question_id="a", values={"em": 1.0, "half": None}, unit_id="p1"),
    Score(question_id="b", values={"em": 0.0, "half": 0.5}, unit_id="p1"),
    Score(question_id="c", values={"em": 1.0, "half": 1.0}, unit_id="p2"),
    Score(question_id="d", values={"em": 0.0, "half": None}, unit_id="p3"),
]
SUBMISSION = Submission(
    predictions={
        "a": Prediction(question_id="a", answer=Answer(kind="span", texts=("x",))),
        "b": Prediction(question_id="b", error="timed out"),
        "c": Prediction(question_id="c", answer=Answer(kind="none")),
        "z": Prediction(question_id="z", answer=Answer(kind="none")),
    },
    rows=(("a", "x"), ("z", ""), ("p1", {})),
)


def test_a_summary_carries_value_interval_counts_and_signature():
    em, half = summarize(Toy(), SCORES, SUBMISSION, Resampling(resamples=500, seed=7))
    assert (em.metric, em.value, em.unit) == ("toy.em", 0.5, "passage")
    assert em.signature == "toy.em|missing:zero|v:1|n:4|ci:percentile,0.95,500,seed=7"
    assert (em.n_questions, em.n_scored, em.n_answered, em.n_failed) == (4, 4, 2, 1)
    assert em.low <= em.value <= em.high
    assert (half.value, half.n_questions, half.n_scored) == (0.75, 4, 2)


def test_evidence_without_an_answer_answers_nothing():
    """An answer that was withheld leaves its evidence; a metric of evidence judges just that."""
    withheld = Prediction(question_id="a", evidence=(Evidence(spans=(Span(0, 3),)),))
    scored = Prediction(question_id="c", option_scores=(0.25, 0.5))
    submission = Submission(predictions={"a": withheld, "c": scored})
    em, _ = summarize(Toy(), SCORES, submission, None)
    assert em.n_answered == 1
    assert counts(SCORES, submission) == (1, 0)
    assert counts(SCORES, submission, by_evidence=True) == (2, 0)


def test_without_resampling_there_is_no_interval_and_the_signature_says_none():
    em, _ = summarize(Toy(), iter(SCORES), SUBMISSION, None)
    assert (em.low, em.high) == (None, None)
    assert em.signature == "toy.em|missing:zero|v:1|n:4"


def test_units_are_summed_from_their_questions():
    em, half = Toy().pool(SCORES, SUBMISSION)
    assert list(em.unit_ids) == ["p1", "p2", "p3"]
    assert (list(em.numerators), list(em.denominators)) == ([1.0, 1.0, 0.0], [2, 1, 1])
    assert list(half.unit_ids) == ["p1", "p2"]


def test_exact_bounds_are_named_in_the_signature_and_the_note():
    scores = [Score(question_id=str(i), values={"em": 1.0}) for i in range(10)]
    em, half = summarize(Toy(), scores, Submission(predictions={}), Resampling())
    assert em.signature.endswith("|ci:exact,0.95")
    assert "alike" in em.note
    assert (half.value, half.note) == (None, "no unit was scored")


def test_no_value_is_explained_without_intervals_too():
    _, half = summarize(Toy(), SCORES[:1], SUBMISSION, None)
    assert (half.value, half.note) == (None, "no unit was scored")


def test_interval_settings_do_not_stop_a_comparison():
    few = summarize(Toy(), SCORES, SUBMISSION, Resampling(resamples=100))[0]
    many = summarize(Toy(), SCORES, SUBMISSION, Resampling(resamples=200))[0]
    assert few.signature != many.signature
    assert comparable(few.signature) == comparable(many.signature) == "toy.em|missing:zero|v:1|n:4"


def test_breakdowns_give_each_subset_its_own_summary():
    tags = [{"kind": "x", "id": "1"}, {"kind": "y", "id": "2"}, {"kind": "x", "id": "3"}, {}]
    sizes = {("kind", "x"): 5, ("kind", "y"): 1}
    found = breakdowns(
        Toy(), zip(tags, SCORES, strict=True), SUBMISSION, None, tags=["kind"], sizes=sizes
    )
    assert list(found) == ["kind"]
    assert found["kind"]["x"]["toy.em"].value == 1.0
    assert found["kind"]["x"]["toy.em"].n_questions == 5
    assert found["kind"]["x"]["toy.em"].n_answered == 2
    assert found["kind"]["y"]["toy.em"].n_failed == 1


def test_a_subset_sees_only_its_own_part_of_the_submission():
    part = restrict(SUBMISSION, SCORES[:1])
    assert list(part.predictions) == ["a"]
    assert part.rows == (("a", "x"), ("p1", {}))


def test_the_macro_average_weighs_data_sets_alike():
    small = _pool("toy.em@small", [1.0] * 10 + [0.0] * 10)
    large = _pool("toy.em@large", [1.0] * 300 + [0.0] * 100)
    found = macro_average("toy.em", [small, large], "toy|v:1", "question", Resampling())
    assert found.value == (0.5 + 0.75) / 2
    assert found.signature == "toy.em|v:1|macro:2|n:420|ci:percentile,0.95,10000,seed=0"
    width = 2 * 1.96 * ((0.25 / 20 + 0.1875 / 400) / 4) ** 0.5
    assert found.high - found.low == pytest.approx(width, rel=0.1)


def test_a_macro_average_says_where_its_interval_knows_too_little():
    mixed, alike = _pool("a", [1.0, 0.0] * 20), _pool("b", [1.0] * 5)
    some = macro_average("toy.em", [mixed, alike], "toy|v:1", "question", Resampling())
    assert some.low < some.value < some.high
    assert some.note == "1 of 2 data sets have units all alike, as if surely so"
    every = macro_average("toy.em", [alike, alike], "toy|v:1", "question", Resampling())
    assert (every.value, every.low, every.high) == (1.0, None, None)
    assert every.note == "resamples do not differ, which is no certainty: no interval"
    assert "ci:" not in every.signature


def test_a_macro_average_that_rounding_alone_moves_has_no_interval():
    """A tenth of every unit, of other sizes: their sums round differently in each resample."""
    sizes = [3, 7, 11, 13]
    pool = replace(_pool("a", [size * 0.1 for size in sizes]), denominators=sizes)
    found = macro_average("toy.em", [pool, pool], "toy|v:1", "question", Resampling(resamples=500))
    assert (found.low, found.high) == (None, None)
    assert found.note == "resamples do not differ, which is no certainty: no interval"


def test_a_macro_average_with_an_empty_data_set_has_no_value_and_says_why():
    found = macro_average(
        "toy.em", [_pool("a", [1.0]), _pool("b", [])], "toy|v:1", "question", Resampling()
    )
    assert found.value is None
    assert found.note == "1 of 2 data sets have no value"
    assert macro_average("toy.em", [], "toy|v:1", "question", Resampling()).value is None


def test_a_data_set_of_one_unit_has_its_part_in_a_macro_average():
    one, many = _pool("a", [1.0]), _pool("b", [1.0, 0.0] * 20)
    found = macro_average("toy.em", [one, many], "toy|v:1", "question", Resampling())
    assert 0.5 < found.low < found.value == 0.75 < found.high < 1.0


def _pool(name, numerators):
    n = len(numerators)
    return Pool(
        metric=name,
        unit_ids=[str(i) for i in range(n)],
        numerators=numerators,
        denominators=[1] * n,
        n_questions=n,
        n_scored=n,
        n_answered=n,
    )
