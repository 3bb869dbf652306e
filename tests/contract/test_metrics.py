"""Every metric in the catalog passes the same battery."""

import math

import pytest

from closeread import catalog
from closeread.attacks.triples import as_group_member
from closeread.errors import MissingExtraError
from closeread.metrics.intervals import value
from closeread.metrics.summary import summarize
from closeread.registry import lookup
from closeread.types import (
    Answer,
    Evidence,
    Option,
    Prediction,
    Question,
    Span,
    Submission,
)

METRICS = catalog.names("metric")
ROLES = ("original", "positive", "negative")


def questions(name: str) -> list[Question]:
    """Questions of the kind that a metric is about."""
    stem = name.partition("~")[0]
    if stem in {"choice", "option", "multirc", "gcrc", "attack", "evidence", "selective"}:
        return [
            Question(
                question_id=f"q{number}#{role}",
                passage_id=f"p{number}",
                text="Which is right?",
                kind="verification",
                asks_for="supported",
                options=tuple(Option(label=label, text=label.lower()) for label in "ABCD"),
                option_truth=tuple(place == one for one in range(4)),
                answers=(Answer(kind="choice", label="ABCD"[place], texts=("abcd"[place],)),),
                gold_evidence=(
                    Evidence(spans=(Span(0, 9),), texts=("The ferry",), option_label="A"),
                ),
                group_id=f"q{number}",
                role=role,
            )
            for number in range(4)
            for place, role in enumerate(ROLES)
        ]
    kind = "discrete" if stem == "drop" else "span"
    answers = [
        Answer(kind="span", texts=(text,), spans=(Span(0, len(text)),))
        for text in ("The ferry", "14 sheep", "in 1931", "nobody")
    ]
    return [
        Question(
            question_id=f"q{number}",
            passage_id=f"p{number // 2}",
            text="Who?",
            kind=kind,
            answers=(answer,),
            gold_evidence=(Evidence(spans=answer.spans, texts=answer.texts),),
            tags={"answer_language": "en"},
        )
        for number, answer in enumerate(answers)
    ]


def right(question: Question) -> Prediction:
    evidence = tuple(
        Evidence(spans=found.spans, texts=found.texts, option_label=found.option_label)
        for found in question.gold_evidence
    )
    return Prediction(
        question_id=question.question_id,
        answer=question.answers[0],
        confidence=0.5,
        option_scores=tuple(float(bool(one)) for one in question.option_truth),
        evidence=evidence,
    )


def submitted(predictions: list[Prediction]) -> Submission:
    found = {prediction.question_id: prediction for prediction in predictions}
    return Submission(predictions=found, rows=tuple(found.items()))


def values(name: str, predictions: list[Prediction]) -> dict[str, float | None]:
    metric = lookup.resolve("metric", name)()
    submission = submitted(predictions)
    scores = [
        metric.score(question, submission.predictions.get(question.question_id))
        for question in questions(name)
    ]
    return {one.metric: one.value for one in summarize(metric, scores, submission, None)}


@pytest.fixture(autouse=True)
def _installed(request):
    name = request.node.callspec.params["name"]
    try:
        lookup.resolve("metric", name)
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", METRICS)
def test_names_and_signature(name):
    """The signature is stable, begins with the name, and the values bear the family's name."""
    factory = lookup.resolve("metric", name)
    assert factory().name == name
    assert factory().signature() == factory().signature()
    assert factory().signature().partition("|")[0] == name
    stem, tilde, variant = name.partition("~")
    for found in values(name, [right(question) for question in questions(name)]):
        assert found.startswith(stem + ".")
        assert found.endswith(tilde + variant)


@pytest.mark.parametrize("name", METRICS)
def test_all_right_is_one(name):
    """A submission without fault reaches the best value of every measure."""
    best = values(name, [right(question) for question in questions(name)])
    worst = {"selective.aurc"}
    assert any(number is not None for number in best.values())
    for found, number in best.items():
        if number is not None:
            assert number == pytest.approx(0.0 if found in worst else 1.0), found


@pytest.mark.parametrize("name", METRICS)
def test_a_missing_prediction_neither_raises_nor_helps(name):
    """Leaving out a wrong answer is no error; only official programs that do so may reward it."""
    asked = questions(name)
    handed_in = [right(question) for question in asked]
    whole, part = values(name, handed_in), values(name, handed_in[:-1])
    assert whole.keys() == part.keys()
    if name in {"gcrc", "squad2"}:  # the official programs leave missing ones out of the mean
        return
    for found in whole:
        if whole[found] is not None and part[found] is not None:
            less = part[found] - whole[found]
            assert (less >= 0) if found == "selective.aurc" else (less <= 0), found


@pytest.mark.parametrize("name", METRICS)
def test_a_failure_is_no_error(name):
    """A reader's failure is scored and counted, whatever else the prediction lacks."""
    asked = questions(name)
    failed = [Prediction(question_id=one.question_id, error="ValueError: no") for one in asked]
    metric = lookup.resolve("metric", name)()
    submission = submitted(failed)
    scores = [metric.score(one, submission.predictions[one.question_id]) for one in asked]
    summaries = summarize(metric, scores, submission, None)
    assert summaries
    for one in summaries:
        assert one.n_failed == len(asked)
        assert one.n_answered == 0
        assert one.n_questions == len(asked)


@pytest.mark.parametrize("name", METRICS)
def test_variants_are_resampled_with_their_original(name):
    """Whatever the metric's unit is, what ``attack`` makes of a question is no unit of its own."""
    metric = lookup.resolve("metric", name)()
    first = questions(name)[0]
    asked = [as_group_member(first, "q0", role) for role in ROLES]
    scores = [metric.score(one, submitted([right(one)]).predictions[one.question_id])
              for one in asked]  # fmt: skip
    assert len({score.unit_id for score in scores}) == 1


@pytest.mark.parametrize("name", METRICS)
def test_pools_are_sums(name):
    """A pool's sequences are parallel and its sums give its value, in any order of questions."""
    metric = lookup.resolve("metric", name)()
    submission = submitted([right(question) for question in questions(name)][::2])
    scores = [
        metric.score(question, submission.predictions.get(question.question_id))
        for question in questions(name)
    ]
    forwards = metric.pool(scores, submission)
    backwards = {pool.metric: pool for pool in metric.pool(scores[::-1], submission)}
    assert {pool.metric for pool in forwards} == set(backwards)
    assert all(pool.n_answered <= pool.n_scored for pool in forwards)
    for pool in forwards:
        assert len(pool.unit_ids) == len(pool.numerators) == len(pool.denominators)
        if pool.statistic is None:
            assert len(set(pool.unit_ids)) == len(pool.unit_ids)
            below = math.fsum(pool.denominators)
            assert value(pool) == (math.fsum(pool.numerators) / below if below else None)
            assert value(pool) == value(backwards[pool.metric])
