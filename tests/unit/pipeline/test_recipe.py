"""Recipes are typed: what they do not know they refuse, and the command line wins."""

import pytest
from click.testing import CliRunner

from closeread.cli.run import command
from closeread.errors import InputError, UsageError
from closeread.pipeline.execute import run_folders, score_settings
from closeread.pipeline.recipe import load_recipe
from closeread.readers.cues.reader import save_weights, shipped_weights
from closeread.registry.factory import make, use_path_rule
from closeread.registry.paths import recipe_path_rule
from closeread.runs.store import open_run
from command_line import closeread

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


def test_all_keys_of_a_recipe_are_read(recipe):
    """Everything that is written arrives, and the name is the file's."""
    found = recipe(WHOLE)
    assert found.name == "mine"
    assert found.reader.options == {"sharpness": 4.0}
    assert (found.read.limit, found.read.batch_size) == (10, 2)
    made = score_settings(found)
    assert (made.metrics, made.by, made.resamples) == (("choice",), ("topic",), 500)
    assert made.options == {"mrqa": {"skip_no_answer": True}}


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(recipe):
    assert recipe("\ufeff" + WHOLE.replace("\n", "\r\n")).reader.name == "lexical"


def test_each_data_set_has_a_folder(recipe, tmp_path):
    """One data set makes the folder itself the run; several make one folder each in it."""
    found = recipe(WHOLE)
    assert [path.name for path in run_folders(found, tmp_path)] == ["exam-zh", "drop_dev"]
    one = recipe('datasets = ["exam/zh"]\n[reader]\nname = "lexical"')
    assert run_folders(one, tmp_path) == [tmp_path]
    two = recipe('datasets = ["a/dev.json", "b/dev.jsonl"]\n[reader]\nname = "lexical"')
    with pytest.raises(UsageError, match="same name"):
        run_folders(two, tmp_path)


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
        ('reader = { name = "span" }\ntrain = {}', "this is a training recipe"),
        ('datasets = ["x"]\nread = { limit = "a" }\n[reader]\nname = "y"', "read.limit"),
        ('datasets = ["x"]\nread.limit = 0\nreader.name = "y"', r"toml, at read\.limit: out"),
        ('datasets = ["x"]\nread.batch_size = 0\nreader.name = "y"', r"at read\.batch_size: out"),
        ('datasets = ["x"]\nscore.level = 95.0\nreader.name = "y"', r"at score\.level: out"),
        ('datasets = ["x"]\nscore.level = nan\nreader.name = "y"', r"at score\.level: out"),
        ('datasets = ["x"]\nscore.seed = -1\nreader.name = "y"', r"at score\.seed: out"),
        ('datasets = ["x"]\nreader.name = "y"\naudit.check = []', r"did you mean audit\.checks"),
        ('datasets = ["x"]\nreader.name = "y"\naudit.checks = ["replan"]', r"audit\.checks"),
        ('datasets = []\n[reader]\nname = "y"', "no data set"),
        ('datasets = ["x"]\n[reader]\nname = 3', "str"),
        ("datasets = [", "not TOML"),
        ("x = " + "[" * 100_000, "not TOML"),
        ("x = " + "9" * 5000, "not TOML"),
        ('datasets = "x"', r"(?s)datasets.*recipes/quickstart\.toml"),
    ],
)
def test_errors_name_the_key(recipe, text, told):
    """One message with the nearest valid key."""
    with pytest.raises(InputError, match=told):
        recipe(text)


def test_all_problems_are_reported_at_once(recipe):
    """Two misspelt keys are told together."""
    with pytest.raises(InputError, match=r"dataset .*score\.metric "):
        recipe('dataset = ["x"]\n[reader]\nname = "y"\n[score]\nmetric = ["z"]')


def test_a_missing_recipe_is_an_error(tmp_path):
    """A missing file is one message."""
    with pytest.raises(InputError, match="cannot be read"):
        load_recipe(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "asked", "told"),
    [
        ('datasets = ["none.json"]\nreader.name = "lexical"', [], ": none.json"),
        ('datasets = ["none.json"]\nreader.name = "x"', ["--reader", "lexical"], ": none.json"),
        ('datasets = ["exam/fr"]\nreader.name = "lexical"', [], ""),
        ('datasets = ["exam/zh"]\nformat = "x"\nreader.name = "lexical"', [], ""),
        ('datasets = ["exam/zh"]\nreader.name = "lexicl"', [], ""),
        ('datasets = ["exam/zh"]\nreader = {name = "lexical", options = {x = 1}}', [], ""),
        ('datasets = ["exam/zh"]\nreader.name = "lexical"\nscore.metrics = ["x"]', [], ""),
        ('datasets = ["exam/zh"]\nreader.name = "lexical"\nscore.resamples = 7', [], ""),
    ],
)
def test_errors_name_the_recipe(tmp_path, monkeypatch, text, asked, told):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    found = CliRunner().invoke(command, [str(path), "--out", "out", *asked]).exception
    assert found.where == f"{path}{told}"
    assert not (tmp_path / "out").exists()


def test_a_file_beside_the_recipe_is_suggested(tmp_path, monkeypatch):
    """Whoever copies recipe and data elsewhere and stays where they were learns why."""
    (tmp_path / "mine").mkdir()
    recipe = tmp_path / "mine/r.toml"
    recipe.write_text('datasets = ["none.jsonl"]\nreader.name = "lexical"')
    monkeypatch.chdir(tmp_path)
    before = CliRunner().invoke(command, ["mine/r.toml", "--out", "out"]).exception
    assert before.cure == "check the path and its permissions"
    (tmp_path / "mine/none.jsonl").write_text("")
    found = CliRunner().invoke(command, ["mine/r.toml", "--out", "out"]).exception
    assert (found.where, found.found) == (before.where, before.found)
    assert found.cure == (
        "paths in it are relative to the working directory, not to the file: write absolute paths, "
        "or run closeread in mine"
    )


def test_errors_of_the_command_line_do_not_name_the_recipe(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('datasets = ["exam/zh"]\nreader.name = "lexical"')
    for asked in (["--reader", "x"], ["-o", "x=1"]):
        found = CliRunner().invoke(command, [str(path), "--out", f"{tmp_path}/out", *asked])
        assert found.exception.where == ""


def test_an_unknown_format_names_the_recipes_key(tmp_path):
    """`run` has no option --format."""
    (tmp_path / "odd.json").write_text('[{"what": 1}]')
    path = tmp_path / "mine.toml"
    path.write_text(f'datasets = ["{tmp_path}/odd.json"]\n[reader]\nname = "lexical"')
    told = CliRunner().invoke(command, [str(path), "--out", str(tmp_path / "out")]).exception
    assert isinstance(told, InputError)
    assert 'format = "..." in the recipe' in told.cure
    assert "--format" not in told.cure


def test_variables_in_out_are_expanded(tmp_path, monkeypatch):
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


def test_paths_among_options_are_expanded(tmp_path, monkeypatch):
    """Variables and home folder; the run tells what they stand for, the recipe what was written."""
    save_weights(tmp_path / "w.json", shipped_weights())
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / "mine.toml"
    for place, written in enumerate(("$WHERE/w.json", "${WHERE}/w.json", "~/w.json")):
        path.write_text(
            f'datasets = ["exam/zh"]\n[reader]\nname = "cues"\noptions.weights = "{written}"\n'
        )
        asked = [str(path), "--limit", "3", "--no-intervals", "--out", str(tmp_path / str(place))]
        if "$" in written:
            monkeypatch.delenv("WHERE", raising=False)
            told = CliRunner().invoke(command, asked)
            assert isinstance(told.exception, InputError)
            assert "mine.toml: weights is " in str(told.exception)
            assert "the environment variable WHERE is not set" in str(told.exception)
            monkeypatch.setenv("WHERE", str(tmp_path))
        assert CliRunner().invoke(command, asked).exit_code == 0
        info = open_run(tmp_path / str(place)).info
        assert info.reader.options["weights"] == str(tmp_path / "w.json")
        assert info.recipe["reader"]["options"]["weights"] == written
        assert CliRunner().invoke(command, [*asked, "--resume"]).exit_code == 0


def test_command_line_options_are_not_expanded_again(tmp_path, monkeypatch):
    """What is left of it holds no variable of the recipe's, also where it is handed on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    path, stop = tmp_path / "mine.toml", tmp_path / "words.txt"
    path.write_text(
        'datasets = ["exam/zh"]\n[reader]\nname = "evidence"\n'
        'options = { retriever = "bm25", words = "characters", stop_words = "$WHERE" }\n'
    )
    asked = [str(path), "--limit", "3", "--no-intervals", "--out", "run", "-o"]
    told = str(CliRunner().invoke(command, [*asked, "stop_words=a$NOWHERE"]).exception)
    assert told.startswith("a$NOWHERE: cannot be read as stop words")
    assert "mine.toml" not in told
    told = str(CliRunner().invoke(command, [*asked, "stop_words=~no-such-user/w"]).exception)
    assert "-o stop_words" in told and "mine.toml" not in told
    stop.write_text("的\n", "utf-8")
    assert CliRunner().invoke(command, [*asked, "stop_words=~/words.txt"]).exit_code == 0
    assert open_run(tmp_path / "run").info.reader.options["stop_words"] == str(stop)


def test_options_that_are_not_paths_are_unchanged(tmp_path, monkeypatch):
    """A model behind an endpoint may be called ~maker/name; a pattern may end in a dollar."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with use_path_rule(recipe_path_rule("mine.toml")):
        options = make("reader", "chat", {"model": "~maker/latest", "stop": "$NOWHERE"})[1]
    assert (options["model"], options["stop"]) == ("~maker/latest", "$NOWHERE")


def test_paths_passed_to_a_retriever_are_expanded(tmp_path, monkeypatch):
    """Whichever reader it serves; ``own`` is no path, and what is there by its name is meant."""
    monkeypatch.setenv("WORDS", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("stop.txt", "$NOWHERE.txt"):
        (tmp_path / name).write_text("的\n", "utf-8")
    with use_path_rule(recipe_path_rule("mine.toml")):
        for given, meant in (
            ("$WORDS/stop.txt", str(tmp_path / "stop.txt")),
            ("$NOWHERE.txt", "$NOWHERE.txt"),
            ("own", "own"),
        ):
            asked = {"retriever": "bm25", "stop_words": given}
            reader, _ = make("reader", "evidence", asked)
            assert reader.options["stop_words"] == meant


def test_the_home_folder_is_expanded_in_options(tmp_path, monkeypatch):
    """Behind a key they fill in variables alone; one that is quoted stays as it is."""
    save_weights(tmp_path / "w.json", shipped_weights())
    monkeypatch.setenv("HOME", str(tmp_path))
    asked = ("read", "exam/zh", "--reader", "cues", "--limit", 3, "--out", tmp_path / "run", "-o")
    assert closeread(*asked, "weights=~/w.json") == 0
    assert open_run(tmp_path / "run").info.reader.options["weights"] == str(tmp_path / "w.json")
    assert closeread(*asked, "weights=~/w.json", "--resume") == 0
    assert closeread(*asked, "weights=$HOME/w.json", "--overwrite") == 2
    assert closeread(*asked, "weights=~no-such-user/w.json", "--overwrite") == 2


def test_paths_are_not_expanded_in_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "~"
    folder.mkdir()
    save_weights(folder / "w.json", shipped_weights())
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    assert make("reader", "cues", {"weights": "~/w.json"})[1]["weights"] == "~/w.json"
