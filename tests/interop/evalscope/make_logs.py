"""Runs EvalScope's own DROP over a local file with its mock model saying what the file tells it.

Usage: make_logs.py FOLDER, with material.jsonl in it; logs go to FOLDER/out, those of prompts with
the harness' own three examples to FOLDER/few_shot.
"""

import sys
from pathlib import Path

from evalscope.api.model import ModelOutput
from evalscope.config import TaskConfig
from evalscope.run import run_task
from published import as_on_the_hub, lines, write_set


def main(folder):
    rows = lines(folder / "material.jsonl")
    (folder / "set").mkdir()
    write_set(folder / "set" / "validation.jsonl", map(as_on_the_hub, rows))
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
