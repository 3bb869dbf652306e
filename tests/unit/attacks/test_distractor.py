"""Sentences of other passages that look like the question and answer it not."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import closeread
from closeread.attacks.apply import apply
from closeread.attacks.borrowed import candidates
from closeread.attacks.context import Surroundings
from closeread.attacks.distractor import distractor
from closeread.text.segment import sentences
from closeread.types import Answer, Edit, Evidence, Option, Passage, Question, Span

MILL = (
    "Tarrow Mill was built by the miller Hanna Voss in 1871. It ground oats and barley for nine"
    " farms. Tarrow Mill has stood empty since 1934."
)
BRIDGE = "Ossen Bridge was built by the mason Piet Garlick in 1902. It crosses the river Ullen."
HARBOUR = "The harbour was built by a company in 1822. Later it was given up."
LIGHT = "Skelling Light was built by Hanna Voss in 1884. Skelling Light burns oil."


def passage(text: str, number: int = 1, **fields: str) -> Passage:
    return Passage(passage_id=f"p{number}", text=text, **fields)


def question(text: str, of: str, *answers: str, **fields: object) -> Question:
    golds = tuple(
        Answer(kind="span", texts=(one,), spans=(Span(of.index(one), of.index(one) + len(one)),))
        for one in answers
    )
    told: dict = {"kind": "span", "answers": golds} | fields
    return Question(question_id="q1", passage_id="p1", text=text, **told)


def propose_distractors(
    here: Passage, asked: Question, *others: Passage, seed: int = 0
) -> list[Edit]:
    around = Surroundings(seed=seed, retriever=None, passages=(here, *others))
    return list(distractor(around).propose(here, asked))


ASKED = question("What was built by the miller Hanna Voss in 1871?", MILL, "Tarrow Mill")


def test_a_similar_sentence_is_inserted_between_sentences():
    here = passage(MILL)
    edits = propose_distractors(here, ASKED, passage(BRIDGE, 2))
    assert {edit.words.strip() for edit in edits} == {BRIDGE[:57]}
    assert {edit.rule for edit in edits} <= {"start", "middle", "end"}
    assert len({edit.rule for edit in edits}) == 3
    for edit in edits:
        assert (edit.place, edit.truth) == ("passage", "same")
        assert edit.span.start == edit.span.end
        changed, _ = apply(here, ASKED, [edit])
        assert "  " not in changed.text
        assert changed.text == changed.text.strip()
        assert len(sentences(changed.text)) == len(sentences(MILL)) + 1


@pytest.mark.parametrize(
    "other",
    [
        passage(
            "Ossen Bridge was built by the mason from a mill, the Tarrow one.", 2
        ),  # the answer
        passage(LIGHT, 2),  # a name of the question
        passage(HARBOUR, 2),  # nobody knows which harbour
        passage("It was built by the mason Piet Garlick in 1902, as people say.", 2),
        passage("Tarrow Mill was sold by the miller Piet Garlick in 1902.", 2),  # of the same mill
        passage("Ossen Bridge was not built by the miller of Tarrow Mill at all.", 2),
        passage(BRIDGE[:57] + " Ossen Bridge is old.", 2, language="de"),
        passage("Was Ossen Bridge built by the mason Piet Garlick in 1902?", 2),
        passage("Ossen Bridge, built by the mason", 2),
        passage("$19 Ossen Bridge was built by the mason Piet Garlick in 1902.", 2),
        passage("Ossen Bridge was built by the mason, “a quiet man.", 2),
        passage(BRIDGE + " It ground oats and barley for nine farms in the years of hunger.", 1),
    ],
)
def test_distractors_do_not_answer_and_name_their_subject(other):
    assert propose_distractors(passage(MILL), ASKED, other) == []


def test_distractors_have_another_subject_than_the_passage():
    here = passage(MILL + " Behind it Ossen Bridge crosses the river.")
    assert propose_distractors(here, ASKED, passage(BRIDGE, 2)) == []


@pytest.mark.parametrize(
    ("answer", "harmless"),
    [("a mason", False), ("the Mason", False), ("1,902 stones", False), ("masonry", True)],
)
def test_an_answer_is_found_in_any_spelling(answer, harmless):
    gold = Answer(kind="span", texts=(answer,))
    asked = question(ASKED.text, MILL, answers=(gold,))
    assert bool(propose_distractors(passage(MILL), asked, passage(BRIDGE, 2))) == harmless


def test_a_passage_with_the_same_title_or_clause_is_related():
    here, other = passage(MILL, title="Mills"), passage(BRIDGE, 2, title="mills")
    assert propose_distractors(here, ASKED, other) == []
    shared = ", and the farmers paid for the whole of it with oats and barley."
    copied = passage(f"{BRIDGE[:-1]}{shared}", 2)
    assert propose_distractors(passage(MILL[:-1] + shared), ASKED, copied) == []


def test_distractors_do_not_contain_or_support_an_option():
    options = (
        Option(label="A", text="The mason Piet Garlick built it."),
        Option(label="B", text="It was sold in 1920."),
    )
    asked = question(
        "Which is true of Tarrow Mill, as it was built?", MILL, kind="verification", options=options
    )
    assert propose_distractors(passage(MILL), asked, passage(BRIDGE, 2)) == []
    others = (Option(label="A", text="Nine farms."), Option(label="B", text="It was sold."))
    asked = question("Who built Tarrow Mill?", MILL, kind="choice", options=others)
    assert propose_distractors(passage(MILL), asked, passage(BRIDGE, 2))


def test_a_comparing_question_without_names_is_not_edited():
    other = passage(BRIDGE, 2)
    compared = question("What was the largest thing built by the miller?", MILL, "Tarrow Mill")
    assert propose_distractors(passage(MILL), compared, other) == []
    counted = question("How many things were built by the miller?", MILL, kind="discrete")
    assert propose_distractors(passage(MILL), counted, other) == []
    nowhere = question("When was the thing built by the miller?", MILL)
    assert propose_distractors(passage(MILL), nowhere, other) == []


def test_a_discrete_question_gets_no_sentence_with_its_counted_terms():
    asked = question("How many masons built Tarrow Mill by 1900?", MILL, kind="discrete")
    assert propose_distractors(passage(MILL), asked, passage(BRIDGE, 2)) == []


def test_entailment_and_single_passages_get_no_distractor():
    asked = question("Hanna Voss built Tarrow Mill.", MILL, kind="entailment")
    assert propose_distractors(passage(MILL), asked, passage(BRIDGE, 2)) == []
    assert propose_distractors(passage(MILL), ASKED) == []


def test_gaps_avoid_gold_and_locations_in_the_question():
    end = question("Who built Tarrow Mill, the miller of the last sentence?", MILL, "Hanna Voss")
    assert {edit.rule for edit in propose_distractors(passage(MILL), end, passage(BRIDGE, 2))} == {
        "start"
    }
    both = Evidence(spans=(Span(0, len(MILL)),))
    asked = question(ASKED.text, MILL, "Hanna Voss", gold_evidence=(both,))
    rules = {edit.rule for edit in propose_distractors(passage(MILL), asked, passage(BRIDGE, 2))}
    assert rules == {"start", "end"}


def test_gaps_avoid_referents_in_the_question():
    asked = question(ASKED.text + " What does “it” refer to?", MILL, "Tarrow Mill")
    rules = {edit.rule for edit in propose_distractors(passage(MILL), asked, passage(BRIDGE, 2))}
    assert rules == {"start", "end"}


def test_a_question_with_only_pronouns_is_not_edited():
    asked = question("What was built by him, the miller, and by whom was it built?", MILL, "Mill")
    assert propose_distractors(passage(MILL), asked, passage(BRIDGE, 2)) == []
    other = question("What was built by the miller, and by whom was the mill built?", MILL, "oats")
    assert propose_distractors(passage(MILL), other, passage(BRIDGE, 2))


def test_no_sentence_is_inserted_before_one_that_refers_back():
    here = passage(MILL[: MILL.index(" Tarrow Mill has")])
    rules = {edit.rule for edit in propose_distractors(here, ASKED, passage(BRIDGE, 2))}
    assert rules == {"start", "end"}  # "It ground oats" would be the bridge


def test_dialogues_and_quotations_have_no_gaps():
    spoken = "Anna: Tarrow Mill was built by Hanna Voss.\nBen: It was. Tarrow Mill is old."
    assert (
        propose_distractors(
            passage(spoken), question(ASKED.text, spoken, "Hanna Voss"), passage(BRIDGE, 2)
        )
        == []
    )
    quoted = '"Tarrow Mill was built by Hanna Voss. Tarrow Mill stood empty," said Ben.'
    edits = propose_distractors(
        passage(quoted), question(ASKED.text, quoted, "Hanna Voss"), passage(BRIDGE, 2)
    )
    assert {edit.rule for edit in edits} == {"start", "end"}


def test_chinese_insertions_have_no_blank_and_keep_paragraphs():
    text = (
        "　　石桥镇的水磨由韩婶在1871年修建。水磨每天磨燕麦。\n"
        "　　石桥镇的水磨在1934年停用。石桥镇如今无人看守水磨。"
    )
    other = "青峰渡口由石匠老葛在1902年修建。青峰渡口每天开船两次。青峰渡口至今还在使用。"
    here = passage(text, language="zh", title="石桥镇的水磨")
    asked = question("石桥镇的水磨由谁修建？", text, "韩婶")
    edits = propose_distractors(here, asked, passage(other, 2, language="zh", title="青峰渡口"))
    assert edits
    assert any(edit.words == "青峰渡口由石匠老葛在1902年修建。" for edit in edits)
    for edit in edits:
        made, moved = apply(here, asked, [edit])
        assert " " not in made.text
        assert made.text.count("\n") == 1
        assert made.text.startswith("　　")
        assert moved.answers[0].spans[0].of(made.text) == "韩婶"


def test_chinese_sentences_with_pronouns_or_continuations_are_not_used():
    here = passage("石桥镇的水磨由韩婶在1871年修建。石桥镇不大。", language="zh", title="石桥镇")
    asked = question("石桥镇的水磨由谁修建？", here.text, "韩婶")
    for other in (
        "该渡口由石匠老葛在1902年修建，至今还在使用。",
        "1902年由石匠老葛修建，渡口至今还在使用。",
        "青峰渡口建成以后，他又由石匠修建了水磨一座。",
    ):
        assert (
            propose_distractors(here, asked, passage(other, 2, language="zh", title="青峰渡口"))
            == []
        )


def test_edits_depend_on_the_seed():
    others = [passage(BRIDGE.replace("Ossen", name), n + 2) for n, name in enumerate("ABCDEFG")]
    drawn = [
        propose_distractors(passage(MILL), ASKED, passage(BRIDGE, 2), seed=seed)
        for seed in range(12)
    ]
    again = [
        propose_distractors(passage(MILL), ASKED, passage(BRIDGE, 2), seed=seed)
        for seed in range(12)
    ]
    assert drawn == again
    assert len({edits[0].rule for edits in drawn}) > 1
    assert len(propose_distractors(passage(MILL), ASKED, *others)) <= 15


@pytest.mark.parametrize("name", ["exam/en", "exam/zh"])
def test_answers_and_evidence_of_the_shipped_exam_are_shifted(name):
    items = list(closeread.load(name))
    here = Surroundings(seed=3, retriever=None, passages=[one for one, _ in items])
    strategy = distractor(here)
    changes = 0
    for of, questions in items:
        texts = {one.text for other, _ in items if other is not of for one in [other]}
        for asked in questions:
            for edit in strategy.propose(of, asked):
                changes += 1
                assert any(edit.words.strip() in text for text in texts)
                assert_moved(of, asked, edit)
    assert changes > 20


def assert_moved(of: Passage, asked: Question, edit: Edit) -> None:
    made, moved = apply(of, asked, [edit])
    assert len(made.text) == len(of.text) + len(edit.words)
    for before, after in zip(asked.answers, moved.answers, strict=True):
        assert [span.of(of.text) for span in before.spans] == [
            span.of(made.text) for span in after.spans
        ]
        assert not any(text and text.lower() in edit.words.lower().split() for text in before.texts)
    for seen, kept in zip(asked.gold_evidence, moved.gold_evidence, strict=True):
        assert [span.of(of.text) for span in seen.spans] == [
            span.of(made.text) for span in kept.spans
        ]


PIECES = st.sampled_from(
    [
        *(text for text in (MILL, BRIDGE, HARBOUR, LIGHT)),
        "Ossen Bridge crosses the Ullen.",
        "“Go,” said Voss. ",
        "\n",
        "\n\n",
        " ",
        "水磨在1934年停用。",
        "It fell.",
        "Dr. Voss e.g. (built. it)",
    ]
)
ANY = st.lists(PIECES, max_size=6).map("".join) | st.text(max_size=40)


@given(
    st.tuples(ANY, ANY, ANY), st.sampled_from(["en", "zh", "de", "ja"]), st.integers(0, 3),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=3),
)  # fmt: skip
@example((MILL, BRIDGE, ASKED.text), "en", 0, [])
def test_answers_slice_to_the_same_text_after_any_insertion(texts, language, seed, places):
    text, other, asked = texts
    spans = [Span(*sorted(min(at, len(text)) for at in both)) for both in places]
    answers = tuple(Answer(kind="span", texts=("x0",), spans=(span,)) for span in spans)
    here = passage(text, language=language)
    one = question(asked, text, answers=answers)
    for edit in propose_distractors(here, one, passage(other, 2, language=language), seed=seed):
        assert_moved(here, one, edit)


@pytest.mark.timeout(120)
def test_empty_lines_are_skipped_in_linear_time():
    """200,000 of them took minutes: at each line all that follow were tried."""
    here = passage(MILL + "\n" * 1_000_000)
    assert propose_distractors(here, ASKED, passage(BRIDGE, 2))


def test_too_many_passages_are_sampled_in_bounded_memory(monkeypatch):

    class Counted:
        def __iter__(self):
            for number in range(200):
                yield passage(f"{MILL} {number:03}", number)

    monkeypatch.setattr(candidates, "_MAX_CHARACTERS", 10 * (len(MILL) + 4) + 1)
    kept = candidates._sample_passages(Counted(), 0)
    assert len(kept) == 10
    numbers = [int(one.passage_id[1:]) for one in kept]
    assert numbers == sorted(numbers)
    assert [one.text for one in candidates._sample_passages(Counted(), 0)] == [
        one.text for one in kept
    ]
    assert candidates._sample_passages(Counted(), 1) != kept
    backwards = candidates._sample_passages(reversed(list(Counted())), 0)
    assert {one.text for one in backwards} == {one.text for one in kept}
    assert len(candidates._sample_passages([passage(MILL), passage(MILL, 2)], 0)) == 1


@pytest.mark.timeout(120)
@pytest.mark.parametrize("language", ["zh", "de"])
def test_own_units_of_a_long_passage_are_found_in_linear_time(language):
    """Each of its ten thousands of words was counted by itself: these took minutes, now seconds."""
    draw = random.Random(0)
    if language == "zh":
        text = "".join(chr(draw.randint(0x4E00, 0x9000)) for _ in range(500_000)) + "。"
    else:
        text = " ".join("".join(draw.choices("abcdefgh", k=8)) for _ in range(240_000)) + "."
    here = passage(text, language=language)
    propose_distractors(here, ASKED, passage(text[:300], 2, language=language))
