"""Finds and checks the teachers: named models, or the members of the initial model's soup."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from closeread.errors import InputError
from closeread.readers.lineage import Lineage, Maker, lineage_of
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.opening import check_exists, loading_options, open_tokenizer
from closeread.registry.factory import resolve_path
from closeread.training.recipe import Stage, TrainRecipe, stage_prefix
from closeread.training.recipes.same_request import MEMBERS
from closeread.training.request import Request

_SPAN_TRAINERS = ("span", "cloze")


def teachers_of(model: str, named: Sequence[str]) -> tuple[str, ...]:
    """Return the named teachers; if there are none, the members of the soup that a model is.

    Args:
        model: The initial model of the training.
        named: Folders, or hub names.

    Raises:
        InputError: No teacher is named, and the model is not a soup with its members in place.
    """
    if named:
        return tuple(named)
    configs = sorted(Path(model, MEMBERS).glob("*/config.json"), key=lambda path: path.parent.name)
    if not configs:
        raise _no_teacher(f"there is no model in {MEMBERS}/", model)
    return tuple(str(path.parent) for path in configs)


def check_teachers(request: Request, initial: str) -> None:
    """Check before training that every distillation, in the last training or a stage, has teachers.

    Args:
        request: The request with its stages.
        initial: The initial model of the first of them; empty if unknown.

    Raises:
        InputError: A distillation has no soup to learn from, or a named teacher is missing or has
            another tokenizer.
    """
    trainings: tuple[Stage | TrainRecipe, ...] = (*request.recipe.before, request.recipe)
    for index, training in enumerate(trainings):
        options = training.reader.options
        if training.reader.name != "span" or not options.get("distillation"):
            continue
        named = [resolve_path("teachers", name) for name in options.get("teachers", ())]
        if named and not request.resume:  # teachers of a finished stage may be gone
            _check_named(named, initial)
        if named:
            continue
        if index:
            previous = trainings[index - 1]
            if previous.reader.name not in _SPAN_TRAINERS or previous.train.get("soup", 1) == 1:
                raise _no_teacher(
                    f"{stage_prefix(index - 1)}train trains no soup of span readers",
                    str(request.path),
                )
        elif initial and Path(initial).is_dir() and not request.resume:
            teachers_of(initial, ())


def lineages_of(
    teachers: Sequence[str], made_by: Mapping[str, str | Maker], *, pickled: bool
) -> tuple[Lineage, ...]:
    """Return the lineage of each teacher, which is part of its student's.

    Args:
        teachers: Folders, or hub names.
        made_by: The user's declaration of who wrote each teacher's training data, by its name.
        pickled: Whether weights that are not safetensors may be loaded.

    Raises:
        InputError: A record cannot be read, or a model without one cannot be opened.
    """
    declared = (
        {resolve_path("made_by", name): maker for name, maker in made_by.items()}
        if teachers
        else {}
    )
    lineages = []
    for teacher in teachers:
        lineage = lineage_of(teacher, 0)
        if not lineage.stages:
            n_parameters = open_checkpoint(teacher, "span", pickled=pickled).n_parameters
            lineage = lineage_of(teacher, n_parameters, declared.get(teacher, ""))
        lineages.append(lineage)
    return tuple(lineages)


def _no_teacher(reason: str, where: str) -> InputError:
    return InputError(
        f"distillation has no teacher: {reason}",
        where=where,
        expected="to begin from a model that span or cloze trained with soup = 2 or more, with its "
        "members still in place",
        cure="name models under `teachers`, next to `distillation`",
    )


def _check_named(teachers: Sequence[str], student: str) -> None:
    """Check that teachers exist and, if the student is known, that they have its vocabulary."""
    for teacher in teachers:
        check_exists(teacher)
    if student:
        vocabulary = open_tokenizer(student, loading_options(student)).get_vocab()
        for teacher in teachers:
            if open_tokenizer(teacher, loading_options(teacher)).get_vocab() != vocabulary:
                raise tokenizer_mismatch(teacher, student)


def tokenizer_mismatch(teacher: str, student: str) -> InputError:
    """Return the error for a teacher whose tokenizer is not the student's."""
    return InputError(
        f"the teacher's tokenizer differs from that of the student, {student}",
        where=teacher,
        expected="a teacher with the same vocabulary and special tokens",
        cure="name another teacher",
    )
