"""Evidence: sentences of another splitter, labels left out, options without gold."""

import msgspec
import pytest

from closeread.metrics.evidence import metric, official, overlap
from closeread.metrics.intervals import value
from closeread.metrics.summary import summarize_breakdowns
from closeread.protocols import Metric
from closeread.types import Answer, Evidence, Prediction, Question, Span, Submission

S = [Span(0, 10), Span(10, 30), Span(30, 40), Span(40, 60)]


def question(*evidence):
    return Question(
        question_id="q", passage_id="p", text="?", kind="verification", gold_evidence=evidence
    )


def make_prediction(*evidence):
    return Prediction(question_id="q", evidence=evidence)


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ([S[0]], [S[0]], (1.0, 1.0, 1.0)),
        ([S[0]], [], (0.0, 0.0, 0.0)),
        ([S[0]], [S[1]], (0.0, 0.0, 0.0)),
        ([S[0], S[1]], [S[0]], (1.0, 0.5, 2 / 3)),
        ([S[0]], [S[0], S[1], S[1]], (0.5, 1.0, 2 / 3)),
        ([S[0], S[1]], [Span(0, 30)], (1.0, 1.0, 1.0)),
        ([S[1]], [Span(11, 29)], (1.0, 1.0, 1.0)),
        ([S[1]], [Span(26, 40)], (0.0, 0.0, 0.0)),
        ([S[1]], [Span(12, 15)], (1.0, 1.0, 1.0)),  # a part of a sentence is the sentence
        ([S[1]], [Span(20, 40)], (1.0, 1.0, 1.0)),  # just half of both
        ([S[1]], [Span(21, 41)], (0.0, 0.0, 0.0)),
        ([S[1]], [Span(10, 20), Span(20, 30)], (1.0, 1.0, 1.0)),
    ],
)
def test_spans_are_scored_as_sentences(gold, predicted, expected):
    assert overlap(gold, predicted) == expected


def test_options_with_gold_are_averaged():
    asked = question(
        Evidence(option_label="A", spans=(S[0], S[1])),
        Evidence(option_label="B", spans=(S[2],)),
        Evidence(option_label="C", spans=()),
    )
    score = metric().score(asked, make_prediction(Evidence(option_label="A", spans=(S[0],))))
    assert isinstance(metric(), Metric)
    assert score.values["precision"] == 0.5
    assert score.values["recall"] == 0.25
    assert score.values["f1"] == 1 / 3
    assert "f1.C" not in score.values
    assert official([score]) == {"precision": 0.5, "recall": 0.25, "f1": 1 / 3}


def test_one_of_several_references_is_enough():
    """ExpMRC names a question's evidence two to four times; together they were one long gold."""
    asked = question(Evidence(spans=(S[0],)), Evidence(spans=(S[1], S[2])), Evidence(spans=()))
    for spans, f1 in (((S[0],), 1.0), ((S[1], S[2]), 1.0), ((S[1],), 2 / 3), ((S[3],), 0.0)):
        values = metric().score(asked, make_prediction(Evidence(spans=spans))).values
        assert values["f1"] == values["f1."] == pytest.approx(f1)


def test_evidence_without_a_label_counts_for_every_option():
    asked = question(
        Evidence(option_label="A", spans=(S[0],)), Evidence(option_label="B", spans=(S[1],))
    )
    score = metric().score(asked, make_prediction(Evidence(spans=(S[0],))))
    assert (score.values["f1.A"], score.values["f1.B"]) == (1.0, 0.0)
    whole = metric().score(
        question(Evidence(spans=(S[0], S[1]))),
        make_prediction(Evidence(option_label="B", spans=(S[1],))),
    )
    assert whole.values["recall."] == 0.5


def test_overlong_evidence_is_noted():
    """A whole passage hits every gold sentence, and nothing else in it counts: the note says so."""
    asked = question(Evidence(option_label="A", spans=(S[0], S[1])))
    for end, told in ((59, False), (60, True)):
        score = metric().score(asked, make_prediction(Evidence(spans=(Span(0, end), S[0]))))
        assert score.values["f1"] == 1.0
        notes = {pool.note for pool in metric().pool([score], Submission(predictions={}))}
        assert [
            "1 question with evidence at least three times as long" in note for note in notes
        ] == [told]


def test_missing_evidence_scores_zero_and_missing_gold_is_not_scored():
    asked = question(Evidence(option_label="A", spans=(S[0],)))
    scores = [metric().score(asked, None), metric().score(question(), make_prediction())]
    assert [score.values["f1"] for score in scores] == [0.0, None]
    pools = metric().pool(scores, Submission(predictions={}))
    assert [pool.metric for pool in pools] == [
        "evidence.precision",
        "evidence.recall",
        "evidence.f1",
    ]
    assert (pools[2].n_questions, pools[2].n_scored, value(pools[2])) == (2, 1, 0.0)
    assert pools[2].note == "mean over 1 option"
    whole = question(Evidence(spans=(S[0],)))  # of no option
    pools = metric().pool([metric().score(whole, None)], Submission(predictions={}))
    assert pools[2].note == "mean over 1 question"
    assert official(scores[1:]) == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


def pool_predictions(*predictions):
    """The pool of evidence.f1 over so many questions with gold, each with its prediction."""
    asked = question(Evidence(option_label="A", spans=(S[0],)))
    named = {str(place): one for place, one in enumerate(predictions) if one is not None}
    scores = [
        msgspec.structs.replace(metric().score(asked, one), question_id=str(place))
        for place, one in enumerate(predictions)
    ]
    return metric().pool(scores, Submission(predictions=named))[2]


ANSWERED = Prediction(question_id="q", answer=Answer(kind="choice", label="A"))
FAILED = Prediction(question_id="q", error="RuntimeError: no")
FOUND_NOTHING = make_prediction(Evidence(option_label="A"))


@pytest.mark.parametrize("others", [(), (FAILED,), (None,)])
def test_a_reader_without_evidence_has_no_value(others):
    """A 0 would say that it looked for evidence and found the wrong."""
    pool = pool_predictions(ANSWERED, ANSWERED, *others)
    assert value(pool) is None
    assert (pool.n_questions, pool.n_scored) == (2 + len(others), 0)
    assert pool.note == "no prediction has evidence"


@pytest.mark.parametrize(
    ("predictions", "expected", "told"),
    [
        ((ANSWERED, make_prediction(Evidence(spans=(S[0],)))), 0.5, "1 prediction has no evidence"),
        ((ANSWERED, FOUND_NOTHING), 0.0, "1 prediction has no evidence"),
        ((FOUND_NOTHING,), 0.0, ""),
        ((FAILED, None), 0.0, ""),
    ],
)
def test_a_reader_with_some_evidence_or_only_failures_has_a_value(predictions, expected, told):
    pool = pool_predictions(*predictions)
    assert value(pool) == expected
    assert pool.n_scored == len(predictions)
    assert pool.n_answered == sum(one not in (None, FAILED) for one in predictions)
    assert told in pool.note and ("no evidence" in pool.note) == bool(told)


@pytest.mark.parametrize("gives", [True, False])
def test_a_subset_has_a_value_if_the_whole_has(gives):
    """Predictions without evidence count as 0 in their own part, too: the whole is its parts'."""
    asked = question(Evidence(option_label="A", spans=(S[0],)))
    found = make_prediction(Evidence(spans=(S[0],))) if gives else ANSWERED
    named = {"1": found, "2": found, "3": ANSWERED, "4": ANSWERED, "5": FAILED, "6": FAILED}
    scores = [
        msgspec.structs.replace(metric().score(asked, one), question_id=name)
        for name, one in named.items()
    ]
    submission = Submission(predictions=named)
    parts = summarize_breakdowns(
        metric(),
        [({"kind": "xxyyzz"[place]}, score) for place, score in enumerate(scores)],
        submission,
        None,
        tags=["kind"],
        sizes={("kind", kind): 2 for kind in "xyz"},
    )["kind"]
    f1 = [parts[kind]["evidence.f1"] for kind in "xyz"]
    whole = metric().pool(scores, submission)[2]
    if not gives:
        assert [one.value for one in f1] == [value(whole)] * 3 == [None] * 3
        return
    assert [(one.value, one.n_scored) for one in f1] == [(1.0, 2), (0.0, 2), (0.0, 2)]
    assert f1[1].note == "mean over 2 options; 2 predictions have no evidence and count as 0"
    assert sum(one.value * one.n_scored for one in f1) / 6 == value(whole)
