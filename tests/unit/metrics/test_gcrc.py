"""Triples: the two ways to count, chance, and what must not raise a strict score."""

import itertools
import math

import msgspec
import pytest

from closeread.errors import InputError
from closeread.metrics.comparison.paired import System, pair_with_first
from closeread.metrics.comparison.significance import compare
from closeread.metrics.gcrc import chance_levels, metric, official, strict, weighted
from closeread.metrics.intervals import Resampling, value
from closeread.metrics.summary import summarize, summarize_breakdowns
from closeread.protocols import Metric
from closeread.types import Answer, Option, Prediction, Question, Submission

ROLES = ("original", "positive", "negative")


def triple(name, letters="ABC", **more):
    return [
        Question(
            question_id=f"{name}#{role}",
            passage_id="p",
            text="?",
            kind="verification",
            options=tuple(Option(label=label, text=label * 2) for label in "ABCD"),
            answers=(Answer(kind="choice", label=letter),),
            group_id=name,
            role=role,
            **more,
        )
        for role, letter in zip(ROLES, letters, strict=True)
    ]


QUESTIONS = [*triple("t1"), *triple("t2", "DCB")]


def submitted(letters):
    """Letters a question id; no raw rows, as a run hands in."""
    return Submission(
        predictions={
            name: Prediction(question_id=name, answer=Answer(kind="choice", label=letter))
            for name, letter in letters.items()
        }
    )


def compute_values(made, submission, questions=QUESTIONS):
    scores = [made.score(each, submission.predictions.get(each.question_id)) for each in questions]
    return [value(pool) for pool in made.pool(scores, submission)]


FULL = {"t1#original": "A", "t1#positive": "B", "t1#negative": "D", "t2#original": "D"}


def test_missing_answers_are_free_officially_and_wrong_strictly():
    assert isinstance(metric(), Metric)
    assert metric().unit == strict().unit == "group"
    only = {name: letter for name, letter in FULL.items() if name.startswith("t1")}
    assert compute_values(metric(), submitted(only)) == [1.0, 1.0, 0.0, 0.5]
    assert compute_values(strict(), submitted(only)) == [0.5, 0.5, 0.0, 0.25]


def test_unknown_ids_count_only_officially():
    extra = FULL | {"x": "A", "y#original": "B", "z#positive": "C"}
    assert compute_values(metric(), submitted(extra))[0] == 2 / 4
    assert compute_values(strict(), submitted(extra))[0] == 1.0


def test_an_empty_submission_is_an_error_officially_and_zero_strictly():
    empty = Submission(predictions={})
    scores = [metric().score(each, None) for each in QUESTIONS]
    with pytest.raises(InputError, match="contains no answer"):
        official(scores, empty)
    summary = summarize(metric(), scores, empty, Resampling())[0]
    assert summary.value is None
    assert "the predictions answer no original question" in summary.note
    assert compute_values(strict(), empty) == [0.0, 0.0, 0.0, 0.0]


def test_option_scores_pick_an_answer_without_a_letter():
    given = {
        each.question_id: Prediction(
            question_id=each.question_id,
            option_scores=tuple(float(label == each.answers[0].label) for label in "ABCD"),
        )
        for each in QUESTIONS
    }
    assert compute_values(metric(), Submission(predictions=given)) == [1.0] * 4


def test_a_question_without_triple_is_rejected_with_a_cure():
    single = Question(question_id="q", passage_id="p", text="?", kind="choice")
    grouped = msgspec.structs.replace(single, group_id="t1")
    in_a_role = msgspec.structs.replace(single, role="original")
    for asked in (single, grouped, in_a_role):
        with pytest.raises(InputError, match="metric `choice`"):
            metric().score(asked, None)


def test_the_note_has_gold_and_picked_letters():
    asked = QUESTIONS[0]
    blind = msgspec.structs.replace(asked, answers=())
    given = submitted(FULL).predictions["t1#original"]
    found = [metric().score(*pair).note for pair in ((asked, given), (asked, None), (blind, given))]
    assert found == ["gold A, picked A", "gold A", ""]


def test_triples_with_unanswered_originals_do_not_count_officially():
    """A variant alone is no answer; the triples come in the order of their names."""
    few = submitted({"t2#positive": "C", "t1#original": "A"})
    scores = [metric().score(each, few.predictions.get(each.question_id)) for each in QUESTIONS]
    pools = metric().pool(scores, few)
    assert [pool.unit_ids for pool in pools] == [["t1"]] * 4
    assert {(pool.n_questions, pool.n_scored, pool.n_answered) for pool in pools} == {(6, 3, 1)}
    assert [pool.unit_ids for pool in strict().pool(scores[::-1], few)] == [["t1", "t2"]] * 4


def test_a_question_without_gold_is_not_counted():
    blind = [
        Question(
            question_id=f"t#{role}",
            passage_id="p",
            text="?",
            kind="choice",
            group_id="t",
            role=role,
        )
        for role in ROLES
    ]
    assert compute_values(strict(), submitted({}), blind) == [None] * 4


def test_lists_and_bare_rows_are_rejected_as_answers():
    scores = [metric().score(each, None) for each in QUESTIONS]
    for raw in (["A"], {"answer": "A", "positive_answer": "A", "negative_answer": "A"}):
        with pytest.raises(InputError, match="in rows under the key `data`"):
            official(scores, Submission(predictions={}, rows=(("t1#original", raw),)))


def test_chance_levels_equal_an_enumeration():
    for guesses, column in (
        (list(itertools.product("ABCD", repeat=3)), 0),
        (list(itertools.permutations("ABCD", 3)), 1),
    ):
        gold = ("A", "B", "C")
        hits = [[a == b for a, b in zip(gold, guess, strict=True)] for guess in guesses]
        acc0 = sum(o for o, _, _ in hits) / len(hits)
        acc1 = sum(o and (p or n) for o, p, n in hits) / len(hits)
        acc2 = sum(o and p and n for o, p, n in hits) / len(hits)
        expected = (acc0, acc1, acc2, weighted(acc0, acc1, acc2))
        found = tuple(levels[column] for levels in chance_levels().values())
        assert found == pytest.approx(expected, abs=1e-15)
    assert chance_levels()["acc2"] == (1 / 64, 1 / 24)


def test_chance_levels_are_in_the_notes():
    scores = [strict().score(each, None) for each in QUESTIONS]
    notes = {one.metric: one.note for one in summarize(strict(), scores, submitted({}), None)}
    assert notes["gcrc.acc2~strict"] == (
        "chance 1/64 = 1.56 % (4.17 % = 1/24 knowing that a triple's letters differ)"
    )
    assert notes["gcrc.acc0~strict"] == "chance 25.00 %"


def summary_notes(questions):
    scores = [strict().score(each, None) for each in questions]
    return {one.metric: one.note for one in summarize(strict(), scores, submitted({}), None)}


def test_the_level_of_distinct_letters_is_noted_if_they_differ():
    """As in the exam that ships: a reader that "knows" it would lose by it."""
    notes = summary_notes([*QUESTIONS, *triple("t3", "ABA")])
    assert notes["gcrc.acc1~strict"] == "chance 10.94 %"
    assert notes["gcrc.acc2~strict"] == "chance 1/64 = 1.56 %"


def test_chance_depends_on_the_number_of_options():
    """Two options a question in one triple, four in the other; a pick beside them is read."""
    two = [msgspec.structs.replace(each, options=each.options[:2]) for each in triple("t2", "ABA")]
    questions = [*triple("t1"), *two]
    notes = summary_notes(questions)
    assert notes["gcrc.acc0~strict"] == f"chance {100 * (1 / 4 + 1 / 2) / 2:.2f} %"
    assert notes["gcrc.acc1~strict"] == f"chance {100 * (7 / 64 + 3 / 8) / 2:.2f} %"
    assert notes["gcrc.acc2~strict"] == f"chance {100 * (1 / 64 + 1 / 8) / 2:.2f} %"
    right = submitted({each.question_id: each.answers[0].label for each in questions})
    assert compute_values(metric(), right, questions) == [1.0, 1.0, 1.0, 1.0]


def test_intervals_resample_triples():
    questions = [each for i in range(30) for each in triple(f"t{i}")]
    letters = {
        each.question_id: each.answers[0].label if int(each.group_id[1:]) % 3 else "D"
        for each in questions
    }
    submission = submitted(letters)
    for made in (metric(), strict()):
        scores = [made.score(each, submission.predictions[each.question_id]) for each in questions]
        for summary in summarize(made, scores, submission, Resampling(resamples=400)):
            assert summary.unit == "group"
            assert summary.low < 2 / 3 < summary.high
            assert summary.n_questions == summary.n_scored == 90


@pytest.mark.parametrize("letter", ["gold", "D"])
def test_equal_triples_have_exact_bounds(letter):
    """Five triples all right, or all wrong, are no certainty of 100 or 0 %."""
    questions = [each for i in range(5) for each in triple(f"t{i}")]
    submission = submitted(
        {each.question_id: each.answers[0].label if letter == "gold" else "D" for each in questions}
    )
    for made in (metric(), strict()):
        scores = [made.score(each, submission.predictions[each.question_id]) for each in questions]
        acc0, *_, score = summarize(made, scores, submission, Resampling(resamples=100))
        assert (score.low, score.high) == pytest.approx((acc0.low, acc0.high))
        assert score.high - score.low == pytest.approx(1 - 0.025 ** (1 / 5))
        assert "|ci:exact,0.95" in score.signature


@pytest.mark.parametrize("made", [metric(), strict()])
def test_scores_are_tested_by_swaps_like_accuracies(made):
    """The Score is a mean over triples: of five, four differ, and 16 swaps are counted out."""
    questions = [each for i in range(5) for each in triple(f"t{i}")]

    def pool(picks):
        submission = submitted(
            {each.question_id: letter for each, letter in zip(questions, picks, strict=True)}
        )
        scores = [made.score(each, submission.predictions[each.question_id]) for each in questions]
        return made.pool(scores, submission)[3]

    first, second = pool("DDDABDADDADDDDD"), pool("ABCADDADCDDDDDD")
    (found,) = compare(pair_with_first([System("1", [first]), System("2", [second])], Resampling()))
    apart = [1.0, -0.3, 0.3, -0.2]
    sums = [sum(map(math.prod, zip(apart, signs, strict=True)))
            for signs in itertools.product((1, -1), repeat=len(apart))]  # fmt: skip
    assert found.difference == pytest.approx(sum(apart) / 5)
    assert found.test == "permutation-exact"
    assert found.p_value == sum(abs(one) > sum(apart) - 1e-9 for one in sums) / len(sums)
    seeds = System("1", [second, first])  # whose mean lies half as far from the second
    (halved,) = compare(pair_with_first([seeds, System("2", [second])], Resampling()))
    assert (halved.difference, halved.p_value) == (pytest.approx(sum(apart) / 10), found.p_value)


def test_an_unsubmitted_subset_has_no_official_value():
    submission = submitted({"t1#original": "A"})
    tags = [{"source": each.group_id} for each in QUESTIONS]
    scores = [
        metric().score(each, submission.predictions.get(each.question_id)) for each in QUESTIONS
    ]
    sizes = dict.fromkeys((("source", each.group_id) for each in QUESTIONS), 3)
    found = summarize_breakdowns(
        metric(), zip(tags, scores, strict=True), submission, None, tags=["source"], sizes=sizes
    )
    assert found["source"]["t1"]["gcrc.acc0"].value == 1.0
    assert found["source"]["t2"]["gcrc.acc0"].value is None


@pytest.mark.parametrize("left_out", FULL)
def test_a_missing_prediction_never_raises_the_strict_score(left_out):
    fewer = {name: letter for name, letter in FULL.items() if name != left_out}
    for less, more in zip(
        compute_values(strict(), submitted(fewer)),
        compute_values(strict(), submitted(FULL)),
        strict=True,
    ):
        assert less <= more
