"""Runs the harness with examples in its prompts and a model that copies from them now and then.

Usage: make_few_shot_logs.py FOLDER, with material.jsonl in it; logs go to FOLDER/few_shot: of one
task with text prompts and of one with messages, as of a model behind a chat endpoint. Two of
three texts are the answer of the first example; the rest is as material.jsonl says.
"""

import json
import sys
from pathlib import Path

from lm_eval.evaluator import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.models.api_models import JsonChatStr
from lm_eval.models.utils import postprocess_generated_text
from lm_eval.tasks import TaskManager
from make_logs import Canned, _config, as_published
from published import lines, write_set

HERE = Path(__file__).parent


class Copying(Canned):
    """Writes the first example's answer, and goes on with a passage of its own."""

    def generate_until(self, requests, disable_tqdm=False):
        found = []
        for place, request in enumerate(requests):
            prompt, settings = request.args
            text = self._row(self.rows, prompt.rpartition("Passage:")[2])["says"]
            if place % 3 != 2:
                text = prompt.split("Answer:")[1].split("\n\n")[0] + "\n\nPassage: The end"
            found.append(postprocess_generated_text(text, settings["until"], None))
        return found


class Chatting(Canned):
    """Is given messages, as JSON in a string of its own kind."""

    tokenizer_name = "none"

    def chat_template(self, chat_template=False):
        return ""

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        return JsonChatStr(json.dumps(chat_history, ensure_ascii=False))

    def generate_until(self, requests, disable_tqdm=False):
        return [
            self._row(self.rows, json.loads(request.args[0].prompt)[-1]["content"])["says"]
            for request in requests
        ]


def main(folder):
    rows = lines(folder / "material.jsonl")
    path = folder / "drop.jsonl"
    write_set(path, map(as_published, rows))
    sys.path.insert(0, str(HERE))
    config = _config(HERE / "drop_local.yaml") | {
        "fewshot_split": "test",
        "doc_to_text": "Passage: {{passage}}\nQuestion: {{question}}\nAnswer:",
        "doc_to_target": "{{ answers[0]|join(', ') }}",
        "target_delimiter": " ",
        "dataset_kwargs": {"data_files": {"test": str(path)}},
    }
    for name, model, chat in (("drop_few_shot", Copying, False), ("drop_chat", Chatting, True)):
        tracker = EvaluationTracker(output_path=str(folder / "few_shot"))
        found = simple_evaluate(
            model=model(rows, []),
            tasks=[config | {"task": name}],
            num_fewshot=2,
            apply_chat_template=chat,
            fewshot_as_multiturn=chat,
            task_manager=TaskManager(include_path=str(HERE), include_defaults=False),
            log_samples=True,
            evaluation_tracker=tracker,
        )
        samples = found.pop("samples")
        tracker.save_results_aggregated(results=found, samples=samples)
        for task, of in samples.items():
            tracker.save_results_samples(task_name=task, samples=of)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
