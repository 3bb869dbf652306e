"""Load the answers of the examples in prompts, where they are known."""

from collections.abc import Iterable, Mapping

from closeread.errors import CloseReadError
from closeread.readers.generative.examples import Examples
from closeread.readers.generative.prompts import format_gold, language_of
from closeread.runs.store import Run
from closeread.types import Passage, Question


def load_shown_answers(
    run: Run, passages: Mapping[str, Passage], questions: Iterable[Question]
) -> dict[str, tuple[str, ...]] | None:
    """Return the answers of the examples in each question's prompt, by its id.

    A log of another harness may hold the prompts. A run of closeread records the data set and the
    seed of the examples, so they are drawn again.

    Returns:
        None if the prompts are unknown, or the examples' data set is missing or has changed.
    """
    if run.info.log is not None:
        return run.log_shown()
    record = run.info.reader.record.get("examples")
    if not isinstance(record, dict):
        return None
    if not record.get("shots"):
        return {}
    try:
        examples = Examples.load(record["path"], record["shots"], record["seed"])
        if examples.sha256 != record["sha256"]:
            return None
        return {
            question.question_id: tuple(
                format_gold(example, language_of(passage))
                for passage, example in examples.select(passages[question.passage_id], question)
            )
            for question in questions
        }
    except (CloseReadError, KeyError, OSError):
        return None
