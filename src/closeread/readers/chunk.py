"""The reader ``chunk``: scores every option against chunks of the passage, without evidence.

It is the baseline RoBERTa-Large-Chunk of Zhang et al. (2021, section 4). torch is imported only
when a reader is made.
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
    """Make the reader ``chunk``.

    Args:
        model: A folder, or a hub name: an encoder with a head of two classes (supported or not),
            of three (natural language inference) or of one number.
        device: Such as ``cpu`` or ``cuda:0``.
        dtype: Such as ``float32`` or ``bfloat16``.
        max_length: Maximum tokens of chunk and option together; the longer of the two is cut.
        chunk_tokens: Tokens of a chunk; chunks do not overlap.
        aggregate: How an option's log-odds follow from those of its chunks: ``max`` or ``mean``.
            The paper does not say which it uses.
        label: The class that means "supported", if the names of the model's classes do not show it.
        token_budget: Maximum tokens of a batch; 0 uses the device's default.
        pickled: Also read weights that are not safetensors. Such files can run code.

    Raises:
        UsageError: ``model`` is empty, or a value is out of range.
        InputError: The model cannot be opened, or has no classification head.
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
