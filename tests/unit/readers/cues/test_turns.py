"""What an option drops of its evidence and exchanges, on sentences that the eye can check."""

import math

import pytest

from closeread.evidence.claims.explanation import explain_claim
from closeread.evidence.cover import explain
from closeread.readers.cues.passage import PassageIndex
from closeread.readers.cues.turns import turn_features
from closeread.types import Evidence, Option, Passage, Question, Span


def find_turns(text, option, language="zh"):
    passage = Passage(passage_id="p", text=text, language=language)
    question = Question(
        question_id="q",
        passage_id="p",
        text="",
        kind="verification",
        options=(Option(label="A", text=option),),
    )
    explanation = explain(question, passage, question.options[0])
    return turn_features(option, explanation, PassageIndex(passage))


@pytest.mark.parametrize(
    ("said", "told", "names"),
    [
        (  # a hedge left out between two pieces
            "沙丘上的甲虫往往收集雾水。",
            "沙丘上的甲虫收集雾水。",
            {"dropped-category:part", "dropped-in:part", "swap:part>nothing"},
        ),
        (  # one for another; both stand between the pieces
            "沙丘上的甲虫往往收集雾水。",
            "沙丘上的甲虫必定收集雾水。",
            {"dropped-category:part", "dropped-in:part", "swap:part>must"},
        ),
        (  # put in where the passage says nothing
            "沙丘上的甲虫收集雾水。",
            "沙丘上的甲虫未必收集雾水。",
            {"swap:nothing>part"},
        ),
        (  # in place of a word that is no cue
            "沙丘上的甲虫夜晚收集雾水。",
            "沙丘上的甲虫全部收集雾水。",
            {"swap:other>all"},
        ),
        (  # beside the first piece
            "可能沙丘上的甲虫收集雾水。",
            "沙丘上的甲虫收集雾水。",
            {"dropped-category:may", "dropped-edge:may"},
        ),
        ("沙丘上的甲虫收集雾水。", "沙丘上的甲虫收集雾水。", set()),
    ],
)  # fmt: skip
def test_dropped_and_swapped_cues(said, told, names):
    """Beside the pieces that both share, by category."""
    assert set(find_turns(said, told)) == names


def test_each_group_counts_as_one():
    """However much is dropped, and apart from what is exchanged."""
    found = find_turns("沙丘上的甲虫往往收集雾水。", "沙丘上的甲虫收集雾水。")
    dropped = [value for name, value in found.items() if name.startswith("dropped")]
    assert math.sqrt(sum(value**2 for value in dropped)) == pytest.approx(1.5)
    assert found["swap:part>nothing"] == pytest.approx(1.5)


def test_a_cue_far_from_the_pieces_was_not_dropped():
    """The evidence says more than the option; that is no turn."""
    far = "可能那一年雨季来得迟，天空阴沉，沙丘上的甲虫收集雾水。"
    assert find_turns(far, "沙丘上的甲虫收集雾水。") == {}


def test_english_hedges_are_cues():
    """By whole words."""
    found = find_turns("Most beetles usually collect water.", "Most beetles collect water.", "en")
    assert "dropped-category:part" in found
    assert find_turns("Beetles collect water.", "Beetles collect water.", "en") == {}
    assert find_turns("甲虫可能收集雾水。", "甲虫收集雾水。", "fr") == {}


def turns_over(said, option, *spans):
    """The turns of an option over sentences of one's own choice, by group."""
    passage = Passage(passage_id="p", text=said, language="zh")
    evidence = Evidence(spans=tuple(Span(*span) for span in spans or ((0, len(said)),)))
    read = PassageIndex(passage)
    return set(turn_features(option, explain_claim(option, read.sentences, evidence), read))


@pytest.mark.parametrize(
    ("said", "dropped"),
    [
        ("可能戊戊戊戊沙丘上的甲虫收集雾水。", True),  # it begins six characters before the piece
        ("可能戊戊戊戊戊沙丘上的甲虫收集雾水。", False),
        ("沙丘上的甲虫收集雾水戊可能。", True),  # one character behind it
        ("沙丘上的甲虫收集雾水戊戊可能。", False),
    ],
)
def test_a_dropped_cue_is_near_the_shared_pieces(said, dropped):
    """Six characters before them, one behind."""
    expected = {"dropped-category:may", "dropped-edge:may"} if dropped else set()
    assert turns_over(said, "沙丘上的甲虫收集雾水。") == expected


@pytest.mark.parametrize("option", ["沙丘上的甲虫收集雾水，往往。", "通常沙丘上的甲虫收集雾水。"])
def test_a_cue_elsewhere_in_the_option_was_not_dropped(option):
    """The word itself, or one of its category."""
    assert turns_over("沙丘上的甲虫往往收集雾水。", option) == {"swap:part>nothing"}


@pytest.mark.parametrize(
    ("said", "option", "swapped"),
    [
        ("沙丘上的甲虫收集雾水。", "沙丘上的甲虫戊戊戊戊戊都收集雾水。", {"swap:nothing>all"}),
        ("沙丘上的甲虫收集雾水。", "沙丘上的甲虫戊戊戊戊戊戊都收集雾水。", set()),
        ("沙丘上的甲虫戊戊戊戊戊戊往往收集雾水。", "沙丘上的甲虫收集雾水。", {"swap:part>nothing"}),
        ("沙丘上的甲虫戊戊戊戊戊戊戊往往收集雾水。", "沙丘上的甲虫收集雾水。", set()),
        ("收集雾水沙丘上的甲虫。", "沙丘上的甲虫都收集雾水。", set()),
    ],
)
def test_pieces_around_a_swap_have_a_maximum_distance(said, option, swapped):
    """Six characters of the option, eight of the passage, and in the same order."""
    assert {name for name in turns_over(said, option) if name.startswith("swap")} == swapped


def test_each_sentence_has_its_own_cues_and_pieces():
    """Of the first sentence nothing is in the option; of the second, all but one word."""
    said, option = "灯塔亮了。沙丘上的甲虫往往收集雾水。", "沙丘上的甲虫收集雾水。"
    turned = {"dropped-category:part", "dropped-in:part", "swap:part>nothing"}
    assert turns_over(said, option, (0, 5), (5, 18)) == turned
    assert turns_over(said, f"灯塔亮了，{option}", (0, 5), (5, 18)) == turned
    beside = "沙丘上的甲虫收集雾水。可能下雨。"
    assert turns_over(beside, option, (0, 11), (11, 16)) == set()
    assert turns_over(beside, option) == {"dropped-category:may", "dropped-edge:may"}


def test_every_gap_between_pieces_is_compared():
    """In each the cue that stands there alone."""
    said = "沙丘上的甲虫往往收集雾水必定喝光泉水。"
    found = turns_over(said, "沙丘上的甲虫收集雾水可能喝光泉水。")
    assert {name for name in found if name.startswith("swap")} == {
        "swap:part>nothing",
        "swap:must>may",
    }


def test_nothing_is_swapped_across_sentences():
    """The pieces lie side by side in the option, and in two sentences of the evidence."""
    said, option = "沙丘上的甲虫。收集雾水。", "沙丘上的甲虫都收集雾水。"
    assert turns_over(said, option, (0, 12)) == {"swap:other>all"}
    assert turns_over(said, option, (0, 7), (7, 12)) == set()
