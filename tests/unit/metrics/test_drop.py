"""DROP where the official files say nothing: types, pools, what is missing, what failed."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from closeread.attacks.apply import apply
from closeread.attacks.triples import as_group_member
from closeread.errors import CloseReadError, InputError
from closeread.metrics.drop import cached_judgement, metric, official, score_pair
from closeread.metrics.drop_mended import firstline, fixed, number, whitespace
from closeread.metrics.intervals import Resampling
from closeread.metrics.summary import summarize
from closeread.protocols import Metric
from closeread.types import Answer, Edit, Passage, Prediction, Question, Span, Submission


def question(question_id, *answers, passage_id="p"):
    return Question(
        question_id=question_id,
        passage_id=passage_id,
        text="How many yards?",
        kind="discrete",
        answers=answers,
    )


def make_prediction(question_id, *texts):
    return Prediction(question_id=question_id, answer=Answer(kind="spans", texts=texts))


NUMBER = question("n", Answer(kind="number", texts=("3",)), Answer(kind="span", texts=("three",)))
SPANS = question("s", Answer(kind="spans", texts=("red", "blue")), passage_id="p2")
BLANK = question("b", Answer(kind="date", texts=("  ",)))


def test_the_metric_implements_the_protocol():
    assert isinstance(metric(), Metric)
    assert (metric().name, metric().unit) == ("drop", "passage")
    assert metric().signature().startswith("drop|")


def test_the_answer_type_depends_on_the_prediction():
    assert set(metric().score(NUMBER, make_prediction("n", "3")).values) == {
        "em",
        "f1",
        "em.number",
        "f1.number",
    }
    assert "em.span" in metric().score(NUMBER, make_prediction("n", "three")).values


def test_the_answer_type_needs_both_maxima():
    """The same words in another order have the F1, and not the exact match, of the first."""
    reordered = question(
        "q", Answer(kind="span", texts=("red blue",)), Answer(kind="date", texts=("blue red",))
    )
    said_first = metric().score(reordered, make_prediction("q", "red blue")).values
    assert said_first == {"em": 1.0, "f1": 1.0, "em.span": 1.0, "f1.span": 1.0}


def test_a_missing_prediction_is_wrong_and_has_the_type_of_the_first_answer():
    for nothing in (None, Prediction(question_id="n", error="timed out")):
        values = metric().score(NUMBER, nothing).values
        assert values == {"em": 0.0, "f1": 0.0, "em.number": 0.0, "f1.number": 0.0}


def test_blank_gold_is_wrong_and_has_no_type():
    assert metric().score(BLANK, make_prediction("b", "")).values == {"em": 0.0, "f1": 0.0}


@pytest.mark.parametrize("judge", [metric, whitespace, number, firstline, fixed])
@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (Answer(kind="none"), 1.0),
        (Answer(kind="span", texts=("",)), 1.0),
        (Answer(kind="span", texts=("the captain",)), 0.0),
        (None, 0.0),
    ],
)
def test_an_unanswerable_question_is_right_without_an_answer(judge, answer, right):
    """Mixed sets, as the exam that ships, hold what DROP does not."""
    unanswerable = question("u", Answer(kind="none"))
    score = judge().score(unanswerable, Prediction(question_id="u", answer=answer))
    assert (score.values["em"], score.values["f1"]) == (right, right)


def test_an_answer_to_a_question_without_gold_is_an_error():
    """The official program stops at it; nothing handed in is wrong there, too."""
    bare = question("x")
    for judge in (metric(), fixed()):
        with pytest.raises(CloseReadError, match="question x: the question has no gold answer"):
            judge.score(bare, make_prediction("x", "3"))
        assert judge.score(bare, None).values["em"] == 0.0


def test_a_prediction_without_spans_is_wrong():
    none = Prediction(question_id="n", answer=Answer(kind="none"))
    assert metric().score(NUMBER, none).values["em"] == 0.0


def test_pools_are_by_passage_and_by_type():
    predictions = {"n": make_prediction("n", "3"), "s": make_prediction("s", "red")}
    scores = [metric().score(each, predictions.get(each.question_id)) for each in (NUMBER, SPANS)]
    submission = Submission(predictions=predictions)
    names = [pool.metric for pool in metric().pool(scores, submission)]
    assert names == [
        "drop.em",
        "drop.f1",
        "drop.em.number",
        "drop.f1.number",
        "drop.em.spans",
        "drop.f1.spans",
    ]
    found = {one.metric: one for one in summarize(metric(), scores, submission, Resampling())}
    assert found["drop.f1"].value == 0.75
    assert found["drop.f1"].signature.startswith(
        "drop.f1|norm:official|golds:all|missing:zero|v:1|n:2"
    )
    assert found["drop.f1.spans"].n_scored == 1


def test_questions_of_one_passage_are_one_unit():
    """Three questions, two passages: their sums are resampled together."""
    asked = [NUMBER, SPANS, question("n2", Answer(kind="number", texts=("4",)))]
    predictions = {"n": make_prediction("n", "3"), "n2": make_prediction("n2", "4")}
    scores = [metric().score(one, predictions.get(one.question_id)) for one in asked]
    em, *_ = metric().pool(scores, Submission(predictions=predictions))
    assert (list(em.unit_ids), list(em.numerators)) == (["p", "p2"], [2.0, 0.0])
    assert list(em.denominators) == [2, 1]


@pytest.mark.parametrize("of", [metric(), whitespace()], ids=["official", "mended"])
def test_variants_about_a_changed_passage_are_resampled_with_their_original(of):
    """As ``attack`` names them; a passage whose id only looks so stays one of its own."""
    passage = Passage(passage_id="p", text="The bay froze. Two ships came.")
    asked = [replace(NUMBER, question_id="n#original", group_id="n", role="original")]
    for role in ("positive", "negative"):
        edit = Edit(
            strategy="s", rule="r", place="passage", span=Span(14, 14), words=" It rained."
        )  # fmt: skip
        asked.append(apply(passage, as_group_member(NUMBER, "n", role), [edit])[1])
    asked.append(replace(asked[-1], role=None, group_id=""))  # as DROP's own form has it
    asked.append(replace(NUMBER, question_id="m", passage_id="p#m"))
    assert len({one.passage_id for one in asked}) == 4
    for answer in (None, "3"):
        scores = [
            of.score(one, answer and make_prediction(one.question_id, answer)) for one in asked
        ]
        assert [one.unit_id for one in scores] == ["p", "p", "p", "p", "p#m"]


def test_without_questions_only_em_and_f1_are_returned():
    pools = metric().pool([], Submission(predictions={}))
    assert [pool.metric for pool in pools] == ["drop.em", "drop.f1"]


def test_the_cached_judgement_belongs_to_one_question_and_prediction():
    prediction = make_prediction("n", "red", "blue")
    first = cached_judgement(NUMBER, prediction)
    assert cached_judgement(NUMBER, prediction) is first
    assert [found.text for found in cached_judgement(SPANS, prediction)[3][0]] == ["red", "blue"]
    assert cached_judgement(SPANS, None)[5] == 0.0
    assert cached_judgement(NUMBER, None)[0] is NUMBER


def test_a_judgement_can_be_requested_before_any_score(monkeypatch):
    monkeypatch.setattr("closeread.metrics.drop._last", None)
    assert cached_judgement(NUMBER, make_prediction("n", "3"))[4:] == (1.0, 1.0)


def test_concurrent_threads_do_not_mix_judgements():
    """Mends begin with what the official scorer found last, which another thread may replace."""
    asked = [question(str(n), Answer(kind="number", texts=(str(n),))) for n in range(8)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(
                lambda one: all(
                    cached_judgement(one, make_prediction(one.question_id, one.question_id))[0]
                    is one
                    for _ in range(4_000)
                ),
                asked,
            )
            assert all(found)
    finally:
        sys.setswitchinterval(before)


def test_official_over_a_file_counts_types():
    predictions = {"n": make_prediction("n", "three"), "s": make_prediction("s", "blue", "red")}
    scores = [metric().score(each, predictions[each.question_id]) for each in (NUMBER, SPANS)]
    assert official(iter(scores))["types"] == {
        "span": {"count": 1, "em": 1.0, "f1": 1.0},
        "spans": {"count": 1, "em": 1.0, "f1": 1.0},
    }


@pytest.mark.parametrize("given", [None, 3, {"answer": "x"}, [["x"]], ["x", None], True])
def test_invalid_answers_are_rejected_with_the_expected_form(given):
    with pytest.raises(InputError, match=r"^the prediction is .*\n.*string, or a list of strings"):
        score_pair(given, "x")
    with pytest.raises(InputError, match=r"^the gold answer is "):
        score_pair("x", given)


def test_only_gold_numbers_open_the_gate():
    """Gold without a number: 1 of 2 words is 1 of 1, which is 2/3. Gold with one: it lacks."""
    assert score_pair("red 3", "red") == (0.0, 0.67)
    assert score_pair("red", "red 3") == (0.0, 0.0)
