"""Sends a training curve to MLflow: one run also for a resumed training, and short timeouts.

transformers' own callback sends rows from threads, each of which retries for minutes if the server
is down: a training could end hours late, without any message. It also starts a new run for a
resumed training, and records no data sets.
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
from closeread.system.locks import lock_file
from closeread.training.recipes.settings import NeuralSettings

_ID = "closeread.id"
# MLflow's defaults are seven retries of two minutes each, during which training would pause. The
# user's environment takes precedence over these.
_DEFAULT_ENVIRONMENT = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}
_EXPERIMENT_VARIABLES = ("MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID", "MLFLOW_RUN_ID")


class MlflowRun(TrainerCallback):  # type: ignore[misc]
    """Sends the rows of the curve to a run.

    Args:
        mlflow: The library.
        settings: The recipe's ``[train]``, as parameters of the run.
        run: ``id`` and ``name`` of the training; a run with this id is continued.
        project: The experiment, unless the environment names another.
    """

    def __init__(
        self, mlflow: Any, settings: NeuralSettings, run: dict[str, str], project: str
    ) -> None:
        self._mlflow, self._settings = mlflow, settings
        if not any(os.environ.get(name) for name in _EXPERIMENT_VARIABLES):
            mlflow.set_experiment(project)
        runs = mlflow.search_runs(
            filter_string=f"tags.`{_ID}` = '{run['id']}'", max_results=1, output_format="list"
        )
        self._is_new = not runs
        mlflow.start_run(
            run_id=None if self._is_new else runs[0].info.run_id,
            run_name=run["name"],
            tags={_ID: run["id"]},
        )

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Send the parameters, unless a run is continued, which has them already."""
        if self._is_new:
            self._mlflow.log_params(_params(self._settings), synchronous=True)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Send a row of the curve."""
        row = {key: float(value) for key, value in logs.items() if isinstance(value, int | float)}
        self._mlflow.log_metrics(row, step=state.global_step, synchronous=True)

    def end(self, failed: bool) -> None:
        """End the run, if it is still active."""
        if self._mlflow.active_run():
            self._mlflow.end_run("FAILED" if failed else "FINISHED")


def start_run(settings: NeuralSettings, run: dict[str, str], project: str) -> MlflowRun:
    """Start a run, or continue one; see ``MlflowRun``."""
    for name, value in _DEFAULT_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    mlflow = import_module("mlflow")
    if not mlflow.get_tracking_uri().startswith("sqlite"):
        return MlflowRun(mlflow, settings, run, project)
    with _exclusive_store():
        return MlflowRun(mlflow, settings, run, project)


@contextmanager
def _exclusive_store() -> Iterator[None]:
    """Lock the creation of the store, which two trainings at once would corrupt."""
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        lock = (cache_folder() / "mlflow.lock").open("a", encoding="utf-8")
    except (OSError, StorageError):  # no cache folder, or it is not writable: go without a lock
        yield
        return
    with lock:
        lock_file(lock, wait=True)
        yield


def _params(settings: NeuralSettings) -> dict[str, str]:
    """Return the settings that are not empty, defaults included, with other than text as JSON."""
    values = {name: msgspec.to_builtins(value) for name, value in asdict(settings).items()}
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in values.items()
        if value not in (None, "", (), [], {})
    }
