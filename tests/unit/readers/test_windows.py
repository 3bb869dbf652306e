"""Windows of a passage: an answer never falls between two of them."""

import pytest

from closeread.errors import UsageError
from closeread.readers.windows import Template, windows

TEMPLATE = Template(before=(1,), between=(2,), after=(3,), second=1, single_after=(3,))


def cut(n_question: int, n_passage: int, **settings: int) -> list[range]:
    found = windows(
        list(range(100, 100 + n_question)), list(range(n_passage)), TEMPLATE, **settings
    )
    for one in found:
        shown = one.encoded.ids[one.at : one.at + one.length]
        assert shown == list(range(one.first, one.first + one.length))
        assert len(one.encoded.ids) <= settings["max_length"]
    return [range(one.first, one.first + one.length) for one in found]


@pytest.mark.parametrize("n_question", [0, 5, 64, 300])
@pytest.mark.parametrize("stride", [1, 40, 128, 1000])
@pytest.mark.parametrize("n_passage", [0, 1, 60, 61, 62, 500])
def test_every_answer_stands_whole_in_a_window(n_question, stride, n_passage):
    """Also with the longest question, which leaves less room than a stride."""
    shown = cut(n_question, n_passage, max_length=128, stride=stride, overlap=29)
    for first in range(max(0, n_passage - 29)):
        assert any(first in one and first + 29 in one for one in shown)
    assert [one.start for one in shown] == sorted({one.start for one in shown})
    assert shown[-1].stop == n_passage


def test_the_stride_is_kept_where_answers_fit():
    assert [one.start for one in cut(64, 500, max_length=384, stride=128, overlap=29)] == [
        0,
        128,
        256,
    ]


def test_no_stride_leaves_neighbours_just_their_overlap():
    assert [one.start for one in cut(10, 700, max_length=384, stride=None, overlap=128)] == [
        0,
        243,
        486,
    ]


def test_more_overlap_than_room_still_moves_on():
    assert [one.start for one in cut(4, 6, max_length=10, stride=5, overlap=29)] == [0, 1, 2, 3]


def test_no_room_is_said():
    with pytest.raises(UsageError, match="67 tokens that move by 1 cannot hold a passage"):
        cut(64, 9, max_length=67, stride=1)
    with pytest.raises(UsageError, match="67 tokens cannot hold a passage"):
        cut(64, 9, max_length=67, stride=None)
