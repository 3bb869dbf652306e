"""OpenCompass' own DROP configuration over a local file, with the model of canned.py."""

from canned import Canned
from mmengine.config import read_base

with read_base():
    from opencompass.configs.datasets.drop.drop_openai_simple_evals_gen_3857b0 import drop_datasets

datasets = drop_datasets
datasets[0]["path"] = __import__("os").environ["LOCAL_SET"]
# The published prompt quotes three passages of the training set; ours quotes none, or its own.
examples = __import__("os").environ.get("EXAMPLES", "")
datasets[0]["infer_cfg"]["prompt_template"]["template"]["round"][0]["prompt"] = (
    examples + "{prompt}"
)
models = [
    {
        "type": Canned,
        "abbr": "canned",
        "path": "canned",
        "max_out_len": 64,
        "batch_size": 1,
        "run_cfg": {"num_gpus": 0},
    }
]
