"""Whether a model takes sequences as long as a recipe names; it would learn shorter ones."""

from typing import Any

import torch
import transformers

from closeread.errors import UsageError
from closeread.readers.neural.checkpoint import most_tokens
from closeread.readers.neural.opening import loading, open_tokenizer, unopened, unsaid
from closeread.training.recipe import Stage, TrainRecipe, stage_at
from closeread.training.request import Request


def takes(name: str) -> int:
    """Return how many tokens a model can be given, without its weights.

    Raises:
        InputError: There is no such model, or it is none that can be opened.
    """
    given = loading(name)
    try:
        config = transformers.AutoConfig.from_pretrained(name, **given)
        with torch.device("meta"), unsaid():
            model = transformers.AutoModel.from_config(config)
    except Exception as error:  # what a broken file makes the libraries raise has no common kind
        raise unopened(name, error) from error
    return most_tokens(model, open_tokenizer(name, given))


def check_lengths(request: Request, most: int) -> None:
    """Refuse lengths that a recipe names and the model does not take, stages' among them.

    What is left out is the reader's own, or what the model takes where that is less.

    Args:
        request: With the stages.
        most: Tokens that the model can be given.

    Raises:
        UsageError: One is longer.
    """
    stages: list[tuple[str, Stage | TrainRecipe]] = [
        (stage_at(place), one) for place, one in enumerate(request.recipe.before)
    ]
    for within, one in (*stages, (request.within, request.recipe)):
        named = {"reader.options.max_length": one.reader.options.get("max_length")}
        beside: Any = one.train.get("beside") or {}
        named["train.beside.max_length"] = beside.get("max_length")
        for name, asked in named.items():
            if asked is not None and asked > most and ":" not in one.reader.name:
                raise UsageError(
                    f"{within}{name} is {asked:,}, and the model takes {most:,} tokens",
                    where=str(request.path),
                    expected=f"at most {most:,}",
                    cure="give so many, leave it out, or begin from a model of longer sequences",
                )
