"""Several files that are not there are told at once, each with what fetches it."""

import json
from functools import partial

import pytest

from closeread.errors import InputError
from closeread.formats.files.open_all import open_each
from command_line import closeread


def raise_input_error(**said):
    raise InputError("cannot be read", **said)


def test_opened_files_are_returned_in_order():
    assert open_each(partial(int, one) for one in "312") == [3, 1, 2]


def test_a_single_failure_keeps_its_error():
    with pytest.raises(InputError) as caught:
        open_each([dict, partial(raise_input_error, where="a", expected="x", cure="y"), dict])
    assert (caught.value.where, caught.value.expected, caught.value.cure) == ("a", "x", "y")


def test_several_failures_are_one_error():
    with pytest.raises(InputError) as caught:
        open_each(
            partial(raise_input_error, where=f"{name % 30}", cure="get it") for name in range(60)
        )
    first, second, *_, last = str(caught.value).split("\n")
    assert (first, second) == ("30 files cannot be opened:", "    0: cannot be read – get it")
    assert last == "    and 10 more"


def test_a_recipe_reports_all_missing_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = [f"data/mrqa/train/{name}.jsonl.gz" for name in ("SQuAD", "NewsQA")]
    sets = json.dumps([*names, "exam/en"])
    recipe = f'name = "two"\ndatasets = {sets}\n[reader]\nname = "lexical"'
    (tmp_path / "r.toml").write_text(recipe, "utf-8")
    assert closeread("run", "r.toml") == 2
    told = capsys.readouterr().err
    assert "2 files cannot be opened" in told
    assert "closeread get mrqa/train/SQuAD" in told
    assert "closeread get mrqa/train/NewsQA" in told
    assert not (tmp_path / "runs").exists()
