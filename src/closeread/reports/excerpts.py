"""What a page shows of texts that nobody reads to their end: how they begin."""

from collections.abc import Sequence

from msgspec.structs import replace

from closeread.types import Answer, Evidence, Prediction

MOST = 20_000  # characters of an answer, a candidate, a generation or an error
_MARK = "…"


def shortened(prediction: Prediction) -> Prediction:
    """Return a prediction whose texts hold ``MOST`` characters each, ``…`` where more followed."""
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


def counted(prediction: Prediction) -> Prediction:
    """Return what is counted of a prediction that the page does not show: no text and no place.

    Whether there was an answer, evidence or an error stays, how sure it was, and how it ended.
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
    """Return the texts that hold so many characters together, and ``…`` for what follows."""
    kept: list[str] = []
    room = MOST
    for text in texts:
        if room <= 0:
            return (*kept, _MARK)
        kept.append(_text(text, room))
        room -= len(text)
    return tuple(kept)


def _text(text: str, room: int = MOST) -> str:
    return text if len(text) <= room else text[:room] + _MARK
