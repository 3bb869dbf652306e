"""Shorten texts that are too long for a page."""

from collections.abc import Sequence

from msgspec.structs import replace

from closeread.types import Answer, Evidence, Prediction

MAX_CHARACTERS = 20_000  # characters of an answer, a candidate, a generation or an error
_ELLIPSIS = "…"


def shorten(prediction: Prediction) -> Prediction:
    """Shorten each text of a prediction to ``MAX_CHARACTERS`` characters and ``…``."""
    generation = prediction.generation
    return replace(
        prediction,
        answer=prediction.answer and _shorten_answer(prediction.answer),
        candidates=tuple(
            replace(candidate, answer=_shorten_answer(candidate.answer))
            for candidate in prediction.candidates
        ),
        evidence=tuple(
            replace(piece, texts=_shorten_texts(piece.texts)) for piece in prediction.evidence
        ),
        generation=generation and replace(generation, text=_shorten_text(generation.text)),
        others=tuple(replace(other, text=_shorten_text(other.text)) for other in prediction.others),
        error=_shorten_text(prediction.error),
    )


def strip_texts(prediction: Prediction) -> Prediction:
    """Remove texts and spans from a prediction that the page only counts.

    Whether there is an answer, evidence or an error, the confidence and the finish reason remain.
    """
    generation = prediction.generation
    return replace(
        prediction,
        answer=prediction.answer and Answer(kind=prediction.answer.kind),
        candidates=(),
        option_scores=(),
        evidence=prediction.evidence and (Evidence(),),
        generation=generation and replace(generation, text=""),
        others=(),
    )


def _shorten_answer(answer: Answer) -> Answer:
    return replace(answer, texts=_shorten_texts(answer.texts))


def _shorten_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts that fit in ``MAX_CHARACTERS`` together, and ``…`` for the rest."""
    shortened: list[str] = []
    characters_left = MAX_CHARACTERS
    for text in texts:
        if characters_left <= 0:
            return (*shortened, _ELLIPSIS)
        shortened.append(_shorten_text(text, characters_left))
        characters_left -= len(text)
    return tuple(shortened)


def _shorten_text(text: str, max_length: int = MAX_CHARACTERS) -> str:
    return text if len(text) <= max_length else text[:max_length] + _ELLIPSIS
