"""The options of a natural language inference model in a recipe."""

from closeread.training.recipe import Length
from closeread.training.recipes.precheck import precheck_training
from closeread.training.request import Request, refuse_train_options
from closeread.types import Record


class EntailOptions(Record, frozen=True, kw_only=True):
    """``[reader.options]`` of a natural language inference model to be trained.

    Attributes:
        max_length: Maximum tokens of premise and hypothesis together.
    """

    max_length: Length = 128


def parse_options(request: Request) -> EntailOptions:
    """Parse the reader's options.

    Raises:
        InputError: An option is unknown, or a value is wrong.
        UsageError: The recipe has ``[train.options]``.
    """
    options = request.parse_table(request.recipe.reader.options, EntailOptions, "reader.options")
    refuse_train_options(request)
    return options


def precheck(request: Request) -> None:
    """Check the recipe.

    Raises:
        CloseReadError: As the training itself would, once torch is loaded.
    """
    parse_options(request)
    precheck_training(request)
