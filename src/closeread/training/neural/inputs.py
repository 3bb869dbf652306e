"""Everything that a neural training reads: its settings, the dev questions and the training data.

All of it is read and checked before anything is written, so that a mistake costs no trained stage.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from closeread.errors import InputError
from closeread.registry.factory import resolve_path
from closeread.training.neural.capabilities import (
    check_gradient_checkpointing,
    check_lengths,
    max_model_tokens,
    model_without_weights,
)
from closeread.training.neural.dev_set import DevSet, load_dev
from closeread.training.neural.device import check_machine
from closeread.training.neural.distillation.teachers import check_teachers
from closeread.training.neural.examples import nothing_to_learn
from closeread.training.neural.inference import CLASSES, label_of
from closeread.training.neural.stages import check_stages
from closeread.training.neural.task import GathersItems, Task
from closeread.training.neural.training_data import (
    DrawnDataset,
    TrainingData,
    build_overlap,
    draw_questions,
)
from closeread.training.overlap import Overlap
from closeread.training.recipes.folder import check_folder_free
from closeread.training.recipes.precheck import check_datasets_open, parse_train_settings
from closeread.training.recipes.settings import NeuralSettings, Source
from closeread.training.request import Request


@dataclass(frozen=True, kw_only=True)
class TrainingInputs:
    """The inputs of a training, read before anything is written.

    Attributes:
        settings: The recipe's ``[train]``.
        model: The folder or hub name of the starting model.
        dev: The dev questions.
        first: What the task learns from, by data set. The texts need much memory, and the lists are
            emptied when they have served.
        second: The same for the second task, ``train.beside``.
        drawn: What was drawn from each data set of both tasks.
    """

    settings: NeuralSettings
    model: str
    dev: DevSet
    first: list[TrainingData]
    second: list[TrainingData]
    drawn: tuple[DrawnDataset, ...]

    @property
    def fingerprints(self) -> list[tuple[str, str, int, int]]:
        """The hashes that distinguish the data from other files of the same names."""
        return [dataset.fingerprint for dataset in (*self.drawn, *self.dev.datasets)]


def load_inputs(request: Request, task: Task) -> TrainingInputs:
    """Check a recipe with its stages, then load its dev questions and training data.

    Raises:
        InputError: The recipe, a data set or the model cannot be used.
        UsageError: The folder is taken, or a setting is out of range.
        MismatchError: The training to resume was started with another recipe.
    """
    settings, model = _parse_and_check_settings(request)
    _check_before_loading(request, settings, model)
    dev = load_dev(request, settings, task)
    first, second = _load_training_data(request, settings, task)
    return TrainingInputs(
        settings=settings,
        model=model,
        dev=dev,
        first=first,
        second=second,
        drawn=tuple(dataset for _, dataset in (*first, *second)),
    )


def check_inputs(request: Request, task: Task) -> None:
    """Check every setting, open every data set, and load the dev questions.

    Raises:
        CloseReadError: As ``load_inputs``.
    """
    settings, _ = _parse_and_check_settings(request)
    check_datasets_open(request, settings)
    load_dev(request, settings, task)


def _parse_and_check_settings(request: Request) -> tuple[NeuralSettings, str]:
    """Return ``[train]`` and the starting model, if this machine can train them."""
    settings, model = parse_train_settings(request)
    check_machine(settings, str(request.path), request.within)
    return settings, model


def _check_before_loading(request: Request, settings: NeuralSettings, model: str) -> None:
    """Run the checks that take seconds, before minutes are spent on reading the data."""
    check_folder_free(request.out, request.recipe, request.resume, request.overwrite)
    check_stages(request, settings)
    check_datasets_open(request, settings)
    first = _first_model(request, model)
    if first and not request.resume:  # the model from which a finished stage began may be gone
        check_lengths(request, max_model_tokens(first))
        check_gradient_checkpointing(request, model_without_weights(first))
    check_teachers(request, first)


def _first_model(request: Request, model: str) -> str:
    """Return the model that the first stage opens; empty if it makes one or it is unknown."""
    if not request.recipe.before:
        return model
    first = request.recipe.before[0]
    if first.reader.name == "encoder" or ":" in first.reader.name:
        return ""
    return resolve_path("model", first.train.get("model", model))


def _load_training_data(
    request: Request, settings: NeuralSettings, task: Task
) -> tuple[list[TrainingData], list[TrainingData]]:
    """Return the data of the task and of the second task, by data set.

    Raises:
        InputError: There is nothing that the task, or the second task, can learn from.
    """
    # A local name: the index of the excluded sets is large, and nothing needs it afterwards.
    overlap = build_overlap(settings.exclude, request.open_dataset)
    gathers = task if isinstance(task, GathersItems) else None
    first = _load_sources(request, settings, settings.datasets, overlap, gathers)
    pairs = settings.beside.datasets if settings.beside else ()
    second = _load_sources(request, settings, pairs, overlap)
    if gathers is None:
        _check_gold(request, task, first)
    if settings.beside:
        _check_pairs(request, second)
    return first, second


def _load_sources(
    request: Request,
    settings: NeuralSettings,
    sources: Sequence[Source],
    overlap: Overlap | None,
    gathers: GathersItems | None = None,
) -> list[TrainingData]:
    unit = "questions" if gathers is None else gathers.gathers
    loaded = []
    for source in sources:
        items, dataset = draw_questions(
            source, request.open_dataset, overlap, settings.seed, gathers, soup=settings.soup
        )
        request.say(
            f"{dataset.path}: {len(items):,} {unit}"
            + (f", {dataset.n_excluded:,} left out for overlap" if dataset.n_excluded else "")
        )
        loaded.append((items, dataset))
    return loaded


def _check_gold(request: Request, task: Task, training_data: Sequence[TrainingData]) -> None:
    """Check, before any stage is trained, that there is a question to learn from.

    Raises:
        InputError: No question has a gold answer and is of a kind that the task's reader answers.
    """
    for items, _ in training_data:
        for _, question in items:
            if task.answers(question) and (question.answers or question.option_truth):
                return
    raise nothing_to_learn(request, training_data)


def _check_pairs(request: Request, training_data: Sequence[TrainingData]) -> None:
    """Check, before any stage is trained, that the second task has a pair to learn from.

    Raises:
        InputError: There is no premise with a hypothesis and its label.
    """
    if not any(
        label_of(question) in CLASSES for items, _ in training_data for _, question in items
    ):
        raise InputError(
            f"{request.within}train.beside has no pair to learn from",
            where=", ".join(dataset.path for _, dataset in training_data),
            expected="premises and hypotheses with the labels " + ", ".join(CLASSES),
            cure=f"name such a set, or remove {request.within}train.beside",
        )
