"""The file that a training is read from: what other programs and other verbs make of such files."""

import pytest

from closeread.errors import InputError
from closeread.training.recipe import load_recipe

WHOLE = 'out = "there"\n[reader]\nname = "cues"\n[train]\ndatasets = ["exam/zh"]\n'


@pytest.fixture
def recipe(tmp_path):
    def make(text):
        path = tmp_path / "mine.toml"
        path.write_bytes(text.encode())
        return load_recipe(path)

    return make


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(recipe):
    assert recipe("\ufeff" + WHOLE.replace("\n", "\r\n")) == recipe(WHOLE)


def test_who_made_what_nobody_learns_from_is_a_mistake(recipe):
    """The record would leave the set's makers open, and so would the closed track."""
    assert recipe(WHOLE + '[train.made_by]\n"exam/zh" = "people"\n').train["made_by"]
    with pytest.raises(InputError, match=r"train\.made_by tells who made exam/zj") as told:
        recipe(WHOLE + '[train.made_by]\n"exam/zj" = "people"\n')
    assert told.value.expected == "perhaps exam/zh"


def test_makers_are_declared_once_for_all_stages(recipe):
    first = '[[before]]\nreader = { name = "cues" }\n[before.train]\ndatasets = ["exam/en"]\n'
    declared = '[train.made_by]\n"exam/en" = "people"\n'
    assert recipe(WHOLE + declared + first).before
    with pytest.raises(InputError, match=r"before\[0\]\.train\.made_by tells who made other"):
        recipe(WHOLE + first + 'made_by = { other = "people" }\n')


def test_a_recipe_for_reading_names_its_verb(recipe, tmp_path):
    with pytest.raises(InputError, match="a recipe for reading") as told:
        recipe('datasets = ["exam/zh"]\n[reader]\nname = "cues"\n')
    assert told.value.cure == f"closeread run {tmp_path / 'mine.toml'}"


def test_mistakes_are_told_in_the_words_of_toml(recipe):
    """It has tables and no objects, no null, and two brackets where there may be several."""
    stage = '[before]\nreader = { name = "cues" }\n[before.train]\ndatasets = ["exam/en"]\n'
    with pytest.raises(InputError, match="at before: found a table") as told:
        recipe(WHOLE + stage)
    assert told.value.expected == "a list of tables, each begun by [[before]]"
    with pytest.raises(InputError, match=r"at before\[0\]: found a string") as told:
        recipe('before = ["cues"]\n' + WHOLE)
    assert told.value.expected == "a table, begun by [[before]]"
    with pytest.raises(InputError, match="at reader: found a string") as told:
        recipe(WHOLE.replace('[reader]\nname = "cues"', 'reader = "cues"'))
    assert told.value.expected == "a table"
