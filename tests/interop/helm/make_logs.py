"""Runs HELM over local files with a model that says what the files tell it to say.

Usage: make_logs.py FOLDER, with material.jsonl and choices.jsonl in it; logs go to FOLDER/out,
those of prompts with examples to FOLDER/few_shot. What the harness shows of the first on its site
goes to FOLDER/site, without the states.
"""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).parent


def deployed():
    """Register the model."""
    from helm.benchmark.config_registry import register_builtin_configs_from_helm_package
    from helm.benchmark.model_deployment_registry import (
        ClientSpec,
        ModelDeployment,
        register_model_deployment,
    )

    register_builtin_configs_from_helm_package()
    register_model_deployment(
        ModelDeployment(
            name="local/canned",
            client_spec=ClientSpec(class_name="canned.CannedClient", args={}),
            tokenizer_name="simple/tokenizer1",
            max_sequence_length=100_000,
        )
    )


def asked(adapter_spec):
    """Put the model's name in, as the harness does."""
    return replace(adapter_spec, model="local/canned", model_deployment="local/canned")


def specs():
    """The runs: written answers (to lower-cased questions, too), letters, likelihoods."""
    from helm.benchmark.adaptation.common_adapter_specs import (
        get_generation_adapter_spec,
        get_multiple_choice_adapter_spec,
    )
    from helm.benchmark.augmentations.data_augmenter import DataAugmenterSpec
    from helm.benchmark.augmentations.perturbation import PerturbationSpec
    from helm.benchmark.metrics.common_metric_specs import (
        get_basic_metric_specs,
        get_exact_match_metric_specs,
    )
    from helm.benchmark.run_spec import RunSpec
    from helm.benchmark.scenarios.scenario import ScenarioSpec

    lower = "helm.benchmark.augmentations.lowercase_perturbation.LowerCasePerturbation"
    names = ["exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match"]
    written = RunSpec(
        name="drop_local:model=local_canned",
        scenario_spec=ScenarioSpec(class_name="canned.DropScenario", args={}),
        adapter_spec=asked(
            get_generation_adapter_spec(
                input_noun="Passage", output_noun="Answer", max_train_instances=0, max_tokens=50
            )
        ),
        metric_specs=get_basic_metric_specs([*names, "f1_score"]),
        data_augmenter_spec=DataAugmenterSpec(
            perturbation_specs=[PerturbationSpec(class_name=lower, args={})],
            should_augment_eval_instances=True,
            should_include_original_eval=True,
        ),
        groups=["narrative_qa"],
    )  # fmt: skip
    yield written
    for kind in ("joint", "separate_original", "separate_calibrated"):
        method = f"multiple_choice_{kind}"
        spec = get_multiple_choice_adapter_spec(
            method=method, instructions="", input_noun="Passage", output_noun="Answer",
            max_train_instances=0,
        )  # fmt: skip
        yield RunSpec(
            name=f"choice_local:method={method},model=local_canned",
            scenario_spec=ScenarioSpec(class_name="canned.ChoiceScenario", args={}),
            adapter_spec=asked(spec),
            metric_specs=get_exact_match_metric_specs(),
            groups=["lsat_qa"],
        )


def run(chosen, out):
    from helm.benchmark.run import run_benchmarking
    from helm.common.authentication import Authentication

    run_benchmarking(
        run_specs=chosen,
        auth=Authentication(""),
        url=None,
        local_path=str(out / "local"),
        num_threads=1,
        output_path=str(out),
        suite="suite",
        dry_run=False,
        skip_instances=False,
        cache_instances=False,
        cache_instances_only=False,
        skip_completed_runs=False,
        exit_on_error=True,
        runner_class_name=None,
        disable_cache=True,
    )


def main(folder):
    from helm.benchmark.presentation import summarize

    os.environ["CANNED_FOLDER"] = str(folder)
    sys.path.insert(0, str(HERE))
    deployed()
    every = list(specs())
    run(every, folder / "out")
    few_shot = replace(every[0].adapter_spec, max_train_instances=2)
    plain = replace(every[0].data_augmenter_spec, perturbation_specs=[])
    shown = replace(every[0], adapter_spec=few_shot, data_augmenter_spec=plain)
    run([shown], folder / "few_shot")
    shutil.copytree(folder / "out", folder / "site")
    schema = Path(summarize.__file__).parents[1] / "static/schema_classic.yaml"
    sys.argv = [
        "helm-summarize", "-o", str(folder / "site"), "--suite", "suite", "-n", "1",
        "--schema-path", str(schema),
    ]  # fmt: skip
    summarize.main()
    for state in (folder / "site").rglob("scenario_state.json"):
        state.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
