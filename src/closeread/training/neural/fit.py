"""Fits a model to features with transformers' Trainer, and our batches, losses and metric."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import ConcatDataset
from transformers import EarlyStoppingCallback, PrinterCallback, Trainer, TrainingArguments

from closeread.protocols import Begin, unwatched
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.training.neural.callbacks import Progress, SetEpochOrder, StopIfNotFinite
from closeread.training.neural.inference import SecondInferenceTask
from closeread.training.neural.packed_features import PackedFeatures
from closeread.training.neural.processes import Processes
from closeread.training.neural.sampling import EpochOrder, draw_counts
from closeread.training.neural.saving import resuming
from closeread.training.neural.task import Task, collate
from closeread.training.neural.tracking.curve import track_curve
from closeread.training.neural.two_heads import TwoHeads, save_second_head
from closeread.training.recipes.folder import STATES
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.request import Say

_METRIC = "eval_metric"
_GRADIENT_CHECKPOINTING = next(  # renamed in transformers 5.23
    name
    for name in ("activation_checkpointing", "gradient_checkpointing")
    if name in TrainingArguments.__dataclass_fields__
)
Measure = Callable[[Checkpoint], float]


@dataclass(frozen=True, kw_only=True)
class FitResult:
    """The result of fitting.

    Attributes:
        n_features: The number of training features of all data sets; for a soup, summed over its
            trainings.
        steps: Optimizer steps; for a soup, summed over its trainings.
        loss: The mean training loss over all steps, also those before a resumption.
        best: The best value of the dev metric; None without one.
        seconds: The wall time since the start or resumption.
        history: Losses, learning rates and metrics by step, as the Trainer logs them.
    """

    n_features: int
    steps: int
    loss: float
    best: float | None
    seconds: float
    history: list[dict[str, Any]]


def fit(
    checkpoint: Checkpoint,
    task: Task,
    features: Sequence[PackedFeatures],
    settings: NeuralSettings,
    out: Path,
    *,
    processes: Processes,
    second: SecondInferenceTask | None = None,
    measure: Measure | None = None,
    resume_from: Path | None = None,
    begin: Begin = unwatched,
    say: Say = lambda line: None,
) -> FitResult:
    """Train a checkpoint's model in place, and load its best state at the end.

    Args:
        checkpoint: The model with a head for the task.
        task: The task to learn.
        features: The features of each data set.
        settings: The recipe's ``[train]``.
        out: The output folder; its subfolder ``states`` gets the states to resume from.
        processes: The processes that train together.
        second: The task of features that are ``beside``; its head is written beside the model.
        measure: Returns the dev metric of a checkpoint; higher is better.
        resume_from: A state to resume from.
        begin: Called with the number of steps; returns a function to call after each step.
        say: Called with each line for the user.

    Raises:
        UsageError: A batch does not fit in memory, or a tracker cannot start.
        InputError: The weights became NaN or infinite.
        StoppedBySignal: A signal asked the training to stop; a state is saved.
    """
    started = time.monotonic()
    model = checkpoint.model
    if second is not None:
        model = TwoHeads(model, second.n_classes).to(model.device)
    arguments = training_arguments(
        settings, out, has_metric=measure is not None, has_unused_parameters=second is not None
    )
    step_size = settings.batch_size * settings.accumulation * arguments.world_size
    order = _epoch_order(settings, features, step_size)
    trainer = _Trainer(
        model=model,
        args=arguments,
        train_dataset=ConcatDataset(features),
        eval_dataset=[] if measure is None else features[0],  # required, but never read
        data_collator=lambda batch: collate(batch, checkpoint.padding_id),
        callbacks=[Progress(begin), SetEpochOrder(order), StopIfNotFinite()],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.configure(checkpoint, (task, second), order, measure, processes)
    if settings.patience:
        trainer.add_callback(EarlyStoppingCallback(settings.patience))
    model.train()
    resumed = resume_from is not None
    with track_curve(trainer, settings, out, resumed=resumed, processes=processes, say=say):
        resuming.train(trainer, resume_from, settings, processes=processes, say=say)
    model.eval()
    state = trainer.state
    if trainer.is_world_process_zero():
        save_second_head(model, out)
    history = [row for row in state.log_history if "train_runtime" not in row]
    return FitResult(
        n_features=sum(map(len, features)),
        steps=state.global_step,
        loss=_mean_loss(history),
        best=state.best_metric,
        seconds=round(time.monotonic() - started, 1),
        history=history,
    )


def _epoch_order(
    settings: NeuralSettings, features: Sequence[PackedFeatures], step_size: int
) -> EpochOrder:
    sources = (*settings.datasets, *(settings.beside.datasets if settings.beside else ()))
    sizes = [len(of_dataset) for of_dataset in features]
    return EpochOrder(
        [length for of_dataset in features for length in of_dataset.lengths],
        sizes,
        draw_counts(sizes, [source.weight for source in sources], settings.temperature),
        step_size,
        seed=settings.seed,
        grouped=settings.group_by_length,
        tasks=[int(of_dataset.beside) for of_dataset in features],
    )


def _mean_loss(history: Sequence[dict[str, Any]]) -> float:
    """Return the mean loss over steps; each row holds the mean since the previous row."""
    total, last_step = 0.0, 0
    for row in history:
        if "loss" in row:
            total += row["loss"] * (row["step"] - last_step)
            last_step = row["step"]
    return total / last_step if last_step else 0.0


class _Trainer(Trainer):  # type: ignore[misc]
    """transformers' Trainer with our own feature order, loss and metric."""

    def configure(
        self,
        checkpoint: Checkpoint,
        tasks: tuple[Task, SecondInferenceTask | None],
        order: EpochOrder,
        measure: Measure | None,
        processes: Processes,
    ) -> None:
        self.model_accepts_loss_kwargs = False  # losses are means, so gradients are averaged
        self._checkpoint, self._tasks, self._measure = checkpoint, tasks, measure
        self._order, self._processes = order, processes
        self._has_segments, self._n_features = checkpoint.has_segments, 0
        # Compute and cache this before mixed precision affects it.
        _ = checkpoint.padding_changes_output

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return self._order

    def get_batch_samples(self, *args: Any, **kwargs: Any) -> tuple[list[Any], Any]:
        batches, n_items = super().get_batch_samples(*args, **kwargs)
        self._n_features = sum(len(batch["sizes"]) for batch in batches)
        return batches, n_items

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        tensors = {"input_ids": inputs["input_ids"], "attention_mask": inputs["attention_mask"]}
        if self._has_segments:
            tensors["token_type_ids"] = inputs["token_type_ids"]
        first, second = self._tasks
        beside = bool(inputs["beside"].any())
        task = second if beside and second is not None else first
        if first.head == "choice" and not beside:  # the head expects (questions, options, tokens)
            tensors = {name: rows[None] for name, rows in tensors.items()}
        outputs = model(**tensors, **({"beside": True} if beside else {}))
        sizes = inputs["sizes"].tolist()
        # The Trainer averages over the batches of a step; the last one may have fewer features.
        weight = len(sizes) * self.current_gradient_accumulation_steps / self._n_features
        loss = weight * task.loss(outputs, inputs["targets"], sizes)
        return (loss, outputs) if return_outputs else loss

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        assert self._measure is not None
        self.model.eval()
        value = 0.0
        with self._processes.in_step():
            if self.is_world_process_zero():
                with _in_full_precision(self._checkpoint.model):
                    value = self._measure(self._checkpoint)
        value = self._processes.broadcast(value)
        self.model.train()
        metrics = {_METRIC: value}
        self.log(metrics)
        self.control: Any = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, metrics
        )
        return metrics


@contextmanager
def _in_full_precision(model: Any) -> Iterator[None]:
    """Disable mixed precision, which wraps a model's ``forward``, as readers do not use it."""
    wrapped = vars(model).pop("forward", None)
    try:
        yield
    finally:
        if wrapped is not None:
            model.forward = wrapped


def training_arguments(
    settings: NeuralSettings, out: Path, *, has_metric: bool, has_unused_parameters: bool = False
) -> TrainingArguments:
    """Return the Trainer's arguments.

    Args:
        settings: The recipe's ``[train]``.
        out: The output folder.
        has_metric: Whether there is a dev metric.
        has_unused_parameters: Whether a step may leave a part of the model unused.
    """
    # With a metric, the Trainer saves a state at each evaluation; `StateSaver` saves the others.
    save_steps = settings.evaluate_every if has_metric else settings.save_every
    arguments = TrainingArguments(
        output_dir=str(out / STATES),
        num_train_epochs=settings.epochs,
        max_steps=settings.max_steps or -1,
        per_device_train_batch_size=settings.batch_size,
        gradient_accumulation_steps=settings.accumulation,
        learning_rate=settings.learning_rate,
        warmup_steps=settings.warmup,  # below 1 it is a share
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.max_gradient_norm,
        bf16=settings.precision == "bfloat16",
        fp16=settings.precision == "float16",
        **{_GRADIENT_CHECKPOINTING: settings.gradient_checkpointing},
        eval_strategy=("steps" if settings.evaluate_every else "epoch") if has_metric else "no",
        eval_steps=settings.evaluate_every or None,
        save_strategy="steps" if save_steps else "epoch",
        save_steps=save_steps or 500,
        save_total_limit=settings.keep + 1,
        load_best_model_at_end=has_metric,
        metric_for_best_model=_METRIC if has_metric else None,
        greater_is_better=True if has_metric else None,
        logging_steps=10,
        logging_nan_inf_filter=False,  # `StopIfNotFinite` needs them
        restore_callback_states_from_checkpoint=bool(settings.patience),
        seed=settings.seed,
        data_seed=settings.seed,
        use_cpu=settings.device == "cpu" or not torch.accelerator.is_available(),
        report_to="none",  # `track_curve` sends the curve
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=torch.cuda.is_available(),
        ddp_find_unused_parameters=has_unused_parameters,
    )
    # One device per process: `EpochOrder` counts on it. Else the Trainer would use all of them.
    arguments._n_gpu = min(arguments.n_gpu, 1)
    return arguments
