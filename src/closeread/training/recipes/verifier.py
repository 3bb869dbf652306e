"""The options and settings of a verifier in a recipe."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any, Literal

from closeread.errors import UsageError
from closeread.readers.verifier import PAPER, check_retriever
from closeread.training.recipe import Length
from closeread.training.recipes.precheck import precheck_training
from closeread.training.recipes.settings import out_of_range
from closeread.training.request import Request
from closeread.types import Record

Loss = Literal["hinge", "cross-entropy"]
Score = Literal["probability", "logit"]
Reduction = Literal["mean", "sum"]
Unit = Literal["question", "pair", "option"]
NliHead = Literal["", "fold", "new"]
_UNITS: dict[str, tuple[str, ...]] = {
    "hinge": ("question", "pair"),
    "cross-entropy": ("question", "option"),
}


class VerifierOptions(Record, frozen=True, kw_only=True):
    """``[reader.options]`` of a verifier to be trained; the other keys are its retriever's."""

    retriever: str = "cover"
    evidence_model: str = ""
    max_length: Length = 256


class CompeteSettings(Record, frozen=True, kw_only=True):
    """``[train.options]`` for verifiers.

    Attributes:
        loss: ``hinge``, or ``cross-entropy`` for training without competition.
        margin: The margin of the hinge loss; 0.5 in the paper and its program.
        score: The score in the hinge loss: the ``probability`` of "supported" (the authors'
            program), or its log-odds, ``logit``, which is unbounded.
        reduction: Over the pairs of a question: ``mean`` (the program) or ``sum`` (the equations).
        unit: What the batch size counts: ``question`` (each option is encoded once), ``pair`` (the
            program: an option in three pairs is encoded three times), or ``option`` for the
            cross-entropy.
        nli_head: How to convert a head of three classes: ``fold`` into one of two classes
            (``support.fold_nli_head``), ``new`` into one with random weights. Required if the
            model has such a head.
    """

    loss: Loss = "hinge"
    margin: float = 0.5
    score: Score = "probability"
    reduction: Reduction = "mean"
    unit: Unit = "question"
    nli_head: NliHead = ""


def parse_options(request: Request) -> tuple[VerifierOptions, dict[str, Any], CompeteSettings]:
    """Parse the options of the verifier, those of its retriever, and its training settings.

    Raises:
        InputError: An option (except the retriever's) is unknown, or a value is wrong.
        UsageError: Settings do not fit together, or a number is out of range.
    """
    reader = request.recipe.reader
    options = (PAPER if reader.name == "extract-integrate-compete" else {}) | reader.options
    if options.get("sentences") == "":  # the retriever's default, as when reading
        del options["sentences"]
    verifier_options = {
        key: options.pop(key) for key in VerifierOptions.__struct_fields__ if key in options
    }
    parsed = request.parse_table(verifier_options, VerifierOptions, "reader.options")
    raw_settings = request.recipe.train.get("options", {})
    settings = request.parse_table(raw_settings, CompeteSettings, "train.options")
    _check(settings, str(request.path), request.within)
    return parsed, options, settings


def precheck(request: Request) -> None:
    """Check the recipe.

    Raises:
        CloseReadError: As the training itself would, once torch is loaded.
    """
    options, retriever_options, _ = parse_options(request)
    with in_recipe_terms(request):
        check_retriever(options.retriever, options.evidence_model, retriever_options)
    precheck_training(request)


@contextmanager
def in_recipe_terms(request: Request) -> Iterator[None]:
    """Reword errors about options from the command line's ``-o NAME`` to the recipe's keys.

    Raises:
        UsageError: Raised inside the block.
    """
    try:
        yield
    except UsageError as error:
        expected, cure = (
            text.replace("-o ", f"{request.within}reader.options.")
            for text in (error.expected, error.cure)
        )
        where = error.where or str(request.path)
        raise UsageError(error.found, where=where, expected=expected, cure=cure) from error


def _check(settings: CompeteSettings, where: str, within: str) -> None:
    prefix = f"{within}train.options."
    if settings.unit not in _UNITS[settings.loss]:
        raise UsageError(
            f"{prefix}unit is {settings.unit}, which loss {settings.loss} does not take",
            where=where,
            expected=" or ".join(f'unit = "{unit}"' for unit in _UNITS[settings.loss]),
            cure=f"change {prefix}unit",
        )
    if settings.reduction == "sum" and settings.unit != "question":
        raise UsageError(
            f"{prefix}reduction is sum, over all pairs of a question, but unit is "
            f"{settings.unit}, which separates them",
            where=where,
            expected='unit = "question", or reduction = "mean"',
            cure=f"change {prefix}unit or {prefix}reduction",
        )
    if not 0 < settings.margin < inf:
        raise out_of_range(f"{prefix}margin", where, "above 0")
