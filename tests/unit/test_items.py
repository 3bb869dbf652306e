"""So many questions of a data set, and no group cut in two."""

import pytest

from closeread import load
from closeread.items import count_reads, whole_groups
from closeread.types import Passage, Question


def items_of(groups):
    """Return a passage for each text, with a question for each letter, which is its group."""
    return [
        (
            Passage(passage_id="p", text="Text."),
            tuple(
                Question(
                    question_id="q", passage_id="p", text="?", kind="span", group_id=one.strip()
                )
                for one in of
            ),
        )
        for of in groups
    ]


@pytest.mark.parametrize(
    ("groups", "limit", "wanted"),
    [
        (("aaa", "bbb"), 3, 3),
        (("aaa", "bbb"), 4, 6),
        (("aab", "b", "bcc"), 3, 5),
        (("  a", "aa"), 1, 1),
        (("  a", "aa"), 3, 5),
        (("", "aa"), 1, 2),
        (("aa",), 9, 2),
    ],
)
def test_a_group_is_read_whole_wherever_it_ends(groups, limit, wanted):
    """Also over several passages; a question of no group is alone."""
    items = items_of(groups)
    assert sum(len(of) for _, of in whole_groups(items, limit)) == wanted
    assert sum(len(of) for _, of in whole_groups(items, None)) == sum(map(len, groups))


@pytest.mark.parametrize(
    ("limit", "sizes"), [(None, [0, 1, 0, 2, 0]), (1, [0, 1]), (2, [0, 1, 0, 2])]
)
def test_a_passage_without_questions_comes_as_long_as_questions_do(limit, sizes):
    items = items_of(["", " ", "", "aa", ""])
    assert [len(of) for _, of in whole_groups(items, limit)] == sizes


def test_a_set_that_tells_how_far_it_is_read_is_the_same_set(monkeypatch) -> None:
    monkeypatch.setattr("closeread.items._STEP", 20)
    told: list[int] = []
    plain, telling_set = load("exam/zh"), count_reads(load("exam/zh"), told.append)
    assert list(telling_set) == list(plain)
    assert sum(told) == 108
    assert max(told) == 27  # of three passages at once
    told.clear()
    assert list(telling_set.questions()) == list(plain.questions())
    assert sum(told) == 108
