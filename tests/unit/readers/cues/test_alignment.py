"""How far one stretch of a passage tells a statement in its order: by hand, and by brute force."""

import random
from itertools import combinations

import pytest

from closeread.evidence.claims.terms import units
from closeread.readers.cues.alignment import AlignedPassage


def ordered_share(passage, option):
    return AlignedPassage(units(passage)).ordered_share(units(option))


@pytest.mark.parametrize(
    ("option", "share"),
    [
        ("甲乙丙丁", 1),  # told word for word
        ("甲乙丙", 1),
        ("甲乙丁", (3 - 0.5 - 0.04) / 3),  # 丙 is left out of the passage
        ("甲乙鲸丙", (3 - 0.1) / 4),  # 鲸 is left out of the option
        ("甲乙的丙", (3 - 0.03) / 3.3),  # and so is a function word, which counts less
        ("丙丁甲乙", (4 - 1.5) / 4),  # the passage is gone back in: the dearest of gaps
        ("乙甲", 1 / 2),  # which is dearer than to leave one out
        ("鲸鱼", 0),
        ("，。", 0),
        ("", 0),
    ],
)
def test_by_hand(option, share):
    assert ordered_share("甲乙丙丁", option) == pytest.approx(share)


def test_omitted_characters_cost_up_to_a_limit_and_marks_nothing():
    assert ordered_share("甲，乙", "甲乙") == ordered_share("甲乙", "甲；乙。") == 1
    assert ordered_share("甲" + "水" * 10 + "乙丙", "甲乙丙") == pytest.approx((3 - 0.5 - 0.4) / 3)
    assert ordered_share("甲戊" + "水" * 500 + "乙丙", "甲戊乙丙") == pytest.approx((4 - 1.5) / 4)


def test_a_passage_without_words_has_no_alignment():
    assert ordered_share("", "甲") == ordered_share("。", "甲") == 0


def best_share(passage, option):
    """Every choice of units of the option, each laid on every place that has it."""
    theirs, own = units(passage), units(option)
    weights = [0.3 if unit.is_function else 1.0 for unit in own]
    places = [[at for at, one in enumerate(theirs) if one.form == unit.form] for unit in own]
    top = 0.0
    for count in range(1, len(own) + 1):
        for chosen in combinations(range(len(own)), count):
            inside = range(chosen[0], chosen[-1])
            lost = 0.1 * sum(weights[at] for at in inside if at not in chosen)
            found = dict.fromkeys(places[chosen[0]], weights[chosen[0]] - lost)
            for place in chosen[1:]:
                found = {
                    at: max((value - gap_cost(theirs, last, at) for last, value in found.items()))
                    + weights[place]
                    for at in places[place]
                    if found
                }
            top = max([top, *found.values()])
    return top / sum(weights)


def gap_cost(theirs, last, at):
    if at == last + 1:
        return 0.0
    long = theirs[at - 1].start - theirs[last].start
    return min(1.5, 0.5 + 0.04 * long) if at > last else 1.5


def test_the_alignment_equals_the_best_of_all():
    draw = random.Random(4)
    for _ in range(300):
        passage = "".join(draw.choices("甲乙丙丁的，", k=draw.randint(1, 30)))
        option = "".join(draw.choices("甲乙丙丁的鲸", k=draw.randint(1, 7)))
        assert ordered_share(passage, option) == pytest.approx(best_share(passage, option)), (
            passage,
            option,
        )
