"""Runs lighteval over a local file with a model that says what the file tells it to say.

Usage: make_logs.py FOLDER, with material.jsonl in it; logs go to FOLDER/out, those of prompts with
two examples to FOLDER/few_shot.
"""

import os
import sys
from pathlib import Path

from published import as_on_the_hub, lines, write_set

HERE = Path(__file__).parent


def main(folder):
    rows = lines(folder / "material.jsonl")
    (folder / "set").mkdir()
    write_set(folder / "set" / "validation.jsonl", map(as_on_the_hub, rows))
    os.environ["MATERIAL"] = str(folder / "material.jsonl")
    os.environ["LOCAL_SET"] = str(folder / "set")

    # Loading the list of tasks downloads a table for one task and asks the hub for the judge of
    # another, whatever is asked for.
    import huggingface_hub
    import requests

    requests.get = lambda *args, **kwargs: requests.Response()
    huggingface_hub.HfApi.list_models = lambda *args, model_name, **kwargs: [
        huggingface_hub.ModelInfo(id=model_name)
    ]

    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.models.custom.custom_model import CustomModelConfig
    from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters

    for task, out in (("drop_local|0", "out"), ("drop_few_shot|2", "few_shot")):
        pipeline = Pipeline(
            tasks=task,
            pipeline_parameters=PipelineParameters(
                launcher_type=ParallelismManager.CUSTOM,
                custom_tasks_directory=str(HERE / "task.py"),
            ),
            evaluation_tracker=EvaluationTracker(output_dir=str(folder / out), save_details=True),
            model_config=CustomModelConfig(
                model_name="canned", model_definition_file_path=str(HERE / "canned.py")
            ),
        )
        pipeline.evaluate()
        pipeline.save_and_push_results()


main(Path(sys.argv[1]))
