"""``closeread train`` for readers with learned encoders: from a recipe to a checkpoint folder."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import transformers

from closeread.errors import InputError
from closeread.protocols import Begin
from closeread.readers.lineage import Lineage
from closeread.readers.models.weights import settings_sha256, weights_sha256
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.registry.factory import resolve_path
from closeread.training.neural.capabilities import (
    check_gradient_checkpointing,
    check_lengths,
    max_model_tokens,
    model_without_weights,
)
from closeread.training.neural.dev_metric import (
    check_metric,
    default_metric,
    measure_dev,
    with_id_prefix,
)
from closeread.training.neural.device import check_machine, device_of, explain_out_of_memory
from closeread.training.neural.distillation.teachers import check_teachers, lineages_of
from closeread.training.neural.fit import fit
from closeread.training.neural.inference import CLASSES, SecondInferenceTask, label_of
from closeread.training.neural.lineage import license_terms, trained_lineage
from closeread.training.neural.packed_features import PackedFeatures
from closeread.training.neural.processes import Processes
from closeread.training.neural.saving.folder import TrainingFolder
from closeread.training.neural.saving.write_errors import explain_write_errors
from closeread.training.neural.soup import train_soup
from closeread.training.neural.stages import check_stages, train_stages
from closeread.training.neural.task import GathersItems, HasTeachers, PreparesModel, Task
from closeread.training.neural.training_data import (
    DrawnDataset,
    TrainingData,
    build_overlap,
    draw_questions,
    n_shared,
)
from closeread.training.overlap import Overlap
from closeread.training.recipes.folder import check_folder_free
from closeread.training.recipes.precheck import check_datasets_open, parse_train_settings
from closeread.training.recipes.settings import NeuralSettings, Source
from closeread.training.request import Request, Trained
from closeread.types import PassageQuestion
from closeread.wording import count_of

_DEV_SEED = 0
_UNKNOWN_SHARE = 0.1  # of the tokens; a vocabulary of the texts' language lacks a few in a thousand
_DEV_MEMORY_CURE = (
    'use a smaller model, set train.device = "cpu", or remove train.dev; complete states are kept'
)


def train(request: Request, task: Task) -> Trained:
    """Train a model for a task and write its folder.

    Raises:
        InputError: The recipe, a data set or the model is not what it should be.
        UsageError: The folder is taken, or a setting is out of its range.
        MismatchError: The training to be gone on with was begun with another recipe.
    """
    if request.look:
        return _check_only(request, task)
    processes = Processes(str(request.recipe.train.get("device", "")))
    # A taken folder is told first, and what cannot be opened before minutes go by with reading what
    # can. Then all data are read before anything is written: a mistake at the end costs no stage.
    with processes.in_step():
        settings, model = _parse_and_check(request)
        check_folder_free(request.out, request.recipe, request.resume, request.overwrite)
        check_stages(request, settings)
        check_datasets_open(request, settings)
        first = _first_model(request, model)
        if first and not request.resume:  # what a finished stage began from may be gone
            check_lengths(request, max_model_tokens(first))
            check_gradient_checkpointing(request, model_without_weights(first))
        check_teachers(request, first)
        watched, looked_at = _read_dev(request, settings, task)
        gathers = task if isinstance(task, GathersItems) else None
        overlap = build_overlap(settings.exclude, request.open_dataset)
        material = _read_training_data(request, settings.datasets, settings, overlap, gathers)
        also = settings.beside.datasets if settings.beside else ()
        beside = _read_training_data(request, also, settings, overlap)
        del overlap  # which is no more asked, and large
        if gathers is None:
            _check_gold(request, task, material)
        if settings.beside:
            _check_pairs(request, beside)
        metric = settings.metric or default_metric(task.metric, watched)
        drawn_from = [told for _, told in (*material, *beside)]
        data = [one.fingerprint for one in (*drawn_from, *looked_at)]
        folder = TrainingFolder(
            request.out, request.recipe, request.resume, request.overwrite, data
        )
    with folder, explain_write_errors(request.out):
        model = train_stages(request, settings, model)
        with processes.in_step():  # a record that cannot be read is told before hours go by
            teachers = task.teachers(model) if isinstance(task, HasTeachers) else ()
            taught_by = lineages_of(teachers, settings.made_by, pickled=settings.pickled)
        if gathers is None and settings.soup == 1:  # of a soup each member draws its own
            _report_shared_with_dev(request, watched, material)

        def measure(now: Checkpoint) -> float:
            with explain_out_of_memory("the evaluation on dev", _DEV_MEMORY_CURE):
                return measure_dev(task.reader(now), watched, metric)

        if settings.soup > 1:
            material.clear()  # each member draws its own
            checkpoint, done = train_soup(
                request,
                settings,
                model,
                task,
                device=device_of(settings),
                processes=processes,
                measure=measure if watched else None,
            )
        else:
            with processes.in_step():
                checkpoint = _open_model(model, task, settings)
                if not request.resume:
                    check_lengths(request, checkpoint.max_length)
                    check_gradient_checkpointing(request, checkpoint.model)
                task.reader(checkpoint)  # refuses options by which nothing could be read
                if teachers:
                    folder.record_teachers(
                        [weights_sha256(one) + settings_sha256(one) for one in teachers]
                    )
                features = _make_features(request, task, checkpoint, settings, material)
                second = (
                    SecondInferenceTask(settings.beside.max_length) if settings.beside else None
                )
                if second is not None:
                    features += _make_features(request, second, checkpoint, settings, beside)
                folder.record_examples([len(one) for one in features])
            done = fit(
                checkpoint,
                task,
                features,
                settings,
                request.out,
                processes=processes,
                second=second,
                measure=measure if watched else None,
                resume_from=folder.last_state(),
                begin=request.begin,
                say=request.say,
            )
        told: dict[str, Any] = {
            "reader": request.recipe.reader.name,
            "model": str(request.out),
            "n_features": done.n_features,
            "n_parameters": checkpoint.n_parameters,
            "steps": done.steps,
            "loss": done.loss,
            "metric": metric if watched else None,
            "best": done.best,
            "seconds": done.seconds,
        }
        with processes.in_step():  # none opens what the first has not yet written
            lineage = trained_lineage(
                request.recipe.reader,
                settings,
                model,
                drawn_from,
                checkpoint.n_parameters,
                evidence_models=getattr(task, "evidence_models", ()),
                taught_by=taught_by,
            )
            if folder.mine:
                checkpoint.save(request.out)
                folder.finish(
                    told, data=drawn_from, dev=looked_at, history=done.history, lineage=lineage
                )
    return Trained(out=request.out, summary=told, remarks=_format_remarks(told, lineage))


def _first_model(request: Request, model: str) -> str:
    """Return the model that is opened first; empty where a stage makes it or nobody can tell."""
    if not request.recipe.before:
        return model
    first = request.recipe.before[0]
    if first.reader.name == "encoder" or ":" in first.reader.name:
        return ""
    return resolve_path("model", first.train.get("model", model))


def _open_model(model: str, task: Task, settings: NeuralSettings) -> Checkpoint:
    """Return the model with a head for the task, as its training begins."""
    made_by = settings.seed if settings.head_seed is None else settings.head_seed
    transformers.set_seed(made_by)  # the head, where one is made
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


def _parse_and_check(request: Request) -> tuple[NeuralSettings, str]:
    """Return what the recipe says, and the model's name, where both make sense here."""
    settings, model = parse_train_settings(request)
    check_machine(settings, str(request.path), request.within)
    return settings, model


def _check_only(request: Request, task: Task) -> Trained:
    """See that every setting makes sense, every data set opens and ``dev`` can be watched."""
    settings, _ = _parse_and_check(request)
    check_datasets_open(request, settings)
    _read_dev(request, settings, task)
    return Trained(out=request.out, summary={}, remarks=())


def _read_training_data(
    request: Request,
    sources: Sequence[Source],
    settings: NeuralSettings,
    overlap: Overlap | None,
    gathers: GathersItems | None = None,
) -> list[TrainingData]:
    gathered = "questions" if gathers is None else gathers.gathers
    found = []
    for source in sources:
        items, told = draw_questions(
            source, request.open_dataset, overlap, settings.seed, gathers, soup=settings.soup
        )
        request.say(
            f"{told.path}: {len(items):,} {gathered}"
            + (f", {told.n_excluded:,} left out for overlap" if told.n_excluded else "")
        )
        found.append((items, told))
    return found


def _check_gold(request: Request, task: Task, material: list[TrainingData]) -> None:
    """See before any stage is trained whether there is a question to learn from.

    Raises:
        InputError: None is of a kind that the task's reader answers and has gold.
    """
    for items, _ in material:
        if any(task.answers(one) and (one.answers or one.option_truth) for _, one in items):
            return
    raise _nothing_to_learn(request, material)


def _check_pairs(request: Request, material: list[TrainingData]) -> None:
    """See the same of what is learned beside.

    Raises:
        InputError: There is no premise with a hypothesis and its label.
    """
    if not any(label_of(one) in CLASSES for items, _ in material for _, one in items):
        raise InputError(
            f"{request.within}train.beside has no pair to learn from",
            where=", ".join(told.path for _, told in material),
            expected="premises and hypotheses with the labels " + ", ".join(CLASSES),
            cure=f"name such a set, or remove {request.within}train.beside",
        )


def _report_shared_with_dev(
    request: Request, watched: list[PassageQuestion], material: list[TrainingData]
) -> None:
    learned = (item for items, _ in material for item in items)
    if found := n_shared(watched, learned):
        request.say(
            f"{found:,} of {count_of(len(watched), 'question')} of {request.within}train.dev "
            "also in the training sets: the dev metric is too high and may choose the wrong state"
        )


def _nothing_to_learn(request: Request, material: list[TrainingData]) -> InputError:
    return InputError(
        f"no question that {request.recipe.reader.name} can learn from",
        where=", ".join(told.path for _, told in material),
        expected="questions of a kind that the reader answers, with gold answers",
    )


def _read_dev(
    request: Request, settings: NeuralSettings, task: Task
) -> tuple[list[PassageQuestion], list[DrawnDataset]]:
    """Return what the metric is watched on, whatever the seed; ids of several sets may be alike.

    Members of a soup, and any trainings that differ in their seed, can be compared by it.

    Raises:
        InputError: The task's reader answers none of it, or there is no gold.
        UsageError: The metric judges none of it.
    """
    found, told = [], []
    for number, source in enumerate(settings.dev):
        items, one = draw_questions(
            source, request.open_dataset, None, _DEV_SEED, whole_groups=True
        )
        told.append(one)
        found += (
            [with_id_prefix(item, f"{number}/") for item in items] if settings.dev[1:] else items
        )
    if found:
        check_metric(
            found,
            settings.metric or default_metric(task.metric, found),
            task.answers,
            request.recipe.reader.name,
            f"{request.within}train",
        )
    return found, told


def _make_features(
    request: Request,
    task: Task | SecondInferenceTask,
    checkpoint: Checkpoint,
    settings: NeuralSettings,
    material: list[TrainingData],
) -> list[PackedFeatures]:
    features = []
    unknown = _unknown_token(checkpoint.tokenizer)
    for items, told in material:
        rng = Random(f"{settings.seed}/{told.path}/features")
        seen = _with_progress(items, request.begin_examples)
        features.append(PackedFeatures(task.features(checkpoint, seen, rng)))
        of_no_use = "" if features[-1] else f": {request.recipe.reader.name} learns nothing from it"
        request.say(f"{told.path}: {count_of(len(features[-1]), 'example')}{of_no_use}")
        if (share := features[-1].share_of(unknown)) >= _UNKNOWN_SHARE:
            request.say(
                f"{told.path}: {share:.0%} of the tokens are unknown to the model's vocabulary; "
                "the model may have learned another language"
            )
        items.clear()  # the texts, which need more room than what was made of them
    if not any(features):
        raise _nothing_to_learn(request, material)
    return features


def _unknown_token(tokenizer: Any) -> int:
    """Return the token for what a vocabulary does not know; -1 where it says something else too."""
    found = tokenizer.unk_token_id
    also = (tokenizer.eos_token_id, tokenizer.bos_token_id, tokenizer.pad_token_id)
    return -1 if found is None or found in also else int(found)


def _with_progress(items: Sequence[PassageQuestion], begin: Begin) -> Iterator[PassageQuestion]:
    advance = begin(len(items))
    for item in items:
        yield item
        advance(1)


def _format_remarks(told: dict[str, Any], lineage: Lineage) -> tuple[str, ...]:
    best = "" if told["best"] is None else f", best {told['metric']} {told['best']:.1%}"
    lines = [
        f"{count_of(told['n_features'], 'example')}, {count_of(told['steps'], 'step')}, "
        f"loss {told['loss']:.3f}{best}, {told['seconds']:,.0f} s"
    ]
    return (*lines, *license_terms(lineage))
