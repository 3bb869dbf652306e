"""What a recipe says of a model of natural language inference."""

from closeread.training.recipe import Length
from closeread.training.recipes.precheck import look_at_training
from closeread.training.request import Request, without_options
from closeread.types import Record


class EntailOptions(Record, frozen=True, kw_only=True):
    """What ``[reader]`` may say of a model of natural language inference.

    Attributes:
        max_length: Tokens of premise and hypothesis together.
    """

    max_length: Length = 128


def asked(request: Request) -> EntailOptions:
    """Return what is asked.

    Raises:
        InputError: There are unknown options, or wrong values.
        UsageError: There are options of the training.
    """
    options = request.section(request.recipe.reader.options, EntailOptions, "reader.options")
    without_options(request)
    return options


def look(request: Request) -> None:
    """Look at the recipe.

    Raises:
        CloseReadError: As the training itself would, once torch is loaded.
    """
    asked(request)
    look_at_training(request)
