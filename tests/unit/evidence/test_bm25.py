"""BM25 by hand, and its search."""

import math

import pytest

from closeread.errors import UsageError
from closeread.evidence.bm25 import bm25, grid
from closeread.types import Option, Passage, Question

PASSAGE = Passage(passage_id="p", text="Sheep graze here. Sheep meet sheep. Ferries left port.")
QUESTION = Question(question_id="q", passage_id="p", text="?", kind="verification")


def retrieve(text, **options):
    option = Option(label="A", text=text)
    return bm25(**options).retrieve(QUESTION, PASSAGE, option)


def test_the_score_is_lucenes_formula():
    """Sentence lengths 2, 3, 3 (here is a function word), mean 8/3; "sheep" in 2 of 3."""
    evidence = retrieve("sheep")
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = idf * 2 / (2 + 0.9 * (0.6 + 0.4 * 3 / (8 / 3)))
    assert evidence.score == pytest.approx(expected, abs=1e-6)
    assert [span.of(PASSAGE.text) for span in evidence.spans] == ["Sheep meet sheep."]


def test_the_bounds_of_the_ranges_are_allowed():
    """With k1 0 a word counts once however often it comes, and the earlier sentence is taken."""
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    for b in (0.0, 1.0):
        assert retrieve("sheep", k1=0.0, b=b).score == pytest.approx(idf, abs=1e-6)
    assert retrieve("sheep", b=0.0).score == pytest.approx(idf * 2 / (2 + 0.9), abs=1e-6)
    assert retrieve("sheep", b=1.0).score == pytest.approx(idf * 2 / (2 + 0.9 * 9 / 8), abs=1e-6)


def test_stop_words_can_be_given():
    assert retrieve("here").spans == ()
    assert len(retrieve("here", stop_words="none").spans) == 1


def test_a_repeated_query_word_counts_twice():
    assert retrieve("sheep sheep").score == pytest.approx(2 * retrieve("sheep").score, abs=2e-6)


def test_the_top_two_are_in_text_order():
    assert [s.start for s in retrieve("sheep meet ferries", k=2).spans] == sorted(
        s.start for s in retrieve("sheep meet ferries", k=2).spans
    )
    assert len(retrieve("sheep", k=2).spans) == 2


def test_a_sentence_without_query_words_is_never_taken():
    assert len(retrieve("port", k=3).spans) == 1
    assert retrieve("nowhere", k=3).spans == ()


def test_equal_sentences_stay_distinct_and_the_first_comes_first():
    passage = Passage(passage_id="p", text="Sheep graze. Nobody sang. Sheep graze.")
    option = Option(label="A", text="sheep graze")
    one = bm25().retrieve(QUESTION, passage, option)
    two = bm25(k=2).retrieve(QUESTION, passage, option)
    assert [span.start for span in one.spans] == [0]
    assert [span.start for span in two.spans] == [0, 26]


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"k1": -1.0}, {"k1": math.inf}, {"k1": float("nan")}, {"b": 1.5}]
)
def test_numbers_out_of_range_are_rejected(wrong):
    with pytest.raises(UsageError, match="k at least 1, k1 >= 0, b from 0 to 1"):
        bm25(**wrong)


def test_the_grid_finds_the_best_pair_and_breaks_ties_downwards():
    rows = grid(lambda k1, b: -abs(k1 - 1.2) - 0.0 * b)
    assert rows[0] == (0.0, 1.2, 0.0)
    assert len(rows) == 36


def test_the_score_is_that_of_the_best_sentence_and_k_can_be_lowered():
    two = retrieve("sheep", k=2)
    assert (len(two.spans), two.score) == (2, retrieve("sheep").score)
    option = Option(label="A", text="sheep")
    assert len(bm25(k=2).retrieve(QUESTION, PASSAGE, option, 1).spans) == 1
    nothing = bm25().retrieve(QUESTION, Passage(passage_id="p", text=""), option)
    assert (nothing.spans, nothing.score) == ((), None)


def test_a_passage_is_split_by_its_language():
    passage = Passage(passage_id="p", text="牛喝水!羊吃草?船过河", language="zh")
    option = Option(label="A", text="羊吃草")
    evidence = bm25(words="characters").retrieve(QUESTION, passage, option)
    assert [span.of(passage.text) for span in evidence.spans] == ["羊吃草?"]


def test_the_query_depends_on_the_kind_of_question():
    """A choice's option is read behind its stem, or in the stem's blank."""
    from closeread.evidence.query import query_text

    option = Option(label="A", text="sheep")

    def stem(text, kind):
        return Question(question_id="q", passage_id="p", text=text, kind=kind)

    assert query_text(stem("Which is true?", "verification"), option) == "sheep"
    assert query_text(stem("What grazes?", "choice"), option) == "What grazes? sheep"
    assert query_text(stem("On hills _ graze.", "choice"), option) == "On hills  sheep  graze."
    assert query_text(stem("羊吃（ ）", "choice"), option) == "羊吃 sheep"
    assert query_text(stem("What grazes?", "span"), None) == "What grazes?"
    assert query_text(stem("", "choice"), option) == "sheep"
    for blank in ("___", "( )", "()", "（　）", "（）"):  # the first blank alone is filled
        assert query_text(stem(f"{blank} graze{blank}", "choice"), option) == f"sheep  graze{blank}"
