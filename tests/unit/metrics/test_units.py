"""Variants of a question are no questions of their own where it is told how sure a number is."""

from dataclasses import replace as with_fields

import numpy as np
import pytest
from msgspec.structs import replace

from closeread.attacks.apply import apply
from closeread.attacks.triples import as_group_member
from closeread.metrics import choice, mrqa, option, selective
from closeread.metrics.comparison.paired import System, pair_with_first
from closeread.metrics.comparison.seeds import average_runs
from closeread.metrics.comparison.significance import compare
from closeread.metrics.intervals import VERSION, Resampling, interval, resample_values, value
from closeread.metrics.others import lighteval
from closeread.metrics.summary import describe_pool
from closeread.metrics.units import passage_unit, question_unit
from closeread.types import (
    Answer,
    Edit,
    Option,
    Passage,
    Prediction,
    Question,
    Score,
    Span,
    Submission,
)

ROLES = ("original", "positive", "negative")
PASSAGE = Passage(passage_id="p", text="The bay froze. Two ships came.")
ASKED = Question(
    question_id="n",
    passage_id="p",
    text="Which?",
    kind="verification",
    asks_for="supported",
    options=(Option(label="A", text="x"), Option(label="B", text="y")),
    option_truth=(True, False),
    answers=(Answer(kind="choice", label="A"),),
)
DISTRACTED = Edit(strategy="s", rule="r", place="passage", span=Span(14, 14), words=" It rained.")


def test_variants_belong_to_the_unit_of_their_original():
    """Also where a form has lost the groups, and the ids alone tell."""
    made = [
        apply(PASSAGE, as_group_member(ASKED, "n", role), [DISTRACTED])[1] for role in ROLES[1:]
    ]
    made.append(as_group_member(ASKED, "n", "original"))
    lost = [replace(one, group_id="", role=None) for one in made]
    assert len({one.passage_id for one in made}) == 3
    for one in (*made, *lost):
        assert (question_unit(one), passage_unit(one)) == ("n", "p")


def test_a_row_of_addsent_belongs_to_its_original():
    """Of 3,560 rows 2,560 are the other 1,000 with a sentence put in."""
    for name in ("n", "n-high-conf-turk0", "n-high-conf-turk12"):
        assert question_unit(replace(ASKED, question_id=name)) == "n"
    for name in ("n-high-conf", "n-high-conf-turk", "n-high-conf-turk0-b"):
        assert question_unit(replace(ASKED, question_id=name)) == name


def test_similar_ids_are_separate_units():
    """A group without roles, an id with a mark in it, a passage whose id ends in another's."""
    assert question_unit(replace(ASKED, group_id="g")) == "n"
    assert question_unit(replace(ASKED, question_id="n#2")) == "n#2"
    assert passage_unit(replace(ASKED, question_id="m", passage_id="p#m")) == "p#m"
    other = replace(ASKED, question_id="one", group_id="g", role="negative")
    assert question_unit(other) == "g"


def sample(rng, groups, size, shared):
    """Questions with variants, of which this share is answered alike in a group.

    Each is right by the chance that its confidence knows; 65 of 100 are.
    """
    alike = rng.random((groups, 1)) < shared
    luck = np.where(alike, rng.random((groups, 1)), rng.random((groups, size)))
    sure = 0.3 + 0.7 * np.where(alike, rng.random((groups, 1)), rng.random((groups, size)))
    asked = [
        as_group_member(ASKED, str(place), role) for place in range(groups) for role in ROLES[:size]
    ]
    said = {
        one.question_id: Prediction(
            question_id=one.question_id,
            answer=Answer(kind="choice", label="A" if right else "B"),
            confidence=float(confidence),
        )
        for one, right, confidence in zip(asked, (luck < sure).ravel(), sure.ravel(), strict=True)
    }
    return asked, said


def pool_scores(metric, asked, said):
    scores = [metric.score(one, said[one.question_id]) for one in asked]
    return metric.pool(scores, Submission(predictions=said))


@pytest.mark.parametrize(("size", "shared"), [(2, 0.0), (3, 0.0), (2, 0.95), (3, 0.95)])
def test_intervals_over_variants_cover_the_truth(size, shared):
    """300 samples of 100 groups: 91 to 98 of 100 hold it, where questions alone held 80 to 87."""
    rng = np.random.default_rng([size, int(100 * shared)])
    held = 0
    for seed in range(300):
        (pool,) = pool_scores(choice.metric(), *sample(rng, 100, size, shared))
        found = interval(pool, Resampling(resamples=400, seed=seed))
        held += found.low <= 0.65 <= found.high
    assert 0.91 <= held / 300 <= 0.98


def test_curves_over_variants_cover_the_truth():
    """120 samples of 80 triples: 90 of 100 and more, where questions alone held 73."""
    rng = np.random.default_rng(8)
    truth = value(pool_scores(selective.metric(), *sample(rng, 20_000, 1, 0.0))[0])
    held = 0
    for seed in range(120):
        pool, *_ = pool_scores(selective.metric(), *sample(rng, 80, 3, 0.95))
        found = interval(pool, Resampling(resamples=200, seed=seed))
        held += found.low <= truth <= found.high
    assert held / 120 >= 0.9


@pytest.mark.parametrize("metric", [choice.metric(), selective.metric()])
def test_equal_systems_on_variants_keep_the_level(metric):
    """At most 8 of 100 at the level of 5, where the tests of single questions told 20 and more."""
    rng = np.random.default_rng(5)
    apart = 0
    for seed in range(150):
        both = [pool_scores(metric, *sample(rng, 80, 3, 0.95))[0] for _ in range(2)]
        systems = [System(str(place), [pool]) for place, pool in enumerate(both)]
        (found,) = compare(pair_with_first(systems, Resampling(resamples=200, seed=seed)))
        assert found.n_units == 80
        apart += found.p_value < 0.05
    assert apart / 150 <= 0.08


def test_sets_without_variants_keep_their_numbers():
    """Its questions are drawn one by one, in the order of the file."""
    asked, said = sample(np.random.default_rng(4), 60, 1, 0.0)
    alone = [replace(one, role=None, group_id="", question_id=one.question_id[:-9])
             for one in asked]  # fmt: skip
    told = {name[:-9]: replace(one, question_id=name[:-9]) for name, one in said.items()}
    for metric in (choice.metric(), option.metric(), selective.metric()):
        for one, other in zip(
            pool_scores(metric, asked, said), pool_scores(metric, alone, told), strict=True
        ):
            assert interval(one, Resampling()) == interval(other, Resampling())
    pool = pool_scores(selective.metric(), alone, told)[0]
    rng = np.random.default_rng(3)
    plain = [pool.statistic(rng.integers(0, 60, size=60)) for _ in range(100)]
    assert resample_values(pool, 100, np.random.default_rng(3)) == pytest.approx(plain, abs=1e-13)


def test_options_of_variants_are_summed_by_unit():
    asked, said = sample(np.random.default_rng(4), 10, 3, 0.5)
    (pool,) = pool_scores(option.metric(), asked, said)
    assert list(pool.unit_ids) == [str(place) for place in range(10)]
    right = sum(one.answer.label == "A" for one in said.values())
    assert set(pool.denominators) == {6.0}
    assert (pool.n_scored, value(pool)) == (30, right / 30)


def test_the_last_question_of_an_id_counts_and_variants_share_a_unit():
    """MRQA keeps one question an id; variants have ids of their own."""
    scores = [
        Score(question_id=name, values={"em": right, "f1": right}, unit_id=name[0])
        for name, right in (("a#1", 1.0), ("a#2", 0.0), ("b#1", 1.0), ("a#1", 0.0), ("b#2", 1.0))
    ]
    pool = mrqa.metric().pool(scores, Submission(predictions={}))[0]
    assert (list(pool.unit_ids), list(pool.numerators)) == (["a", "b"], [0.0, 2.0])
    assert (list(pool.denominators), pool.n_scored) == ([2, 2], 4)


def test_the_maximum_is_over_questions():
    metric = lighteval.metric()
    scores = [
        Score(question_id=f"a#{role}", values=dict.fromkeys(metric.keys, 0.5), unit_id="a")
        for role in ROLES
    ]
    found = {one.metric: one for one in metric.pool(scores, Submission(predictions={}))}
    assert value(found["lighteval.drop.em"]) == value(found["lighteval.drop.f1"]) == 0.5


def test_the_maximum_of_a_resample_is_over_drawn_questions():
    metric = lighteval.metric()
    scores = [
        Score(question_id=str(place), values=dict.fromkeys(metric.keys, place / 4))
        for place in range(5)
    ]
    pool = metric.pool(scores, Submission(predictions={}))[1]
    assert [pool.statistic(drawn) for drawn in ((0, 2, 2), [3], range(5), ())] == [
        0.5, 0.75, 1.0, None,
    ]  # fmt: skip
    rng = np.random.default_rng(1)
    assert set(resample_values(pool, 500, rng)) == {0.25, 0.5, 0.75, 1.0}


def test_seeds_of_a_curve_over_variants_are_drawn_together():
    rng = np.random.default_rng(2)
    runs = [pool_scores(selective.metric(), *sample(rng, 30, 2, 0.9))[0] for _ in range(2)]
    both = average_runs(runs)
    assert list(both.unit_ids) == list(runs[0].unit_ids)
    (found,) = compare(
        pair_with_first([System("two", runs), System("one", runs[:1])], Resampling(resamples=100))
    )
    assert (found.n_units, found.test) == (30, "bootstrap")
    bounded = with_fields(runs[0], statistic=lambda indices=None: 1.0, family=None)
    alike = interval(bounded, Resampling(resamples=100))
    assert "30 units" in alike.note


@pytest.mark.parametrize("metric", [choice.metric(), selective.metric()])
def test_resampling_of_variants_is_noted(metric):
    """The count of questions alone would promise a narrower interval.

    With other words of the note, as with other bounds, ``intervals.VERSION`` is another:
    ``closeread verify`` would call numbers of an older version wrong.
    """
    assert VERSION == 7
    for size, note in (
        (3, "resampled in 20 groups: options and variants of one question stay together"),
        (1, ""),
    ):
        pool, *_ = pool_scores(metric, *sample(np.random.default_rng(4), 20, size, 0.5))
        told = describe_pool(pool, metric.signature(), metric.unit, Resampling(resamples=100))
        assert note in told.note
        assert bool(note) == ("resampled in" in told.note)
        assert "resampled" not in describe_pool(pool, metric.signature(), metric.unit, None).note


def test_exact_bounds_are_not_noted_as_resampled():
    """Nothing was drawn for it, and its own note says of how many units it is."""
    scores = [
        Score(question_id=f"{k}#{role}", values={"accuracy": 1.0}, unit_id=str(k))
        for k in range(20)
        for role in ROLES
    ]
    (pool,) = choice.metric().pool(scores, Submission(predictions={}))
    told = describe_pool(pool, "choice", "question", Resampling(resamples=100))
    assert (
        told.note
        == "all 20 scored units have the same score: exact interval instead of the bootstrap"
    )
