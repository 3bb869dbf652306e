"""A curve sent to MLflow: one run for a training that was resumed, and no waiting for a server.

transformers' own callback sends rows from threads, each of which tries for minutes while a server
is away: a training would end hours late for it, and be told nothing. It also begins another run
for a training that was resumed, and names no data set.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import msgspec
from msgspec.structs import asdict
from transformers import TrainerCallback

from closeread.downloads.cache import cache_folder
from closeread.errors import StorageError
from closeread.system.locks import take
from closeread.training.recipes.settings import NeuralSettings

_ID = "closeread.id"
# Its own patience is seven more attempts and two minutes for each, which a training would stand
# still for. What the user sets goes before these.
_DEFAULT_ENVIRONMENT = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}
_EXPERIMENT_VARIABLES = ("MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID", "MLFLOW_RUN_ID")


class MlflowRun(TrainerCallback):  # type: ignore[misc]
    """Sends rows of the curve to a run.

    Args:
        mlflow: The library.
        settings: As the recipe says: the run's parameters.
        run: ``id`` and ``name`` of the training; a run that has the id is gone on with.
        project: The experiment, unless the environment names another.
    """

    def __init__(
        self, mlflow: Any, settings: NeuralSettings, run: dict[str, str], project: str
    ) -> None:
        self._mlflow, self._settings = mlflow, settings
        if not any(os.environ.get(name) for name in _EXPERIMENT_VARIABLES):
            mlflow.set_experiment(project)
        found = mlflow.search_runs(
            filter_string=f"tags.`{_ID}` = '{run['id']}'", max_results=1, output_format="list"
        )
        self._is_new = not found
        mlflow.start_run(
            run_id=None if self._is_new else found[0].info.run_id,
            run_name=run["name"],
            tags={_ID: run["id"]},
        )

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Tell what the recipe says; of a run that is gone on with it was told."""
        if self._is_new:
            self._mlflow.log_params(_params(self._settings), synchronous=True)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Send a row of the curve."""
        row = {name: float(one) for name, one in logs.items() if isinstance(one, int | float)}
        self._mlflow.log_metrics(row, step=state.global_step, synchronous=True)

    def end(self, failed: bool) -> None:
        """End the run, if it was not ended."""
        if self._mlflow.active_run():
            self._mlflow.end_run("FAILED" if failed else "FINISHED")


def start_run(settings: NeuralSettings, run: dict[str, str], project: str) -> MlflowRun:
    """Begin a run, or go on with one; see ``MlflowRun``."""
    for name, value in _DEFAULT_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    mlflow = import_module("mlflow")
    if not mlflow.get_tracking_uri().startswith("sqlite"):
        return MlflowRun(mlflow, settings, run, project)
    with _exclusive_store():
        return MlflowRun(mlflow, settings, run, project)


@contextmanager
def _exclusive_store() -> Iterator[None]:
    """Let trainings that begin at once wait for each other: two that make one store break it."""
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        lock = (cache_folder() / "mlflow.lock").open("a", encoding="utf-8")
    except (OSError, StorageError):  # a folder that cannot be written, or none
        yield
        return
    with lock:
        take(lock, wait=True)
        yield


def _params(settings: NeuralSettings) -> dict[str, str]:
    """Return what the recipe says, defaults too, but nothing empty; lists and tables as JSON."""
    told = {name: msgspec.to_builtins(one) for name, one in asdict(settings).items()}
    return {
        name: one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)
        for name, one in told.items()
        if one not in (None, "", (), [], {})
    }
