"""Runs the harness over local files with a model that says what the files tell it to say.

Usage: make_logs.py FOLDER, with material.jsonl and choices.jsonl in it; logs go to FOLDER/out.
"""

import sys
from pathlib import Path

from lm_eval.api.model import LM
from lm_eval.evaluator import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.models.utils import postprocess_generated_text
from lm_eval.tasks import TaskManager
from published import as_on_the_hub, lines, write_set

HERE = Path(__file__).parent


class Canned(LM):
    """Knows the answer to every prompt by the question that it ends in."""

    def __init__(self, rows, choices):
        super().__init__()
        self.rows, self.choices = rows, choices

    def _row(self, rows, prompt):
        return next(row for row in rows if row["passage"] in prompt and row["question"] in prompt)

    def generate_until(self, requests, disable_tqdm=False):
        # What every generating model of the harness does with its text before it is logged.
        return [
            postprocess_generated_text(
                self._row(self.rows, request.args[0])["says"], request.args[1]["until"], None
            )
            for request in requests
        ]

    def loglikelihood(self, requests, disable_tqdm=False):
        found = []
        for request in requests:
            row = self._row(self.choices, request.args[0])
            place = row["options"].index(request.args[1].strip())
            value = row["loglikelihoods"][place]
            found.append((value, value == max(row["loglikelihoods"])))
        return found

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


def as_published(row):
    """Lay a row out as the file of this task does."""
    found = as_on_the_hub(row)
    answer = found["answer"] | {"worker_id": "w", "hit_id": "h"}
    return {"section_id": row["id"][0], **found, "answer": answer}


def main(folder):
    rows, choices = lines(folder / "material.jsonl"), lines(folder / "choices.jsonl")
    files = {"drop_local": folder / "drop.jsonl", "choice_local": folder / "choices.jsonl"}
    write_set(files["drop_local"], map(as_published, rows))
    sys.path.insert(0, str(HERE))
    tasks = TaskManager(include_path=str(HERE), include_defaults=False)
    tracker = EvaluationTracker(output_path=str(folder / "out"))
    for task, path in files.items():
        found = simple_evaluate(
            model=Canned(rows, choices),
            tasks=[
                {
                    "task": task,
                    **_config(HERE / f"{task}.yaml"),
                    "dataset_kwargs": {"data_files": {"test": str(path)}},
                }
            ],
            task_manager=tasks,
            log_samples=True,
            evaluation_tracker=tracker,
        )
        samples = found.pop("samples")
        tracker.save_results_aggregated(results=found, samples=samples)
        for name, of in samples.items():
            tracker.save_results_samples(task_name=name, samples=of)


def _config(path):
    from lm_eval.tasks._yaml_loader import load_yaml

    return load_yaml(path, resolve_func=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
