"""Fits a model to features: transformers' Trainer, with our batches, losses and metric."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import (
    EarlyStoppingCallback,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from closeread.readers.neural.checkpoint import Checkpoint
from closeread.training.neural.inference import InferenceBeside
from closeread.training.neural.sampling import EpochOrder, draws
from closeread.training.neural.settings import NeuralSettings
from closeread.training.neural.task import Feature, Task, collate
from closeread.training.neural.two_heads import TwoHeads, save_second

_METRIC = "eval_metric"
Measure = Callable[[Checkpoint], float]
Begin = Callable[[int], Callable[[int], None]]


@dataclass(frozen=True, kw_only=True)
class Done:
    """What training came to.

    Attributes:
        loss: The mean over the steps done since training was begun or gone on with.
        best: The best value of the dev metric; None without one.
        history: Losses, rates and metrics by step, as the Trainer tells them.
    """

    steps: int
    loss: float
    best: float | None
    seconds: float
    history: list[dict[str, Any]]


def fit(
    checkpoint: Checkpoint,
    task: Task,
    features: Sequence[Sequence[Feature]],
    settings: NeuralSettings,
    out: Path,
    *,
    second: InferenceBeside | None = None,
    measure: Measure | None = None,
    resume_from: Path | None = None,
    begin: Begin = lambda total: lambda done: None,
) -> Done:
    """Train a checkpoint's model in place; its best state is in it afterwards.

    Args:
        checkpoint: With a head for the task.
        task: What is learned.
        features: Of each data set.
        settings: As the recipe says.
        out: The folder; states that training can go on from stand in ``states``.
        second: The task of features that are ``beside``; its head is written beside the model.
        measure: The dev metric of the model as it is; higher is better.
        resume_from: A state to go on from.
        begin: Called with the number of steps; what it returns is called with every step done.
    """
    started = time.monotonic()
    model = checkpoint.model
    if second is not None:
        model = TwoHeads(model, second.n_classes).to(model.device)
    trainer = _Trainer(
        model=model,
        args=arguments(settings, out, watched=measure is not None, apart=second is not None),
        train_dataset=[one for source in features for one in source],
        eval_dataset=[] if measure is None else features[0],  # asked for, and never looked at
        data_collator=lambda batch: collate(batch, checkpoint.tokenizer.pad_token_id or 0),
        callbacks=[Progress(begin)],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.begin(checkpoint, (task, second), settings, features, measure)
    if settings.patience and measure is not None:
        trainer.add_callback(EarlyStoppingCallback(settings.patience))
    model.train()
    ended = trainer.train(resume_from_checkpoint=str(resume_from) if resume_from else None)
    model.eval()
    state = trainer.state
    if trainer.is_world_process_zero():
        save_second(model, out)
    return Done(
        steps=state.global_step,
        loss=ended.training_loss,
        best=state.best_metric,
        seconds=round(time.monotonic() - started, 1),
        history=state.log_history,
    )


class Progress(TrainerCallback):  # type: ignore[misc]
    """Tells whoever watches how many steps are done; the states' own lines are not printed."""

    def __init__(self, begin: Begin) -> None:
        self._begin = begin

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Say how many steps there are, and how many were done before."""
        self._advance = self._begin(state.max_steps)
        self._advance(state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Count a step of the optimizer."""
        self._advance(1)


class _Trainer(Trainer):  # type: ignore[misc]
    """transformers' Trainer, with the order of features, the loss and the metric ours."""

    model_accepts_loss_kwargs = False

    def begin(
        self,
        checkpoint: Checkpoint,
        tasks: tuple[Task, InferenceBeside | None],
        settings: NeuralSettings,
        features: Sequence[Sequence[Feature]],
        measure: Measure | None,
    ) -> None:
        self.model_accepts_loss_kwargs = False  # losses are means: gradients are averaged
        self._checkpoint, self._tasks, self._measure = checkpoint, tasks, measure
        self._typed = "token_type_ids" in checkpoint.tokenizer.model_input_names
        sources = (*settings.datasets, *(settings.beside.datasets if settings.beside else ()))
        sizes = [len(one) for one in features]
        self._order = EpochOrder(
            [feature.length for feature in self.train_dataset],
            sizes,
            draws(sizes, [source.weight for source in sources], settings.temperature),
            settings.batch_size * settings.accumulation * self.args.world_size,
            seed=settings.seed,
            grouped=settings.group_by_length,
            apart=[int(bool(one) and one[0].beside) for one in features],
        )

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return self._order

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
        loss = task.loss(outputs, inputs["targets"], inputs["sizes"].tolist())
        return (loss, outputs) if return_outputs else loss

    def evaluate(self, *given: Any, **named: Any) -> dict[str, float]:
        assert self._measure is not None
        self.model.eval()
        value = self._measure(self._checkpoint) if self.is_world_process_zero() else 0.0
        if self.args.world_size > 1:
            shared = torch.tensor([value], device=self.args.device)
            torch.distributed.broadcast(shared, 0)
            value = float(shared)
        self.model.train()
        found = {_METRIC: value}
        self.log(found)
        self.control: Any = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, found
        )
        return found


def arguments(
    settings: NeuralSettings, out: Path, *, watched: bool, apart: bool = False
) -> TrainingArguments:
    """Return the Trainer's own settings.

    Args:
        settings: As the recipe says.
        out: The folder.
        watched: Whether there is a dev metric.
        apart: Whether a step may leave a part of the model out.
    """
    by_steps = bool(settings.evaluate_every)
    save_steps = settings.save_every or settings.evaluate_every
    return TrainingArguments(
        output_dir=str(out / "states"),
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
        activation_checkpointing=settings.gradient_checkpointing,
        eval_strategy=("steps" if by_steps else "epoch") if watched else "no",
        eval_steps=settings.evaluate_every or None,
        save_strategy="steps" if save_steps else "epoch",
        save_steps=save_steps or 500,
        save_total_limit=settings.keep + 1,
        load_best_model_at_end=watched,
        metric_for_best_model=_METRIC if watched else None,
        greater_is_better=True if watched else None,
        logging_steps=10,
        seed=settings.seed,
        data_seed=settings.seed,
        use_cpu=settings.device == "cpu" or not torch.accelerator.is_available(),
        report_to=list(settings.track) or "none",
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=torch.cuda.is_available(),
        ddp_find_unused_parameters=apart,
    )
