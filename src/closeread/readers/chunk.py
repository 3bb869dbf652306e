"""A reader that judges every option by chunks of the passage: the baseline without evidence.

RoBERTa-Large-Chunk of Zhang et al. (2021, section 4). What needs torch is loaded when the reader
is made.
"""

from typing import TYPE_CHECKING, get_args

from closeread.errors import UsageError
from closeread.readers.choice import Aggregate
from closeread.readers.models.location import require_model
from closeread.readers.option_sequences import CHUNK_TOKENS
from closeread.registry.extras import require_extra
from closeread.registry.factory import PathText

if TYPE_CHECKING:
    from closeread.readers.neural.chunk import ChunkReader


def chunk(
    *,
    model: PathText = "",
    device: str = "cpu",
    dtype: str = "float32",
    max_length: int = 256,
    chunk_tokens: int = CHUNK_TOKENS,
    aggregate: str = "max",
    label: str = "",
    token_budget: int = 0,
    pickled: bool = False,
) -> "ChunkReader":
    """Make the reader.

    Args:
        model: A folder, or a hub name: an encoder with a head of two classes (supported or not),
            of three (natural language inference) or of one number.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32`` or ``bfloat16``.
        max_length: Tokens of chunk and option together; the longer of them is cut.
        chunk_tokens: Tokens of a chunk; chunks do not overlap.
        aggregate: What counts of an option's chunks: the ``max`` or the ``mean`` of the log-odds.
            The paper does not say.
        label: The class that means "supported", where the model's names do not tell.
        token_budget: Tokens of a batch; 0 for what suits the device.
        pickled: Also read weights that are not safetensors. Such files can run code.

    Raises:
        UsageError: No model is named, or a value is out of its range.
        InputError: The model cannot be opened, or has no such head.
        MissingExtraError: torch or transformers is not installed.
    """
    require_model(model)
    if aggregate not in get_args(Aggregate):
        raise UsageError(
            f"aggregate={aggregate}", expected="one of " + ", ".join(get_args(Aggregate))
        )
    if chunk_tokens < 1 or token_budget < 0:
        raise UsageError(
            f"chunk_tokens={chunk_tokens}, token_budget={token_budget}",
            expected="chunk_tokens at least 1, token_budget at least 0",
        )
    with require_extra("the reader chunk", "neural-readers"):
        from closeread.readers.neural.chunk import open_reader
    return open_reader(
        model,
        device=device,
        dtype=dtype,
        pickled=pickled,
        label=label,
        max_length=max_length,
        chunk_tokens=chunk_tokens,
        aggregate=aggregate,
        token_budget=token_budget or None,
    )
