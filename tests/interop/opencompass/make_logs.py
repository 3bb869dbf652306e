"""Runs OpenCompass over a local file with a model that says what the file tells it to say.

Usage: make_logs.py FOLDER, with material.jsonl in it; logs go to FOLDER/out.
"""

import json
import os
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent.absolute()


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def golds(row):
    """Write the accepted answers as the published file for this configuration does."""
    for one in (row["answer"], *row["validated"]):
        if "number" in one:
            yield one["number"]
        elif "date" in one:
            yield " ".join(one["date"]).strip()
        else:
            yield " and ".join(one["spans"])


def main(folder, out="out"):
    rows = lines(folder / "material.jsonl")
    (folder / "drop.jsonl").write_text(
        "".join(
            json.dumps(
                {
                    "context": f"Passage: {row['passage']}\nQuestion: {row['question']}\nAnswer:",
                    "ref_text": "|".join(dict.fromkeys(golds(row))),
                    "completion": "",
                },
                ensure_ascii=False,
            )
            + "\n"
            for row in rows
        ),
        "utf-8",
    )
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
