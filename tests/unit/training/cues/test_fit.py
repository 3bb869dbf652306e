"""How the cue reader's ridge trusts features, and how its held-out folds are dealt."""

import numpy as np
import pytest
from msgspec import structs
from scipy.sparse import csr_array

from closeread.registry.factory import make
from closeread.training.cues.examples import Example, make_examples, rankable_questions, statements
from closeread.training.cues.fit import cues_alone, fit, score_options, trust_scales
from closeread.training.overlap import Overlap
from closeread.types import Answer, Option, Passage, Question


def example(gold, *features):
    truth = tuple(place == gold for place in range(len(features)))
    return Example(truth=truth, gold=frozenset({gold}), sign=1.0, features=features)


def test_informative_cues_get_larger_weights():
    """By half of its log-count ratio over the mean, so 1 on the average; no cue counts half."""
    names = ["added:都", "answer/cue:了", "style:length"]
    # rows 0, 2, 4 are true; 都 stands in false options alone, 了 in both alike
    matrix = csr_array(
        np.array([[0, 1, 3], [1, 1, 5], [0, 1, 2], [1, 1, 2], [0, 0, 2], [1, 0, 2]], dtype=float)
    )
    found = trust_scales(names, matrix, np.array([[0, 1], [2, 3], [4, 5]]))
    ratio = np.log(4)  # (0 + 1) to (3 + 1)
    assert found == pytest.approx([(ratio / (ratio / 2) + 1) / 2, 0.5, 0.5])
    assert found[:2].mean() == pytest.approx(1.0)


def test_cues_in_the_evidence_get_half_the_weight():
    """It says little that the cue itself does not say."""
    matrix = csr_array(np.ones((2, 4)))
    names = ["kept:都", "answer/kept:了", "category-kept:all", "new:灯塔"]
    assert trust_scales(names, matrix, np.array([[0, 1]])) == pytest.approx([0.5, 0.5, 1, 1])


def test_uninformative_cues_get_equal_weights():
    """No ratio, no division by nothing; without cues neither."""
    matrix = csr_array(np.ones((2, 2)))
    pairs = np.array([[0, 1]])
    assert trust_scales(["cue:a", "before:x|a"], matrix, pairs) == pytest.approx([1, 1])
    assert trust_scales(["style:a", "cover:b"], matrix, pairs) == pytest.approx([0.5, 0.5])


def test_separating_features_get_the_weight():
    """Of words that stand as often, only what goes with falsehood is held against an option."""
    examples = [
        example(0, {"cue:有": 1.0, "cue:可": 1.0}, {"cue:有": 1.0, "cue:都": 1.0}),
        example(1, {"cue:有": 1.0, "cue:都": 1.0}, {"cue:可": 1.0}),
        example(0, {"cue:可": 1.0}, {"cue:都": 1.0, "cue:有": 1.0}),
    ] * 3
    weights = fit(examples, 1.0)
    assert weights["cue:都"] < -0.3 < weights["cue:有"] < 0.3 < weights["cue:可"]
    for one in examples:
        scores = score_options(weights, one)
        assert scores.index(max(scores)) in one.gold


def test_the_ridge_pulls_towards_previous_weights():
    """What says nothing keeps its weight, what was seen only before too; what speaks moves."""
    seen = [example(0, {"cue:有": 1.0}, {"cue:都": 1.0})] * 5
    before = {"cue:有": -0.4, "cue:都": 0.0, "cue:惟": -0.7}
    weights = fit(seen, 1.0, before=before)
    assert weights["cue:惟"] == -0.7
    assert weights["cue:有"] > 0 > weights["cue:都"]
    assert fit(seen, 1e6, before=before)["cue:有"] == pytest.approx(-0.4, abs=1e-3)


def test_training_on_cues_alone_omits_evidence_features():
    features = {"answer/cue:都": 1.0, "cover:share": 0.5, "swap:all>part": 1.0, "rank:length": 1.0}
    (one,) = cues_alone([example(0, features, {"new:灯塔": 1.0, "answer/support": 2.0})])
    assert one.features == ({"answer/cue:都": 1.0, "swap:all>part": 1.0}, {"new:灯塔": 1.0})
    assert (one.truth, one.gold) == ((True, False), frozenset({0}))


def test_questions_are_streamed_one_at_a_time():
    """What comes first may be large: its features are made and forgotten."""
    seen = [
        example(0, {"cue:有": 1.0, "cue:可": 0.0}, {"cue:都": 2.0}),
        example(1, {"cue:都": 1.0, "cue:惟": 1.0}, {"cue:可": 1.0, "cue:有": 1.0}),
    ] * 3
    weights = fit(iter(seen), 1.0)
    assert weights == fit(seen, 1.0)
    assert list(weights) == ["cue:可", "cue:惟", "cue:有", "cue:都"]
    assert "cue:可" not in fit(seen, 1.0, least=4)


def make_premise_pair(premise, hypothesis, label, name):
    """As the reader of NLI files yields it."""
    return (
        Passage(passage_id=premise, text=premise, language="zh"),
        (
            Question(
                question_id=name,
                passage_id=premise,
                text=hypothesis,
                kind="entailment",
                options=(
                    Option(label="A", text="entailment"),
                    Option(label="B", text="neutral"),
                    Option(label="C", text="contradiction"),
                ),
                answers=(Answer(kind="choice", label="ABC"[len(label) % 3], texts=(label,)),),
            ),
        ),
    )


CHOSEN = (
    Passage(passage_id="p", text="桥是石头的。", language="zh"),
    (
        Question(
            question_id="c",
            passage_id="p",
            text="不符合原文的是",
            kind="choice",
            asks_for="contradicted",
            options=(Option(label="A", text="桥是木头的"), Option(label="B", text="桥是石头的")),
            answers=(Answer(kind="choice", label="A"),),
        ),
    ),
)
SETS = {
    "nli": [
        make_premise_pair("灯亮了", "灯没有亮", "contradiction", "1"),
        make_premise_pair("船来了", "船到了", "entailment", "2"),
        make_premise_pair("灯亮了", "灯亮着", "entailment", "3"),
        make_premise_pair("灯亮了", "天黑了", "neutral", "4"),
    ],
    "choice": [CHOSEN],
}


def test_hypotheses_of_a_premise_are_ranked_together():
    """A premise with one alone says nothing; what a choice's options say is as the stem implies."""
    found, n_left_out = statements(["nli", "choice"], SETS.__getitem__, Overlap(()))
    assert n_left_out == 0
    chosen, joined = found
    assert chosen.question.kind == joined.question.kind == "verification"
    assert chosen.question.option_truth == (False, True)
    assert [option.text for option in joined.question.options] == ["灯没有亮", "灯亮着", "天黑了"]
    assert joined.question.option_truth == (False, True, None)
    assert joined.passage.text == "灯亮了"


def test_names_of_features_are_stored_once():
    """Of tens of thousands of options each has a hundred: what is 0 is not kept, nor a copy."""
    found, _ = rankable_questions(["choice"], [], SETS.__getitem__)
    (one,) = make_examples(found, make("retriever", "cover")[0])
    first, second = one.features
    assert all(first.values())
    assert all(second.values())
    same = {id(name) for name in first} & {id(name) for name in second}
    assert len(same) == len(first.keys() & second.keys()) > 20


def test_labels_match_in_any_case():
    """As in rows of one's own; an answer that no class is known by says nothing."""

    def labelled(answer):
        passage, (question,) = make_premise_pair("灯亮了", "灯亮着", "entailment", "1")
        return passage, (structs.replace(question, answers=(answer,)),)

    rows = [
        labelled(Answer(kind="choice", label="C")),
        labelled(Answer(kind="choice", texts=("Entailment",))),
        labelled(Answer(kind="choice", label="Z")),
    ]
    ((joined,), _) = statements(["rows"], {"rows": rows}.__getitem__)
    assert joined.question.option_truth == (False, True, None)


def test_premises_are_not_choice_questions():
    """The last training takes the choice alone, as it stands; what is held is left out."""
    found, n_left_out = rankable_questions(["nli", "choice"], [], SETS.__getitem__, Overlap(()))
    assert [one.question for one in found] == list(CHOSEN[1])
    assert n_left_out == 0
    long = "这座桥是石头的，建于三百年前，桥上刻着狮子。"
    held = Passage(passage_id="h", text=long, language="zh")
    for names in (["choice"], ["nli"]):
        within = {name: [(held, asked) for _, asked in SETS[name]] for name in names}
        known = Overlap([(held, ())])
        assert statements(names, within.__getitem__, Overlap(()), known)[0] == []


def test_a_verification_stem_makes_a_choice_a_verification():
    """Where the recipe says so; of such a set nothing else is taken."""
    passage, (chosen,) = CHOSEN
    other = structs.replace(chosen, question_id="d", text="桥是谁建的", asks_for=None)
    without = Passage(passage_id="n", text="", language="zh")
    sets = {"mixed": [(passage, (chosen, other)), (without, (chosen,))]}
    found, _ = rankable_questions([], ["mixed"], sets.__getitem__, Overlap(()))
    assert [one.question for one in found] == [structs.replace(chosen, kind="verification")]
    found, _ = rankable_questions(["mixed"], [], sets.__getitem__, Overlap(()))
    assert [one.question.kind for one in found] == ["choice"] * 3
    found, _ = rankable_questions(["mixed"], ["mixed"], sets.__getitem__, Overlap(()))
    assert [one.question.kind for one in found] == ["choice"] * 3 + ["verification"]
