"""Scores answers and evidence jointly for the page's runs."""

from itertools import groupby
from typing import Any

from closeread.errors import MissingExtraError
from closeread.metrics.evidence import MAIN_VALUES
from closeread.metrics.intervals import Resampling
from closeread.metrics.joined import CELLS
from closeread.reports.material import Material, RunView
from closeread.runs.scoring.joined import JoinedScores, join
from closeread.types import Item, Submission


def joint_scores(material: Material) -> list[JoinedScores | MissingExtraError | None]:
    """Return each run's joined scores over the page's questions; None if there are none.

    If a run's evidence needs an extra that is not installed, the error takes the place of its
    scores.
    """
    return [_join_run(material, run) for run in material.runs]


def _join_run(material: Material, run: RunView) -> JoinedScores | MissingExtraError | None:
    rows = [row for row in material.rows if row.place == run.place and row.passage >= 0]
    items: list[Item] = [
        (material.passages[passage], tuple(row.question for row in members))
        for passage, members in groupby(rows, key=lambda row: row.passage)
    ]
    predictions = {name: result.prediction for name, result in run.results.items()}
    try:
        return join(items, Submission(predictions=predictions), Resampling(level=run.level))
    except MissingExtraError as error:
        return error


def cells_of_rows(material: Material, place: int, joined: JoinedScores) -> list[int]:
    """Return the cell of every row of the page: which of ``CELLS``, -1 for none."""
    index_by_cell = {name: number for number, name in enumerate(CELLS)}
    return [
        index_by_cell.get(joined.cells.get(row.question.question_id, ""), -1)
        if row.place == place
        else -1
        for row in material.rows
    ]


def joint_table(joined: JoinedScores) -> dict[str, Any]:
    """Return the content of the page's table."""
    return {
        "metrics": {name.partition(".")[2]: summary for name, summary in joined.metrics.items()},
        "breakdowns": {
            tag: {
                value: summary
                for value, summaries in values.items()
                for name, summary in summaries.items()
                if name in MAIN_VALUES
            }
            for tag, values in joined.breakdowns.items()
        },
    }
