"""An empty path, as of a shell's variable that is not set, is told: it is not the folder here."""

import json
import re
import shutil
from importlib import import_module
from pathlib import Path

import click
import pytest

from closeread.cli import COMMANDS
from closeread.cli.terminal.place import LocalPath
from command_line import permission_prefix, run_in_process, run_in_subprocess

LOGS = Path(__file__).parents[2] / "logs/fixtures/handmade"
LOG = LOGS / "canned-4_2030_Our_Own_Texts.json"
DROP_LOG = LOGS / "drop_canned-model_20261120_120000_allresults.json"
EMPTY = [
    ("score", ""),
    ("score", "run", "--dataset", ""),
    ("score", "--dataset", "", "--predictions", "run/predictions.jsonl"),
    ("score", "--dataset", "exam/zh", "--predictions", ""),
    ("audit", ""),
    ("audit", "run", "--dataset", ""),
    ("audit", "run", "--train", ""),
    ("verify", ""),
    ("verify", "run", "--dataset", ""),
    ("report", ""),
    ("report", "run", "--dataset", ""),
    ("report", "run", "--csv", ""),
    ("compare", "run", ""),
    ("convert", "", "x.jsonl"),
    ("convert", "exam/zh", ""),
    ("calibrate", "", "--out", "x"),
    ("calibrate", "run", "--out", "x", "--dataset", ""),
    ("ingest", "", "--out", "x"),
    ("ask", "Who?", "--reader", "lexical", "--passage", ""),
    ("show", ""),
    ("describe", ""),
    ("evidence", ""),
    ("read", "", "--reader", "lexical", "--out", "x"),
    ("read", "exam/zh", "--reader", "lexical", "--out", ""),
    ("attack", "", "--strategy", "typo", "--out", "x.jsonl"),
    ("run", ""),
    ("train", ""),
]


@pytest.mark.parametrize("arguments", EMPTY, ids=" ".join)
def test_an_empty_path_is_not_the_current_folder(closeread, tmp_path, arguments):
    """Nothing is read and nothing is written."""
    closeread("read", "exam/zh", "--reader", "longest-option", "--limit", "3", "--out", "run")
    for inner in (tmp_path / "run").iterdir():
        shutil.copy(inner, tmp_path)
    there = sorted(tmp_path.rglob("*"))
    assert "is empty" in closeread(*arguments, code=2).stderr
    assert sorted(tmp_path.rglob("*")) == there


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--dataset", "exam/zh", "--predictions", "https://example.org/p.json"),
        ("verify", "http://example.org/run"),
        ("read", "exam/zh", "--reader", "lexical", "--out", "https://example.org/run"),
    ],
    ids=" ".join,
)
def test_a_url_in_place_of_a_file_is_rejected(closeread, tmp_path, arguments):
    """A path of it has one slash: the message named a file that nobody had asked for."""
    told = closeread(*arguments, code=2).stderr
    assert "://example.org/" in told and "give a local path" in told
    assert not list(tmp_path.iterdir())


def test_every_path_option_uses_the_checked_types():
    """A new argument or option that names a file or folder has the type that refuses none."""
    paths = [
        (verb, option.name, type(option.type))
        for verb in COMMANDS
        for option in import_module(f"closeread.cli.{verb}").command.params
        if isinstance(option.type, click.Path)
    ]
    assert len(paths) > 30
    assert not [one for one in paths if not issubclass(one[-1], LocalPath)]


@pytest.mark.parametrize(
    ("verb", "recipe", "told"),
    [
        ("run", 'datasets = [""]\n[reader]\nname = "lexical"\n', "data set is empty"),
        (
            "train",
            'out = ""\nreader.name = "cues"\ntrain.datasets = ["exam/zh"]\n',
            "does not say where",
        ),
        ("train", 'out = "x"\nreader.name = "cues"\ntrain.datasets = [""]\n', "data set is empty"),
    ],
)
def test_an_empty_path_in_a_recipe_is_an_error(closeread, tmp_path, verb, recipe, told):
    """As it is on the command line."""
    (tmp_path / "recipe.toml").write_text(recipe)
    assert told in closeread(verb, "recipe.toml", code=2).stderr
    assert [one.name for one in tmp_path.iterdir()] == ["recipe.toml"]


@pytest.mark.parametrize("named", [".", ".."])
def test_logs_in_the_current_and_parent_folder_are_audited(tmp_path, named):
    """Runs of a folder that is named by dots are called as the folder is."""
    here = tmp_path / "inner"
    here.mkdir()
    shutil.copy(LOG, here / named)
    done = run_in_process("audit", named, "--check", "truncation", "--json", folder=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["sources"]


def test_a_linked_log_is_named_like_its_link(tmp_path):
    """What it leads to may be called by a sha256, as in the caches of hubs."""
    shutil.copy(DROP_LOG, tmp_path / "a1b2c3")
    (tmp_path / "ours.json").symlink_to("a1b2c3")
    done = run_in_process("audit", "ours.json", "--check", "truncation", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "truncation: ours: " in done.stdout


LOCKED = [
    ("score", "locked/run"),
    ("verify", "locked/run"),
    ("audit", "locked/run"),
    ("convert", "locked/run", "x.json"),
    ("ingest", "locked/run", "--out", "x"),
    ("read", "exam/zh", "--reader", "majority", "--out", "locked/run"),
    ("convert", "exam/zh", "locked/x.jsonl"),
    ("evidence", "exam/zh", "--build-corpus", "locked/corpus"),
    ("get", "drop", "--to", "locked"),
    ("score", "locked"),
    ("train", "locked"),
]


@pytest.mark.parametrize("arguments", LOCKED, ids=" ".join)
def test_files_in_an_inaccessible_folder_are_an_error(tmp_path, arguments):
    """Of another person, as a rule: it ended in a traceback."""
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0)
    done = run_in_subprocess(*arguments, folder=tmp_path, before=permission_prefix())
    locked.chmod(0o700)
    assert (done.returncode, done.stdout) == (2, "")
    told = done.stderr
    assert re.search(r"cannot be (accessed|read): Permission denied\n  do: check the p", told)
    if arguments[0] == "convert":  # it names what was asked for, and nothing in it
        assert re.match(r"closeread: (locked/run|.*locked/x.jsonl): cannot", told)
    assert [path.name for path in tmp_path.rglob("*")] == ["locked"]


def test_a_nul_in_a_path_of_a_recipe_is_an_error(closeread, tmp_path):
    """No shell passes one on, and no system has such a file."""
    recipe = 'datasets = ["exam/zh"]\nreader.name = "majority"\nout = "a\\u0000b"\n'
    (tmp_path / "recipe.toml").write_text(recipe)
    assert "a path contains a NUL" in closeread("run", "recipe.toml", code=2).stderr
    assert [one.name for one in tmp_path.iterdir()] == ["recipe.toml"]


@pytest.mark.parametrize("more", [(), ("--json",), ("--html", "x.html")])
def test_evidence_without_questions_is_an_error(closeread, tmp_path, more):
    """Numbers of nothing were printed."""
    (tmp_path / "none.csv").write_text("id,passage,question,answer\n")
    assert "has no questions" in closeread("evidence", "none.csv", *more, code=2).stderr
    assert [one.name for one in tmp_path.iterdir()] == ["none.csv"]
