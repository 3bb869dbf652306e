"""A reader is made from its name and options, and wrong ones are named."""

import sys
from types import ModuleType

import pytest

from closeread.errors import UnknownNameError, UsageError
from closeread.readers import make


@pytest.fixture
def module(monkeypatch):
    made = ModuleType("somebodys_readers")
    monkeypatch.setitem(sys.modules, "somebodys_readers", made)
    return made


class Nothing:
    def read(self, items):
        yield from ()


def test_defaults_are_part_of_the_options():
    """What is not given is written down as the default that was used."""
    assert make("lexical")[1] == {"retriever": "cover", "sharpness": 8.0}
    assert make("random-option", {"seed": 3})[1] == {"seed": 3}
    assert make("lexical", {"sharpness": 2})[1]["sharpness"] == 2.0


def test_an_unknown_option_names_the_valid_ones():
    """A misspelt option lists those that the reader has."""
    with pytest.raises(UsageError, match="retriever, sharpness"):
        make("lexical", {"retriver": "cover"})
    with pytest.raises(UsageError, match="no options"):
        make("first-sentence", {"k": 3})


def test_a_value_of_the_wrong_type_is_rejected():
    """A word where a number is needed is refused; a number for text is taken as text."""
    with pytest.raises(UsageError, match="a whole number"):
        make("random-option", {"seed": "many"})
    assert make("majority", {"label": 1})[1] == {"label": "1"}


def test_an_external_factory(module):
    """module:factory is taken, with any options if it takes any."""
    module.free = lambda **options: Nothing()
    module.strict = lambda key, size=3: Nothing()
    assert make("somebodys_readers:free", {"a": 1})[1] == {"a": 1}
    assert make("somebodys_readers:strict", {"key": "x"})[1] == {"key": "x", "size": 3}
    with pytest.raises(UsageError, match="requires the option 'key'"):
        make("somebodys_readers:strict")


@pytest.mark.parametrize("name", ["lexcial", "nowhere:factory", "closeread.readers:nothing"])
def test_an_unknown_reader(name):
    """A wrong name is one message."""
    with pytest.raises(UnknownNameError):
        make(name)
