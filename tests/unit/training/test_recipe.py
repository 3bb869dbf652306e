"""The file that a training is read from: what other programs and other verbs make of such files."""

from pathlib import Path

import msgspec
import pytest

from closeread.errors import InputError
from closeread.registry.factory import PathText, use_path_rule
from closeread.training.recipe import load_recipe, parse_table

WHOLE = 'out = "there"\n[reader]\nname = "cues"\n[train]\ndatasets = ["exam/zh"]\n'


@pytest.fixture
def recipe(tmp_path):
    def make(text):
        path = tmp_path / "mine.toml"
        path.write_bytes(text.encode())
        return load_recipe(path)

    return make


def test_recipes_may_have_a_byte_order_mark_and_windows_line_ends(recipe):
    assert recipe("\ufeff" + WHOLE.replace("\n", "\r\n")) == recipe(WHOLE)


def test_a_maker_of_an_unused_set_is_rejected(recipe):
    """The record would leave the set's makers open, and so would the closed track."""
    assert recipe(WHOLE + '[train.made_by]\n"exam/zh" = "people"\n').train["made_by"]
    with pytest.raises(InputError, match=r"train\.made_by declares who wrote exam/zj") as told:
        recipe(WHOLE + '[train.made_by]\n"exam/zj" = "people"\n')
    assert told.value.expected == "perhaps exam/zh"


def test_makers_are_declared_once_for_all_stages(recipe):
    first = '[[before]]\nreader = { name = "cues" }\n[before.train]\ndatasets = ["exam/en"]\n'
    declared = '[train.made_by]\n"exam/en" = "people"\n'
    assert recipe(WHOLE + declared + first).before
    with pytest.raises(InputError, match=r"before\[0\]\.train\.made_by declares who wrote other"):
        recipe(WHOLE + first + 'made_by = { other = "people" }\n')


def test_a_recipe_for_reading_is_rejected_with_its_verb(recipe, tmp_path):
    with pytest.raises(InputError, match="this is a recipe for `closeread run`") as told:
        recipe('datasets = ["exam/zh"]\n[reader]\nname = "cues"\n')
    assert told.value.cure == f"closeread run {tmp_path / 'mine.toml'}"


def test_errors_use_the_terms_of_toml(recipe):
    """It has tables and no objects, no null, and two brackets where there may be several."""
    stage = '[before]\nreader = { name = "cues" }\n[before.train]\ndatasets = ["exam/en"]\n'
    with pytest.raises(InputError, match="at before: found a table") as told:
        recipe(WHOLE + stage)
    assert told.value.expected == "a list of tables, each under the header [[before]]"
    with pytest.raises(InputError, match=r"at before\[0\]: found a string") as told:
        recipe('before = ["cues"]\n' + WHOLE)
    assert told.value.expected == "a table under the header [[before]]"
    with pytest.raises(InputError, match="at reader: found a string") as told:
        recipe(WHOLE.replace('[reader]\nname = "cues"', 'reader = "cues"'))
    assert told.value.expected == "a table"


class _Few(msgspec.Struct, kw_only=True):
    max_steps: int = 0


class _Several(msgspec.Struct, kw_only=True):
    one: int = 0
    models: tuple[PathText, ...] = ()


def test_an_unknown_key_is_reported_with_the_valid_ones():
    """`train.format` was said to be perhaps `train.max_steps`: who reads that looks elsewhere."""
    with pytest.raises(InputError) as told:
        parse_table(Path("r.toml"), {"format": 1}, _Few, "train.")
    assert told.value.found == "unknown key train.format (known: max_steps)"


def test_all_unknown_keys_of_a_table_are_reported():
    with pytest.raises(InputError) as told:
        parse_table(Path("r.toml"), {"onee": 1, "models": [], "modles": []}, _Several, "train.")
    assert "unknown key train.onee (did you mean train.one?)" in str(told.value)
    assert "unknown key train.modles (did you mean train.models?)" in str(told.value)


def test_lists_of_paths_are_resolved_like_single_ones():
    """By the rule in force, each by itself."""
    with use_path_rule(lambda option, value: f"{option}={value}"):
        found = parse_table(Path("r.toml"), {"models": ["a", "b"]}, _Several, "train.")
    assert found.models == ("train.models=a", "train.models=b")
