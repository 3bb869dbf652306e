"""Runs OpenCompass over a local file with a model that says what the file tells it to say.

Usage: make_logs.py FOLDER, with material.jsonl in it; logs go to FOLDER/out.
"""

import os
import runpy
import sys
from pathlib import Path

from published import as_strings, lines, write_set

HERE = Path(__file__).parent.absolute()


def main(folder, out="out"):
    rows = lines(folder / "material.jsonl")
    published = [
        {
            "context": f"Passage: {row['passage']}\nQuestion: {row['question']}\nAnswer:",
            "ref_text": "|".join(as_strings(row)),
            "completion": "",
        }
        for row in rows
    ]
    write_set(folder / "drop.jsonl", published)
    os.environ["MATERIAL"] = str(folder / "material.jsonl")
    os.environ["LOCAL_SET"] = str(folder / "drop.jsonl")
    os.environ["PYTHONPATH"] = str(HERE)
    sys.path.insert(0, str(HERE))
    sys.argv = [
        "opencompass",
        str(HERE / "config.py"),
        "-w",
        str(folder / out),
        "--debug",
        "--dump-eval-details",
    ]
    runpy.run_module("opencompass.cli.main", run_name="__main__")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
