"""``closeread train`` for readers with learned encoders: from a recipe to a checkpoint folder."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import transformers

from closeread.readers.lineage import Lineage
from closeread.readers.models.weights import settings_sha256, weights_sha256
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural.capabilities import check_gradient_checkpointing, check_lengths
from closeread.training.neural.dev_metric import measure_dev
from closeread.training.neural.dev_set import DevSet
from closeread.training.neural.device import device_of, explain_out_of_memory
from closeread.training.neural.distillation.teachers import lineages_of
from closeread.training.neural.examples import make_features
from closeread.training.neural.fit import FitResult, Measure, fit
from closeread.training.neural.inference import SecondInferenceTask
from closeread.training.neural.inputs import TrainingInputs, check_inputs, load_inputs
from closeread.training.neural.lineage import license_terms, trained_lineage
from closeread.training.neural.processes import Processes
from closeread.training.neural.saving.folder import TrainingFolder
from closeread.training.neural.saving.write_errors import explain_write_errors
from closeread.training.neural.soup import train_soup
from closeread.training.neural.stages import train_stages
from closeread.training.neural.task import GathersItems, HasTeachers, PreparesModel, Task
from closeread.training.neural.training_data import n_shared
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.request import Request, Trained
from closeread.wording import count_of

_DEV_MEMORY_CURE = (
    'use a smaller model, set train.device = "cpu", or remove train.dev; complete states are kept'
)


@dataclass(frozen=True, kw_only=True)
class _Training:
    """A training whose data are loaded and whose stages are trained.

    Attributes:
        model: The folder or hub name of the starting model: of the last stage, if there is one.
    """

    request: Request
    task: Task
    inputs: TrainingInputs
    processes: Processes
    folder: TrainingFolder
    model: str

    @property
    def settings(self) -> NeuralSettings:
        """The recipe's ``[train]``."""
        return self.inputs.settings


class _Teachers(NamedTuple):
    """The models whose answers are learned: folders or hub names, and how each came to be."""

    models: tuple[str, ...]
    lineages: tuple[Lineage, ...]


def train(request: Request, task: Task) -> Trained:
    """Train a model for a task and write its folder.

    Raises:
        InputError: The recipe, a data set or the model cannot be used.
        UsageError: The folder is taken, or a setting is out of range.
        MismatchError: The training to resume was started with another recipe.
    """
    if request.check_only:
        check_inputs(request, task)
        return Trained(out=request.out, summary={}, remarks=())
    processes = Processes(str(request.recipe.train.get("device", "")))
    with processes.in_step():
        inputs = load_inputs(request, task)
        folder = TrainingFolder(
            request.out, request.recipe, request.resume, request.overwrite, inputs.fingerprints
        )
    with folder, explain_write_errors(request.out):
        training = _Training(
            request=request,
            task=task,
            inputs=inputs,
            processes=processes,
            folder=folder,
            model=train_stages(request, inputs.settings, inputs.model),
        )
        teachers = _load_teachers(training)
        if inputs.settings.soup > 1:
            checkpoint, result = _train_soup(training)
        else:
            checkpoint, result = _train_model(training, teachers)
        summary = _summarize(training, checkpoint, result)
        with processes.in_step():  # no process opens what the first has not yet written
            lineage = _make_lineage(training, teachers, checkpoint)
            if folder.is_writer:
                checkpoint.save(request.out)
                folder.finish(
                    summary,
                    data=inputs.drawn,
                    dev=inputs.dev.datasets,
                    history=result.history,
                    lineage=lineage,
                )
    return Trained(out=request.out, summary=summary, remarks=_format_remarks(summary, lineage))


def _load_teachers(training: _Training) -> _Teachers:
    task, settings = training.task, training.settings
    with (
        training.processes.in_step()
    ):  # a record that cannot be read is reported before hours go by
        models = task.teachers(training.model) if isinstance(task, HasTeachers) else ()
        lineages = lineages_of(models, settings.made_by, pickled=settings.pickled)
    return _Teachers(models, lineages)


def _train_soup(training: _Training) -> tuple[Checkpoint, FitResult]:
    """Train the members of a soup; return their mean and their combined result."""
    training.inputs.first.clear()  # each member draws its own
    return train_soup(
        training.request,
        training.settings,
        training.model,
        training.task,
        device=device_of(training.settings),
        processes=training.processes,
        measure=_dev_measure(training.task, training.inputs.dev),
    )


def _train_model(training: _Training, teachers: _Teachers) -> tuple[Checkpoint, FitResult]:
    """Train one model; return it in its best state, and the result."""
    request, inputs, settings = training.request, training.inputs, training.settings
    if not isinstance(training.task, GathersItems):
        _report_shared_with_dev(request, inputs)
    with training.processes.in_step():
        checkpoint = _open_checked_model(training)
        if teachers.models:
            training.folder.record_teachers(
                [weights_sha256(model) + settings_sha256(model) for model in teachers.models]
            )
        features = make_features(request, training.task, checkpoint, inputs.first, settings.seed)
        second = SecondInferenceTask(settings.beside.max_length) if settings.beside else None
        if second is not None:
            features += make_features(request, second, checkpoint, inputs.second, settings.seed)
        training.folder.record_examples([len(packed) for packed in features])
    result = fit(
        checkpoint,
        training.task,
        features,
        settings,
        request.out,
        processes=training.processes,
        second=second,
        measure=_dev_measure(training.task, inputs.dev),
        resume_from=training.folder.last_state(),
        begin=request.begin,
        say=request.say,
    )
    return checkpoint, result


def _report_shared_with_dev(request: Request, inputs: TrainingInputs) -> None:
    dev = inputs.dev.questions
    if n := n_shared(dev, (item for items, _ in inputs.first for item in items)):
        request.say(
            f"{n:,} of {count_of(len(dev), 'question')} of {request.within}train.dev "
            "also in the training sets: the dev metric is too high and may choose the wrong state"
        )


def _open_checked_model(training: _Training) -> Checkpoint:
    """Return the starting model, if it supports the recipe and the task's reader can use it."""
    request = training.request
    checkpoint = _open_model(training.model, training.task, training.settings)
    if not request.resume:
        check_lengths(request, checkpoint.max_length)
        check_gradient_checkpointing(request, checkpoint.model)
    training.task.reader(checkpoint)  # refuses options by which nothing could be read
    return checkpoint


def _open_model(model: str, task: Task, settings: NeuralSettings) -> Checkpoint:
    """Return the model with a head for the task, in the state in which its training begins."""
    head_seed = settings.seed if settings.head_seed is None else settings.head_seed
    transformers.set_seed(head_seed)  # a head that the model lacks is made at random
    checkpoint = open_checkpoint(
        model,
        task.head,
        new_head=True,
        n_classes=task.n_classes,
        attention_dropout=settings.attention_dropout,
        pickled=settings.pickled,
        device=device_of(settings),
    )
    if isinstance(task, PreparesModel):
        task.prepare(checkpoint)
    return checkpoint


def _dev_measure(task: Task, dev: DevSet) -> Measure | None:
    """Return the function that measures the dev metric of a model; None without dev questions."""
    if not dev.questions:
        return None

    def measure(checkpoint: Checkpoint) -> float:
        with explain_out_of_memory("the evaluation on dev", _DEV_MEMORY_CURE):
            return measure_dev(task.reader(checkpoint), dev.questions, dev.metric)

    return measure


def _make_lineage(training: _Training, teachers: _Teachers, checkpoint: Checkpoint) -> Lineage:
    return trained_lineage(
        training.request.recipe.reader,
        training.settings,
        training.model,
        training.inputs.drawn,
        checkpoint.n_parameters,
        evidence_models=getattr(training.task, "evidence_models", ()),
        taught_by=teachers.lineages,
    )


def _summarize(training: _Training, checkpoint: Checkpoint, result: FitResult) -> dict[str, Any]:
    """Return the summary of a training that ``--json`` prints."""
    dev = training.inputs.dev
    return {
        "reader": training.request.recipe.reader.name,
        "model": str(training.request.out),
        "n_features": result.n_features,
        "n_parameters": checkpoint.n_parameters,
        "steps": result.steps,
        "loss": result.loss,
        "metric": dev.metric if dev.questions else None,
        "best": result.best,
        "seconds": result.seconds,
    }


def _format_remarks(summary: dict[str, Any], lineage: Lineage) -> tuple[str, ...]:
    """Return the summary of a training as the lines printed without ``--json``."""
    metric, best = summary["metric"], summary["best"]
    line = (
        f"{count_of(summary['n_features'], 'example')}, {count_of(summary['steps'], 'step')}, "
        f"loss {summary['loss']:.3f}{'' if best is None else f', best {metric} {best:.1%}'}, "
        f"{summary['seconds']:,.0f} s"
    )
    return (line, *license_terms(lineage))
