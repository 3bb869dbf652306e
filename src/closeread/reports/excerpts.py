"""Shortens texts that are too long for a page."""

from collections.abc import Sequence

from msgspec.structs import replace

from closeread.types import Answer, Evidence, Prediction

MAX_CHARACTERS = 20_000  # characters of an answer, a candidate, a generation or an error
_MARK = "…"


def shorten(prediction: Prediction) -> Prediction:
    """Shorten each text of a prediction to ``MAX_CHARACTERS`` characters and ``…``."""
    made = prediction.generation
    return replace(
        prediction,
        answer=prediction.answer and _answer(prediction.answer),
        candidates=tuple(replace(one, answer=_answer(one.answer)) for one in prediction.candidates),
        evidence=tuple(replace(one, texts=_texts(one.texts)) for one in prediction.evidence),
        generation=made and replace(made, text=_text(made.text)),
        others=tuple(replace(one, text=_text(one.text)) for one in prediction.others),
        error=_text(prediction.error),
    )


def strip_texts(prediction: Prediction) -> Prediction:
    """Remove texts and spans from a prediction that the page only counts.

    Whether there is an answer, evidence or an error, the confidence and the finish reason remain.
    """
    made = prediction.generation
    return replace(
        prediction,
        answer=prediction.answer and Answer(kind=prediction.answer.kind),
        candidates=(),
        option_scores=(),
        evidence=prediction.evidence and (Evidence(),),
        generation=made and replace(made, text=""),
        others=(),
    )


def _answer(answer: Answer) -> Answer:
    return replace(answer, texts=_texts(answer.texts))


def _texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts that fit in ``MAX_CHARACTERS`` together, and ``…`` for the rest."""
    kept: list[str] = []
    room = MAX_CHARACTERS
    for text in texts:
        if room <= 0:
            return (*kept, _MARK)
        kept.append(_text(text, room))
        room -= len(text)
    return tuple(kept)


def _text(text: str, room: int = MAX_CHARACTERS) -> str:
    return text if len(text) <= room else text[:room] + _MARK
