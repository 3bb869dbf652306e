"""What an option drops of its evidence and exchanges, on sentences that the eye can check."""

import math

import pytest

from closeread.evidence.cover import explain
from closeread.readers.cue_turns import turns
from closeread.readers.cue_words import lexicon
from closeread.types import Option, Passage, Question


def turned(text, option, language="zh"):
    passage = Passage(passage_id="p", text=text, language=language)
    question = Question(
        question_id="q",
        passage_id="p",
        text="",
        kind="verification",
        options=(Option(label="A", text=option),),
    )
    explanation = explain(question, passage, question.options[0])
    return turns(option, explanation, passage, lexicon(language))


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
def test_what_is_dropped_and_exchanged(said, told, names):
    """Beside the pieces that both share, by category."""
    assert set(turned(said, told)) == names


def test_each_group_counts_as_one():
    """However much is dropped, and apart from what is exchanged."""
    found = turned("沙丘上的甲虫往往收集雾水。", "沙丘上的甲虫收集雾水。")
    dropped = [value for name, value in found.items() if name.startswith("dropped")]
    assert math.sqrt(sum(value**2 for value in dropped)) == pytest.approx(1.5)
    assert found["swap:part>nothing"] == pytest.approx(1.5)


def test_a_cue_far_from_the_pieces_was_not_dropped():
    """The evidence says more than the option; that is no turn."""
    far = "可能那一年雨季来得迟，天空阴沉，沙丘上的甲虫收集雾水。"
    assert turned(far, "沙丘上的甲虫收集雾水。") == {}


def test_english_hedges_too():
    """By whole words."""
    found = turned("Most beetles usually collect water.", "Most beetles collect water.", "en")
    assert "dropped-category:part" in found
    assert turned("Beetles collect water.", "Beetles collect water.", "en") == {}
    assert turned("甲虫可能收集雾水。", "甲虫收集雾水。", "fr") == {}
