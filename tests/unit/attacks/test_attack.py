from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest

from closeread.attacks.attack import Attack, AttackSummary, gather_groups
from closeread.attacks.search import keep_hardest
from closeread.types import Answer, Edit, Item, Passage, Question, Span
from word_strategy import PASSAGE, question, strategy


class Put:
    """Puts a sentence behind every passage."""

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        end = Span(len(passage.text), len(passage.text))
        yield Edit(strategy="put", rule="end", place="passage", span=end, words="石头不会飞。")


class Slip:
    """Slips in every stem."""

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        yield Edit(strategy="slip", rule="twice", place="question", span=Span(0, 0), words="。")


def attack_questions(attack: Attack, *questions: Question) -> tuple[list[Item], AttackSummary]:
    made = AttackSummary()
    return list(gather_groups(attack.groups([(PASSAGE, questions)], made), made)), made


def test_a_verification_becomes_a_triple_whose_letters_differ() -> None:
    items, made = attack_questions(Attack(strategies=[strategy()]), question(), question(name="r"))
    ((passage, questions),) = items
    assert passage == PASSAGE
    assert [one.question_id for one in questions] == [
        f"{name}#{role}" for name in "qr" for role in ("original", "positive", "negative")
    ]
    assert [one.group_id for one in questions] == list("qqqrrr")
    for first in (0, 3):
        assert len({one.answers[0].label for one in questions[first : first + 3]}) == 3
    assert questions[0].options == question().options
    assert (made.questions, made.groups, made.left_out) == (2, 2, Counter())
    assert made.changes == {"words": Counter(same=8, opposite=4)}


def test_variants_depend_on_the_seed() -> None:
    def texts(seed: str) -> list[Item]:
        return attack_questions(Attack(strategies=[strategy()], seed=seed), question())[0]

    assert texts("0") == texts("0")
    assert len({str(texts(str(seed))) for seed in range(5)}) > 1


def test_variants_do_not_depend_on_other_questions() -> None:
    attack = Attack(strategies=[strategy()])
    alone = attack_questions(attack, question(name="r"))[0][0][1]
    assert attack_questions(attack, question(), question(name="r"))[0][0][1][3:] == alone


def test_questions_without_variants_are_left_out_and_counted() -> None:
    plain = question(options=("鸟会飞。", "鱼会跳。", "所有树会老。", "花会谢。"), name="r")
    items, made = attack_questions(Attack(strategies=[strategy()]), plain, question())
    assert [one.group_id for _, questions in items for one in questions] == ["q"] * 3
    assert made.left_out == {"no option can be reworded": 1}
    assert (made.questions, made.groups) == (2, 1)


def test_existing_variants_are_left_out() -> None:
    there = [
        msgspec.structs.replace(question(name=f"g#{role}"), group_id="g", role=role)
        for role in ("original", "positive", "negative")
    ]
    ((_, questions),), made = attack_questions(Attack(strategies=[strategy()]), *there)
    assert [one.question_id for one in questions] == ["g#original", "g#positive", "g#negative"]
    assert questions[1].options[0].tags["origin"]
    assert made.questions == 1


def test_a_group_without_roles_is_not_a_triple() -> None:
    ours = [msgspec.structs.replace(question(name=name), group_id="chapter 1") for name in "qr"]
    ((_, questions),), _ = attack_questions(Attack(strategies=[strategy()]), *ours)
    assert [one.group_id for one in questions] == list("qqqrrr")
    assert questions[3].question_id == "r#original"


def test_of_questions_with_one_id_the_first_has_variants() -> None:
    ((_, questions),), made = attack_questions(
        Attack(strategies=[strategy()]), question(), question(), question(name="r")
    )
    assert [one.group_id for one in questions] == list("qqqrrr")
    assert made.left_out == {"a question before it has the same id": 1}
    assert made.questions == 3


def test_passages_with_the_same_id_stay_separate() -> None:
    other = msgspec.structs.replace(PASSAGE, text=PASSAGE.text + "风来了。")
    made = AttackSummary()
    items = [(PASSAGE, (question(),)), (other, (question(name="r"),))]
    found = list(gather_groups(Attack(strategies=[strategy()]).groups(items, made), made))
    assert [(passage, len(questions)) for passage, questions in found] == [
        (PASSAGE, 3), (other, 3),
    ]  # fmt: skip


def test_an_answer_that_is_not_an_option_leaves_truth_unknown() -> None:
    unknown = (Answer(kind="choice", label="E"),)
    asked = msgspec.structs.replace(question(), option_truth=(), answers=unknown)
    whole = Attack(strategies=[strategy()], roles=["positive", "negative"])
    items, made = attack_questions(whole, asked)
    assert not items
    assert made.left_out == {"it is not known which options are true": 1}
    ((_, (_, variant)),), _ = attack_questions(Attack(strategies=[strategy()]), asked)
    assert variant.role == "positive"


def test_options_with_equal_labels_are_not_edited() -> None:
    options = tuple(msgspec.structs.replace(one, label="A") for one in question().options)
    asked = msgspec.structs.replace(question(), options=options)
    for attack in (Attack(strategies=[strategy()]), Attack(strategies=[], deal=True)):
        items, made = attack_questions(attack, asked)
        searched = AttackSummary()
        assert not list(keep_hardest(attack, lambda asked: [], 3, [(PASSAGE, (asked,))], searched))
        assert not items
        assert made.left_out == searched.left_out == {"two options have the same label": 1}


def test_tags_record_only_the_last_attack() -> None:
    told = {"strategy": "mine", "rule": "r", "now": "n", "topic": "birds"}
    asked = msgspec.structs.replace(question(), tags=told)
    ((_, (original, positive, negative)),), made = attack_questions(
        Attack(strategies=[strategy()]), asked
    )
    assert original.tags == told
    assert positive.tags == negative.tags == {"topic": "birds"}
    assert set(made.changes) == {"words"}
    dealt = msgspec.structs.replace(
        question(), options=tuple(
            msgspec.structs.replace(one, tags={"origin": "Z", "truth": "opposite"})
            for one in question().options
        )
    )  # fmt: skip
    ((_, (_, variant)),), _ = attack_questions(Attack(strategies=[], deal=True), dealt)
    assert sorted(one.tags["origin"] for one in variant.options) == list("ABCD")
    assert not any("truth" in one.tags for one in variant.options)


def test_edits_of_two_strategies_do_not_overlap() -> None:
    class Whole:
        """Replaces a stem, or puts something behind it; and says something of an option."""

        def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
            end = len(question.text)
            yield Edit(strategy="whole", rule="option", place="option", label="A",
                       span=Span(0, 2), words="有的")  # fmt: skip
            for start in (1, end):
                yield Edit(strategy="whole", rule=str(start), place="question",
                           span=Span(start, end), words="？")  # fmt: skip

    class First:
        def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
            yield Edit(strategy="first", rule="f", place="question", span=Span(0, 2), words="以下")

    items, _ = attack_questions(
        Attack(strategies=[First(), Whole()], roles=["positive"]), question()
    )
    ((_, (_, variant)),) = items
    assert variant.text == "以下说法不正确的一项是？"
    assert variant.tags["strategy"] == "first+whole"
    assert "有的鸟会飞。" in [one.text for one in variant.options]


def test_stem_edits_see_the_options_of_the_variant() -> None:
    class Sees:
        """Tells in the stem which options it saw."""

        def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
            seen = question.options[0].text
            yield Edit(strategy="sees", rule="r", place="question", span=Span(0, 0), words=seen)

    attack = Attack(strategies=[strategy(), Sees()], deal=False)
    ((_, (_, positive, _)),), _ = attack_questions(attack, question())
    assert positive.text.startswith("一些鸟会飞。")


def test_variants_whose_passages_differ_name_different_passages() -> None:
    items, _ = attack_questions(Attack(strategies=[strategy(), Put()]), question())
    names = [passage.passage_id for passage, _ in items]
    assert names == ["p", "p#q#positive", "p#q#negative"]


def test_a_question_that_shuffling_cannot_change_is_left_out() -> None:
    one = question(options=("有些鸟会飞。",), right="A")
    items, made = attack_questions(Attack(strategies=[], deal=True), one)
    assert not items
    assert made.left_out == {"nothing can be changed": 1}


def test_without_roles_negative_variants_are_made_if_possible() -> None:
    firm = question("下列说法正确且表述准确的一项是")
    ((_, questions),), made = attack_questions(
        Attack(strategies=[strategy()]), firm, question(name="r")
    )
    assert [one.question_id for one in questions] == [
        "q#original", "q#positive", "r#original", "r#positive", "r#negative",
    ]  # fmt: skip
    assert (made.groups, made.left_out) == (2, Counter())
    whole = Attack(strategies=[strategy()], roles=["positive", "negative"])
    _, made = attack_questions(whole, firm, question(name="r"))
    assert (made.groups, made.left_out) == (1, {"the stem cannot be turned around": 1})


def test_a_single_role_can_be_requested() -> None:
    attack = Attack(strategies=[strategy()], roles=["positive"])
    ((_, questions),), _ = attack_questions(attack, question("下列说法正确且表述准确的一项是"))
    assert [one.role for one in questions] == ["original", "positive"]


def test_an_edited_passage_is_a_separate_item() -> None:
    items, made = attack_questions(Attack(strategies=[Put()]), question(), question(name="r"))
    assert [[one.question_id for one in questions] for _, questions in items] == [
        ["q#original"], ["q#positive"], ["r#original"], ["r#positive"],
    ]  # fmt: skip
    changed, (variant,) = items[1]
    assert changed.text == PASSAGE.text + "石头不会飞。"
    assert changed.passage_id == variant.passage_id == "p#q#positive"
    assert variant.tags == {"strategy": "put", "rule": "end", "now": "石头不会飞。"}
    assert [one.text for one in variant.options] == [one.text for one in question().options]
    assert made.changes == {"put": Counter(same=2)}


def test_strategies_of_all_kinds_can_be_combined() -> None:
    attack = Attack(strategies=[strategy(), Put(), Slip()])
    items, made = attack_questions(attack, question())
    variants = [one for _, questions in items for one in questions][1:]
    assert [one.role for one in variants] == ["positive", "negative"]
    assert [one.text for one in variants] == ["。下列说法不正确的一项是", "。下列说法正确的一项是"]
    assert {one.tags["strategy"] for one in variants} == {"put+slip"}
    assert made.changes["put"] == made.changes["slip"] == Counter(same=2)


def test_options_are_shuffled_without_strategies() -> None:
    ((_, (original, variant)),), _ = attack_questions(Attack(strategies=[], deal=True), question())
    assert original.answers[0].label != variant.answers[0].label
    assert variant.answers[0].texts == original.answers[0].texts


def test_options_keep_their_order_if_only_the_stem_is_edited() -> None:
    ((_, (original, variant)),), _ = attack_questions(Attack(strategies=[Slip()]), question())
    assert [one.text for one in variant.options] == [one.text for one in original.options]


def test_shuffling_does_not_change_a_question_without_options() -> None:
    asked = Question(
        question_id="s", passage_id="p", text="什么会飞？", kind="span",
        answers=(Answer(kind="span", texts=("鸟",), spans=(Span(2, 3),)),),
    )  # fmt: skip
    items, made = attack_questions(Attack(strategies=[], deal=True), asked)
    assert items == []
    assert made.left_out == {"nothing can be changed": 1}


@pytest.mark.parametrize("wanted", ["A", "B", "D"])
def test_the_hardest_of_several_draws_is_kept(wanted: str) -> None:
    seen: list[str] = []

    def judge(asked: list[tuple[Passage, Question]]) -> list[float]:
        ids = [one.question_id for _, one in asked]
        assert len(set(ids)) == len(ids)
        seen.extend(ids)
        return [float(one.answers[0].label == wanted) for _, one in asked]

    made = AttackSummary()
    attack = Attack(strategies=[strategy()], roles=["negative"])
    (group,) = keep_hardest(attack, judge, 12, [(PASSAGE, (question(),))], made)
    ((_, variant),) = group.variants
    assert variant.answers[0].label == wanted
    assert variant.question_id == "q#negative"
    assert 3 <= len(seen) <= 12


class Anywhere:
    """Puts a sentence behind, or else before the passage."""

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        for place in (len(passage.text), 0):
            span = Span(place, place)
            yield Edit(strategy="put", rule=str(place), place="passage", span=span, words="石头。")


def test_weaker_passage_edits_are_tried_too() -> None:
    def judge(asked: list[tuple[Passage, Question]]) -> list[float]:
        return [float(one.tags["rule"] == "0") for _, one in asked]

    made = AttackSummary()
    (group,) = keep_hardest(
        Attack(strategies=[Anywhere()]), judge, 5, [(PASSAGE, (question(),))], made
    )
    assert group.variants[0][0].text.startswith("石头。")
    ((_, (_, *_)), (first, _)), _ = attack_questions(Attack(strategies=[Anywhere()]), question())
    assert first.text.endswith("石头。")


def test_a_search_proposes_edits_once_per_question() -> None:
    class Counts(Slip):
        n = 0

        def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
            self.n += 1
            return super().propose(passage, question)

    asked: list[str] = []

    def judge(shown: list[tuple[Passage, Question]]) -> list[float]:
        asked.extend(one.question_id for _, one in shown)
        return [0.0] * len(shown)

    slip = Counts()
    attack = Attack(strategies=[slip], deal=True)
    items = [(PASSAGE, (question(), question(name="r")))]
    made = AttackSummary()
    assert len(list(keep_hardest(attack, judge, 3, items, made))) == 2
    assert slip.n == 2
    # What a reader sees of one question does not hang on the others.
    assert asked[:4] == ["q#positive#0", "r#positive#0", "q#positive#1", "r#positive#1"]


def test_a_search_leaves_out_questions_without_gold() -> None:
    blind = msgspec.structs.replace(question(), answers=(), option_truth=())
    made = AttackSummary()
    attack = Attack(strategies=[Slip()])
    assert not list(keep_hardest(attack, lambda asked: [], 5, [(PASSAGE, (blind,))], made))
    assert made.left_out == {"no answer is known, so that none is known to be wrong": 1}


def test_a_search_counts_a_failed_question_once() -> None:
    plain = question(options=("鸟会飞。", "鱼会跳。", "所有树会老。", "花会谢。"))
    made = AttackSummary()
    attack = Attack(strategies=[strategy()])
    assert not list(keep_hardest(attack, lambda asked: [], 5, [(PASSAGE, (plain,))], made))
    assert made.left_out == {"no option can be reworded": 1}
    assert made.questions == 1


def test_a_choice_with_a_verification_stem_has_statements() -> None:
    asked = msgspec.structs.replace(question(), kind="choice", asks_for=None, option_truth=())
    ((_, (original, positive, negative)),), _ = attack_questions(
        Attack(strategies=[strategy()]), asked
    )
    turned = [one.tags["truth"] for one in negative.options].count("opposite")
    assert (positive.asks_for, negative.asks_for, turned) == ("contradicted", "supported", 2)
    # Else single options of variants would be scored, and the original's not.
    assert {one.option_truth for one in (original, positive, negative)} == {()}
    assert {one.kind for one in (original, positive, negative)} == {"choice"}


def test_a_choice_with_another_stem_has_no_statements() -> None:
    asked = msgspec.structs.replace(
        question("谁会飞？"), kind="choice", asks_for=None, option_truth=()
    )
    items, made = attack_questions(Attack(strategies=[strategy()]), asked)
    assert not items
    assert made.left_out == {"nothing can be changed": 1}
