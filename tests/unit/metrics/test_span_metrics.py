"""Span scorers: what they do with missing, failed, empty and strange predictions."""

import subprocess
import sys

import pytest

from closeread.errors import CloseReadError, MissingExtraError
from closeread.metrics import cmrc, expmrc, mrqa, squad, squad2
from closeread.metrics.matching.overlap import count_shared
from closeread.metrics.matching.segmentation import Segmenter, make_segmenter
from closeread.metrics.summary import summarize
from closeread.protocols import Metric
from closeread.types import Answer, Evidence, Option, Prediction, Question, Submission

LIGHT = Segmenter(punkt=False)
SINGLE = [mrqa.metric(), squad.metric(), cmrc.Cmrc(segmenter=LIGHT)]
ALL = [*SINGLE, squad2.metric(), expmrc.Expmrc(segmenter=LIGHT)]
single = pytest.mark.parametrize("metric", SINGLE, ids=lambda one: one.name)
every = pytest.mark.parametrize("metric", ALL, ids=lambda one: one.name)


def question(*golds, name="q", **fields):
    answers = tuple(Answer(kind="span", texts=(gold,)) for gold in golds)
    return Question(
        question_id=name, passage_id="", text="", kind="span", answers=answers, **fields
    )


def unanswerable(name="q"):
    return Question(
        question_id=name, passage_id="", text="", kind="span", answers=(Answer(kind="none"),)
    )


def says(*texts, name="q", **fields):
    answer = Answer(kind="span", texts=texts) if texts else Answer(kind="none")
    return Prediction(question_id=name, answer=answer, **fields)


FAILED = Prediction(question_id="q", error="TimeoutError: no reply")


@every
def test_metrics_implement_the_protocol(metric):
    assert isinstance(metric, Metric)
    assert metric.unit == "question"
    assert metric.signature().startswith(f"{metric.name}|norm:")


@pytest.mark.parametrize("module", [cmrc.Cmrc, expmrc.Expmrc])
def test_a_missing_punkt_model_is_noted(module):
    """Every pool carries the note that the table prints, and none where Punkt is there."""
    for punkt, told in ((True, ""), (False, "Punkt")):
        pools = module(segmenter=Segmenter(punkt=punkt)).pool([], Submission(predictions={}))
        assert all((told in pool.note) if told else not pool.note for pool in pools)


def test_signatures_contain_the_settings():
    assert mrqa.metric().signature() == "mrqa|norm:mrqa|missing:zero|v:1"
    skipping = mrqa.metric(skip_no_answer=True)
    assert skipping.signature() == "mrqa|norm:mrqa|missing:skip|v:1"
    assert squad.metric().signature() == "squad|norm:squad|missing:zero|v:1"
    halves = squad2.metric(na_threshold=0.5)
    assert halves.signature() == "squad2|norm:squad|missing:skip|na_threshold:0.5|v:1"
    with_punkt = cmrc.Cmrc(segmenter=Segmenter(punkt=True)).signature()
    assert with_punkt == "cmrc|norm:cmrc|missing:zero|nltk:3.9.1|punkt:english|v:1"
    without = expmrc.Expmrc(segmenter=LIGHT).signature()
    assert without == "expmrc|norm:expmrc|missing:zero|nltk:3.9.1|punkt:none|v:1"


@single
def test_missing_and_failed_predictions_score_zero(metric):
    for prediction in (None, FAILED):
        values = metric.score(question("cat", ""), prediction).values
        assert set(values.values()) == {0.0}


def test_the_last_question_of_an_id_counts_in_programs_keyed_by_id():
    """MRQA's and SQuAD 2.0's programs do; SQuAD 1.1's and CMRC 2018's go through the rows."""
    rows = [question("cat", name="a"), question("dog", name="b"), question("cow", name="a")]
    predictions = {"a": says("cow", name="a"), "b": says("dog", name="b")}
    found = {}
    for metric in (mrqa.metric(), squad2.metric(), *SINGLE[1:]):
        scores = [metric.score(one, predictions[one.question_id]) for one in rows]
        one = summarize(metric, scores, Submission(predictions=predictions), None, 3)[0]
        found[metric.name] = (one.value, one.n_scored, one.n_questions, "the last" in one.note)
    assert found["mrqa"] == found["squad2"] == (1.0, 2, 3, True)
    assert found["squad"] == found["cmrc"] == (pytest.approx(2 / 3), 3, 3, False)


def test_the_last_question_of_an_id_decides_answerability():
    """In SQuAD 2.0's program an id has an answer, or none, as its last question says."""
    metric = squad2.metric()
    rows = [question("cat", name="a"), unanswerable("a"), question("dog", name="b")]
    predictions = {"a": says(name="a"), "b": says("dog", name="b")}
    scores = [metric.score(one, predictions[one.question_id]) for one in rows]
    found = {
        one.metric: (one.value, one.n_scored)
        for one in summarize(metric, scores, Submission(predictions=predictions), None, 3)
    }
    assert found["squad2.noans_em"] == found["squad2.hasans_em"] == (1.0, 1)


@single
def test_the_first_of_several_predicted_texts_counts(metric):
    assert metric.score(question("cat"), says("cat", "dog")).values["em"] == 1.0
    assert metric.score(question("cat"), says("dog", "cat")).values["em"] == 0.0


@pytest.mark.parametrize("metric", [*SINGLE, squad2.metric()], ids=lambda one: one.name)
def test_the_first_of_several_gold_texts_counts(metric):
    """Data of several spans, scored as if they had one."""
    gold = Question(
        question_id="q", passage_id="", text="", kind="span",
        answers=(Answer(kind="spans", texts=("cat", "dog")),),
    )  # fmt: skip
    assert metric.score(gold, says("cat")).values["em"] == 1.0
    assert metric.score(gold, says("dog")).values["em"] == 0.0


@single
def test_no_answer_is_the_empty_string(metric):
    assert metric.score(question("cat"), says()).values["f1"] == 0.0
    assert metric.score(question("cat", ""), says()).values == {
        **metric.score(question("cat", ""), says("")).values,
        "em": 1.0,
        "f1": 0.0,
    }


@single
def test_a_question_without_reference_is_a_clear_error(metric):
    for gold in (unanswerable("q7"), question(name="q7")):
        with pytest.raises(CloseReadError, match="question q7"):
            metric.score(gold, says("cat"))


def test_skipped_questions_are_not_in_the_mean():
    metric = mrqa.metric(skip_no_answer=True)
    scores = [
        metric.score(question("cat", name="1"), says("cat", name="1")),
        metric.score(question("cat", name="2"), None),
        metric.score(question("cat", name="3"), Prediction(question_id="3", error="broke")),
    ]
    submission = Submission(
        predictions={
            "1": says("cat", name="1"),
            "3": Prediction(question_id="3", error="broke"),
        }
    )
    exact, _ = summarize(metric, scores, submission, None)
    assert exact.value == 0.5
    assert (exact.n_questions, exact.n_scored, exact.n_answered, exact.n_failed) == (3, 2, 1, 1)
    assert scores[1].values == {"em": None, "f1": None}
    nothing, _ = summarize(metric, [metric.score(question("cat"), None)], submission, None)
    assert nothing.value is None


def test_no_answer_is_right_for_unanswerable_questions():
    metric = squad2.metric()
    assert metric.score(unanswerable(), says()).values == {
        "em": 1.0,
        "f1": 1.0,
        "noans_em": 1.0,
        "noans_f1": 1.0,
    }
    assert metric.score(unanswerable(), says("The")).values["em"] == 1.0
    assert metric.score(unanswerable(), says("cat")).values["em"] == 0.0
    assert metric.score(question("the", "!"), says("a")).values["hasans_f1"] == 1.0
    for article in ("a", "the"):  # a reference that normalises to nothing is dropped
        assert metric.score(question("the", "cat"), says(article)).values["hasans_f1"] == 0.0


def test_a_failure_is_not_a_correct_no_answer():
    assert set(squad2.metric().score(unanswerable(), FAILED).values.values()) == {0.0}


def test_a_missing_prediction_is_in_no_mean_of_squad2():
    metric = squad2.metric()
    scores = [
        metric.score(question("cat", name="1"), says("cat", name="1")),
        metric.score(question("cat", name="2"), None),
        metric.score(unanswerable("3"), says("dog", name="3")),
    ]
    predictions = {"1": says("cat", name="1"), "3": says("dog", name="3")}
    found = summarize(metric, scores, Submission(predictions=predictions), None)
    values = {summary.metric: summary.value for summary in found}
    assert values["squad2.em"] == 0.5
    assert values["squad2.hasans_em"] == 1.0
    assert values["squad2.noans_em"] == 0.0
    assert found[0].note == "1 unanswered question is left out"


def test_strict_counts_every_question_of_squad2():
    """Otherwise who leaves out what is hard has a higher number; and with all there it is equal."""
    asked = [question("cat", name="1"), question("cat", name="2"), unanswerable("3")]
    said = [says("cat", name="1"), says("the cat sat", name="2"), says("dog", name="3")]

    def values(predictions, odds=None, **options):
        given = Submission(
            predictions={one.question_id: one for one in predictions},
            extras={} if odds is None else {"null_odds": odds},
        )
        found = {}
        for metric in (squad2.metric(**options), squad2.strict(**options)):
            scores = [metric.score(one, given.predictions.get(one.question_id)) for one in asked]
            found |= {one.metric: one for one in summarize(metric, scores, given, None)}
        return found

    whole = values(said)
    for key in ("em", "f1"):
        assert whole[f"squad2.{key}"].value == whole[f"squad2.{key}~strict"].value
    few = values(said[:1])
    assert few["squad2.f1"].value == 1.0
    assert few["squad2.f1~strict"].value == few["squad2.em~strict"].value == 1 / 3
    assert few["squad2.f1~strict"].note == "2 unanswered questions count as wrong"
    assert (few["squad2.f1~strict"].n_scored, few["squad2.f1~strict"].n_answered) == (3, 1)
    odds = {"1": 0.9, "3": 0.9}  # none of a question that nothing was handed in for
    held = values([said[0], said[2]], odds, na_threshold=0.5)
    assert held["squad2.em"].value == 0.5
    assert held["squad2.em~strict"].value == 1 / 3
    assert "squad2.best_em~strict" not in held
    assert squad2.strict().signature() == (
        "squad2~strict|norm:squad|missing:zero|na_threshold:1|v:1"
    )


def test_unknown_gold_is_an_error_in_squad2():
    with pytest.raises(CloseReadError, match="question q"):
        squad2.metric().score(question(), says("cat"))


def test_shared_words_count_as_often_as_in_both():
    assert count_shared(["a", "b", "b", "c"], ["b", "b", "b"]) == 2
    assert count_shared(["x", "y"] * 2000, ["y"] * 3000 + ["z"]) == 2000
    assert count_shared([], ["x"]) == 0


@pytest.mark.parametrize("raw", [None, 3, ["cat"], {"text": "cat"}])
def test_official_functions_reject_predictions_that_are_not_strings(raw):
    golds, said = {"q1": ["cat"]}, {"q1": raw}
    with pytest.raises(CloseReadError, match=r"^mrqa, question q1: "):
        mrqa.official(golds, said)
    for name, module in (("squad", squad), ("squad2", squad2)):
        with pytest.raises(CloseReadError, match=rf"^{name}, question q1: "):
            module.official(golds.items(), said)


def test_squad2_s_official_form_names_the_first_question_without_prediction():
    golds = [("q1", ["cat"]), ("q2", ["dog"]), ("q3", [])]
    with pytest.raises(CloseReadError, match="2 questions have no prediction, the first is q2"):
        squad2.official([*golds, ("q4", ["hen"])], {"q1": "cat", "q3": ""})


def test_official_functions_count_missing_predictions():
    """Of two questions one is right: half where the other counts as 0, all where it is skipped."""
    golds, said = {"q1": ["cat"], "q2": ["dog"]}, {"q1": "cat"}
    half, whole = ({"exact_match": share, "f1": share} for share in (50.0, 100.0))
    assert mrqa.official(golds, said) == squad.official(golds.items(), said) == half
    assert mrqa.official(golds, said, skip_no_answer=True) == whole
    twice = [("q1", ["cat"]), ("q1", ["dog"])]
    assert squad.official(twice, said) == half
    with pytest.raises(
        CloseReadError, match=r"^mrqa: the mean is undefined: no question was answered"
    ):
        mrqa.official(golds, {}, skip_no_answer=True)
    for name, official in (("mrqa", mrqa.official), ("squad", squad.official)):
        with pytest.raises(CloseReadError) as raised:
            official({}, {})
        assert str(raised.value).startswith(f"{name}: the mean is undefined: no question\n")
        assert raised.value.expected and raised.value.cure


def test_expmrc_uses_the_evidence_of_the_picked_option():
    metric = expmrc.Expmrc(segmenter=LIGHT)
    gold = Question(
        question_id="q",
        passage_id="",
        text="",
        kind="choice",
        options=(Option(label="A", text="1"), Option(label="B", text="2")),
        answers=(Answer(kind="choice", label="B"),),
        gold_evidence=(Evidence(texts=("Cats sleep.", "They purr.")),),
    )
    said = Prediction(
        question_id="q",
        answer=Answer(kind="choice", label="B"),
        evidence=(
            Evidence(texts=("Dogs bark.",), option_label="A"),
            Evidence(texts=("Cats sleep.", "They purr."), option_label="B"),
        ),
    )
    values = metric.score(gold, said).values
    assert values == {"answer_f1": 1.0, "evidence_f1": 1.0, "overall_f1": 1.0}
    lower = Prediction(question_id="q", answer=Answer(kind="choice", label="b"))
    assert metric.score(gold, lower).values["answer_f1"] == 0.0


def test_expmrc_without_gold_evidence_is_zero_or_an_error():
    metric = expmrc.Expmrc(segmenter=LIGHT)
    choice = Question(
        question_id="q",
        passage_id="",
        text="",
        kind="choice",
        options=(Option(label="A", text="1"),),
        answers=(Answer(kind="choice", label="A"),),
    )
    said = Prediction(question_id="q", answer=Answer(kind="choice", label="A"))
    score = metric.score(choice, said)
    assert (score.values["answer_f1"], score.values["evidence_f1"]) == (1.0, 0.0)
    assert score.note == "no gold evidence"
    with pytest.raises(CloseReadError, match="gold evidence"):
        metric.score(question("cat"), says("cat"))


@pytest.mark.parametrize(
    ("evidence", "value", "told"),
    [
        (
            (Evidence(texts=("it is red",)),),
            0.5,
            "1 prediction has no evidence and counts as 0",
        ),
        ((), 0.0, "no prediction has evidence: all count as 0"),
    ],
)
def test_expmrc_notes_predictions_without_evidence(evidence, value, told):
    metric = expmrc.Expmrc(segmenter=LIGHT)
    asked = [question("red", name=n, gold_evidence=(Evidence(texts=("it is red",)),)) for n in "12"]
    given = {"1": says("red", name="1"), "2": says("red", name="2", evidence=evidence)}
    scores = [metric.score(one, given[one.question_id]) for one in asked]
    answer, *others = summarize(metric, scores, Submission(predictions=given), None)
    assert answer.value == 1.0 and "carr" not in answer.note
    assert [(one.value, one.note.partition("; ")[0]) for one in others] == [(value, told)] * 2


def test_expmrc_counts_evidence_without_an_answer_as_no_answer():
    """It scores none of what stands beside an answer that was withheld."""
    metric = expmrc.Expmrc(segmenter=LIGHT)
    shown = (Evidence(texts=("it is red",)),)
    asked = [question("red", name=name, gold_evidence=shown) for name in "12"]
    withheld = Prediction(question_id="2", evidence=shown)
    given = {"1": says("red", name="1"), "2": withheld}
    scores = [metric.score(one, given[one.question_id]) for one in asked]
    for found in summarize(metric, scores, Submission(predictions=given), None):
        assert (found.n_questions, found.n_answered) == (2, 1)
        assert "no prediction" not in found.note


def test_expmrc_official_scores_odd_values_as_text():
    golds = [("q", ["None"], ["None"])]
    printed = expmrc.official(golds, {"q": {"answer": None, "evidence": None}})
    assert printed["ALL_F1"] == "100.000"
    for entry in ({"answer": "cat"}, "cat", None):
        with pytest.raises(CloseReadError, match="question q"):
            expmrc.official(golds, {"q": entry})


def test_official_forms_of_chinese_scorers_need_questions_and_references():
    with pytest.raises(CloseReadError, match="no question"):
        cmrc.official([], {})
    with pytest.raises(CloseReadError, match="question q"):
        cmrc.official([("q", [])], {"q": "猫"})
    with pytest.raises(CloseReadError, match="no question"):
        expmrc.official([], {})


def test_scores_are_computed_without_punkt_data(monkeypatch):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    found = make_segmenter()
    assert found == LIGHT
    assert found.cmrc("e.g. this. That") == ["e.g.", "this.", "that"]
    assert cmrc.metric().signature().endswith("|punkt:none|v:1")


def test_long_runs_are_segmented_like_short_ones():
    words = " ".join(["cat,"] * 100)
    assert LIGHT.mixed(words) == ["cat", ","] * 100


def test_without_nltk_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "nltk.data", None)
    with pytest.raises(MissingExtraError, match=r"closeread\[cmrc\]"):
        cmrc.metric()


def test_importing_the_scorers_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from closeread.metrics import cmrc, expmrc, mrqa, squad, squad2\n"
        "mrqa.official({'q': ['a cat']}, {'q': 'cat'})\n"
        "print(*sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    loaded = {name.split(".")[0] for name in printed.split()}
    assert not loaded & {"numpy", "scipy", "nltk", "rich", "httpx", "hypothesis"}
