"""Write and read the lines of ``scores.jsonl``."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import msgspec

from closeread.metrics.subject import applies_to
from closeread.protocols import Metric
from closeread.runs.records import ScoreRow
from closeread.runs.scoring.parallel import Lines
from closeread.types import Dataset, Score, Submission

_PIECE_BYTES = 1 << 20


def row_of(metric: str, score: Score) -> ScoreRow:
    """Return the line of ``scores.jsonl`` for a score."""
    return ScoreRow(
        question_id=score.question_id,
        values=score.values,
        unit_id=score.unit_id,
        note=score.note,
        metric=metric,
    )


def make_line_scorer(
    dataset: Dataset,
    open_submission: Callable[[], Submission],
    metrics: Mapping[str, Metric],
    limit: int | None,
) -> Lines:
    """Return a function that scores a part of the questions and yields their lines.

    Args:
        dataset: The gold.
        open_submission: Opens the predictions, in each process separately.
        metrics: By family; each scores the questions that it applies to.
        limit: Score only the first ``limit`` questions; None for all.
    """

    def lines(is_own: Callable[[int], bool], counts: Counter[str]) -> Iterator[tuple[int, bytes]]:
        find_prediction = open_submission().predictions.get
        judges = [(name, applies_to(name), metric.score) for name, metric in metrics.items()]
        for index, question in enumerate(islice(dataset.questions(), limit)):
            if not is_own(index):
                continue
            counts["questions"] += 1
            prediction = find_prediction(question.question_id)
            for name, is_about, score in judges:
                if is_about(question):
                    counts["of " + name] += 1
                    row = row_of(name, score(question, prediction))
                    yield index, msgspec.json.encode(row) + b"\n"

    return lines


def read_scores(handle: int, metric: str) -> Iterator[Score]:
    """Yield one family's scores from the file that was just written.

    The file position does not move, so that several processes can read at once.
    """
    decode = msgspec.json.Decoder(ScoreRow).decode
    metric_field = b'"metric":' + msgspec.json.encode(metric) + b"}"  # the last field of a row
    offset, rest = 0, b""
    while piece := os.pread(handle, _PIECE_BYTES, offset):
        offset += len(piece)
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.endswith(metric_field):
                yield decode(line)
