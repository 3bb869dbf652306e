from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest

from closeread.attacks.attack import Attack, Made, gathered
from closeread.attacks.search import hardest
from closeread.types import Answer, Edit, Item, Passage, Question, Span
from rewording import PASSAGE, question, strategy


class Put:
    """Puts a sentence behind every passage."""

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        end = Span(len(passage.text), len(passage.text))
        yield Edit(strategy="put", rule="end", place="passage", span=end, words="石头不会飞。")


class Slip:
    """Slips in every stem."""

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        yield Edit(strategy="slip", rule="twice", place="question", span=Span(0, 0), words="。")


def made_of(attack: Attack, *questions: Question) -> tuple[list[Item], Made]:
    made = Made()
    return list(gathered(attack.groups([(PASSAGE, questions)], made), made)), made


def test_a_verification_becomes_a_triple_whose_letters_differ() -> None:
    items, made = made_of(Attack(strategies=[strategy()]), question(), question(name="r"))
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


def test_the_same_seed_gives_the_same_and_another_something_else() -> None:
    def texts(seed: str) -> list[Item]:
        return made_of(Attack(strategies=[strategy()], seed=seed), question())[0]

    assert texts("0") == texts("0")
    assert len({str(texts(str(seed))) for seed in range(5)}) > 1


def test_what_becomes_of_a_question_does_not_depend_on_the_others() -> None:
    attack = Attack(strategies=[strategy()])
    alone = made_of(attack, question(name="r"))[0][0][1]
    assert made_of(attack, question(), question(name="r"))[0][0][1][3:] == alone


def test_what_cannot_be_made_is_left_out_and_counted() -> None:
    plain = question(options=("鸟会飞。", "鱼会跳。", "所有树会老。", "花会谢。"), name="r")
    items, made = made_of(Attack(strategies=[strategy()]), plain, question())
    assert [one.group_id for _, questions in items for one in questions] == ["q"] * 3
    assert made.left_out == {"no option can be reworded": 1}
    assert (made.questions, made.groups) == (2, 1)


def test_variants_that_are_there_already_are_left_out() -> None:
    there = [
        msgspec.structs.replace(question(name=f"g#{role}"), group_id="g", role=role)
        for role in ("original", "positive", "negative")
    ]
    ((_, questions),), made = made_of(Attack(strategies=[strategy()]), *there)
    assert [one.question_id for one in questions] == ["g#original", "g#positive", "g#negative"]
    assert questions[1].options[0].tags["origin"]
    assert made.questions == 1


def test_one_role_alone_can_be_asked_for() -> None:
    attack = Attack(strategies=[strategy()], roles=["positive"])
    ((_, questions),), _ = made_of(attack, question("下列说法正确且表述准确的一项是"))
    assert [one.role for one in questions] == ["original", "positive"]


def test_a_changed_passage_comes_as_an_item_of_its_own() -> None:
    items, made = made_of(Attack(strategies=[Put()]), question(), question(name="r"))
    assert [[one.question_id for one in questions] for _, questions in items] == [
        ["q#original"], ["q#positive"], ["r#original"], ["r#positive"],
    ]  # fmt: skip
    changed, (variant,) = items[1]
    assert changed.text == PASSAGE.text + "石头不会飞。"
    assert changed.passage_id == variant.passage_id == "p#q"
    assert variant.tags == {"strategy": "put", "rule": "end", "now": "石头不会飞。"}
    assert [one.text for one in variant.options] == [one.text for one in question().options]
    assert made.changes == {"put": Counter(same=2)}


def test_strategies_of_all_kinds_go_together() -> None:
    attack = Attack(strategies=[strategy(), Put(), Slip()])
    items, made = made_of(attack, question())
    variants = [one for _, questions in items for one in questions][1:]
    assert [one.role for one in variants] == ["positive", "negative"]
    assert [one.text for one in variants] == ["。下列说法不正确的一项是", "。下列说法正确的一项是"]
    assert {one.tags["strategy"] for one in variants} == {"put+slip"}
    assert made.changes["put"] == made.changes["slip"] == Counter(same=2)


def test_options_are_dealt_where_nothing_else_is_asked_for() -> None:
    ((_, (original, variant)),), _ = made_of(Attack(strategies=[], deal=True), question())
    assert original.answers[0].label != variant.answers[0].label
    assert variant.answers[0].texts == original.answers[0].texts


def test_options_keep_their_order_where_only_the_stem_slips() -> None:
    ((_, (original, variant)),), _ = made_of(Attack(strategies=[Slip()]), question())
    assert [one.text for one in variant.options] == [one.text for one in original.options]


def test_a_question_without_options_is_not_changed_by_what_deals() -> None:
    asked = Question(
        question_id="s", passage_id="p", text="什么会飞？", kind="span",
        answers=(Answer(kind="span", texts=("鸟",), spans=(Span(2, 3),)),),
    )  # fmt: skip
    items, made = made_of(Attack(strategies=[], deal=True), asked)
    assert items == []
    assert made.left_out == {"nothing can be changed": 1}


@pytest.mark.parametrize("wanted", ["A", "B", "D"])
def test_of_several_draws_the_hardest_is_kept(wanted: str) -> None:
    seen: list[str] = []

    def judge(asked: list[tuple[Passage, Question]]) -> list[float]:
        ids = [one.question_id for _, one in asked]
        assert len(set(ids)) == len(ids)
        seen.extend(ids)
        return [float(one.answers[0].label == wanted) for _, one in asked]

    made = Made()
    attack = Attack(strategies=[strategy()], roles=["negative"])
    (group,) = hardest(attack, judge, 12, [(PASSAGE, (question(),))], made)
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


def test_of_changes_of_a_passage_the_weaker_ones_are_tried_too() -> None:
    def judge(asked: list[tuple[Passage, Question]]) -> list[float]:
        return [float(one.tags["rule"] == "0") for _, one in asked]

    made = Made()
    (group,) = hardest(Attack(strategies=[Anywhere()]), judge, 5, [(PASSAGE, (question(),))], made)
    assert group.variants[0][0].text.startswith("石头。")
    ((_, (_, *_)), (first, _)), _ = made_of(Attack(strategies=[Anywhere()]), question())
    assert first.text.endswith("石头。")


def test_a_search_counts_what_cannot_be_made_once() -> None:
    plain = question(options=("鸟会飞。", "鱼会跳。", "所有树会老。", "花会谢。"))
    made = Made()
    attack = Attack(strategies=[strategy()])
    assert not list(hardest(attack, lambda asked: [], 5, [(PASSAGE, (plain,))], made))
    assert made.left_out == {"no option can be reworded": 1}
    assert made.questions == 1


def test_a_choice_whose_stem_tells_is_of_statements() -> None:
    asked = msgspec.structs.replace(question(), kind="choice", asks_for=None, option_truth=())
    ((_, (original, positive, negative)),), _ = made_of(Attack(strategies=[strategy()]), asked)
    assert original.option_truth == ()
    assert positive.option_truth.count(False) == negative.option_truth.count(True) == 1
    assert {one.kind for one in (original, positive, negative)} == {"choice"}


def test_a_choice_that_answers_its_stem_is_of_no_statements() -> None:
    asked = msgspec.structs.replace(
        question("谁会飞？"), kind="choice", asks_for=None, option_truth=()
    )
    items, made = made_of(Attack(strategies=[strategy()]), asked)
    assert not items
    assert made.left_out == {"nothing can be changed": 1}
