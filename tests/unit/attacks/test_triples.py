import random

import pytest

from closeread.attacks.triples import (
    NotMadeError,
    OptionEdits,
    as_group_member,
    make_negative,
    make_positive,
    shuffle_options,
)
from closeread.types import Edit, Question, Span
from word_strategy import PASSAGE, question, strategy


def propose_option_edits(asked: Question) -> OptionEdits:
    return OptionEdits.group(strategy().propose(PASSAGE, asked))


def make_rng(seed: int = 0) -> random.Random:
    return random.Random(seed)


def gold_text(asked: Question) -> str:
    (answer,) = asked.answers
    (option,) = (one for one in asked.options if one.label == answer.label)
    assert answer.texts == (option.text,)
    return option.text


def test_a_positive_variant_has_the_same_stem_and_reworded_options() -> None:
    asked = question()
    made = make_positive(asked, propose_option_edits(asked), make_rng())
    assert made.text == asked.text
    assert made.option_truth == asked.option_truth
    assert [one.text for one in made.options] == [
        "一些鸟会飞。", "一些鱼会跳。", "所有树会老。", "一些花会谢。",
    ]  # fmt: skip
    assert made.options[0].tags == {
        "truth": "same", "strategy": "words", "origin": "A", "rule": "有些>一些",
        "was": "有些", "now": "一些",
    }  # fmt: skip
    assert made.options[2].tags == {"truth": "same", "origin": "C"}
    assert gold_text(made) == "所有树会老。"


def test_a_positive_variant_keeps_answers_without_truth_values() -> None:
    import msgspec

    asked = question()
    both = (*asked.answers, msgspec.structs.replace(asked.answers[0], label="A"))
    made = make_positive(
        msgspec.structs.replace(asked, option_truth=(), answers=both),
        propose_option_edits(asked),
        make_rng(),
    )
    assert [(one.label, one.texts) for one in made.answers] == [
        ("C", ("所有树会老。",)), ("A", ("一些鸟会飞。",)),
    ]  # fmt: skip


def test_other_tags_of_options_are_kept() -> None:
    import msgspec

    asked = question()
    options = tuple(msgspec.structs.replace(one, tags={"skill": "detail"}) for one in asked.options)
    made = make_positive(
        msgspec.structs.replace(asked, options=options), propose_option_edits(asked), make_rng()
    )
    assert {one.tags["skill"] for one in made.options} == {"detail"}


def test_an_insertion_has_no_original_words() -> None:
    asked = question()
    found = propose_option_edits(asked)
    put = Edit(strategy="words", rule="r", place="option", label="A", span=Span(0, 0), words="还")
    found.by_option["A"] = [put]
    tags = make_positive(asked, found, make_rng()).options[0].tags
    assert tags["now"] == "还"
    assert "was" not in tags


def test_options_stay_distinct() -> None:
    asked = question(options=("有些鸟会飞。", "一部分鸟会飞。", "所有树会老。", "有些花会谢。"))
    found = propose_option_edits(asked)
    clash = Edit(
        strategy="words", rule="r", place="option", label="B", span=Span(0, 3), words="一些"
    )
    found.by_option["B"] = [clash]
    with pytest.raises(NotMadeError, match="two options would be the same"):
        make_positive(asked, found, make_rng())


@pytest.mark.parametrize("seed", range(20))
def test_a_negative_variant_has_one_answer_of_the_other_kind(seed: int) -> None:
    asked = question()
    made = make_negative(asked, propose_option_edits(asked), make_rng(seed))
    assert made.text == "下列说法正确的一项是"
    assert made.asks_for == "supported"
    assert made.option_truth.count(True) == 1
    turned = [one for one in made.options if one.tags["truth"] == "opposite"]
    assert len(turned) == 2
    assert all(one.text.startswith("所有") for one in turned)
    assert gold_text(made).startswith("一些")


def test_the_falsified_statements_are_random() -> None:
    asked = question()
    found = {
        gold_text(make_negative(asked, propose_option_edits(asked), make_rng(seed)))
        for seed in range(30)
    }
    assert found == {"一些鸟会飞。", "一些鱼会跳。", "一些花会谢。"}


def test_false_statements_are_corrected_for_a_positive_stem() -> None:
    asked = question(
        "下列说法正确的一项是", ("所有鸟会飞。", "所有鱼会跳。", "有些树会老。", "所有花会谢。")
    )
    made = make_negative(asked, propose_option_edits(asked), make_rng())
    assert made.text == "下列说法不正确的一项是"
    assert made.option_truth.count(False) == 1
    assert gold_text(made).startswith("所有")


def test_two_options_need_no_falsification() -> None:
    asked = question(options=("有些鸟会飞。", "所有鱼会跳。"), right="B")
    made = make_negative(asked, propose_option_edits(asked), make_rng())
    assert gold_text(made) == "一些鸟会飞。"
    assert made.option_truth == (True, False)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (question("下列说法正确且表述准确的一项是"), "the stem cannot be turned around"),
        (
            question(options=("有些鸟会飞。", "鱼会跳。", "所有树会老。", "花会谢。")),
            "too few options can be turned false",
        ),
        (
            question("下列说法正确的一项是", ("鸟会飞。", "鱼会跳。", "有些树会老。", "花会谢。")),
            "too few options can be turned true",
        ),
    ],
)
def test_a_failed_variant_has_a_reason(asked: Question, why: str) -> None:
    with pytest.raises(NotMadeError, match=why):
        make_negative(asked, propose_option_edits(asked), make_rng())


def test_nothing_is_falsified_without_truth_values() -> None:
    import msgspec

    asked = msgspec.structs.replace(question(), option_truth=(True, None, False, True))
    with pytest.raises(NotMadeError, match="which options are true"):
        make_negative(asked, propose_option_edits(asked), make_rng())


def test_an_empty_option_does_not_become_the_answer() -> None:
    """Sets have some; where the others are turned false it was what the negative one asked for."""
    asked = question(options=("有些鸟会飞。", "有些鱼会跳。", "所有树会老。", " "))
    with pytest.raises(NotMadeError, match="an option has no text"):
        make_negative(asked, propose_option_edits(asked), make_rng())


def test_a_question_without_rewordings_has_no_positive_variant() -> None:
    asked = question(options=("鸟会飞。", "鱼会跳。", "所有树会老。", "花会谢。"))
    with pytest.raises(NotMadeError, match="no option can be reworded"):
        make_positive(asked, propose_option_edits(asked), make_rng())


def make_edit(start: int, end: int, strategy: str = "s", rule: str = "r") -> Edit:
    return Edit(
        strategy=strategy, rule=rule, place="option", label="A", span=Span(start, end), words="x"
    )


def test_an_option_gets_few_edits_of_one_strategy() -> None:
    edits = [
        make_edit(0, 2),
        make_edit(1, 3),
        make_edit(3, 4),
        make_edit(2, 3),
        make_edit(5, 6),
        make_edit(6, 7),
    ]
    found = OptionEdits.group([*edits, make_edit(8, 9, "t")])
    assert found.choose("A", "same", make_rng(1)) in (
        [edits[0], edits[2], edits[3]],
        [make_edit(8, 9, "t")],
    )
    kinds = {found.choose("A", "same", make_rng(seed))[0].strategy for seed in range(20)}
    assert kinds == {"s", "t"}


def test_an_option_is_negated_only_without_other_edits() -> None:
    def turn(strategy: str, rule: str, label: str) -> Edit:
        return Edit(
            strategy=strategy, rule=rule, place="option", label=label, span=Span(0, 2), words="x",
            truth="opposite",
        )  # fmt: skip

    edits = [turn("logic", "negated", "A"), turn("keyword", "part>all", "A")]
    found = OptionEdits.group([*edits, turn("logic", "negated", "B"), turn("s", "year", "D")])
    for seed in range(10):
        assert found.choose("A", "opposite", make_rng(seed))[0].rule == "part>all"
        assert found.choose("B", "opposite", make_rng(seed))[0].rule == "negated"
        made = make_negative(question(), found, make_rng(seed))
        turned = {one.tags["rule"] for one in made.options if one.tags["truth"] == "opposite"}
        assert turned == {"part>all", "year"}


@pytest.mark.parametrize("seed", range(20))
def test_shuffling_moves_the_answer_to_an_unused_letter(seed: int) -> None:
    asked = question()
    made = shuffle_options(asked, {"C", "A"}, make_rng(seed))
    assert [one.label for one in made.options] == ["A", "B", "C", "D"]
    assert gold_text(made) == gold_text(asked)
    assert made.answers[0].label in "BD"
    assert sorted(one.text for one in made.options) == sorted(one.text for one in asked.options)
    origin = {one.label: one.text for one in asked.options}
    assert all(origin[one.tags["origin"]] == one.text for one in made.options)
    holds = dict(zip((one.text for one in asked.options), asked.option_truth, strict=True))
    assert [holds[one.text] for one in made.options] == list(made.option_truth)


def test_shuffling_works_without_an_unused_letter_or_an_answer() -> None:
    import msgspec

    asked = question()
    assert gold_text(shuffle_options(asked, set("ABCD"), make_rng())) == gold_text(asked)
    blind = msgspec.structs.replace(asked, answers=(), option_truth=())
    found = [
        [one.text for one in shuffle_options(blind, set(), make_rng(n)).options] for n in range(60)
    ]
    assert len(set(map(tuple, found))) > 9
    assert [one.text for one in blind.options] not in found


def test_a_variant_id_has_group_and_role() -> None:
    made = as_group_member(question(), "g", "negative")
    assert (made.question_id, made.group_id, made.role) == ("g#negative", "g", "negative")
