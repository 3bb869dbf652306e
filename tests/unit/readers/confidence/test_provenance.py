"""Whether answers come from the reader that confidences were learned from."""

import pytest

from closeread.readers.confidence.provenance import AnsweredBy


def span(sha256, **options):
    return AnsweredBy(
        name="span",
        options={"model": "a", "n_best": 5, "max_length": 384} | options,
        record={"max_length": 256, "weights_sha256": sha256, "n_parameters": len(sha256)},
    )


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (span("1"), []),
        (span("1", model="moved/a"), []),
        (span("1", max_length=512), []),  # the model takes 256 in either case
        (span("22"), ["different weights"]),
        (span("1", n_best=10), ["n_best=10 instead of 5"]),
    ],
)
def test_weights_and_settings_distinguish_readers(now, said):
    """Where they lie is no matter, and what was asked for none where it was not to be had."""
    assert span("1").differences_from(now) == said


def test_an_unrecorded_penalty_is_the_default():
    """Records of before there was one, and of readers without, lack it."""
    before, now = span("1"), span("1", length_penalty=0.5)
    now.record["length_penalty"] = 0.5
    assert before.differences_from(now) == ["length_penalty=0.5 instead of 0.0"]
    assert now.differences_from(before) == ["length_penalty=0.0 instead of 0.5"]
    assert now.differences_from(span("1", length_penalty=None)) == [
        "length_penalty=0.0 instead of 0.5"
    ]


def test_unrecorded_facts_are_not_differences():
    served = AnsweredBy(name="span", options={"model": "a", "n_best": 5}, record={})
    assert span("1").differences_from(served) == served.differences_from(span("1")) == []
    other = AnsweredBy(name="span", options={"model": "b", "n_best": 5}, record={})
    assert span("1").differences_from(other) == ["model=b instead of a"]
