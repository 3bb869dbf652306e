"""Recipes are typed: what they do not know they refuse, and the command line wins."""

import pytest
from click.testing import CliRunner

from closeread.cli.run import command
from closeread.errors import InputError, UsageError
from closeread.pipeline.execute import folders, settings
from closeread.pipeline.recipe import load_recipe

WHOLE = """
datasets = ["exam/zh", "data/drop_dev.json.gz"]
out = "somewhere"
[reader]
name = "lexical"
options = { sharpness = 4.0 }
[read]
limit = 10
batch_size = 2
[score]
metrics = ["choice"]
by = ["topic"]
resamples = 500
[score.options.mrqa]
skip_no_answer = true
"""


@pytest.fixture
def recipe(tmp_path):
    def make(text):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return load_recipe(path)

    return make


def test_a_whole_recipe(recipe):
    """Everything that is written arrives, and the name is the file's."""
    found = recipe(WHOLE)
    assert found.name == "mine"
    assert found.reader.options == {"sharpness": 4.0}
    assert (found.read.limit, found.read.batch_size) == (10, 2)
    made = settings(found)
    assert (made.metrics, made.by, made.resamples) == (("choice",), ("topic",), 500)
    assert made.options == {"mrqa": {"skip_no_answer": True}}


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(recipe):
    assert recipe("\ufeff" + WHOLE.replace("\n", "\r\n")).reader.name == "lexical"


def test_one_folder_a_data_set(recipe, tmp_path):
    """One data set makes the folder itself the run; several make one folder each in it."""
    found = recipe(WHOLE)
    assert [path.name for path in folders(found, tmp_path)] == ["exam-zh", "drop_dev"]
    one = recipe('datasets = ["exam/zh"]\n[reader]\nname = "lexical"')
    assert folders(one, tmp_path) == [tmp_path]
    two = recipe('datasets = ["a/dev.json", "b/dev.jsonl"]\n[reader]\nname = "lexical"')
    with pytest.raises(UsageError, match="same name"):
        folders(two, tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('dataset = ["x"]\n[reader]\nname = "y"', "did you mean datasets"),
        ('datasets = ["x"]\n[reader]\nnam = "y"', r"did you mean reader\.name"),
        ('datasets = ["x"]\n[reader]\nname = "y"\n[scoring]', "unknown key scoring"),
        (
            'datasets = ["x"]\n[reader]\nname = "y"\n[score]\nresample = 3',
            r"did you mean score\.resamples",
        ),
        ('datasets = ["x"]', "the field 'reader' is missing"),
        ('reader = { name = "span" }\ntrain = {}', "a recipe of a training"),
        ('datasets = ["x"]\nread = { limit = "a" }\n[reader]\nname = "y"', "read.limit"),
        ('datasets = []\n[reader]\nname = "y"', "no data set"),
        ('datasets = ["x"]\n[reader]\nname = 3', "str"),
        ("datasets = [", "not TOML"),
        ("x = " + "[" * 100_000, "not TOML"),
        ("x = " + "9" * 5000, "not TOML"),
        ('datasets = "x"', r"(?s)datasets.*recipes/quickstart\.toml"),
    ],
)
def test_what_is_wrong_is_named(recipe, text, told):
    """One message with the nearest valid key."""
    with pytest.raises(InputError, match=told):
        recipe(text)


def test_all_problems_at_once(recipe):
    """Two misspelt keys are told together."""
    with pytest.raises(InputError, match=r"dataset .*score\.metric "):
        recipe('dataset = ["x"]\n[reader]\nname = "y"\n[score]\nmetric = ["z"]')


def test_a_recipe_that_is_not_there(tmp_path):
    """A missing file is one message."""
    with pytest.raises(InputError, match="cannot be read"):
        load_recipe(tmp_path / "none.toml")


def test_a_set_of_no_known_format_is_told_with_what_the_recipe_can_say(tmp_path):
    """`run` has no option --format."""
    (tmp_path / "odd.json").write_text('[{"what": 1}]')
    path = tmp_path / "mine.toml"
    path.write_text(f'datasets = ["{tmp_path}/odd.json"]\n[reader]\nname = "lexical"')
    told = CliRunner().invoke(command, [str(path), "--out", str(tmp_path / "out")]).exception
    assert isinstance(told, InputError)
    assert 'format = "..." in the recipe' in told.cure
    assert "--format" not in told.cure


def test_variables_in_out_are_put_in(tmp_path, monkeypatch):
    """One that is not set is told before anything is read or made; --out wins over it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHERE", raising=False)
    path = tmp_path / "mine.toml"
    path.write_text('datasets = ["exam/zh"]\nout = "$WHERE/run"\nreader = { name = "majority" }\n')
    asked = [str(path), "--limit", "3", "--no-intervals"]
    told = CliRunner().invoke(command, asked)
    assert isinstance(told.exception, InputError)
    assert "the environment variable WHERE is not set" in str(told.exception)
    assert [one.name for one in tmp_path.iterdir()] == ["mine.toml"]
    assert CliRunner().invoke(command, [*asked, "--out", "here"]).exit_code == 0
    assert (tmp_path / "here" / "run.json").exists()
    monkeypatch.setenv("WHERE", str(tmp_path / "there"))
    assert CliRunner().invoke(command, asked).exit_code == 0
    assert (tmp_path / "there" / "run" / "run.json").exists()
    assert not (tmp_path / "$WHERE").exists()
