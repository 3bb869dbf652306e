"""Each feature of the cue reader, on pairs so small that the eye can check them."""

import math

import pytest

from closeread.evidence.cover import explain
from closeread.evidence.explanation import Explanation, Match, explanation
from closeread.readers.cue_features import (
    _Known,
    answers,
    cover,
    cues,
    features,
    order,
    siblings,
    style,
)
from closeread.readers.cue_words import lexicon
from closeread.types import Evidence, Option, Passage, Question, Span


def judged(
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
        question, passage, [explain(question, passage, option) for option in question.options]
    )


def one(text, option, **given):
    return judged(text, option, **given)[0]


def test_a_quantifier_that_the_evidence_lacks_is_added():
    """都 stands in the option alone; 能 stands in both."""
    found = one("沙丘上的一些甲虫能收集雾水。", "沙丘上的甲虫都能收集雾水。")
    assert found["added:都"] == found["category-added:all"] > 0
    assert found["kept:能"] == found["category-kept:may"] > 0
    assert "kept:都" not in found


def test_a_word_turned_within_its_category_is_told_from_one_added():
    """The evidence says 已经, the option 曾经: of the same category, not the same word."""
    found = one("灯塔已经停用。", "灯塔曾经停用。")
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
def test_every_kind_of_turn_has_its_category(category, said, told):
    """What is put in shows; the option as it was shows nothing of the kind."""
    assert one(said, told)[f"category-added:{category}"] > 0
    assert f"category-added:{category}" not in one(said, said)


def test_the_longest_cue_wins():
    """只有 is not also read as 只."""
    assert [cue.word for cue in lexicon("zh").find("只有风")] == ["只有"]


def test_cues_together_count_as_those_of_a_usual_option():
    """Where an option has many, each counts the less; the length of all is the same."""
    few = one("灯塔停用。", "灯塔已经停用。")
    many = one("灯塔停用。", "灯塔已经全部停用，可能因为雾大，所以渔船都不来。")
    assert few["added:已经"] > many["added:已经"] > 0
    groups = ("cue", "kept", "added", "category", "before", "after", "then")
    for found in (few, many):
        own = [v for name, v in found.items() if name.partition(":")[0].partition("-")[0] in groups]
        assert math.hypot(*own) == pytest.approx(4.7)


def test_options_that_answer_have_features_of_their_own():
    """All of them under answer/; one stands by the stem's words, one far off, one nowhere."""
    text = f"老石桥在村东。红木桥是安娜修的。{'这里写的全是天气和海雾。' * 6}水车旁住着骆驼。"
    found = judged(text, "安娜", "骆驼", "鲸鱼", kind="choice", stem="红木桥是谁修的？")
    assert all(name.startswith("answer/") for options in found for name in options)
    near, far, nowhere = found
    assert near["answer/stem:near"] > far["answer/stem:near"]
    assert near["answer/stem:verbatim"] == far["answer/stem:verbatim"] == 1
    assert nowhere["answer/stem:verbatim"] == nowhere["answer/stem:near"] == 0
    assert near["answer/stem:support"] > nowhere["answer/stem:support"]
    assert near["answer/stem:ahead"] >= 0 > nowhere["answer/stem:ahead"]
    statements = judged(text, "安娜", "骆驼")
    assert not any(name.startswith("answer/") for options in statements for name in options)


def test_english_cues_are_whole_words():
    """The all in wall is no quantifier; capitals do not matter."""
    assert [cue.word for cue in lexicon("en").find("The wall is ALL white.")] == ["all"]


def test_a_language_without_a_list_has_no_cues():
    """No words, no error."""
    assert lexicon("fi").find("kaikki linnut") == []


def test_a_number_that_moved_is_seen():
    """1870 is in the passage and not in the sentence; 1990 is nowhere."""
    text = "灯塔建于1850年。后来这里来了一位画家，那是1870年。"
    assert one(text, "灯塔建于1850年。")["number:not-in-evidence"] == 0
    moved = one(text, "灯塔建于1990年。")
    assert moved["number:not-in-evidence"] == moved["number:not-in-passage"] == 1


def test_pieces_in_another_order_are_inverted():
    """Premise and conclusion change places."""
    text = "连日的大雾笼罩海面，所以渔船全部停在港口。"
    straight = one(text, "连日的大雾笼罩海面，渔船全部停在港口。")
    turned = one(text, "渔船全部停在港口，连日的大雾笼罩海面。")
    assert straight["order:inverted"] == 0
    assert turned["order:inverted"] > 0
    assert turned["order:long-pieces-inverted"] == 1


def test_what_nothing_covers_counts_by_its_share():
    """An option copied whole is covered; a clause of its own making is not."""
    text = "苔藓靠雾水生长。甲虫吃苔藓。"
    copied = one(text, "苔藓靠雾水生长。")
    padded = one(text, "苔藓靠雾水生长，骆驼喜欢跳舞。")
    assert copied["cover:uncovered"] == 0 < padded["cover:uncovered"]
    assert padded["clause:last-uncovered"] > 0.5
    assert padded["cover:new-pairs"] > copied["cover:new-pairs"] == 0


def test_siblings_are_compared_and_turned_by_the_stem():
    """The longest option is most in both polarities; as an answer it counts the other way."""
    options = ("苔藓生长。", "苔藓靠雾水生长得很快。")
    for asks_for, sign in (("supported", 1), ("contradicted", -1)):
        short, long = judged("苔藓靠雾水生长。", *options, asks_for=asks_for)
        assert long["rank:style:length"] == 1
        assert short["rank:style:length"] == -1
        assert long["most:style:length"] == 1
        assert long["asked-most:style:length"] == sign


def test_an_empty_option_is_no_error():
    """Nothing in, numbers out."""
    for found in judged("", "", "苔藓。"):
        assert all(map(math.isfinite, found.values()))


def test_pairs_of_characters_that_the_passage_lacks():
    """Each pair once, together of one length; none across a mark, none of words or figures."""
    found = one("灯塔建在海边。", "灯塔建在山上，山上有3只羊 goat。")
    new = {name: value for name, value in found.items() if name.startswith("new:")}
    assert list(new) == ["new:上有", "new:只羊", "new:在山", "new:山上"]
    assert math.sqrt(sum(value**2 for value in new.values())) == pytest.approx(3)
    assert not any(name.startswith("new:") for name in one("灯塔建在海边。", "建在海边"))


TOWER = Passage(passage_id="p", text="灯塔建于1850年。海雾很大。", language="zh")


def laid(option, passage, *spans):
    """The option over sentences of one's own choice."""
    evidence = Evidence(option_label="A", spans=tuple(Span(*span) for span in spans))
    return explanation(option, passage.text, evidence)


def test_how_an_option_is_written_by_hand():
    """23 characters in clauses of 4, 7, 7 and 1; the pause inside the second ends none."""
    assert style(" 因为雾大，渔船、帆船停港；1850年建塔：高。") == pytest.approx(
        {
            "style:length": 23 / 50,
            "style:clauses": 4 / 3,
            "style:clauses=4": 1,
            "style:pauses": 1 / 3,
            "style:semicolon": 1,
            "style:colon": 1,
            "style:quoted": 0,
            "style:titled": 0,
            "style:bracket": 0,
            "style:number": 1,
            "style:dash": 0,
            "style:open-end": 0,
            "style:first-clause": 4 / 20,
            "style:last-clause": 1 / 20,
            "style:mean-clause": 23 / 4 / 20,
        }
    )
    marked = style("《塔》（“旧”—新），高")
    names = ("quoted", "titled", "bracket", "dash", "open-end")
    assert [marked[f"style:{name}"] for name in names] == [1] * 5
    assert [marked[f"style:{name}"] for name in ("semicolon", "colon", "number")] == [0] * 3
    for mark, name in (("；", "semicolon"), (";", "semicolon"), ("：", "colon"), (":", "colon")):
        assert style(f"甲{mark}乙")[f"style:{name}"] == 1
    assert style("一，二，三，四，五，六，七")["style:clauses=6"] == 1


def test_how_an_option_lies_over_its_evidence_by_hand():
    """Nine of 15 characters are copied; 鲸鱼很大 is laid over nothing, though 很大 is said."""
    option = "灯塔建于1850年，鲸鱼很大。"
    known = _Known(TOWER.text)
    found = cover(option, laid(option, TOWER, (0, 10)), TOWER, known)
    assert found == pytest.approx(
        {
            "cover:share": 9 / 15,
            "cover:uncovered": 4 / 15,
            "cover:gaps": 1 / 4,
            "cover:longest-gap": 4 / 10,
            "cover:pieces": 10 / 15,
            "cover:new-units": 2 / 10,
            "cover:new-pairs": 3 / 9,  # 年鲸, 鲸鱼, 鱼很
            "cover:units": 6 / 10,
            "number:any": 1,
            "number:not-in-evidence": 0,
            "number:not-in-passage": 0,
            "evidence:length": 10 / 100,
            "evidence:ratio": 15 / 20,
            "evidence:sentences=1": 1,
            "cover:run>=4": 9 / 15,
            "cover:run>=6": 9 / 15,
            "cover:run>=8": 9 / 15,
            "cover:run>=12": 0,
            "cover:run>=16": 0,
            "clause:first": 1,
            "clause:last": 0,
            "clause:least": 0,
            "clause:most": 1,
            "clause:range": 1,
            "clause:last-uncovered": 1,
            "clause:most-uncovered": 1,
            "clause:last-beside-rest": -1,
            "clause:copied": 1 / 2,
            "clause:bare": 1 / 2,
        }
    )
    elsewhere = cover(option, laid(option, TOWER, (10, 15)), TOWER, known)
    assert (elsewhere["number:not-in-evidence"], elsewhere["number:not-in-passage"]) == (1, 0)
    nowhere = cover("灯塔建于1990年。", laid(option, TOWER, (0, 10)), TOWER, known)
    assert (nowhere["number:not-in-evidence"], nowhere["number:not-in-passage"]) == (1, 1)


def test_long_evidence_and_many_sentences_count_by_their_size():
    """Five sentences are told as four; below 20 characters the ratio stops rising."""
    passage = Passage(passage_id="p", text="苔藓生长。" * 5, language="zh")
    option = "苔藓生长。"
    whole = laid(option, passage, *((at, at + 5) for at in range(0, 25, 5)))
    found = cover(option, whole, passage, _Known(passage.text))
    assert found["evidence:sentences=4"] == 1
    assert found["evidence:length"] == 25 / 100
    assert found["evidence:ratio"] == 5 / 25
    assert found["cover:run>=4"] == 4 / 5
    assert found["cover:run>=6"] == 0


def test_where_the_pieces_lie_by_hand():
    """Three pieces: the first from far behind, the third near the second, of the same sentence."""
    passage = Passage(passage_id="p", text="字" * 100, language="zh")

    def piece(option, place, sentence):
        return Match(option_span=Span(*option), passage_span=Span(*place), sentence_index=sentence)

    pieces = (piece((0, 6), (40, 46), 1), piece((6, 9), (10, 13), 0), piece((9, 13), (18, 22), 0))
    assert order(Explanation(evidence=Evidence(), covered=pieces), passage) == pytest.approx(
        {
            "order:inverted": 1 / 2,
            "order:inversions": 1 / 3,
            "order:long-pieces-inverted": 1,  # of the two with four characters or more
            "order:sentence-changes": 1 / 3,
            "order:gap": 5 / 20,
            "place:spread": 30 / 100,
            "place:middle": 68 / 3 / 100,
            "place:early": 0,
            "place:late": 0,
        }
    )
    far = (piece((0, 4), (5, 9), 0), piece((4, 7), (81, 84), 0), piece((7, 9), (60, 62), 0))
    found = order(Explanation(evidence=Evidence(), covered=far), passage)
    assert found["order:long-pieces-inverted"] == 0  # the pieces that are turned round are short
    assert found["order:gap"] == (30 + 24) / 2 / 20  # 72 characters count as 30
    for place, early, late in ((19, 1, 0), (20, 0, 0), (80, 0, 0), (81, 0, 1)):
        one_piece = (piece((0, 4), (place, place + 4), 0),)
        found = order(Explanation(evidence=Evidence(), covered=one_piece), passage)
        assert (found["place:early"], found["place:late"]) == (early, late)
        assert found["order:gap"] == found["place:spread"] == 0
    assert order(Explanation(evidence=Evidence()), passage) == {}


def test_how_options_go_with_their_stem_by_hand():
    """桥 stands 40 characters before the piece and counts as near, 红 stands 40 behind it: not."""
    text = f"桥{'一' * 39}安娜{'一' * 40}红。安娜。"
    passage = Passage(passage_id="p", text=text, language="zh")
    question = Question(
        question_id="q",
        passage_id="p",
        text="红桥的人？",
        kind="choice",
        options=(Option(label="A", text="安娜。"), Option(label="B", text="鲸鱼")),
    )
    held = Evidence(option_label="A", spans=(Span(0, 84),), score=0.75)
    piece = Match(option_span=Span(0, 2), passage_span=Span(40, 42), sentence_index=0)
    first, second = answers(
        question,
        passage,
        [
            Explanation(evidence=held, covered=(piece,)),
            Explanation(evidence=Evidence(option_label="B", score=0.25)),
        ],
    )
    assert first == pytest.approx(
        {
            "stem:support": 0.75,
            "stem:ahead": 0.5,
            "stem:covered": 2 / 3,  # 红 and 桥 of 红, 桥, 人
            "stem:near": 1 / 3,
            "stem:times": math.log(3),
            "stem:verbatim": 1,
        }
    )
    assert second == {
        "stem:support": 0.25,
        "stem:ahead": -0.5,
        "stem:covered": 0,
        "stem:near": 0,
        "stem:times": 0,
        "stem:verbatim": 0,
    }


def test_ranks_and_likeness_of_options_by_hand():
    """Of lengths 1, 2, 2 one is least and none is most; two options share one pair of three."""
    question = Question(
        question_id="q",
        passage_id="p",
        text="?",
        kind="choice",
        options=tuple(
            Option(label=label, text=text)
            for label, text in zip("ABC", ("甲乙丙", "甲乙丁", "戊"), strict=True)
        ),
    )
    lengths = [{"style:length": 1.0}, {"style:length": 2.0}, {"style:length": 2.0}]
    first, second, third = siblings(question, lengths, -1.0)
    ranks = [one["rank:style:length"] for one in (first, second, third)]
    assert ranks == [-1, 1 / 2, 1 / 2]
    assert (first["least:style:length"], first["asked-least:style:length"]) == (1, -1)
    assert second["most:style:length"] == first["most:style:length"] == 0
    assert first["alike:mean"] == pytest.approx(10 * (1 / 3 + 0) / 2)
    assert first["alike:most"] == pytest.approx(5 / 3)
    assert first["asked-alike:mean"] == pytest.approx(-10 / 6)
    assert first["asked-alike:most"] == pytest.approx(-5 / 3)
    assert third["alike:mean"] == third["alike:most"] == 0


def test_what_stands_beside_a_cue_counts_less_than_the_cue():
    """Two cues that the evidence lacks, side by side."""
    option = "灯塔都已停用"
    found = cues(option, laid(option, TOWER, (0, 10)), TOWER)
    unit = found["cue:都"]
    assert {name: value / unit for name, value in found.items()} == pytest.approx(
        {
            "cue:都": 1,
            "added:都": 1,
            "category:all": 1,
            "category-added:all": 1,
            "before:塔|都": 0.5,
            "after:都|已": 0.5,
            "before:灯塔|都": 0.35,
            "after:都|已停": 0.35,
            "cue:已": 1,
            "added:已": 1,
            "category:done": 1,
            "category-added:done": 1,
            "before:都|已": 0.5,
            "after:已|停": 0.5,
            "before:塔都|已": 0.35,
            "after:已|停用": 0.35,
            "then:都|已": 0.7,
            "then-category:all|done": 0.5,
        }
    )
