"""Writes tests/golden/others/pairs.jsonl: what the real packages say of every fourth pair.

Usage: record.py [SCRIPT], in the project's environment, after environments.sh. SCRIPT is
``metrics/squad/compute_score.py`` of Hugging Face evaluate's repository; the package does not hold
it. Without it the recorded numbers of ``evaluate`` stay.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
OUT = ROOT / "tests/golden/others/pairs.jsonl"
HARNESSES = {
    "lm_eval": "lm-eval",
    "lighteval": "lighteval",
    "inspect": "inspect",
    "simple_evals": "simple-evals",
    "opencompass": "opencompass",
    "helm": "helm",
}
EACH = 4


def judged(harness, rows):
    """What a harness says of rows, or None where its environment is not made."""
    python = ROOT / ".venv-interop" / harness / "bin" / "python"
    if not python.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "rows.json", Path(folder) / "found.json"
        given.write_text(json.dumps(rows), "utf-8")
        command = [python, HERE / "judge.py", harness, given, found]
        offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": folder, "MPLBACKEND": "agg"}
        done = subprocess.run(
            command, env=os.environ | offline, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(found.read_text("utf-8"))


def by_script(path, rows):
    """What the script of evaluate's ``squad`` says; it sees the first span of every answer."""
    spec = importlib.util.spec_from_file_location("compute_score", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for said, golds in rows:
        asked = {"id": "q", "answers": [{"text": gold[0]} for gold in golds]}
        found = module.compute_score([{"paragraphs": [{"qas": [asked]}]}], {"q": said})
        yield {"squad.em": found["exact_match"] / 100, "squad.f1": found["f1"] / 100}


def main(script=None):
    sys.path.insert(0, str(HERE))
    from pairs import pairs

    rows = pairs()[::EACH]
    columns = {name: judged(harness, rows) for harness, name in HARNESSES.items()}
    if script is not None:
        columns["evaluate"] = list(by_script(script, rows))
    else:
        recorded = [json.loads(line) for line in OUT.read_text("utf-8").splitlines()]
        columns["evaluate"] = [row["evaluate"] for row in recorded]
    with OUT.open("w", encoding="utf-8") as stream:
        for place, (said, golds) in enumerate(rows):
            row = {"said": said, "golds": golds}
            row |= {name: column[place] for name, column in columns.items()}
            stream.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
