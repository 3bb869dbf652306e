"""The reader ``choice``: an encoder with a multiple-choice head picks one of the options.

torch is imported only when a reader is made.
"""

from typing import TYPE_CHECKING, Literal, get_args

from closeread.errors import UsageError
from closeread.readers.models.location import require_model
from closeread.registry.extras import require_extra
from closeread.registry.factory import PathText

if TYPE_CHECKING:
    from closeread.readers.neural.choice import ChoiceReader

Windows = Literal["first", "all"]
Aggregate = Literal["max", "mean"]


def choice(
    *,
    model: PathText = "",
    device: str = "cpu",
    dtype: str = "float32",
    max_length: int = 384,
    windows: str = "first",
    stride: int = 128,
    aggregate: str = "max",
    token_budget: int = 0,
    pickled: bool = False,
) -> "ChoiceReader":
    """Make the reader ``choice``.

    Args:
        model: A folder, or a hub name: an encoder with a multiple-choice head.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32`` or ``bfloat16``.
        max_length: Maximum tokens of passage, question and option together; the model's own
            maximum is used if it is smaller.
        windows: ``first`` reads only the beginning of the passage, as the published baseline does;
            ``all`` reads the whole passage in overlapping windows.
        stride: Tokens between the starts of neighbouring windows.
        aggregate: How an option's score follows from those of its windows: ``max`` or ``mean``.
        token_budget: Maximum tokens of a batch; 0 uses the device's default.
        pickled: Also read weights that are not safetensors. Such files can run code.

    Raises:
        UsageError: ``model`` is empty, or a value is out of range.
        InputError: The model cannot be opened, or has no multiple-choice head.
        MissingExtraError: torch or transformers is not installed.
    """
    require_model(model)
    for name, value, known in (("windows", windows, Windows), ("aggregate", aggregate, Aggregate)):
        if value not in get_args(known):
            raise UsageError(f"{name}={value}", expected="one of " + ", ".join(get_args(known)))
    if stride < 1 or token_budget < 0:
        raise UsageError(
            f"stride={stride}, token_budget={token_budget}",
            expected="stride at least 1, token_budget at least 0",
        )
    with require_extra("the reader choice", "neural-readers"):
        from closeread.readers.neural.choice import open_reader
    return open_reader(
        model,
        device=device,
        dtype=dtype,
        pickled=pickled,
        max_length=max_length,
        stride=stride if windows == "all" else None,
        aggregate=aggregate,
        token_budget=token_budget or None,
    )
