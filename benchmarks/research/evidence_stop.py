"""``python -m benchmarks.research.evidence_stop SET``: when to stop, learned from pseudo evidence.

SET is ExpMRC's ``train-pseudo-c3.json`` or its zip: questions with options and, for each, one
sentence that the publishers' rule took for evidence. A logistic regression asks of the sentence
that would come second whether it is that sentence, from what ``cover`` knows of it. What it gives
is printed as options of ``cover``. They are the user's: nothing learned from this set is shipped,
because its texts are for non-commercial research.
"""

import json
import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.arguments import PATH, run_main
from closeread.evidence.claims.search import Search
from closeread.evidence.claims.weighing import Claim, IndexedPassage
from closeread.evidence.sentences import splitter

_STEM = 0.7


def load_articles(path: Path) -> list[dict[str, Any]]:
    """Return the articles of the set, a JSON file or its zip."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".json"))
            raw = archive.read(name)
    else:
        raw = path.read_bytes()
    articles: list[dict[str, Any]] = json.loads(raw)["data"]
    return articles


def iter_candidates(articles: list[dict[str, Any]]) -> Iterator[tuple[list[float], bool]]:
    """Yield what would come second (gain, clause, near, 1), and whether it is the evidence."""
    split = splitter("default")
    for article in articles:
        text = article["article"]
        indexed = IndexedPassage(text, split(text, "zh"))
        for question, options, label, evidence in zip(
            article["questions"],
            article["options"],
            article["answers"],
            article["evidences"],
            strict=True,
        ):
            start = text.find(evidence[0])
            end = start + len(evidence[0])
            gold = {
                index
                for index, span in enumerate(indexed.spans)
                if 2 * (min(span.end, end) - max(span.start, start)) > span.end - span.start
            }
            claim = Claim(indexed, options["ABCDEFGH".index(label)], question, _STEM)
            search = Search(indexed, claim)
            first = search.best()
            if start < 0 or not gold or first is None:
                continue
            search.take(first)
            second = search.best()
            if second is not None and search.gains[second] > 1e-9:
                yield (
                    [
                        search.gains[second],
                        search.clause_shares()[second],
                        search.nearness[second],
                        1.0,
                    ],
                    second in gold,
                )


def logistic(rows: NDArray[Any], truth: NDArray[Any], rounds: int = 50) -> NDArray[Any]:
    """Return the weights of a logistic regression, by Newton's method."""
    weights: NDArray[Any] = np.zeros(rows.shape[1])
    ridge = 1e-3 * np.eye(len(weights))
    for _ in range(rounds):
        probabilities = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (probabilities - truth) + ridge @ weights
        hessian = (rows.T * (probabilities * (1 - probabilities))) @ rows + ridge
        weights -= np.linalg.solve(hessian, gradient)
    return weights


def main(path: Path) -> None:
    """Print the options at several probabilities, and what share of candidates is evidence."""
    candidates = list(iter_candidates(load_articles(path)))
    rows = np.array([row for row, _ in candidates])
    truth = np.array([is_evidence for _, is_evidence in candidates])
    gain, clause, near, constant = logistic(rows, truth.astype(float)).tolist()
    print(f"{len(candidates):,} candidates, {truth.mean():.1%} of them evidence")
    for probability in (0.2, 0.3, 0.4, 0.5):
        enough = (math.log(probability / (1 - probability)) - constant) / gain
        print(
            f"at {probability:.0%}: -o enough={enough:.2f} -o clause={max(0.0, clause / gain):.2f} "
            f"-o near={max(0.0, near / gain):.2f}"
        )


if __name__ == "__main__":
    run_main(__doc__, main, set=PATH)
