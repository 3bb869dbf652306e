"""Tokenizes by spaCy's rules: a blank pipeline without a model."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from closeread.formats.conversion.documents import MARKERS
from closeread.formats.conversion.occurrences import Token
from closeread.registry.extras import missing_extra

Tokenize = Callable[[str], list[Token]]


@lru_cache(maxsize=4)
def tokenizer(language: str) -> Tokenize:
    """Return a function that cuts a text into ``(token, offset)`` pairs, white space left out.

    English rules serve every language that is written with blanks, as in the shared task; Chinese
    is cut into characters. The markers are one token each. A hyphen between a digit and a letter
    (``26-year``) cuts nothing, as in 2019: spaCy 3 cuts there (explosion/spaCy pull request 5770).

    Raises:
        MissingExtraError: spaCy is not installed.
    """
    pipeline = _spacy().blank("zh" if language == "zh" else "en")
    if language != "zh":
        from spacy.lang.char_classes import ALPHA, HYPHENS
        from spacy.util import compile_infix_regex

        today = f"(?<=[{ALPHA}0-9])(?:{HYPHENS})(?=[{ALPHA}])"
        infixes = [
            rule.replace("0-9", "") if rule == today else rule for rule in pipeline.Defaults.infixes
        ]
        pipeline.tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
        for marker in MARKERS:
            pipeline.tokenizer.add_special_case(marker, [{"ORTH": marker}])

    def tokenize(text: str) -> list[Token]:
        # The zone forgets words afterwards, so that a large set does not fill the memory.
        with pipeline.memory_zone():
            parsed = pipeline.tokenizer(text)
            return [(token.text, token.idx) for token in parsed if not token.is_space]

    return tokenize


def version() -> str:
    """Return which spaCy cuts the text: versions differ in a token or two of a thousand."""
    return f"spaCy {_spacy().__version__}, rules alone, hyphens after digits as in 2019"


def _spacy() -> Any:
    try:
        import spacy
    except ModuleNotFoundError as error:
        if error.name != "spacy":
            raise
        raise missing_extra("the MRQA form", "spacy", "mrqa") from error
    return spacy
