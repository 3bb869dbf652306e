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


def test_a_recipe_for_reading_names_its_verb(recipe, tmp_path):
    with pytest.raises(InputError, match="a recipe for reading") as told:
        recipe('datasets = ["exam/zh"]\n[reader]\nname = "cues"\n')
    assert told.value.cure == f"closeread run {tmp_path / 'mine.toml'}"
