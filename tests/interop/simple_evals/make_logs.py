"""Runs simple-evals' DROP over a local file with a model that says what the file tells it to say.

Usage: make_logs.py FOLDER, with material.jsonl in it; the log goes to FOLDER/out, that of prompts
with two examples to FOLDER/few_shot. The packaged copy
writes whole logs no more, and walks through its samples by a coroutine that its DROP does not wait
for: both are done here, the log in the form in which OpenAI's program writes it.
"""

import json
import sys
from pathlib import Path

from published import as_strings, lines
from simple_evals import common
from simple_evals.evals.drop_eval import DropEval

PROMPT = "Passage: {passage}\nQuestion: {question}\nAnswer:"

EXAMPLES = [
    {"context": PROMPT.format(passage=passage, question=question), "completion": f" {answer}"}
    | {"ref_text": answer}
    for passage, question, answer in (
        ("The mill has 12 wheels.", "How many wheels has the mill?", "12"),
        ("Ada Brandt kicked off.", "Who kicked off?", "Ada Brandt"),
    )
]


class Canned:
    """Answers the questions in turn."""

    def __init__(self, says):
        self.says = iter(says)

    def _pack_message(self, content, role):
        return {"role": role, "content": content}

    def __call__(self, messages):
        return next(self.says)


def main(folder):
    rows = lines(folder / "material.jsonl")
    task = object.__new__(DropEval)  # making one downloads the published set
    task.seed, task.num_threads, task.n_repeats, task.cache_dir = 0, 1, 1, str(folder)
    task.test_samples = [
        {
            "context": PROMPT.format(**row),
            "completion": "",
            "ref_text": "|".join(as_strings(row)),
        }
        for row in rows
    ]
    common.map_with_progress = lambda work, samples, **of: list(map(work, samples))
    for shown, out in (([], "out"), (EXAMPLES, "few_shot")):
        task._train_samples_per_prompt, task.train_samples = len(shown), shown
        found = task(Canned([row["says"] for row in rows]))
        (folder / out).mkdir()
        log = {
            "score": found.score,
            "metrics": found.metrics,
            "htmls": found.htmls,
            "convos": found.convos,
            "metadata": None,
        }
        path = folder / out / "drop_canned_20261122_010203_allresults.json"
        path.write_text(json.dumps(log, indent=2), "utf-8")


main(Path(sys.argv[1]))
