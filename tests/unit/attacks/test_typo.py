"""Slips of the keyboard in questions."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import closeread
from closeread.attacks.apply import apply
from closeread.attacks.context import Surroundings
from closeread.attacks.keyboard.homophones import find_homophones
from closeread.attacks.keyboard.slips import AMBIGUOUS_WORDS, iter_slips
from closeread.attacks.typo import typo
from closeread.text.polarity import asks_for
from closeread.text.question_type import expected_answer_type
from closeread.types import Edit, Option, Passage, Question

TEXT = "The ferry carried fourteen sheep and one piano across the estuary to Marl."


def propose_slips(
    text: str, language: str = "en", seed: int = 0, here: str = TEXT, **fields: object
) -> list[Edit]:
    told: dict = {"kind": "span"} | fields
    of = Passage(passage_id="p1", text=here, language=language, title=fields.pop("title", ""))
    told.pop("title", None)
    asked = Question(question_id="q1", passage_id="p1", text=text, **told)
    around = Surroundings(seed=seed, retriever=None, passages=(of,))
    return list(typo(around).propose(of, asked))


def apply_edit(text: str, edit: Edit) -> str:
    asked = Question(question_id="q1", passage_id="p1", text=text, kind="span")
    return apply(Passage(passage_id="p1", text=TEXT), asked, [edit])[1].text


@pytest.mark.parametrize("seed", range(20))
def test_the_number_of_slips_depends_on_the_length(seed):
    for text, most in (
        ("Which piano came across?", 1),
        ("Which animals were on the ferry beside the piano?", 2),
        ("Which animals were on the ferry beside the piano when it came across the water of the"
         " estuary?", 3),
    ):  # fmt: skip
        edits = propose_slips(text, seed=seed)
        before, after = text.split(), apply_edit(text, edits[0]).split()
        assert sum(one != other for one, other in zip(before, after, strict=True)) == most
        assert len(edits) == (1 if most == 1 else most + 1)
        assert {(edit.place, edit.truth) for edit in edits} == {("question", "same")}
        for edit in edits[1:]:
            other = apply_edit(text, edit).split()
            assert sum(one != two for one, two in zip(before, other, strict=True)) == 1


@pytest.mark.parametrize("seed", range(30))
def test_protected_words_get_no_slips(seed):
    text = 'Between which Fourteen ferries did Marl\'s "sheep estuary" never carry fourteen pianos?'
    after = [apply_edit(text, edit) for edit in propose_slips(text, seed=seed)]
    assert after
    for made in after:
        for kept in ("Between which Fourteen", "Marl's", '"sheep estuary" never', "fourteen"):
            assert kept in made


@pytest.mark.parametrize("seed", range(20))
def test_slips_prefer_words_of_the_passage_and_avoid_known_words(seed):
    edits = propose_slips("What animals travelled with the piano?", seed=seed)
    assert "piano" not in apply_edit("What animals travelled with the piano?", edits[0])
    (edit,) = propose_slips(
        "Which piano?", seed=seed, here="The piano, the paino, the pinao, a piaano."
    )
    assert edit.words not in {"paino", "pinao", "piaano"}


@pytest.mark.parametrize("seed", range(10))
def test_a_lower_case_name_gets_no_slip(seed):
    stem = "Who came to marl?"
    assert all("marl" in apply_edit(stem, edit) for edit in propose_slips(stem, seed=seed))


@pytest.mark.parametrize(
    "stem",
    [
        "Which of the following statements is NOT correct according to the passage?",
        "Which of these is incorrect?",
        "下列说法不符合原文意思的一项是",
        "根据原文内容，下列推断没有错误的一项是",
        "鸣虫的记录是什么时候开始的？",
    ],
)
def test_slips_keep_the_polarity_and_the_answer_type(stem):
    language = "en" if stem.isascii() else "zh"
    for seed in range(30):
        for edit in propose_slips(stem, language, seed, kind="choice"):
            assert asks_for(apply_edit(stem, edit)) == asks_for(stem)
            assert expected_answer_type(apply_edit(stem, edit)) == expected_answer_type(stem)
            for word in ("NOT", "incorrect", "不", "没有", "错误", "什么", "时候", "的一项"):
                assert (word in stem) == (word in apply_edit(stem, edit))


def test_entailment_and_other_scripts_get_no_slips():
    assert propose_slips("The ferry carried sheep.", kind="entailment") == []
    assert (
        propose_slips("كم عدد الأغنام على العبارة الكبيرة؟", "ar", here="الأغنام على العبارة") == []
    )
    assert propose_slips("", here="") == []


def test_slips_change_neither_options_nor_passage():
    options = (Option(label="A", text="fourteen sheep"), Option(label="B", text="one piano"))
    asked = Question(
        question_id="q", passage_id="p1", text="What animals came on the ferry?", kind="choice",
        options=options,
    )  # fmt: skip
    of = Passage(passage_id="p1", text=TEXT)
    edits = list(typo(Surroundings(retriever=None, passages=(of,))).propose(of, asked))
    assert {edit.place for edit in edits} == {"question"}


@pytest.mark.parametrize("seed", range(10))
def test_other_languages_get_slips_only_in_long_words_of_the_passage(seed):
    here = "Das alte Klavier wurde neunzehnmal gestimmt und danach verkauft."
    text = "Warum wurde das neue Klavier danach nicht gestimmt?"
    edits = propose_slips(text, "de", seed, here)
    assert edits
    for edit in edits:
        made = apply_edit(text, edit)
        assert all(word in made for word in ("Warum", "das", "neue", "Klavier", "nicht"))


@pytest.mark.parametrize("seed", range(10))
def test_chinese_characters_are_replaced_by_homophones(seed):
    (edit,) = propose_slips("石桥位于哪里？", "zh", seed)
    assert (edit.rule, apply_edit("石桥位于哪里？", edit)) == ("于>与", "石桥位与哪里？")
    (edit,) = propose_slips("石匠的学生是谁？", "zh", seed)
    assert apply_edit("石匠的学生是谁？", edit) == "石匠地学生是谁？"
    assert propose_slips("他的目的是什么？《现在的我们》呢？", "zh", seed) != []
    assert "《现在的我们》" in apply_edit(
        "他的目的是什么？《现在的我们》呢？",
        propose_slips("他的目的是什么？《现在的我们》呢？", "zh", seed)[0],
    )
    assert propose_slips("“现在”指的是什么？", "zh", seed) == []


def test_titles_get_no_slips_and_slips_keep_a_distance():
    assert propose_slips("工作日记由谁写成？", "zh", title="工作日记") == []
    for seed in range(10):
        stem = "石桥镇最近提出要修建的磨坊由谁看守？"
        assert "最进题出" not in apply_edit(stem, propose_slips(stem, "zh", seed)[0])


def test_traditional_text_gets_no_simplified_character():
    assert [one.rule for one in find_homophones("現在位於哪裡")] == ["在>再"]
    assert [one.rule for one in find_homophones("现在位于哪里")] == ["在>再", "于>与"]


def test_slips_depend_on_the_seed():
    text = "Which animals were on the ferry beside the piano?"
    drawn = [propose_slips(text, seed=seed) for seed in range(12)]
    assert drawn == [propose_slips(text, seed=seed) for seed in range(12)]
    assert len({edits[0].words for edits in drawn}) > 3


@given(st.from_regex(r"\A[a-z]{4,12}\Z"), st.integers(0, 99), st.booleans())
def test_a_slip_keeps_the_first_letter_and_is_one_keystroke(word, seed, keyboard):
    for rule, made in iter_slips(word, random.Random(seed), keyboard):
        assert made != word
        assert made[0] == word[0]
        assert made not in AMBIGUOUS_WORDS
        size = {"doubled": 1, "left out": -1}.get(rule, 0)
        assert len(made) == len(word) + size
        if rule == "exchanged":
            assert sorted(made) == sorted(word)
        assert len(word) > 5 or rule in ("exchanged", "doubled")


@pytest.mark.parametrize("name", ["exam/en", "exam/zh"])
def test_slips_in_the_shipped_exam_change_only_questions(name):
    items = list(closeread.load(name))
    strategy = typo(Surroundings(seed=3, retriever=None, passages=[one for one, _ in items]))
    changes = 0
    for of, questions in items:
        for asked in questions:
            for edit in strategy.propose(of, asked):
                changes += 1
                made, moved = apply(of, asked, [edit])
                assert made == of
                assert moved.text != asked.text
                assert (moved.options, moved.answers) == (asked.options, asked.answers)
                for answer in moved.answers:
                    texts = [span.of(made.text) for span in answer.spans]
                    assert texts == [span.of(of.text) for span in answer.spans]
                assert asks_for(moved.text) == asks_for(asked.text)
    assert changes > 20


TEXTS = st.text(max_size=60) | st.lists(
    st.sampled_from(
        ["which ", "piano ", "现在", "的", "《", "》", "known ", '"', "关于", "不", "Marl "]
    )
).map("".join)


@given(TEXTS, TEXTS, st.sampled_from(["en", "zh", "de", "ja", "ru"]), st.integers(0, 5))
def test_slips_of_any_question_stay_inside_its_text(text, here, language, seed):
    for edit in propose_slips(text, language, seed, here):
        assert 0 <= edit.span.start < edit.span.end <= len(text)
        assert apply_edit(text, edit) != text
