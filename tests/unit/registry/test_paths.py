"""Paths in recipes: no shell puts in what a shell would."""

from pathlib import Path

import pytest

from closeread.errors import InputError
from closeread.registry.paths import expand_path

SET = {"RUNS": "/data/runs", "EMPTY": ""}


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("runs/mine", "runs/mine"),
        ("$RUNS/mine", "/data/runs/mine"),
        ("${RUNS}2/mine", "/data/runs2/mine"),
        ("./~/mine", "./~/mine"),
        ("a~", "a~"),
        ("5$/a$", "5$/a$"),
        ("", ""),
    ],
)
def test_variables_are_expanded(path, meant):
    assert expand_path(path, where="mine.toml", environment=SET) == meant


def test_the_home_folder_is_expanded(monkeypatch, tmp_path):
    """What it is called stands for itself, also with a dollar in it."""
    home = tmp_path / "$RUNS"
    monkeypatch.setattr(Path, "expanduser", lambda self: home)
    assert expand_path("~/mine", where="mine.toml", environment=SET) == f"{home}/mine"
    assert expand_path("~", where="mine.toml", environment=SET) == str(home)
    assert expand_path("~/$RUNS", where="mine.toml", environment=SET) == f"{home}//data/runs"


@pytest.mark.parametrize("path", ["$NOWHERE/mine", "a/${NOWHERE}", "~/$EMPTY"])
def test_an_unset_variable_is_an_error(path):
    with pytest.raises(InputError, match=r"variable (NOWHERE|EMPTY) is not set") as told:
        expand_path(path, where="mine.toml", environment=SET)
    assert str(told.value).startswith(f"mine.toml: out is {path!r}")


def test_an_unknown_home_folder_is_an_error():
    with pytest.raises(InputError, match="there is no home folder ~no-such-user"):
        expand_path("~no-such-user/mine", where="mine.toml")
