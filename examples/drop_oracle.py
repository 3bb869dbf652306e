"""Write what a perfect reader would hand in for DROP, with the habits of language models.

    python examples/drop_oracle.py drop_v0_dev.jsonl.gz oracle

One file of predictions a habit: the first accepted answer as it is, with a full stop, with text
running on, cut at a stop string, in a sentence.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from closeread import load

RUN_ON = "\n\nPassage: Hoping to rebound from their loss"
HABITS: dict[str, Callable[[str], str]] = {
    "gold": lambda gold: gold,
    "full-stop": lambda gold: gold + ".",
    "cut": lambda gold: gold.split(".")[0],
    "run-on": lambda gold: gold + RUN_ON,
    "run-on-cut": lambda gold: (gold + RUN_ON).split(".")[0],
    "run-on-line": lambda gold: (gold + RUN_ON).split("\n")[0],
    "sentence": lambda gold: f"The answer is {gold}.",
    "answer-colon": lambda gold: f"Answer: {gold}",
    "constant": lambda gold: "2",
    "empty": lambda gold: "",
}


def main(dataset: str, out: str) -> None:
    """Write ``out/HABIT.json`` for every habit."""
    golds = {
        question.question_id: question.answers[0].texts[0] for question in load(dataset).questions()
    }
    folder = Path(out)
    folder.mkdir(exist_ok=True)
    for name, habit in HABITS.items():
        said = {question_id: habit(gold) for question_id, gold in golds.items()}
        (folder / f"{name}.json").write_text(json.dumps(said), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
