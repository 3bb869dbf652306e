"""Read some questions again, and take the other predictions from an earlier run."""

from collections.abc import Collection

from closeread.errors import MismatchError, UsageError
from closeread.runs.store import Predictions, Run
from closeread.types import Dataset, Prediction


class Rest:
    """The predictions of an earlier run that a new one keeps.

    Args:
        run: A finished run on the same data set.
        again: The ids of the questions that are read again.

    Raises:
        MismatchError: The run answers other questions.
    """

    def __init__(self, run: Run, dataset: Dataset, again: Collection[str]) -> None:
        if run.info.dataset.sha256 != dataset.sha256 or run.info.dataset.only:
            raise MismatchError(
                "the run given with --rest (in Python rest=) answers other questions",
                where=str(run.path),
                expected=f"a complete run on {dataset.path}",
            )
        self.run = run
        self._again = frozenset(again)
        self._predictions = Predictions(run)

    def get(self, question_id: str) -> Prediction | None:
        """Return the kept prediction; None for a question to be read again."""
        if question_id in self._again:
            return None
        prediction: Prediction | None = self._predictions.get(question_id)
        return prediction


def plan_rereading(
    dataset: Dataset, only: tuple[str, ...], run: Run | None
) -> tuple[tuple[str, ...], Rest | None]:
    """Return the ids of the questions to be read (none for all) and the kept predictions.

    Args:
        dataset: The data set.
        only: The listed questions; if there are none and a run is given, those that its reader
            failed on.
        run: The earlier run, if any.

    Raises:
        MismatchError: The run answers other questions.
        UsageError: No question is listed, and the earlier run has no failures.
    """
    if run is None:
        return only, None
    again = only or tuple(
        prediction.question_id for prediction in run.predictions() if prediction.error
    )
    if not again:
        raise UsageError(
            "its reader failed on no question, so there is nothing to retry",
            where=str(run.path),
            cure="list the questions with --only LIST (in Python only=)",
        )
    return again, Rest(run, dataset, again)
