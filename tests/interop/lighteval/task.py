"""The harness' own DROP task, prompt, stops and scorers, over a local folder."""

import os

from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.tasks.drop_qa import drop_prompt, drop_qa

TASKS_TABLE = [
    LightevalTaskConfig(
        name=name,
        prompt_function=drop_prompt,
        hf_repo=os.environ["LOCAL_SET"],
        hf_subset="default",
        evaluation_splits=("validation",),
        hf_avail_splits=("validation",),
        generation_size=drop_qa.generation_size,
        stop_sequence=drop_qa.stop_sequence,
        metrics=[Metrics.exact_match],
        version=drop_qa.version,
        **examples,
    )
    for name, examples in (
        ("drop_local", {}),
        (
            "drop_few_shot",
            {"few_shots_split": "validation", "few_shots_select": "sequential"},
        ),
    )
]
