"""Right or wrong answer by right or wrong evidence, for the page's runs."""

from itertools import groupby
from typing import Any

from closeread.errors import MissingExtraError
from closeread.metrics.evidence import MAIN_VALUES
from closeread.metrics.intervals import Resampling
from closeread.metrics.joined import CELLS
from closeread.reports.material import Material, RunView
from closeread.runs.scoring.joined import JoinedScores, join
from closeread.types import Item, Submission


def joint(material: Material) -> list[JoinedScores | MissingExtraError | None]:
    """Return each run's joined scores, over the page's questions; None where there are none.

    A run whose evidence is judged by an extra that is not installed has the error in their place:
    it takes nothing from the others.
    """
    return [_of_run(material, run) for run in material.runs]


def _of_run(material: Material, run: RunView) -> JoinedScores | MissingExtraError | None:
    rows = [row for row in material.rows if row.place == run.place and row.passage >= 0]
    items: list[Item] = [
        (material.passages[passage], tuple(row.question for row in members))
        for passage, members in groupby(rows, key=lambda row: row.passage)
    ]
    predictions = {name: told.prediction for name, told in run.told.items()}
    try:
        return join(items, Submission(predictions=predictions), Resampling(level=run.level))
    except MissingExtraError as error:
        return error


def cells(material: Material, place: int, found: JoinedScores) -> list[int]:
    """Return the cell of every row of the page: which of ``CELLS``, -1 for none."""
    numbers = {name: number for number, name in enumerate(CELLS)}
    return [
        numbers.get(found.cells.get(row.question.question_id, ""), -1) if row.place == place else -1
        for row in material.rows
    ]


def table(found: JoinedScores) -> dict[str, Any]:
    """Return what the page's table is made of."""
    return {
        "metrics": {name.partition(".")[2]: one for name, one in found.metrics.items()},
        "breakdowns": {
            by: {
                value: one
                for value, of in values.items()
                for name, one in of.items()
                if name in MAIN_VALUES
            }
            for by, values in found.breakdowns.items()
        },
    }
