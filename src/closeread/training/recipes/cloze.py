"""The recipe options for training a span reader on cloze questions made from passages."""

from typing import Annotated

import msgspec

from closeread.training.recipe import Count, Length
from closeread.training.recipes.precheck import precheck_training
from closeread.training.request import Request, refuse_train_options
from closeread.types import Record


class ClozeOptions(Record, frozen=True, kw_only=True):
    """``[reader.options]``.

    Attributes:
        max_length: Maximum tokens of a window.
        stride: Tokens by which windows move.
        words_a_question: Passage words per question.
        around: Words of a sentence that a question takes on each side of its answer; with one,
            no question would have enough words.
        left_out: Share of those words that is dropped.
    """

    max_length: Length = 384
    stride: Count = 128
    words_a_question: Count = 30
    around: Annotated[int, msgspec.Meta(ge=2)] = 12
    left_out: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.15


def parse_options(request: Request) -> ClozeOptions:
    """Parse the reader's options.

    Raises:
        InputError: An option is unknown, or a value is wrong.
        UsageError: The recipe has ``[train.options]``.
    """
    options = request.parse_table(request.recipe.reader.options, ClozeOptions, "reader.options")
    refuse_train_options(request)
    return options


def precheck(request: Request) -> None:
    """Check the recipe.

    Raises:
        CloseReadError: As the training itself would, once torch is loaded.
    """
    parse_options(request)
    precheck_training(request)
