"""How long a user waits before anything happens, and the environment of the peer."""

import subprocess
from collections.abc import Iterator

from benchmarks.measure import DATA, PYTHON, Result, ratio, run_in_turn

LM_EVAL_VERSION = "0.4.13"


def startup(peer: str = "", runs: int = 7) -> Iterator[Result]:
    """Compare whole processes.

    Args:
        peer: A program that prints its ``--help``; empty installs lm_eval and takes that.
        runs: Of each process.
    """
    bare, imported, our_help, peer_help = run_in_turn(
        [
            [PYTHON, "-c", "pass"],
            [PYTHON, "-c", "import closeread"],
            [PYTHON, "-m", "closeread", "--help"],
            [peer or install_lm_eval(), "--help"],
        ],
        runs,
    )
    floor = bare.wall_seconds
    yield ratio("import closeread / python -c pass", imported.wall_seconds, floor, most=6)
    yield ratio("closeread --help / python -c pass", our_help.wall_seconds, floor, most=12)
    yield ratio(
        f"closeread --help against lm_eval {LM_EVAL_VERSION}",
        our_help.wall_seconds,
        peer_help.wall_seconds,
        least=2,
    )


def install_lm_eval(extra: str = "") -> str:
    """Install lm_eval once, in an environment of its own; return its program.

    Args:
        extra: Of the package, such as ``[api]``.
    """
    folder = DATA / "lm-eval"
    marker = folder / f"installed{extra}"
    if not marker.exists():
        if not folder.exists():
            subprocess.run([PYTHON, "-m", "venv", folder], check=True)
        package = f"lm_eval{extra}=={LM_EVAL_VERSION}"
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", package], check=True)
        marker.touch()
    return str(folder / "bin" / "lm_eval")
