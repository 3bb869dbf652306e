"""Each feature of the cue reader, on pairs so small that the eye can check them."""

import math

import pytest

from closeread.evidence.cover import explain
from closeread.readers.cues.features import features
from closeread.readers.cues.passage import PassageIndex
from closeread.readers.cues.words import lexicon
from closeread.types import Option, Passage, Question


def option_features(
    text, *options, asks_for="supported", language="zh", kind="verification", stem="下列正确的是"
):
    passage = Passage(passage_id="p", text=text, language=language)
    question = Question(
        question_id="q",
        passage_id="p",
        text=stem,
        kind=kind,
        asks_for=asks_for,
        options=tuple(
            Option(label=label, text=option) for label, option in zip("ABCD", options, strict=False)
        ),
    )
    return features(
        question,
        PassageIndex(passage),
        [explain(question, passage, option) for option in question.options],
    )


def first_option_features(text, option, **given):
    return option_features(text, option, **given)[0]


def test_a_quantifier_that_the_evidence_lacks_is_added():
    """都 stands in the option alone; 能 stands in both."""
    found = first_option_features("沙丘上的一些甲虫能收集雾水。", "沙丘上的甲虫都能收集雾水。")
    assert found["added:都"] == found["category-added:all"] > 0
    assert found["kept:能"] == found["category-kept:may"] > 0
    assert "kept:都" not in found


def test_swapped_words_are_distinguished_from_added_ones():
    """The evidence says 已经, the option 曾经: of the same category, not the same word."""
    found = first_option_features("灯塔已经停用。", "灯塔曾经停用。")
    assert found["added:曾经"] == found["category-turned:done"] > 0
    assert "category-added:done" not in found


@pytest.mark.parametrize(
    ("category", "said", "told"),
    [
        ("only", "苔藓靠雾水生长。", "苔藓只有靠雾水生长。"),
        ("may", "苔藓靠雾水生长。", "苔藓可能靠雾水生长。"),
        ("cause", "雾多。苔藓厚。", "因为雾多，苔藓厚。"),
        ("purpose", "人们种树挡风。", "人们种树是为了挡风。"),
        ("soon", "桥通车。", "桥即将通车。"),
        ("not", "苔藓怕光。", "苔藓不怕光。"),
        ("condition", "雾多，苔藓厚。", "如果雾多，苔藓厚。"),
    ],
)
def test_every_kind_of_turn_has_a_category(category, said, told):
    """What is put in shows; the option as it was shows nothing of the kind."""
    assert first_option_features(said, told)[f"category-added:{category}"] > 0
    assert f"category-added:{category}" not in first_option_features(said, said)


def test_the_longest_cue_wins():
    """只有 is not also read as 只."""
    assert [cue.word for cue in lexicon("zh").find("只有风")] == ["只有"]


def test_cue_counts_are_scaled_to_a_typical_option():
    """Where an option has many, each counts the less; the length of all is the same."""
    few = first_option_features("灯塔停用。", "灯塔已经停用。")
    many = first_option_features("灯塔停用。", "灯塔已经全部停用，可能因为雾大，所以渔船都不来。")
    assert few["added:已经"] > many["added:已经"] > 0
    groups = ("cue", "kept", "added", "category", "before", "after", "then")
    for found in (few, many):
        own = [v for name, v in found.items() if name.partition(":")[0].partition("-")[0] in groups]
        assert math.hypot(*own) == pytest.approx(4.7)


def test_options_that_answer_have_features_of_their_own():
    """All of them under answer/; one stands by the stem's words, one far off, one nowhere."""
    text = f"老石桥在村东。红木桥是安娜修的。{'这里写的全是天气和海雾。' * 6}水车旁住着骆驼。"
    found = option_features(text, "安娜", "骆驼", "鲸鱼", kind="choice", stem="红木桥是谁修的？")
    assert all(name.startswith("answer/") for options in found for name in options)
    near, far, nowhere = found
    assert near["answer/stem:near"] > far["answer/stem:near"]
    assert near["answer/stem:verbatim"] == far["answer/stem:verbatim"] == 1
    assert nowhere["answer/stem:verbatim"] == nowhere["answer/stem:near"] == 0
    assert near["answer/stem:support"] > nowhere["answer/stem:support"]
    assert near["answer/stem:ahead"] >= 0 > nowhere["answer/stem:ahead"]
    statements = option_features(text, "安娜", "骆驼")
    assert not any(name.startswith("answer/") for options in statements for name in options)


def test_english_cues_are_whole_words():
    """The all in wall is no quantifier; capitals do not matter."""
    assert [cue.word for cue in lexicon("en").find("The wall is ALL white.")] == ["all"]


def test_a_language_without_a_list_has_no_cues():
    """No words, no error."""
    assert lexicon("fi").find("kaikki linnut") == []


def test_a_changed_number_is_a_feature():
    """1870 is in the passage and not in the sentence; 1990 is nowhere."""
    text = "灯塔建于1850年。后来这里来了一位画家，那是1870年。"
    assert first_option_features(text, "灯塔建于1850年。")["number:not-in-evidence"] == 0
    moved = first_option_features(text, "灯塔建于1990年。")
    assert moved["number:not-in-evidence"] == moved["number:not-in-passage"] == 1


def test_pieces_in_another_order_are_inverted():
    """Premise and conclusion change places."""
    text = "连日的大雾笼罩海面，所以渔船全部停在港口。"
    straight = first_option_features(text, "连日的大雾笼罩海面，渔船全部停在港口。")
    turned = first_option_features(text, "渔船全部停在港口，连日的大雾笼罩海面。")
    assert straight["order:inverted"] == 0
    assert turned["order:inverted"] > 0
    assert turned["order:long-pieces-inverted"] == 1


def test_uncovered_parts_count_by_their_share():
    """An option copied whole is covered; a clause of its own making is not."""
    text = "苔藓靠雾水生长。甲虫吃苔藓。"
    copied = first_option_features(text, "苔藓靠雾水生长。")
    padded = first_option_features(text, "苔藓靠雾水生长，骆驼喜欢跳舞。")
    assert copied["cover:uncovered"] == 0 < padded["cover:uncovered"]
    assert padded["clause:last-uncovered"] > 0.5
    assert padded["cover:new-pairs"] > copied["cover:new-pairs"] == 0


def test_sibling_features_are_inverted_for_negative_stems():
    """The longest option is most in both polarities; as an answer it counts the other way."""
    options = ("苔藓生长。", "苔藓靠雾水生长得很快。")
    for asks_for, sign in (("supported", 1), ("contradicted", -1)):
        short, long = option_features("苔藓靠雾水生长。", *options, asks_for=asks_for)
        assert long["rank:style:length"] == 1
        assert short["rank:style:length"] == -1
        assert long["most:style:length"] == 1
        assert long["asked-most:style:length"] == sign


def test_an_empty_option_has_features():
    """Nothing in, numbers out."""
    for found in option_features("", "", "苔藓。"):
        assert all(map(math.isfinite, found.values()))


def test_pairs_of_characters_that_the_passage_lacks():
    """Each pair once, together of one length; none across a mark, none of words or figures."""
    found = first_option_features("灯塔建在海边。", "灯塔建在山上，山上有3只羊 goat。")
    new = {name: value for name, value in found.items() if name.startswith("new:")}
    assert list(new) == ["new:上有", "new:只羊", "new:在山", "new:山上"]
    assert math.sqrt(sum(value**2 for value in new.values())) == pytest.approx(3)
    assert not any(
        name.startswith("new:") for name in first_option_features("灯塔建在海边。", "建在海边")
    )


def test_only_statements_are_compared_with_single_stretches():
    """The fourth of four characters is another: three quarters, to the power of eight."""
    found = option_features("甲乙丙丁。", "甲乙丙丁", "甲乙丙鲸")
    assert [one["order:told"] for one in found] == [1, pytest.approx(0.75**8)]
    found = option_features("甲乙丙丁。", "甲乙丙丁", "甲乙丙鲸", kind="choice", stem="哪里？")
    assert not any("told" in name for one in found for name in one)
