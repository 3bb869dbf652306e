"""Summaries: value, interval, counts and signature; subsets by tag."""

from closeread.metrics.intervals import Resampling
from closeread.metrics.pools import count_questions, mean_pools
from closeread.metrics.summary import (
    comparable_signature,
    restrict_submission,
    rows_by_id,
    summarize,
    summarize_breakdowns,
)
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


def test_an_interval_of_few_passages_is_noted_as_too_narrow():
    """Nothing is said of an exact bound, of many passages, or where none was made."""
    told = "fewer than 20 passages: the interval is probably too narrow"

    def note(n, values, resampling):
        scores = [
            Score(question_id=str(k), values={"em": values(k)}, unit_id=f"p{k % n}")
            for k in range(3 * n)
        ]
        return summarize(Toy(), scores, SUBMISSION, resampling)[0].note

    drawn = Resampling(resamples=100)
    assert note(19, lambda k: float(k % 5 > 2), drawn) == told
    assert note(20, lambda k: float(k % 5 > 2), drawn) == ""
    assert note(19, lambda k: float(k % 5 > 2), None) == ""
    assert told not in note(19, lambda _: 1.0, drawn)


def test_evidence_without_an_answer_is_not_an_answer():
    """An answer that was withheld leaves its evidence; a metric of evidence judges just that."""
    withheld = Prediction(question_id="a", evidence=(Evidence(spans=(Span(0, 3),)),))
    scored = Prediction(question_id="c", option_scores=(0.25, 0.5))
    submission = Submission(predictions={"a": withheld, "c": scored})
    em, _ = summarize(Toy(), SCORES, submission, None)
    assert em.n_answered == 1
    for by_evidence, n_answered in ((False, 1), (True, 2)):
        found = count_questions(SCORES, submission, by_evidence=by_evidence)
        assert (found["n_answered"], found["n_failed"]) == (n_answered, 0)


def test_without_resampling_neither_interval_nor_signature_has_one():
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
    assert "have the same score" in em.note
    assert (half.value, half.note) == (None, "no question was scored")


def test_a_missing_value_is_noted_without_intervals_too():
    _, half = summarize(Toy(), SCORES[:1], SUBMISSION, None)
    assert (half.value, half.note) == (None, "no question was scored")


def test_interval_settings_do_not_stop_a_comparison():
    few = summarize(Toy(), SCORES, SUBMISSION, Resampling(resamples=100))[0]
    many = summarize(Toy(), SCORES, SUBMISSION, Resampling(resamples=200))[0]
    assert few.signature != many.signature
    assert (
        comparable_signature(few.signature)
        == comparable_signature(many.signature)
        == "toy.em|missing:zero|v:1|n:4"
    )


def test_breakdowns_give_each_subset_its_own_summary():
    tags = [{"kind": "x", "id": "1"}, {"kind": "y", "id": "2"}, {"kind": "x", "id": "3"}, {}]
    sizes = {("kind", "x"): 5, ("kind", "y"): 1}
    found = summarize_breakdowns(
        Toy(), zip(tags, SCORES, strict=True), SUBMISSION, None, tags=["kind"], sizes=sizes
    )
    assert list(found) == ["kind"]
    assert found["kind"]["x"]["toy.em"].value == 1.0
    assert found["kind"]["x"]["toy.em"].n_questions == 5
    assert found["kind"]["x"]["toy.em"].n_answered == 2
    assert found["kind"]["y"]["toy.em"].n_failed == 1


def test_subsets_are_ordered_by_role_or_alphabetically():
    values = ("negative", "positive", "x", "original", "a")
    tags = [{"role": value} for value in values]
    sizes = {("role", value): 1 for value in values}
    scores = [Score(question_id=value, values={"em": 1.0}) for value in values]
    found = summarize_breakdowns(
        Toy(), zip(tags, scores, strict=True), SUBMISSION, None, tags=["role"], sizes=sizes
    )
    assert list(found["role"]) == ["original", "positive", "negative", "a", "x"]


def test_a_subset_sees_only_its_own_part_of_the_submission():
    part = restrict_submission(SUBMISSION, SCORES[:1], rows_by_id(SUBMISSION))
    assert list(part.predictions) == ["a"]
    assert part.rows == (("a", "x"), ("p1", {}))
    assert "b" not in part.predictions
    assert len(part.predictions) == 1


def test_the_cost_of_a_subset_grows_with_its_questions():
    """Each of many subsets went through all predictions: 50,000 values would have taken days."""

    class Counted(dict):
        looked_at = 0

        def __getitem__(self, key):
            self.looked_at += 1
            return super().__getitem__(key)

        def __iter__(self):
            raise AssertionError("a subset goes through the whole")

    names = [f"q{n}" for n in range(300)]
    said = Counted((name, Prediction(question_id=name)) for name in names)
    scores = [Score(question_id=name, values={"em": 1.0}) for name in names]
    pairs = [({"many": name}, score) for name, score in zip(names, scores, strict=True)]
    sizes = {("many", name): 1 for name in names}
    found = summarize_breakdowns(
        Toy(), pairs, Submission(predictions=said), None, tags=["many"], sizes=sizes
    )
    assert len(found["many"]) == len(names)
    assert said.looked_at < 10 * len(names)
