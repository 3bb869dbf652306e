"""Scores become sums over units."""

import pytest

from closeread.metrics.pools import count_questions, mean_pools
from closeread.types import Answer, Evidence, Prediction, Score, Submission


@pytest.mark.parametrize("many", [10, 120_000])
def test_repeated_units_are_summed_in_small_and_large_sets(many):
    """The last question shares the first one's unit, wherever the count of units lies."""
    scores = [
        Score(question_id=str(n), unit_id=str(n % (many - 1)), values={"em": n / many})
        for n in range(many)
    ]
    (pool,) = mean_pools({"em": "x.em"}, scores, Submission(predictions={}))
    assert (len(pool.unit_ids), pool.denominators[0], pool.numerators[0]) == (
        many - 1, 2, (many - 1) / many,
    )  # fmt: skip
    assert sum(pool.denominators) == pool.n_scored == many


@pytest.mark.parametrize("many", [10, 120_000])
def test_a_set_of_one_passage_is_one_unit(many):
    scores = [Score(question_id=str(n), unit_id="p", values={"em": 1.0}) for n in range(many)]
    (pool,) = mean_pools({"em": "x.em"}, scores, Submission(predictions={}))
    assert (list(pool.unit_ids), list(pool.denominators)) == (["p"], [many])


@pytest.mark.parametrize("many", [10, 120_000])
def test_units_of_one_question_are_unchanged(many):
    """Ids that all differ keep their order and weigh one each."""
    scores = [Score(question_id=str(n), values={"em": 1.0}) for n in range(many)]
    (pool,) = mean_pools({"em": "x.em"}, scores, Submission(predictions={}))
    assert list(pool.unit_ids) == [str(n) for n in range(many)]
    assert set(pool.denominators) == {1}


def test_a_repeated_id_is_answered_once():
    """Where the last question of an id counts alone, no more are answered than are scored."""
    scores = [Score(question_id=name, values={"em": 1.0}, unit_id=name) for name in "aabbc"]
    said = {
        "a": Prediction(question_id="a", answer=Answer(kind="none")),
        "b": Prediction(question_id="b", error="timed out"),
    }
    (pool,) = mean_pools({"em": "x.em"}, scores, Submission(predictions=said), last_of_id=True)
    assert (pool.n_questions, pool.n_scored, pool.n_answered, pool.n_failed) == (5, 3, 1, 1)
    (pool,) = mean_pools({"em": "x.em"}, scores, Submission(predictions=said))
    assert (pool.n_questions, pool.n_scored, pool.n_answered, pool.n_failed) == (5, 5, 2, 2)


def test_answers_are_counted_among_scored_questions():
    """The answers to all other questions are not its own; a failure anywhere is told."""
    scores = [Score(question_id="a", values={"em": 1.0, "half": 1.0})]
    scores += [Score(question_id=name, values={"em": 1.0, "half": None}) for name in "bc"]
    said = {name: Prediction(question_id=name, answer=Answer(kind="none")) for name in "ab"}
    said["c"] = Prediction(question_id="c", error="timed out")
    submission = Submission(predictions=said)
    whole, half = mean_pools({"em": "x.em", "half": "x.half"}, scores, submission)
    assert (whole.n_scored, whole.n_answered, whole.n_failed) == (3, 2, 1)
    assert (half.n_scored, half.n_answered, half.n_failed) == (1, 1, 1)
    assert count_questions(scores, submission, scored=scores[:1]) == {
        "n_questions": 3, "n_scored": 1, "n_answered": 1, "n_failed": 1,
    }  # fmt: skip


def test_answered_and_failed_questions_are_counted():
    """Who failed did not answer, whatever it left; who shows evidence alone did neither."""
    answer = Answer(kind="none")
    said = {
        "a": Prediction(question_id="a", answer=answer),
        "b": Prediction(question_id="b", option_scores=(0.0, 0.0)),
        "c": Prediction(question_id="c", evidence=(Evidence(),)),
        "d": Prediction(question_id="d", answer=answer, error="timed out"),
        "e": Prediction(question_id="e"),
        "another": Prediction(question_id="another", answer=answer),
    }
    scores = [Score(question_id=name, values={"em": 1.0}) for name in "abcdef"]
    submission = Submission(predictions=said)
    for by_evidence, n_answered in ((False, 2), (True, 3)):
        found = count_questions(scores, submission, by_evidence=by_evidence)
        assert (found["n_answered"], found["n_failed"]) == (n_answered, 1)
    (pool,) = mean_pools({"em": "x.em"}, scores, submission)
    assert (pool.n_questions, pool.n_answered, pool.n_failed) == (6, 2, 1)
