"""The options of every language-model reader: how it is asked, and how its answer is read."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from closeread.errors import UsageError
from closeread.readers.generative.examples import Examples
from closeread.readers.generative.extraction import Extraction, parse_stops
from closeread.readers.generative.prompting import Asking
from closeread.registry.factory import PathText

Options = TypeVar("Options")
Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True)
class AskingOptions:
    r"""How questions are put and answers read, whichever model they go to.

    Attributes:
        prompt: A prompt file of your own instead of those that ship.
        examples: A data set with gold to draw examples from.
        shots: How many examples.
        seed: Of examples and orders, and of a server's sampling.
        shuffles: Ask questions with options so often, in different orders; the majority counts.
        scoring: ``generation``, ``letters`` or (not with ``chat``) ``texts``.
        judge: ``each`` asks about every option of a verification question alone.
        max_tokens: That an answer may have.
        stop: Where the saved text is cut before it is read; several are separated by ``||``, and
            ``\n`` is a line's end. ``score --stop`` changes it afterwards.
        extract: The rule by which the answer is read.
    """

    prompt: PathText = ""
    examples: PathText = ""
    shots: int = 0
    seed: int = 0
    shuffles: int = 1
    scoring: str = "generation"
    judge: str = "together"
    max_tokens: int = 256
    stop: str = ""
    extract: str = "auto"

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise UsageError(f"max_tokens={self.max_tokens}", expected="at least 1")

    def asking(self) -> Asking:
        """Return how questions are put; the examples are read.

        Raises:
            UsageError: Options that do not go together.
            InputError: A prompt or a data set of examples that cannot be used.
        """
        return Asking(
            examples=Examples.load(self.examples, self.shots, self.seed),
            extraction=Extraction(stops=parse_stops(self.stop), rule=self.extract),
            prompt=self.prompt,
            shuffles=self.shuffles,
            scoring=self.scoring,
            judge=self.judge,
            seed=self.seed,
        )


def takes_options(
    options: type[Options],
) -> Callable[[Callable[[Options], Made]], Callable[..., Made]]:
    """Decorate what makes a reader from a record of options, so that it takes each by its name.

    Its signature is that of the record: names, kinds and defaults are written once.
    """

    def decorate(make: Callable[[Options], Made]) -> Callable[..., Made]:
        @functools.wraps(make)
        def factory(**given: Any) -> Made:
            return make(options(**given))

        factory.__signature__ = inspect.signature(options)  # type: ignore[attr-defined]
        return factory

    return decorate
