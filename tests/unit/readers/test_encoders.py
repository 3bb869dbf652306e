"""Encoders where torch is not installed."""

import importlib.util

import pytest

from closeread.errors import MissingExtraError, UsageError
from closeread.registry.factory import make

ABSENT = importlib.util.find_spec("sentence_transformers") is None


@pytest.mark.skipif(not ABSENT, reason="sentence-transformers is installed here")
@pytest.mark.parametrize("name", ["sentence-transformers", "cross-encoder"])
def test_the_missing_extra_is_named(name):
    with pytest.raises(MissingExtraError, match=r"closeread\[dense\]"):
        make("encoder", name, {"model": "some/model"})


def test_no_model_is_chosen_for_the_user():
    with pytest.raises(UsageError, match="no model given"):
        make("encoder", "sentence-transformers")
