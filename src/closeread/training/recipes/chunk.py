"""The options and settings of a chunk reader in a recipe."""

from typing import Literal

from closeread.readers.option_sequences import CHUNK_TOKENS
from closeread.training.recipe import Count, Length
from closeread.training.recipes.precheck import precheck_training
from closeread.training.recipes.verifier import NliHead
from closeread.training.request import Request
from closeread.types import Record


class ChunkOptions(Record, frozen=True, kw_only=True):
    """``[reader.options]`` of a chunk reader to be trained.

    Attributes:
        max_length: Maximum tokens of chunk and option together.
        chunk_tokens: Tokens of a chunk.
    """

    max_length: Length = 256
    chunk_tokens: Count = CHUNK_TOKENS


class ChunkSettings(Record, frozen=True, kw_only=True):
    """``[train.options]`` of a chunk reader.

    Attributes:
        learn: ``best`` learns from an option's highest-scoring chunk, ``each`` from every chunk.
            The batch size counts options for ``best`` and chunks for ``each``.
        nli_head: How to convert a head of three classes: ``fold`` into a head of two classes with
            the weights of entailment, ``new`` into a head with random weights.
    """

    learn: Literal["best", "each"] = "best"
    nli_head: NliHead = ""


def parse_options(request: Request) -> tuple[ChunkOptions, ChunkSettings]:
    """Parse the reader's options and its training settings.

    Raises:
        InputError: An option is unknown, or a value is wrong.
    """
    options = request.parse_table(request.recipe.reader.options, ChunkOptions, "reader.options")
    raw_settings = request.recipe.train.get("options", {})
    return options, request.parse_table(raw_settings, ChunkSettings, "train.options")


def precheck(request: Request) -> None:
    """Check the recipe.

    Raises:
        CloseReadError: As the training itself would, once torch is loaded.
    """
    parse_options(request)
    precheck_training(request)
