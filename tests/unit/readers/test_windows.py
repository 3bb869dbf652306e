"""Windows of a passage: an answer never falls between two of them."""

import pytest

from closeread.errors import UsageError
from closeread.readers.windows import Encoded, Template, Tokens, make_windows
from closeread.types import Span

TEMPLATE = Template(before=(1,), between=(2,), after=(3,), second=1)


def make_ranges(n_question: int, n_passage: int, **settings: int) -> list[range]:
    found = make_windows(
        list(range(100, 100 + n_question)), list(range(n_passage)), TEMPLATE, **settings
    )
    for one in found:
        shown = one.encoded.ids[one.offset : one.offset + one.length]
        assert shown == list(range(one.first, one.first + one.length))
        assert len(one.encoded.ids) <= settings["max_length"]
    return [range(one.first, one.first + one.length) for one in found]


@pytest.mark.parametrize("n_question", [0, 5, 64, 300])
@pytest.mark.parametrize("stride", [1, 40, 128, 1000])
@pytest.mark.parametrize("n_passage", [0, 1, 60, 61, 62, 500])
def test_every_answer_is_whole_in_a_window(n_question, stride, n_passage):
    """Also with the longest question, which leaves less room than a stride."""
    shown = make_ranges(n_question, n_passage, max_length=128, stride=stride, overlap=29)
    for first in range(max(0, n_passage - 29)):
        assert any(first in one and first + 29 in one for one in shown)
    assert [one.start for one in shown] == sorted({one.start for one in shown})
    assert shown[-1].stop == n_passage


def test_the_stride_is_kept_if_answers_fit():
    assert [one.start for one in make_ranges(64, 500, max_length=384, stride=128, overlap=29)] == [
        0,
        128,
        256,
    ]


def test_without_a_stride_neighbours_share_only_the_overlap():
    assert [
        one.start for one in make_ranges(10, 700, max_length=384, stride=None, overlap=128)
    ] == [
        0,
        243,
        486,
    ]


def test_neighbours_do_not_overlap_by_default():
    assert make_ranges(1, 8, max_length=7, stride=None) == [range(3), range(3, 6), range(6, 8)]


def test_windows_advance_even_with_too_much_overlap():
    assert [one.start for one in make_ranges(4, 6, max_length=10, stride=5, overlap=29)] == [
        0,
        1,
        2,
        3,
    ]


def test_a_question_without_room_for_the_passage_is_an_error():
    with pytest.raises(UsageError, match="max_length=67, stride=1: such windows cannot cover"):
        make_ranges(64, 9, max_length=67, stride=1)
    with pytest.raises(UsageError, match="max_length=67: such windows cannot cover"):
        make_ranges(64, 9, max_length=67, stride=None)


def test_special_tokens_are_added_as_expected():
    """The second segment begins with the passage, behind both separators."""
    template = Template(before=(1,), between=(2, 4), after=(3,), second=1)
    assert template.n_special == 4
    pair = Encoded([1, 7, 8, 2, 4, 9, 3], [0, 0, 0, 0, 0, 1, 1])
    assert template.pair([7, 8], [9]) == pair
    (window,) = make_windows([7, 8], [9], template, max_length=384, stride=None)
    assert window == (pair, 5, 0, 1)


def test_a_question_is_truncated_and_the_passage_gets_the_rest():
    """Of 12 tokens 3 frame and 4 are the question: 5 are left, and neighbours share 2."""
    found = make_windows(
        list(range(100, 110)), list(range(12)), TEMPLATE,
        max_length=12, stride=None, overlap=2, max_question_length=4,
    )  # fmt: skip
    assert [one.encoded.ids[1:6] for one in found] == [[100, 101, 102, 103, 2]] * 4
    assert [(one.offset, one.first, one.length) for one in found] == [
        (6, 0, 5), (6, 3, 5), (6, 6, 5), (6, 9, 3),
    ]  # fmt: skip


def test_a_question_has_64_tokens_by_default():
    (window,) = make_windows(list(range(100)), [9], TEMPLATE, max_length=384, stride=None)
    assert (window.offset, window.encoded.ids[64:67]) == (66, [63, 2, 9])


def test_the_minimum_room_is_one_token():
    assert make_ranges(1, 3, max_length=5, stride=None) == [range(1), range(1, 2), range(2, 3)]
    assert make_ranges(1, 3, max_length=5, stride=1) == [range(1), range(1, 2), range(2, 3)]
    with pytest.raises(UsageError):
        make_ranges(1, 3, max_length=4, stride=None)
    with pytest.raises(UsageError, match="stride=0"):
        make_ranges(1, 3, max_length=384, stride=0)


def test_token_offsets_span_first_to_last_character():
    tokens = Tokens([5, 6, 7], [0, 3, 8], [2, 7, 9])
    assert (tokens.span(0, 0), tokens.span(0, 1), tokens.span(1, 2)) == (
        Span(0, 2), Span(0, 7), Span(3, 9),
    )  # fmt: skip
