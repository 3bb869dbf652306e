"""Tokens by spaCy's rules alone: a blank pipeline, no model, nothing to download."""

from collections.abc import Callable
from typing import Any

from closeread.catalog import missing_extra
from closeread.formats.documents import MARKERS
from closeread.formats.occurrences import Token

Tokenize = Callable[[str], list[Token]]


def tokenizer(language: str) -> Tokenize:
    """Return a function that cuts a text into ``(token, offset)`` pairs, white space left out.

    English rules serve every language that is written with blanks, as in the shared task; Chinese
    is cut into characters. The markers are one token each.

    Raises:
        MissingExtraError: spaCy is not installed.
    """
    pipeline = _spacy().blank("zh" if language == "zh" else "en")
    if hasattr(pipeline.tokenizer, "add_special_case"):
        for marker in MARKERS:
            pipeline.tokenizer.add_special_case(marker, [{"ORTH": marker}])

    def tokenize(text: str) -> list[Token]:
        made = pipeline.tokenizer(text)
        return [(token.text, token.idx) for token in made if not token.is_space]

    return tokenize


def version() -> str:
    """Return which spaCy cuts the text: versions differ in a token or two of a thousand."""
    return f"spaCy {_spacy().__version__}, rules without a model"


def _spacy() -> Any:
    try:
        import spacy
    except ModuleNotFoundError as error:
        if error.name != "spacy":
            raise
        raise missing_extra("the MRQA form", "spacy", "mrqa") from error
    return spacy
