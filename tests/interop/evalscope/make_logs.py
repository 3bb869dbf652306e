"""Runs EvalScope's own DROP over a local file with its mock model saying what the file tells it.

Usage: make_logs.py FOLDER, with material.jsonl in it; logs go to FOLDER/out, those of prompts with
the harness' own three examples to FOLDER/few_shot.
"""

import json
import sys
from pathlib import Path

from evalscope.api.model import ModelOutput
from evalscope.config import TaskConfig
from evalscope.run import run_task


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def as_published(row):
    """Lay a row out as the DROP set on the hub does."""
    given = [row["answer"], *row["validated"]]
    dates = [
        dict(zip(("day", "month", "year"), one.get("date", ["", "", ""]), strict=True))
        for one in given
    ]
    return {
        "query_id": row["id"],
        "passage": row["passage"],
        "question": row["question"],
        "answer": {
            "number": given[0].get("number", ""),
            "date": dates[0],
            "spans": given[0].get("spans", []),
        },
        "validated_answers": {
            "number": [one.get("number", "") for one in given[1:]],
            "date": dates[1:],
            "spans": [one.get("spans", []) for one in given[1:]],
        },
    }


def main(folder):
    rows = lines(folder / "material.jsonl")
    (folder / "set").mkdir()
    (folder / "set" / "validation.jsonl").write_text(
        "".join(json.dumps(as_published(row), ensure_ascii=False) + "\n" for row in rows), "utf-8"
    )
    for shown, out in ((0, "out"), (3, "few_shot")):
        says = [ModelOutput.from_content("canned", row["says"]) for row in rows]
        drop = {"local_path": str(folder / "set"), "few_shot_num": shown}
        run_task(
            TaskConfig(
                model="canned",
                eval_type="mock_llm",
                model_args={"custom_outputs": says},
                datasets=["drop"],
                dataset_args={"drop": drop},
                eval_batch_size=1,
                work_dir=str(folder / out),
                no_timestamp=True,
            )
        )


main(Path(sys.argv[1]))
