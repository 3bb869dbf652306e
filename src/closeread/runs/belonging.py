"""Whether predictions that were handed in are about the questions of a data set at all."""

from closeread.errors import MismatchError
from closeread.types import Dataset, Submission


def must_belong(dataset: Dataset, submission: Submission) -> None:
    """Refuse predictions none of which is for a question of the data set.

    The walk ends at the first question that has one: where all is well it costs nothing.

    Raises:
        MismatchError: They are for another data set; says an id of each side.
    """
    predictions = submission.predictions
    first = ""
    for question in dataset.questions():
        if question.question_id in predictions:
            return
        first = first or question.question_id
    if first and predictions:
        raise MismatchError(
            f"none of the {len(predictions):,} predictions is for a question of {dataset.name}: "
            f"they are called {next(iter(predictions))!r} and the like, "
            f"the questions {first!r} and the like",
            expected="predictions under the ids of the data set's questions",
            cure="check that both files are of the same set and split",
        )


def strangers(dataset: Dataset, submission: Submission) -> list[str]:
    """Return the ids of predictions that are for no question of the data set, in file order."""
    known = {question.question_id for question in dataset.questions()}
    return [name for name in submission.predictions if name not in known]
