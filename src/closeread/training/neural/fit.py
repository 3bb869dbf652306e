"""Fits a model to features: transformers' Trainer, with our batches, losses and metric."""

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
_GRADIENT_CHECKPOINTING = next(  # it was called otherwise before transformers 5.23
    name
    for name in ("activation_checkpointing", "gradient_checkpointing")
    if name in TrainingArguments.__dataclass_fields__
)
Measure = Callable[[Checkpoint], float]


@dataclass(frozen=True, kw_only=True)
class FitResult:
    """The result of fitting.

    Attributes:
        n_features: What was learned from, of all data sets; of a soup the sum over its trainings,
            as of the steps.
        loss: The mean over all steps, those before a resumption too.
        best: The best value of the dev metric; None without one.
        history: Losses, rates and metrics by step, as the Trainer tells them.
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
    """Train a checkpoint's model in place; its best state is in it afterwards.

    Args:
        checkpoint: With a head for the task.
        task: What is learned.
        features: Of each data set.
        settings: As the recipe says.
        out: The folder; states that training can go on from stand in ``states``.
        processes: Those that train together.
        second: The task of features that are ``beside``; its head is written beside the model.
        measure: The dev metric of the model as it is; higher is better.
        resume_from: A state to go on from.
        begin: Called with the number of steps; what it returns is called with every step done.
        say: Told lines for the user.
    """
    started = time.monotonic()
    model = checkpoint.model
    if second is not None:
        model = TwoHeads(model, second.n_classes).to(model.device)
    made = training_arguments(settings, out, watched=measure is not None, apart=second is not None)
    order = _order(settings, features, settings.batch_size * settings.accumulation, made.world_size)
    trainer = _Trainer(
        model=model,
        args=made,
        train_dataset=ConcatDataset(features),
        eval_dataset=[] if measure is None else features[0],  # asked for, and never looked at
        data_collator=lambda batch: collate(batch, checkpoint.padding_id),
        callbacks=[Progress(begin), SetEpochOrder(order), StopIfNotFinite()],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.begin(checkpoint, (task, second), order, measure, processes)
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


def _order(
    settings: NeuralSettings, features: Sequence[PackedFeatures], batch: int, n_processes: int
) -> EpochOrder:
    sources = (*settings.datasets, *(settings.beside.datasets if settings.beside else ()))
    sizes = [len(one) for one in features]
    return EpochOrder(
        [length for one in features for length in one.lengths],
        sizes,
        draw_counts(sizes, [source.weight for source in sources], settings.temperature),
        batch * n_processes,
        seed=settings.seed,
        grouped=settings.group_by_length,
        apart=[int(one.beside) for one in features],
    )


def _mean_loss(history: Sequence[dict[str, Any]]) -> float:
    """Return the mean over steps of rows that each stand for those since the row before."""
    total, before = 0.0, 0
    for row in history:
        if "loss" in row:
            total += row["loss"] * (row["step"] - before)
            before = row["step"]
    return total / before if before else 0.0


class _Trainer(Trainer):  # type: ignore[misc]
    """transformers' Trainer, with the order of features, the loss and the metric ours."""

    def begin(
        self,
        checkpoint: Checkpoint,
        tasks: tuple[Task, SecondInferenceTask | None],
        order: EpochOrder,
        measure: Measure | None,
        processes: Processes,
    ) -> None:
        self.model_accepts_loss_kwargs = False  # losses are means: gradients are averaged
        self._checkpoint, self._tasks, self._measure = checkpoint, tasks, measure
        self._order, self._processes = order, processes
        self._typed, self._n_features = checkpoint.has_segments, 0
        _ = checkpoint.minds_padding  # asked before mixed precision blurs what it compares

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return self._order

    def get_batch_samples(self, *given: Any, **named: Any) -> tuple[list[Any], Any]:
        batches, n_items = super().get_batch_samples(*given, **named)
        self._n_features = sum(len(one["sizes"]) for one in batches)
        return batches, n_items

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        given = {"input_ids": inputs["input_ids"], "attention_mask": inputs["attention_mask"]}
        if self._typed:
            given["token_type_ids"] = inputs["token_type_ids"]
        first, second = self._tasks
        beside = bool(inputs["beside"].any())
        task = second if beside and second is not None else first
        if first.head == "choice" and not beside:  # one question with all its options at a time
            given = {name: rows[None] for name, rows in given.items()}
        outputs = model(**given, **({"beside": True} if beside else {}))
        sizes = inputs["sizes"].tolist()
        # The mean over a step's batches is taken; its last one may hold fewer features.
        share = len(sizes) * self.current_gradient_accumulation_steps / self._n_features
        loss = share * task.loss(outputs, inputs["targets"], sizes)
        return (loss, outputs) if return_outputs else loss

    def evaluate(self, *given: Any, **named: Any) -> dict[str, float]:
        assert self._measure is not None
        self.model.eval()
        value = 0.0
        with self._processes.in_step():
            if self.is_world_process_zero():
                with _in_full_precision(self._checkpoint.model):
                    value = self._measure(self._checkpoint)
        value = self._processes.broadcast(value)
        self.model.train()
        found = {_METRIC: value}
        self.log(found)
        self.control: Any = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, found
        )
        return found


@contextmanager
def _in_full_precision(model: Any) -> Iterator[None]:
    """Let a model compute as readers do: mixed precision wraps its ``forward``."""
    wrapped = vars(model).pop("forward", None)
    try:
        yield
    finally:
        if wrapped is not None:
            model.forward = wrapped


def training_arguments(
    settings: NeuralSettings, out: Path, *, watched: bool, apart: bool = False
) -> TrainingArguments:
    """Return the Trainer's own settings.

    Args:
        settings: As the recipe says.
        out: The folder.
        watched: Whether there is a dev metric.
        apart: Whether a step may leave a part of the model out.
    """
    # Where there is a metric, a state is saved with each look; `States` saves those between.
    save_steps = settings.evaluate_every if watched else settings.save_every
    made = TrainingArguments(
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
        eval_strategy=("steps" if settings.evaluate_every else "epoch") if watched else "no",
        eval_steps=settings.evaluate_every or None,
        save_strategy="steps" if save_steps else "epoch",
        save_steps=save_steps or 500,
        save_total_limit=settings.keep + 1,
        load_best_model_at_end=watched,
        metric_for_best_model=_METRIC if watched else None,
        greater_is_better=True if watched else None,
        logging_steps=10,
        logging_nan_inf_filter=False,  # `Finite` looks
        restore_callback_states_from_checkpoint=bool(settings.patience),
        seed=settings.seed,
        data_seed=settings.seed,
        use_cpu=settings.device == "cpu" or not torch.accelerator.is_available(),
        report_to="none",  # `tracked` sends the curve
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=torch.cuda.is_available(),
        ddp_find_unused_parameters=apart,
    )
    # One process has one device: a launcher divides batches as our order does.
    made._n_gpu = min(made.n_gpu, 1)
    return made
