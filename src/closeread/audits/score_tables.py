"""Scores of many models on many benchmarks: a CSV file, or lm-evaluation-harness' results."""

import csv
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from closeread.audits.material import Problems
from closeread.errors import InputError

_SIZE = re.compile(
    r"(?<![A-Za-z\d.])(?:(?P<whole>\d)[bB](?P<tenths>\d)"
    r"|(?P<size>\d+(?:\.\d+)?)[-_ ]?(?P<unit>[BbMm])(?![A-Za-z]))"
)
_SHOTS = ("shots", "num_fewshot", "n_shot")
_ABOUT = ("model", "run", "source")
_PREFERRED = ("f1", "acc_norm", "acc", "em", "exact_match", "mc2")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One model's scores in one run; ``shots`` is the number of examples shown, if known."""

    model: str
    scores: Mapping[str, float]
    shots: int | None = None
    source: str = ""

    @property
    def size(self) -> float | None:
        """Billions of parameters, where the name says so."""
        return size_of(self.model)

    @property
    def family(self) -> str:
        """The name up to its size."""
        found = _SIZE.search(self.model)
        return self.model[: found.start()].strip("-_ /").lower() if found else self.model.lower()


@dataclass
class ScoreTable:
    """Rows, and what is wrong with their sources."""

    rows: list[Row] = field(default_factory=list)

    def benchmarks(self) -> list[str]:
        """Return every benchmark's name, in the order of their coming."""
        return list(dict.fromkeys(name for row in self.rows for name in row.scores))


def size_of(model: str) -> float | None:
    """Return billions of parameters from a name such as ``llama-7B``, ``bloom-560m``, ``1b7``."""
    found = _SIZE.search(model)
    if found is None:
        return None
    if found["whole"]:
        return float(f"{found['whole']}.{found['tenths']}")
    return float(found["size"]) / (1000 if found["unit"] in "Mm" else 1)


def is_table(path: Path) -> bool:
    """Whether a file holds scores of models, not of questions."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", errors="replace") as stream:
            return stream.readline().strip().lower().startswith("model")
    if path.suffix != ".json" or path.stat().st_size > 10_000_000:
        return False
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        return False
    return isinstance(found, dict) and isinstance(found.get("results"), dict)


def read(paths: Iterable[Path], problems: Problems) -> ScoreTable:
    """Read tables; a number that is none is left out and counted.

    Raises:
        InputError: A file is neither kind of table.
    """
    table = ScoreTable()
    for path in paths:
        if path.suffix == ".csv":
            table.rows += _fractions(_from_csv(path, problems))
        else:
            table.rows.append(_from_results(path, problems))
    return table


def _fractions(rows: list[Row]) -> list[Row]:
    """Turn percent into fractions, where a score above 1 shows that they are percent."""
    if all(score <= 1 for row in rows for score in row.scores.values()):
        return rows
    return [
        replace(row, scores={name: score / 100 for name, score in row.scores.items()})
        for row in rows
    ]


def _from_csv(path: Path, problems: Problems) -> list[Row]:
    rows = []
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if not reader.fieldnames or reader.fieldnames[0].lower() != "model":
            raise InputError(
                "no column `model`",
                where=str(path),
                expected="model,shots,BENCHMARK,BENCHMARK,... with one model a row",
            )
        for line, cells in enumerate(reader, 2):
            name = cells[reader.fieldnames[0]] or ""
            shots = next((cells[one] for one in _SHOTS if cells.get(one)), None)
            scores = {
                key: number
                for key, cell in cells.items()
                if key and key not in (reader.fieldnames[0], *_SHOTS, *_ABOUT) and cell
                if (number := _number(cell, f"{path}, line {line}, {key}", problems)) is not None
            }
            rows.append(
                Row(model=name, scores=scores, shots=int(shots) if shots else None,
                    source=str(path))
            )  # fmt: skip
    return rows


def _from_results(path: Path, problems: Problems) -> Row:
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
        results = found["results"]
        config = found.get("config") or {}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            "no result file", where=str(path), expected='{"results": {...}, "config": {...}}'
        ) from error
    scores = {}
    for task, metrics in results.items():
        chosen = _chosen(metrics)
        if chosen is None:
            continue
        number = _number(str(metrics[chosen]), f"{path}, {task}", problems)
        if number is not None:
            scores[task] = number
    shots = config.get("num_fewshot")
    if shots is None:
        named = re.search(r"(\d+)-shot", path.name)
        shots = int(named[1]) if named else None
    return Row(model=path.name.partition("_")[0], scores=scores, shots=shots, source=path.name)


def _chosen(metrics: Mapping[str, Any]) -> str | None:
    plain = {name.partition(",")[0]: name for name in metrics if "stderr" not in name}
    for name in _PREFERRED:
        if name in plain:
            return plain[name]
    return next(iter(plain.values()), None)


def _number(cell: str, where: str, problems: Problems) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        problems.bad.add("nan-score", f"{cell!r} is no number ({where})")
        return None
    return number
