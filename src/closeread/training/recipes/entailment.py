"""What a recipe says of a model of natural language inference."""

from closeread.training.recipe import Length
from closeread.training.recipes.precheck import precheck_training
from closeread.training.request import Request, refuse_train_options
from closeread.types import Record


class EntailOptions(Record, frozen=True, kw_only=True):
    """What ``[reader]`` may say of a model of natural language inference.

    Attributes:
        max_length: Tokens of premise and hypothesis together.
    """

    max_length: Length = 128


def parse_options(request: Request) -> EntailOptions:
    """Return what is asked.

    Raises:
        InputError: There are unknown options, or wrong values.
        UsageError: There are options of the training.
    """
    options = request.parse_table(request.recipe.reader.options, EntailOptions, "reader.options")
    refuse_train_options(request)
    return options


def precheck(request: Request) -> None:
    """Look at the recipe.

    Raises:
        CloseReadError: As the training itself would, once torch is loaded.
    """
    parse_options(request)
    precheck_training(request)
