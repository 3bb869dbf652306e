"""Checks of the tables of benchmarks. They are about rows, never about a speed."""

import math

import pytest
from benchmarks import measure


def check_table(results, names, folder, capsys, *, may_be_negative=()):
    """Print the results into a folder; every row is there, and its value is finite and positive."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "OUT", folder / "out")
        measure.print_table(results)
    _, *lines = capsys.readouterr().out.splitlines()
    assert [result.name for result in results] == list(names)
    for result, line in zip(results, lines, strict=True):
        assert math.isfinite(result.value), line
        assert result.value > 0 or result.name in may_be_negative, line
        assert line.startswith(result.name)
        assert f" {result.value:.2f}  {result.goal}: " in line
        assert line.endswith((": met", ": MISSED"))
    assert (folder / "out" / "bench.json").is_file()
