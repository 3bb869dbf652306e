"""A terminal of 80 columns, as most are: what verbs print of Chinese sets breaks where it may."""

import re

import pytest
from rich.cells import cell_len

from closeread.cli.terminal.output import print_table
from command_line import run_in_process
from pseudo_terminals import on_terminal


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for reader, name in (("lexical", "词面"), ("longest-option", "最长选项")):
        run_in_process("read", "exam/zh", "--reader", reader, "--out", name, folder=folder)
        run_in_process("score", name, "--resamples", "200", folder=folder)
    return folder


@pytest.mark.parametrize(
    "verb",
    ["score 词面 --resamples 200", "compare 词面 最长选项 --resamples 200",
     "show exam/zh --limit 1",
     "audit 词面 最长选项 --check order --check leakage --check metamorphic",
     "evidence exam/zh --limit 5", "describe exam/zh", "verify 词面"],
)  # fmt: skip
def test_no_line_is_wider_than_the_terminal(runs, verb):
    name, *rest = verb.split()
    given = [str(runs / one) if one in ("词面", "最长选项") else one for one in rest]
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", on_terminal(name, *given, columns=80))
    lines = [line.rpartition("\r")[2] for line in shown.splitlines()]
    wide = [line for line in lines if cell_len(line) > 80 and str(runs) not in line]
    assert not wide
    assert len(lines) > 8


def test_notes_are_not_wrapped_outside_a_terminal(runs):
    """Whoever searches them finds them in one."""
    told = run_in_process("score", "词面", "--resamples", "200", folder=runs).stdout
    assert re.search(
        r"^option\.accuracy: 108 questions .* options and variants of one .*$", told, re.M
    )


def test_number_headings_are_broken_before_names(capsys):
    name = "a_score_with_a_name_of_forty_characters_"
    print_table(("score", "nearest", "a long heading of a number"), [(name, name, "0.5")],
          right=["a long heading of a number"])  # fmt: skip
    assert [line.split() for line in capsys.readouterr().out.splitlines()][-1] == [
        name,
        name,
        "0.5",
    ]
