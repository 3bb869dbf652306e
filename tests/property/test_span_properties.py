"""Span scorers keep their promises over adversarial strings."""

import string
from collections import Counter
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeread.metrics import cmrc, mrqa, squad, squad2
from closeread.metrics.matching.segmentation import Segmenter
from closeread.metrics.summary import summarize
from closeread.text import normalize
from closeread.types import Answer, Prediction, Question, Submission

SPACES = list(" \t\n\r\v\f\x1c\x1f\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000")
PIECES = [
    *("a", "an", "the", "The", "AN", "A", "theatre", "ana", "cat", "New York", "1998", "x_y"),
    *("a\u0301", "e\u0301", "\u0301", "İ", "ı", "ẞ", "ß", "ΣΑΣ", "ǅ", "\u212a", "ﬁ", "Ⅳ", "²"),
    *("’s", "‘", "—", "…", "……", "。", "，", "北京", "书", "龥", "龦", "ω-force", "𠮷", "\ud800"),
    *("\x00", "\x07", "\x7f", "\u200b", "\ufeff", "①", "１２", "3.5", "don't", "U.S.", "e.g. x"),
    *string.punctuation,
    *SPACES,
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=9).map("".join),
    st.lists(st.sampled_from(["a", "b", "the", "c", "B."]), max_size=9).map(" ".join),
    st.text(max_size=12),
)
GOLDS = st.lists(TEXTS, min_size=1, max_size=4)


def slow_normalise(text):
    """Lower; ASCII marks out; runs of word characters that are an article become a blank."""
    kept = [char for char in text.lower() if char not in string.punctuation]
    runs = ["".join(run) for _, run in groupby(kept, lambda char: char.isalnum() or char == "_")]
    return " ".join("".join(" " if run in {"a", "an", "the"} else run for run in runs).split())


def slow_f1(predicted, gold, both_empty):
    if not predicted or not gold:
        return both_empty if predicted == gold else 0.0
    same = sum((Counter(predicted) & Counter(gold)).values())
    if not same:
        return 0.0
    precision, recall = 1.0 * same / len(predicted), 1.0 * same / len(gold)
    return 2 * precision * recall / (precision + recall)


def slow_score(prediction, golds, both_empty):
    said = slow_normalise(prediction)
    wanted = [slow_normalise(gold) for gold in golds]
    best = max(slow_f1(said.split(), gold.split(), both_empty) for gold in wanted)
    return float(said in wanted), best


def question(name, golds):
    answers = tuple(Answer(kind="span", texts=(gold,)) for gold in golds)
    return Question(
        question_id=name,
        passage_id="",
        text="",
        kind="span",
        answers=answers or (Answer(kind="none"),),
    )


def prediction(name, text):
    return Prediction(question_id=name, answer=Answer(kind="span", texts=(text,)))


METRICS = [mrqa.metric(), squad.metric(), cmrc.Cmrc(segmenter=Segmenter(punkt=False))]
EVERY = pytest.mark.parametrize("metric", [*METRICS, squad2.metric()], ids=lambda one: one.name)


@settings(max_examples=600)
@given(TEXTS)
def test_the_fast_normaliser_equals_the_slow_one(text):
    assert normalize.squad(text) == normalize.mrqa(text) == slow_normalise(text)
    assert normalize.squad_words(text) == tuple(slow_normalise(text).split())


@settings(max_examples=600)
@given(TEXTS)
def test_normalisers_are_idempotent(text):
    assert normalize.squad(normalize.squad(text)) == normalize.squad(text)


@settings(max_examples=600)
@given(TEXTS, GOLDS, st.booleans())
def test_fast_scores_equal_slow_ones_to_the_last_bit(text, golds, repeat):
    golds = [*golds, text] if repeat else golds
    for metric in METRICS[:2]:
        score = metric.score(question("q", golds), prediction("q", text))
        expected = slow_score(text, golds, 0.0)
        assert (score.values["em"], score.values["f1"]) == expected


@settings(max_examples=600)
@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_fast_scores_with_no_answer_equal_slow_ones(text, golds):
    score = squad2.metric().score(question("q", golds), prediction("q", text))
    wanted = [gold for gold in golds if slow_normalise(gold)] or [""]
    half = "hasans" if golds else "noans"
    exact, f1 = slow_score(text, wanted, 1.0)
    assert score.values == {"em": exact, "f1": f1, f"{half}_em": exact, f"{half}_f1": f1}


def slow_run(left, right):
    ends, longest = {}, 0
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            if one == other:
                ends[i, j] = ends.get((i - 1, j - 1), 0) + 1
                longest = max(longest, ends[i, j])
    return longest


@given(st.lists(st.sampled_from("abcd"), max_size=30), st.lists(st.sampled_from("abcde")))
def test_the_longest_common_run_is_found(left, right):
    assert cmrc.longest_run(left, right) == slow_run(left, right)
    assert cmrc.longest_run(right, left) == slow_run(left, right)


@given(TEXTS)
def test_segments_lose_only_white_space(text):
    segments = Segmenter(punkt=False).mixed(text)
    # NLTK rewrites straight quotation marks and nothing else.
    if '"' not in text:
        assert "".join("".join(segments).split()) == "".join(text.split())


@EVERY
@given(text=TEXTS, golds=GOLDS, more=TEXTS)
def test_adding_a_gold_never_lowers_a_score(metric, text, golds, more):
    before = metric.score(question("q", golds), prediction("q", text)).values
    after = metric.score(question("q", [*golds, more]), prediction("q", text)).values
    if metric.name == "squad2" and not any(map(normalize.squad, golds)):
        return  # A gold that normalises to nothing is dropped as soon as another one is there.
    assert all(after[name] >= before[name] for name in before)


FILES = st.lists(st.tuples(GOLDS, TEXTS), min_size=1, max_size=6)


def summaries(metric, file, missing=None):
    questions = [question(str(place), golds) for place, (golds, _) in file]
    said = {str(place): prediction(str(place), text) for place, (_, text) in file}
    said.pop(str(missing), None)
    scores = [metric.score(one, said.get(one.question_id)) for one in questions]
    return summarize(metric, scores, Submission(predictions=said), None)


@EVERY
@given(file=FILES, random=st.randoms(use_true_random=False))
def test_the_order_of_the_questions_changes_no_summary(metric, file, random):
    numbered = list(enumerate(file))
    shuffled = random.sample(numbered, len(numbered))
    assert summaries(metric, numbered) == summaries(metric, shuffled)


@pytest.mark.parametrize("metric", METRICS, ids=lambda one: one.name)
@given(file=FILES)
def test_a_missing_prediction_never_raises_a_summary(metric, file):
    numbered = list(enumerate(file))
    whole = summaries(metric, numbered)
    for place, _ in numbered:
        for before, after in zip(whole, summaries(metric, numbered, place), strict=True):
            assert after.value <= before.value
            assert after.n_answered == before.n_answered - 1
            assert after.n_scored == before.n_scored
