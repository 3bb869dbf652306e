"""What recipes for training may name."""

import pytest
from click.testing import CliRunner

from closeread.cli.train import command
from closeread.errors import InputError, UsageError
from closeread.readers.cues.reader import load_weights
from closeread.registry.factory import use_path_rule
from closeread.registry.paths import recipe_path_rule
from closeread.training.cues.settings import CueSettings, StageSettings
from closeread.training.recipe import load_recipe, parse_table
from closeread.training.vectors_trainer import VectorSettings
from project_paths import ROOT
from toy_cues import run


@pytest.mark.parametrize("name", ["cues", "cues-c3", "cues-exam", "cues-gcrc"])
def test_recipes_for_training_load(name):
    """Those that ship have known keys and name the reader that they train."""
    path = ROOT / "recipes" / "train" / f"{name}.toml"
    recipe = load_recipe(path)
    assert recipe.reader.name == "cues"
    assert parse_table(path, recipe.train, CueSettings, "train.").datasets
    for stage in recipe.before:
        assert stage.reader.name == "cues"
        assert parse_table(path, stage.train, StageSettings, "before[0].train.").datasets


def test_an_untrainable_reader_is_rejected(tmp_path):
    """It says which can."""
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('out = "x"\n[reader]\nname = "lexical"\n[train]\n', "utf-8")
    result = CliRunner().invoke(command, [str(recipe)])
    assert isinstance(result.exception, UsageError)
    assert "cues" in str(result.exception)


def test_a_set_of_unknown_format_is_reported_with_a_cure(tmp_path):
    """`train` has no option --format, and lists of names have no place for one."""
    odd = tmp_path / "odd.json"
    odd.write_text('[{"what": 1}]', "utf-8")
    result, out = run(tmp_path, data=odd)
    assert isinstance(result.exception, InputError)
    assert "closeread convert FILE NEW.jsonl --from F`, and NEW.jsonl in the recipe" in str(
        result.exception
    )
    assert "--format" not in str(result.exception)
    assert not out.exists()


def test_an_unset_variable_in_a_path_is_reported(tmp_path, monkeypatch):
    """That of a model is filled in: who expects it here, too, is told why there is no such file."""
    monkeypatch.delenv("NOWHERE", raising=False)
    result, _ = run(tmp_path, data="$NOWHERE/set.json")
    assert isinstance(result.exception, InputError)
    assert "the name of the data set contains an environment variable" in str(result.exception)
    assert "a name that begins with $CLOSEREAD_CORPUS/" in result.exception.expected
    result, _ = run(tmp_path, data="~/nowhere/set.json")
    assert "the name of the data set contains ~" in str(result.exception)


def test_a_variable_in_out_is_expanded(tmp_path, monkeypatch):
    """Nothing is made of the literal name, and one that is not set is told."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHERE", raising=False)
    result, _ = run(tmp_path, out="$WHERE/weights.json")
    assert "the environment variable WHERE is not set" in str(result.exception)
    monkeypatch.setenv("WHERE", str(tmp_path / "there"))
    result, _ = run(tmp_path, out="$WHERE/weights.json")
    assert result.exit_code == 0
    load_weights(tmp_path / "there" / "weights.json")
    assert not (tmp_path / "$WHERE").exists()


def test_paths_in_settings_are_resolved_like_others(tmp_path, monkeypatch):
    monkeypatch.setenv("WORDS", str(tmp_path))
    raw = {"datasets": ["exam/zh"], "stop_words": "$WORDS/stop.txt"}
    with use_path_rule(recipe_path_rule("mine.toml")):
        found = parse_table(tmp_path, raw, VectorSettings, "train.")
        assert found.stop_words == str(tmp_path / "stop.txt")
        monkeypatch.delenv("WORDS")
        with pytest.raises(InputError, match=r"train\.stop_words is .* WORDS is not set"):
            parse_table(tmp_path, raw, VectorSettings, "train.")
