"""The teachers: named models, or the members of the soup from which a training begins."""

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
    """Return the models that teach: those named, else the members of the soup that a model is.

    Args:
        model: Where the training begins.
        named: Folders, or hub names.

    Raises:
        InputError: None is named, and the model is no soup whose members are still there.
    """
    if named:
        return tuple(named)
    folders = sorted(Path(model, MEMBERS).glob("*/config.json"), key=lambda one: one.parent.name)
    if not folders:
        raise _no_teacher(f"there is no model in {MEMBERS}/", model)
    return tuple(str(one.parent) for one in folders)


def check_teachers(request: Request, begun: str) -> None:
    """Check before training that every distillation, in the last training or a stage, has teachers.

    Args:
        request: With the stages.
        begun: The model that the first of them begins with; empty where nobody can tell.

    Raises:
        InputError: There is no soup whose members could teach, or a teacher that is named is not
            there or cuts texts into other tokens.
    """
    chain: tuple[Stage | TrainRecipe, ...] = (*request.recipe.before, request.recipe)
    for place, one in enumerate(chain):
        options = one.reader.options
        if one.reader.name != "span" or not options.get("distillation"):
            continue
        named = [resolve_path("teachers", name) for name in options.get("teachers", ())]
        if named and not request.resume:  # those of a finished stage may be gone
            _check_named(named, begun)
        if named:
            continue
        if place:
            last = chain[place - 1]
            if last.reader.name not in _SPAN_TRAINERS or last.train.get("soup", 1) == 1:
                raise _no_teacher(
                    f"{stage_prefix(place - 1)}train trains no soup of span readers",
                    str(request.path),
                )
        elif begun and Path(begun).is_dir() and not request.resume:
            teachers_of(begun, ())


def lineages_of(
    teachers: Sequence[str], made_by: Mapping[str, str | Maker], *, pickled: bool
) -> tuple[Lineage, ...]:
    """Return how each teacher came to be: it has a part in what its student is.

    Args:
        teachers: Folders, or hub names.
        made_by: Who wrote what they learned from, as the user declares it, by their names.
        pickled: Whether weights may be read that are not safetensors.

    Raises:
        InputError: A record cannot be read, or a model without one cannot be opened.
    """
    declared = (
        {resolve_path("made_by", name): who for name, who in made_by.items()} if teachers else {}
    )
    found = []
    for one in teachers:
        recorded = lineage_of(one, 0)
        if not recorded.stages:
            size = open_checkpoint(one, "span", pickled=pickled).n_parameters
            recorded = lineage_of(one, size, declared.get(one, ""))
        found.append(recorded)
    return tuple(found)


def _no_teacher(why: str, where: str) -> InputError:
    return InputError(
        f"distillation has no teacher: {why}",
        where=where,
        expected="to begin from a model that span or cloze trained with soup = 2 or more, with its "
        "members still in place",
        cure="name models under `teachers`, next to `distillation`",
    )


def _check_named(teachers: Sequence[str], begun: str) -> None:
    """Look for teachers, and at their words where the student's are known."""
    for one in teachers:
        check_exists(one)
    if begun:
        words = open_tokenizer(begun, loading_options(begun)).get_vocab()
        for one in teachers:
            if open_tokenizer(one, loading_options(one)).get_vocab() != words:
                raise tokenizer_mismatch(one, begun)


def tokenizer_mismatch(teacher: str, student: str) -> InputError:
    """Return the error for a teacher whose tokens are not the student's."""
    return InputError(
        f"the teacher's tokenizer differs from that of the student, {student}",
        where=teacher,
        expected="a teacher with the same vocabulary and special tokens",
        cure="name another teacher",
    )
