"""Read score tables: CSV or TSV files, and result files of lm-evaluation-harness and lighteval."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from closeread.audits.problems import Problems
from closeread.audits.shape.score_columns import find_other_columns
from closeread.audits.shape.score_groups import count_benchmarks_once
from closeread.errors import InputError

_SIZE = re.compile(
    r"(?<![A-Za-z\d.])(?:(?P<whole>\d)[bB](?P<tenths>\d)"
    r"|(?P<size>\d+(?:\.\d+)?)[-_ ]?(?P<unit>[BbMm])(?![A-Za-z]))"
)
_PARTING = re.compile(r"[-_ ]+")
_SHOTS = ("shots", "num_fewshot", "n_shot")
_ABOUT = ("run", "source")
_SPREADSHEETS = (".csv", ".tsv")
_SEPARATORS = ",;\t"
_ERROR = "_stderr"
_NOT_KNOWN = re.compile(r"\D*")  # such as N/A and nan, which harnesses write for a standard error
_PREFERRED = ("f1", "acc_norm", "acc", "em", "exact_match", "mc2")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One model's scores in one run.

    Attributes:
        shots: The number of examples shown, if known.
        errors: The known standard errors of the scores.
    """

    model: str
    scores: Mapping[str, float]
    shots: int | None = None
    source: str = ""
    errors: Mapping[str, float] = field(default_factory=dict)

    @property
    def size(self) -> float | None:
        """Billions of parameters, if the name contains them."""
        return size_of(self.model)

    @property
    def family(self) -> str:
        """The name without size and separators; a chat model is in another family than its base."""
        return "-".join(filter(None, _PARTING.split(_SIZE.sub("-", self.model.lower(), count=1))))


@dataclass
class ScoreTable:
    """The scores of all models, one row each; ``left_out`` are columns that are not benchmarks."""

    rows: list[Row] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def benchmarks(self) -> list[str]:
        """Return every benchmark's name, in the order of first occurrence."""
        return list(dict.fromkeys(name for row in self.rows for name in row.scores))


def size_of(model: str) -> float | None:
    """Return billions of parameters from a name such as ``llama-7B``, ``bloom-560m``, ``1b7``."""
    match = _SIZE.search(model)
    if match is None:
        return None
    if match["whole"]:
        return float(f"{match['whole']}.{match['tenths']}")
    return float(match["size"]) / (1000 if match["unit"] in "Mm" else 1)


def is_table(path: Path) -> bool:
    """Whether a file holds scores of models, not of questions.

    Logs of inspect have a member ``results``, too, but not with one mapping per task.
    """
    if path.suffix.lower() in _SPREADSHEETS:
        return True  # no harness writes logs as spreadsheets
    if path.suffix != ".json" or path.stat().st_size > 10_000_000:
        return False
    try:
        document = json.loads(path.read_bytes())
    except ValueError:
        return False
    results = document.get("results") if isinstance(document, dict) else None
    return isinstance(results, dict) and all(
        isinstance(task_results, dict) for task_results in results.values()
    )


def read_tables(paths: Iterable[Path], problems: Problems) -> ScoreTable:
    """Read tables; a cell that is not a number is skipped and counted.

    Raises:
        InputError: A file is neither kind of table.
    """
    table = ScoreTable()
    for path in paths:
        if path.suffix.lower() in _SPREADSHEETS:
            rows, left_out = _from_csv(path, problems)
            table.rows += _to_fractions(rows)
            table.left_out += [name for name in left_out if name not in table.left_out]
        else:
            table.rows.append(_from_results(path, problems))
    return table


def _to_fractions(rows: list[Row]) -> list[Row]:
    """Turn percentages into fractions; a score above 1 shows that scores are percentages."""
    if all(score <= 1 for row in rows for score in row.scores.values()):
        return rows
    return [
        replace(
            row,
            scores={name: score / 100 for name, score in row.scores.items()},
            errors={name: error / 100 for name, error in row.errors.items()},
        )
        for row in rows
    ]


def _from_csv(path: Path, problems: Problems) -> tuple[list[Row], list[str]]:
    try:
        text = path.read_text("utf-8-sig")  # spreadsheets write a byte order mark
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start:,} is not valid UTF-8",
            where=str(path),
            cure="save the table as UTF-8",
        ) from error
    header, _, body = text.partition("\n")
    reader = csv.DictReader(
        io.StringIO(text, newline=""), delimiter=max(_SEPARATORS, key=header.count)
    )
    model_column = next(
        (name for name in reader.fieldnames or () if name.strip().lower() == "model"), ""
    )
    if not model_column:
        raise InputError(
            "no column `model`",
            where=str(path),
            expected="model,shots,BENCHMARK,BENCHMARK,... with one model per row",
        )
    if not body.strip():
        raise InputError("no row below the header", where=str(path), expected="one model per row")
    lines = [(reader.line_num, cells) for cells in reader]
    description_columns = ("", model_column, *_SHOTS, *_ABOUT)
    columns = [name for name in reader.fieldnames or () if name not in description_columns]
    scored = [name for name in columns if not name.endswith(_ERROR)]
    left_out = find_other_columns(scored, [cells for _, cells in lines])
    rows = []
    for line, cells in lines:
        where = f"{path}, line {line}"
        numbers = {
            key: number
            for key, cell in cells.items()
            if key in columns and key.removesuffix(_ERROR) not in left_out and cell
            if not (key.endswith(_ERROR) and _NOT_KNOWN.fullmatch(cell))
            if (number := _parse_number(cell, f"{where}, {key}", problems)) is not None
        }
        errors = {key for key in numbers if key.endswith(_ERROR)}
        shots_cell = next((cells[column] for column in _SHOTS if cells.get(column)), None)
        shots = _parse_integer(shots_cell)
        if shots_cell and shots is None:
            problems.defects.add(
                "odd-shots", f"{shots_cell!r} is not a number of examples ({where})"
            )
            continue
        rows.append(
            Row(
                model=cells[model_column] or "",
                scores={key: numbers[key] for key in numbers if key not in errors},
                shots=shots,
                source=str(path),
                errors={key.removesuffix(_ERROR): numbers[key] for key in errors},
            )
        )
    return rows, left_out


def _parse_integer(cell: object) -> int | None:
    """Return a whole number, also one that a spreadsheet wrote as ``5.0``."""
    try:
        number = float(str(cell))
    except ValueError:
        return None
    return int(number) if number.is_integer() else None


def _from_results(path: Path, problems: Problems) -> Row:
    """Read lm-evaluation-harness' results of any version, and lighteval's."""
    try:
        document: dict[str, Any] = json.loads(path.read_bytes())
        results: dict[str, Any] = document["results"]
        config = document.get("config") or {}
        tasks = list(results.items())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            "no result file", where=str(path), expected='{"results": {...}, "config": {...}}'
        ) from error
    scores: dict[str, float] = {}
    errors: dict[str, float] = {}
    shots = {
        _parse_integer(shots_of_task)
        for shots_of_task in _as_mapping(document.get("n-shot")).values()
    }
    for task, metrics in tasks:
        if task == "all":  # lighteval's mean over tasks
            continue
        name, shots_text = _split_task(task)
        shots |= {_parse_integer(shots_text)} if shots_text else set()
        if (chosen := _preferred_metric(metrics)) is None:
            continue
        number = _parse_number(str(metrics[chosen]), f"{path}, {task}", problems)
        fraction = None if number is None else _as_fraction(chosen, number, metrics)
        if fraction is not None:
            scores[name] = fraction
            n_samples = _as_mapping(_as_mapping(document.get("n-samples")).get(task)).get(
                "effective"
            )
            if reported := _reported_error(chosen, metrics):
                errors[name] = reported * fraction / number if number else reported
            elif isinstance(n_samples, int) and n_samples > 0:
                errors[name] = standard_error(fraction, n_samples)
    scores, errors = count_benchmarks_once(
        scores, errors, _as_mapping(document.get("group_subtasks"))
    )
    return Row(
        model=_model_name(document, path),
        scores=scores,
        shots=_parse_shots(config, path) if not shots else shots.pop() if len(shots) == 1 else None,
        source=path.name,
        errors=errors,
    )


def _split_task(task: str) -> tuple[str, str]:
    """Return a task's name and its examples: of lighteval's ``harness|drop|3`` and ``drop|3``."""
    parts = task.split("|")
    name, *rest = parts[1:] if len(parts) > 2 else parts
    return name, rest[0] if rest else ""


def _parse_shots(config: Any, path: Path) -> int | None:
    shots = _parse_integer(_as_mapping(config).get("num_fewshot"))
    match = re.search(r"(\d+)-shot", path.name) if shots is None else None
    return int(match[1]) if match else shots


def _model_name(document: Mapping[str, Any], path: Path) -> str:
    """Return the model's name from the file, or from the file's name for the oldest versions."""
    general = _as_mapping(document.get("config_general"))
    name = document.get("model_name") or general.get("model_name")
    prefix = path.name.partition("_")[0]
    if not name and prefix == "results":
        arguments = _as_mapping(document.get("config")).get("model_args")
        pretrained = re.search(r"(?:^|,)(?:pretrained|model)=([^,]+)", str(arguments))
        name = pretrained[1] if pretrained else path.parent.name
    return str(name or prefix)


def _as_mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _preferred_metric(metrics: object) -> str | None:
    """Return the name of a task's usual score; None if the task has no number."""
    plain = {
        name.partition(",")[0]: name
        for name, value in _as_mapping(metrics).items()
        if "stderr" not in name and name != "sample_len"
        if isinstance(value, int | float) or name.partition(",")[0] in _PREFERRED
    }
    for name in _PREFERRED:
        if name in plain:
            return plain[name]
    return next(iter(plain.values()), None)


def _as_fraction(chosen: str, number: float, metrics: Mapping[str, object]) -> float | None:
    """Return a task's score as a fraction; None for a score that is not one, such as a perplexity.

    The scores of SQuAD 2.0 are in percent, which is known from the names of its other values, even
    if they are small.
    """
    if number > 1 and (number > 100 or chosen.partition(",")[0] not in _PREFERRED):
        return None
    return number / 100 if number > 1 or any("HasAns_" in name for name in metrics) else number


def _reported_error(chosen: str, metrics: Mapping[str, object]) -> float | None:
    """Return the standard error that a harness reports for a score, or None."""
    name, comma, filtered = chosen.partition(",")
    error = metrics.get(f"{name}{_ERROR}{comma}{filtered}")
    return float(error) if isinstance(error, int | float) and math.isfinite(error) else None


def standard_error(share: float, n_questions: int) -> float:
    """Return the standard error of a share of right answers, an upper bound for any mean score."""
    share = min(max(share, 0.0), 1.0)
    return math.sqrt(share * (1 - share) / n_questions)


def _parse_number(cell: str, where: str, problems: Problems) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        problems.defects.add("nan-score", f"{cell!r} is not a number ({where})")
        return None
    return number
