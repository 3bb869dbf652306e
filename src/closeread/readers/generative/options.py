"""The options that all language-model readers share: prompting and answer extraction."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from closeread.errors import UsageError
from closeread.readers.generative.examples import Examples
from closeread.readers.generative.extraction import Extraction, parse_stops
from closeread.readers.generative.prompting import Prompter
from closeread.registry.factory import PathText

Options = TypeVar("Options")
Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True)
class PromptingOptions:
    r"""Options of prompting and answer extraction, the same for every model.

    Attributes:
        prompt: A prompt file of your own instead of those that ship.
        examples: A data set with gold answers to draw few-shot examples from.
        shots: Number of examples.
        seed: Seed of examples, option orders and a server's sampling.
        shuffles: Number of times to ask a question with options, in different orders; the majority
            of answers counts.
        scoring: ``generation``, ``letters`` or (not with ``chat``) ``texts``.
        judge: ``each`` asks about every option of a verification question separately.
        max_tokens: Maximum tokens of a reply.
        stop: Stop strings at which the text is cut before extraction, separated by ``||``;
            ``\n`` is a line's end. ``score --stop`` changes it afterwards.
        extract: The extraction rule.
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

    def make_prompter(self) -> Prompter:
        """Return the prompter with these options; reads the data set of examples.

        Raises:
            UsageError: The options contradict each other.
            InputError: The prompt or the data set of examples cannot be used.
        """
        return Prompter(
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
    """Decorate a factory that takes a record of options, so that it takes them as keywords.

    The new function has the record's signature, so that names, types and defaults are written once.

    Args:
        options: The type of the record.
    """

    def decorate(make: Callable[[Options], Made]) -> Callable[..., Made]:
        @functools.wraps(make)
        def factory(**values: Any) -> Made:
            return make(options(**values))

        factory.__signature__ = inspect.signature(options)  # type: ignore[attr-defined]
        return factory

    return decorate
