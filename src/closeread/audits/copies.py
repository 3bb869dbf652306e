"""Answers copied from the prompt's examples: known where the prompts are, else guessed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from closeread.errors import CloseReadError
from closeread.readers.generative.examples import Examples
from closeread.readers.generative.extraction import Extraction
from closeread.readers.generative.prompts import gold_of, language_of
from closeread.runs.store import Run
from closeread.types import Passage, Prediction, Question

KNOWN = (
    "copied: equal to the answer of an example in the question's own prompt, not in its passage "
    "and not accepted; the prompts are known, so this is exact"
)
GUESSED = (
    "copied: one long text to ten questions or more of different passages, of which fewer than one "
    "in ten has an answer in it; the prompts are not known, so this is a guess"
)


def answers_shown(
    run: Run, passages: Mapping[str, Passage], questions: Iterable[Question]
) -> dict[str, tuple[str, ...]] | None:
    """Return the answers of the examples in each question's prompt, by its id.

    Another harness' log has the prompts, or not. A run of our own says which data set and seed
    the examples were drawn with: they are drawn again.

    Returns:
        None where the prompts are not known, or the examples' data set has gone or changed.
    """
    if run.info.log is not None:
        return run.log_shown()
    record = run.info.reader.record.get("examples")
    if not isinstance(record, dict):
        return None
    if not record.get("shots"):
        return {}
    try:
        examples = Examples.opened(record["path"], record["shots"], record["seed"])
        if examples.sha256 != record["sha256"]:
            return None
        return {
            question.question_id: tuple(
                gold_of(example, language_of(of))
                for of, example in examples.drawn(passages[question.passage_id], question)
            )
            for question in questions
        }
    except (CloseReadError, KeyError, OSError):
        return None


def is_copy(
    question: Question,
    prediction: Prediction,
    text: str,
    *,
    passage: str,
    shown: Sequence[str],
    stops: Sequence[str],
) -> bool:
    """Whether an answer is that of an example in its prompt and can have come from nowhere else.

    Args:
        question: With gold: an accepted answer is no copy.
        prediction: Its extracted answer counts, and the first line of its text.
        text: What was generated.
        passage: What the question was about; an answer that stands in it is no copy.
        shown: The answers of the examples.
        stops: In force when the text was written: examples are cut alike.
    """
    whole = Extraction(stops=tuple(stops))
    examples = {_plain(form) for one in shown for form in (one, whole.cut(one))} - {""}
    golds = {_plain("; ".join(answer.texts)) for answer in question.answers}
    golds |= {_plain(one) for answer in question.answers for one in answer.texts}
    return any(
        one in examples and one not in golds and not stands_in(one, _plain(passage))
        for one in map(_plain, _forms(prediction, text))
    )


def _forms(prediction: Prediction, text: str) -> Iterator[str]:
    yield text.strip().partition("\n")[0]
    if prediction.answer is not None:
        yield "; ".join(prediction.answer.texts)


def stands_in(answer: str, text: str) -> bool:
    """Whether it is there, not as a part of a longer Latin word or number; both in lower case."""
    return answer in text and bool(
        re.search(rf"(?<![0-9a-z]){re.escape(answer)}(?![0-9a-z])", text)
    )


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".。 ")
