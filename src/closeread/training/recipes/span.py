"""The options of a span reader in a recipe."""

from typing import Annotated

import msgspec

from closeread.errors import UsageError
from closeread.readers.neural.spans import MAX_LENGTH_PENALTY
from closeread.registry.factory import PathText
from closeread.training.recipe import Count, Length
from closeread.training.recipes.precheck import precheck_training
from closeread.training.request import Request, refuse_train_options
from closeread.types import Record

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class SpanOptions(Record, frozen=True, kw_only=True):
    """``[reader.options]`` of a span reader to be trained.

    Attributes:
        max_length: Maximum tokens of a window.
        stride: Tokens by which windows move.
        null: Whether to learn from unanswerable questions, and predict no answer.
        all_answers: Whether to learn all answers in a window, instead of one that is drawn.
        length_penalty: What the reader subtracts from a span's score for each token after the
            first.
        distillation: The weight of the teachers' probabilities in the target, from 0 to 1; the
            gold answers have the rest.
        teachers: Span readers whose mean probabilities are the target; if empty, the members of
            the soup that the training starts from.
    """

    max_length: Length = 384
    stride: Count = 128
    null: bool = False
    all_answers: bool = False
    length_penalty: Annotated[float, msgspec.Meta(ge=0, le=MAX_LENGTH_PENALTY)] = 0.0
    distillation: Share = 0.0
    teachers: tuple[PathText, ...] = ()


def parse_options(request: Request) -> SpanOptions:
    """Parse and check the reader's options.

    Raises:
        InputError: An option is unknown, or a value is wrong.
        UsageError: ``teachers`` is set without ``distillation``, or contains an empty name.
    """
    options = request.parse_table(request.recipe.reader.options, SpanOptions, "reader.options")
    refuse_train_options(request)
    if options.teachers and not options.distillation:
        raise UsageError(
            f"{request.within}reader.options.teachers is set, but distillation is 0",
            where=str(request.path),
            expected="a share of distillation, such as 0.7",
            cure="set distillation, or remove teachers",
        )
    if not all(options.teachers):
        raise UsageError(
            f"{request.within}reader.options.teachers contains an empty name",
            where=str(request.path),
            expected="model folders, or names on the Hugging Face hub",
            cure="remove the empty name",
        )
    return options


def precheck(request: Request) -> None:
    """Check the recipe.

    Raises:
        CloseReadError: As the training itself would, once torch is loaded.
    """
    parse_options(request)
    precheck_training(request)
