"""The question-answering pipeline of transformers 4.57, in a process of its own environment."""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from benchmarks.measure import DATA, HERE, PEERS
from closeread.types import PassageQuestion

PYTHON = HERE.parent / ".venv-pipeline" / "bin" / "python"


class PipelinePeer:
    """The process, which ``peers/pipeline_worker.py`` runs; it waits for ``run_pass``.

    Attributes:
        sizes: Windows and tokens of a pass, by the name of the side.
    """

    def __init__(self, model: str, items: Sequence[PassageQuestion]) -> None:
        DATA.mkdir(exist_ok=True)
        pairs = DATA / "pairs.json"
        pairs.write_text(
            json.dumps([[passage.text, question.text] for passage, question in items]), "utf-8"
        )
        self.sizes: dict[str, tuple[int, int]] = {}
        self._process = subprocess.Popen(
            [PYTHON, PEERS / "pipeline_worker.py", model, pairs],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._read_line()

    def time_pass(self, windows: str, n_tokens: int) -> float:
        """Read all questions once; return CPU seconds, and keep the size of the pass."""
        report = self.run_pass(windows, n_tokens)
        side = "peer" if windows == "own" else f"peer, {windows}"
        self.sizes[side] = (report["windows"], report["tokens"])
        return float(report["seconds"])

    def run_pass(self, windows: str, n_tokens: int) -> dict[str, Any]:
        """Read all questions once.

        Args:
            windows: ``own``, ``shared`` or ``moved``; see ``peers/pipeline_worker.py``.
            n_tokens: That neighbouring windows share, or that they are moved by.

        Returns:
            ``seconds`` of CPU, numbers of ``windows`` and ``tokens``, and ``answers``: each a text,
            its first character and its score.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(f"{windows} {n_tokens}\n")
        self._process.stdin.flush()
        report: dict[str, Any] = self._read_line()
        return report

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _read_line(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the pipeline failed: its message stands above")
        return json.loads(line)
