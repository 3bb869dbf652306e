"""How passages are cut for an option, whatever model will read it."""

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.errors import MissingExtraError, UsageError
from closeread.readers import make
from closeread.readers.option_sequences import make_chunks, option_windows, text_after_question
from closeread.readers.statements import Claim
from closeread.readers.windows import Template
from closeread.types import Option

FRAME = Template(before=(1,), between=(2,), after=(2,), second=1)


def make_ids(n: int, base: int) -> list[int]:
    return list(range(base, base + n))


@given(
    n_passage=st.integers(0, 90),
    n_question=st.integers(0, 40),
    n_option=st.integers(0, 40),
    max_length=st.integers(5, 50),
    stride=st.none() | st.integers(1, 60),
)
def test_windows_cover_the_passage_and_the_end_of_the_question(
    n_passage, n_question, n_option, max_length, stride
):
    """No window is longer than the model; all of them together are the passage."""
    passage, question, option = (
        make_ids(n_passage, 1000),
        make_ids(n_question, 2000),
        make_ids(n_option, 3000),
    )
    found = option_windows(passage, question, option, FRAME, max_length=max_length, stride=stride)
    asked = [*question, *option]
    for window in found:
        shown, types = window.encoded
        assert len(shown) == len(types) <= max_length
        part = shown[window.offset : window.offset + window.length]
        assert part == passage[window.first : window.first + window.length]
        second = shown[window.offset + window.length + 1 : -1]
        assert types == [0] * (window.length + 2) + [1] * (len(second) + 1)
        if len(asked) <= max_length - 4:
            assert second == asked
        else:  # the option as far as it goes, and of the question what stands before it
            kept = option[: max_length - 4]
            assert second == [*question[n_question - (max_length - 4 - len(kept)) :], *kept]
    if stride is None:
        assert [window.first for window in found] == [0]
        return
    covered = {one for window in found for one in range(window.first, window.first + window.length)}
    assert covered == set(range(n_passage))
    assert len(found) == 1 or found[-2].first + found[-2].length < n_passage


def test_options_follow_a_blank_except_in_chinese():
    for text, language, shown in (
        ("in 1894", "en", " in 1894"),
        (" in 1894", "en", " in 1894"),
        ("", "en", ""),
        ("1894年", "zh", "1894年"),
    ):
        assert text_after_question(Option(label="A", text=text), language) == shown


@given(
    n_passage=st.integers(0, 300), n_claim=st.integers(0, 90), n_tokens=st.integers(1, 80),
)  # fmt: skip
def test_chunks_partition_the_passage(n_passage, n_claim, n_tokens):
    """One after the other without overlap; one at least."""
    passage, claim = make_ids(n_passage, 1000), make_ids(n_claim, 2000)
    found = make_chunks(passage, Claim(claim), FRAME, n_tokens=n_tokens, max_length=64)
    assert [token for one in found for token in passage[one.first : one.end]] == passage
    assert len(found) == max(1, -(-n_passage // n_tokens))
    for one in found:
        assert len(one.encoded.ids) <= 64
        assert one.encoded.ids[1 : 1 + one.shown] == passage[one.first : one.first + one.shown]
        assert one.encoded.ids[1 + one.shown] == 2
        whole = [1, *passage[one.first : one.end], 2, *claim, 2]
        assert one.encoded.ids == whole or len(whole) > 64


@pytest.mark.parametrize("reader", ["choice", "chunk"])
def test_a_missing_package_is_named_with_its_extra(reader):
    """After the options were looked at."""
    if importlib.util.find_spec("torch") is not None:
        pytest.skip("torch is installed here")
    with pytest.raises(MissingExtraError, match="neural-readers"):
        make(reader, {"model": "somewhere"})
    with pytest.raises(UsageError, match="aggregate=least"):
        make(reader, {"model": "somewhere", "aggregate": "least"})
