"""A bounded fuzz run on every loader, on submissions, and on the splitters and scorers.

``FUZZ_RUNS`` sets how many inputs each target gets; a longer run by hand:
``FUZZ_RUNS=1000000 pytest tests/fuzz``.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.seeds import SEEDS, SUBMISSIONS

pytest.importorskip("atheris", reason="atheris has no build for this machine")

RUNS = os.environ.get("FUZZ_RUNS", "4000")


def _seeds(target: str) -> list[bytes]:
    if target == "loaders":
        from closeread import catalog

        names = ["", *catalog.names("format")]
        assert set(names[1:]) == set(SEEDS), "a format without a seed"
        return [
            bytes([number]) + seed
            for number, name in enumerate(names)
            for seed in SEEDS.get(name, [b"{}"])
        ]
    if target == "submissions":
        return [b" " + seed for seed in SUBMISSIONS]
    return [b"The 10-year plan, 3.5%\0a 10 year plan", "甲先到。“乙说：”\0甲".encode()]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["loaders", "submissions", "texts"])
def test_no_input_crashes(target, tmp_path):
    """Mutated files and texts end in a value or in one of our own errors."""
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    for number, seed in enumerate(_seeds(target)):
        (seeds / f"{number:03}").write_bytes(seed)
    script = Path(__file__).with_name("target.py")
    done = subprocess.run(
        [sys.executable, script, target, seeds, f"-runs={RUNS}", "-max_len=4096", "-seed=7"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert f"Done {RUNS} runs" in done.stderr
