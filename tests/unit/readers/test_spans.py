"""Which window a span is taken from."""

from hypothesis import given
from hypothesis import strategies as st

from closeread.readers.neural.spans import _elsewhere, taken
from closeread.readers.windows import Template, windows

TEMPLATE = Template(before=(1,), between=(2,), after=(2,), second=1, single_after=(2,))


@given(
    n_tokens=st.integers(0, 120),
    max_length=st.integers(12, 60),
    stride=st.integers(1, 50),
    width=st.integers(1, 12),
)
def test_every_span_is_taken_once_and_its_tokens_are_looked_at(n_tokens, max_length, stride, width):
    shown = windows(
        [7, 8], list(range(n_tokens)), TEMPLATE,
        max_length=max_length, stride=stride, overlap=width - 1,
    )  # fmt: skip
    found = []
    for which, window in enumerate(shown):
        looked_at = taken(shown, which, n_tokens, width)
        assert not len(looked_at) or looked_at[0] >= window.at
        shut = _elsewhere(shown, which, min(width, window.length), n_tokens)
        for row in range(window.length):
            for column in range(min(width, window.length - row)):
                if shut is not None and shut[row, column]:
                    continue
                found.append((window.first + row, window.first + row + column))
                assert window.at + row in looked_at
                assert window.at + row + column in looked_at
    room = max_length - 5
    most = min(width, room)
    assert sorted(found) == [
        (first, last)
        for first in range(n_tokens)
        for last in range(first, min(first + most, n_tokens))
    ]


def test_neighbours_share_the_work():
    shown = windows([7], list(range(1000)), TEMPLATE, max_length=384, stride=128, overlap=29)
    sizes = [len(taken(shown, which, 1000, 30)) for which in range(len(shown))]
    assert sum(sizes) < 0.6 * sum(one.length for one in shown)
