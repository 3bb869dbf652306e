"""What a recipe says of a choice reader."""

from closeread.training.recipe import Length
from closeread.training.recipes.precheck import look_at_training
from closeread.training.request import Request, without_options
from closeread.types import Record


class ChooseOptions(Record, frozen=True, kw_only=True):
    """What ``[reader]`` may say of a choice reader that is trained.

    Attributes:
        max_length: Tokens of passage, question and option together.
    """

    max_length: Length = 384


def asked(request: Request) -> ChooseOptions:
    """Return what is asked.

    Raises:
        InputError: There are unknown options, or wrong values.
        UsageError: There are options of the training.
    """
    options = request.section(request.recipe.reader.options, ChooseOptions, "reader.options")
    without_options(request)
    return options


def look(request: Request) -> None:
    """Look at the recipe.

    Raises:
        CloseReadError: As the training itself would, once torch is loaded.
    """
    asked(request)
    look_at_training(request)
