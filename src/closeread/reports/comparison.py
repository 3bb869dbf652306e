"""Turn the comparisons of ``closeread compare`` into tables for terminals, papers and pages.

Several data sets give one table per metric, with a row per data set and the averages last; one data
set gives one table with a row per metric. Two systems share a table of values and differences; for
more systems a second table shows how each differs from the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, groupby
from pathlib import Path

from closeread.formats.mrqa_results import domain
from closeread.metrics.comparison.seeds import Spread
from closeread.metrics.comparison.significance import Comparison
from closeread.reports.plot import percent
from closeread.reports.table import (
    DASH,
    MINUS,
    Table,
    escape_markdown,
    in_latex,
    in_markdown,
    to_one_line,
)
from closeread.reports.words.notes import NOTES
from closeread.reports.words.page import word
from closeread.runs.compare import Compared
from closeread.runs.compare_tables import ComparedTables

AnyComparison = Compared | ComparedTables
# A label, and the comparison of each other system with the first.
Row = tuple[str, tuple[Comparison, ...]]


@dataclass(frozen=True, kw_only=True)
class Block:
    """Comparisons in one table: on several data sets those of one metric.

    Attributes:
        metric: The metric of all rows; empty if each row is labelled by its own metric.
        rows: Data sets by domain and name, then averages; or metrics.
        parts: The rows before which another domain, or the averages, begin.
    """

    metric: str
    rows: list[Row]
    parts: tuple[int, ...] = ()


def make_blocks(compared: AnyComparison, language: str = "en") -> list[Block]:
    """Return one block per metric or, on one data set, one block of all metrics."""
    if isinstance(compared, Compared):
        by_metric = groupby(compared.comparisons, key=lambda comparison: comparison.metric)
        return [
            Block(
                metric="", rows=[(metric, tuple(comparisons)) for metric, comparisons in by_metric]
            )
        ]
    sets = [(domain(dataset.dataset.name), dataset) for dataset in compared.sets]
    parts = [[dataset for _, dataset in sets]]
    if all(dataset_domain for dataset_domain, _ in sets):
        parts = [
            [dataset for dataset_domain, dataset in sets if dataset_domain == part]
            for part in ("in", "out")
        ]
    labels = _label_datasets(compared)
    rows_by_part: list[list[Row]] = [
        [(labels[id(dataset)], tuple(dataset.comparisons)) for dataset in part] for part in parts
    ]
    rows_by_part.append(
        [
            (word(f"macro.{part}", language), tuple(comparisons))
            for part, comparisons in compared.macro_average.items()
        ]
    )
    metrics = dict.fromkeys(
        comparison.metric for dataset in compared.sets for comparison in dataset.comparisons
    )
    return [_metric_block(metric, rows_by_part) for metric in metrics]


def _metric_block(metric: str, parts: Sequence[Sequence[Row]]) -> Block:
    metric_rows = [
        [
            (name, comparisons)
            for name, all_comparisons in part
            if (
                comparisons := tuple(
                    comparison for comparison in all_comparisons if comparison.metric == metric
                )
            )
        ]
        for part in parts
    ]
    ends = accumulate(map(len, metric_rows))
    rows = [row for part in metric_rows for row in part]
    part_starts = tuple(dict.fromkeys(end for end in ends if 0 < end < len(rows)))
    return Block(metric=metric, rows=rows, parts=part_starts)


def _label_datasets(compared: ComparedTables) -> dict[int, str]:
    """Label each data set; if two have the same name, add the folder of the baseline's run."""
    first = next(iter(compared.systems))
    names = [dataset.dataset.name for dataset in compared.sets]
    return {
        id(dataset): name
        if names.count(name) == 1
        else f"{name} ({Path(dataset.systems[first][0]).name})"
        for name, dataset in zip(names, compared.sets, strict=True)
    }


def comparison_tables(
    compared: AnyComparison,
    language: str = "en",
    *,
    labels: Mapping[str, str] | None = None,
    values: bool = True,
) -> list[Table]:
    """Return the tables of a comparison; an asterisk marks differences significant after Holm.

    Args:
        compared: The result of ``compare_runs`` or ``compare_tables``.
        language: The language of the words, ``en`` or ``zh``.
        labels: The label of each system, by name; by default the name.
        values: Whether to include the systems' values, which another table may show.
    """
    systems = {name: (labels or {}).get(name, name) for name in compared.systems}
    tables: list[Table] = []
    for block in make_blocks(compared, language):
        if values and len(systems) > 2:
            tables.append(_value_table(block, systems, compared, language))
        tables.append(
            _difference_table(block, systems, compared, language, values and len(systems) == 2)
        )
    return tables


def _value_table(
    block: Block, systems: Mapping[str, str], compared: AnyComparison, language: str
) -> Table:
    rows = [
        [name, _format_value(comparisons[0].first_value, comparisons[0].first_spread)]
        + [
            _format_value(comparison.second_value, comparison.second_spread) + "*" * comparison.sure
            for comparison in comparisons
        ]
        for name, comparisons in block.rows
    ]
    return Table(
        caption=block.metric or _dataset_name(compared),
        headings=[_corner_heading(compared, language), *systems.values()],
        rows=rows,
        parts=block.parts,
        note=" ".join(_iter_mark_notes(block, compared, language)),
    )


def _difference_table(
    block: Block,
    systems: Mapping[str, str],
    compared: AnyComparison,
    language: str,
    values: bool,
) -> Table:
    """Return a row for each comparison, without the columns in which all rows are the same."""
    first, *others = systems.values()
    has_label = len(block.rows) > 1 or values
    is_shown = (
        has_label,
        len(others) > 1 or not has_label,
        values,
        values,
        True,
        True,
        _is_adjusted(block),
    )
    headings = [
        _corner_heading(compared, language),
        word("run", language),
        first,
        others[0],
        word("difference", language),
        "p",
        "Holm",
        word("difference.smallest", language),
    ]
    rows = [
        [
            name,
            systems[comparison.second],
            _format_value(comparison.first_value, comparison.first_spread),
            _format_value(comparison.second_value, comparison.second_spread),
            _format_difference(comparison) + "*" * comparison.sure,
            _format_p(comparison.p_value),
            _format_p(comparison.p_holm),
            percent(comparison.smallest_difference) or DASH,
        ]
        for name, comparisons in block.rows
        for comparison in comparisons
    ]
    metric = block.metric or ("" if has_label else block.rows[0][0])
    params = {"metric": metric or _dataset_name(compared), "run": first}
    return Table(
        caption=word("difference.of", language, params),
        headings=[*compress(headings, (*is_shown, True))],
        rows=[[*compress(row, (*is_shown, True))] for row in rows],
        left=sum(is_shown[:2]),
        parts=tuple(start * len(others) for start in block.parts),
        note=" ".join(
            [
                *_iter_method_notes(block, first, compared, language),
                *_iter_mark_notes(block, compared, language),
            ]
        ),
    )


def explain_tables(compared: AnyComparison, first: str, language: str = "en") -> list[str]:
    """Return the sentences that explain the tables, each once."""
    notes = [
        note
        for block in make_blocks(compared, language)
        for note in (
            *_iter_method_notes(block, first, compared, language),
            *_iter_mark_notes(block, compared, language),
        )
    ]
    return list(dict.fromkeys(notes))


def comparison_in_markdown(compared: AnyComparison, language: str = "en") -> str:
    """Return the tables in Markdown, followed by remarks and signatures."""
    parts = [in_markdown(table) for table in comparison_tables(compared, language)]
    notes = [
        f"- {escape_markdown(remark)}"
        for remark in _skipped_notes(compared) + comparison_remarks(compared, language)
    ]
    parts += ["\n".join(notes)] if notes else []
    signatures = "\n".join(f"- `{to_one_line(signature)}`" for signature in _signatures(compared))
    parts.append(word("table.signatures", language) + "\n\n" + signatures)
    return "\n\n".join(parts) + "\n"


def comparison_in_latex(compared: AnyComparison, language: str = "en") -> str:
    """Return the tables in LaTeX, followed by remarks and signatures as comments."""
    comments = [
        *_skipped_notes(compared),
        *comparison_remarks(compared, language),
        *_signatures(compared),
    ]
    return in_latex(comparison_tables(compared, language), comments)


def _skipped_notes(compared: AnyComparison) -> list[str]:
    return compared.left_out if isinstance(compared, ComparedTables) else []


def _signatures(compared: AnyComparison) -> list[str]:
    sets = compared.sets if isinstance(compared, ComparedTables) else [compared]
    return [
        f"{dataset.dataset.name}: {signature or f'{name}: signatures differ'}"
        for dataset in sets
        for name, signature in dataset.signatures.items()
    ]


def comparison_remarks(compared: AnyComparison, language: str = "en") -> list[str]:
    """Return the notes of single comparisons, each once, after the labels of its rows."""
    has_several_sets = isinstance(compared, ComparedTables)
    rows_by_note: dict[str, list[str]] = {}
    for block in make_blocks(compared, language):
        for name, comparisons in block.rows:
            for comparison in comparisons:
                labels = [name, comparison.metric] if has_several_sets else [name]
                labels += [comparison.second] if len(comparisons) > 1 else []
                if comparison.note:
                    rows_by_note.setdefault(comparison.note, []).append(" ".join(labels))
    return [
        f"{', '.join(rows)}: {_translate_note(note, language)}"
        for note, rows in rows_by_note.items()
    ]


def _translate_note(note: str, language: str) -> str:
    return note if language == "en" else NOTES.say(note, language)


def _iter_method_notes(
    block: Block, first: str, compared: AnyComparison, language: str
) -> Iterator[str]:
    comparisons = [
        comparison for _, row_comparisons in block.rows for comparison in row_comparisons
    ]
    tests = ", ".join(
        dict.fromkeys(
            comparison.test for comparison in comparisons if comparison.p_value is not None
        )
    )
    level = f"{100 * compared.level:g}"
    yield word("difference.how", language, {"run": first, "level": level})
    if tests:
        yield word("difference.tests", language, {"tests": tests})
    if _is_adjusted(block):
        unit = "runs"
        if isinstance(compared, ComparedTables):
            unit = "averages" if compared.macro_average else "sets"
        yield word(f"difference.holm-{unit}", language)
    if any(comparison.smallest_difference is not None for comparison in comparisons):
        yield word("difference.shows", language)


def _iter_mark_notes(block: Block, compared: AnyComparison, language: str) -> Iterator[str]:
    comparisons = [
        comparison for _, row_comparisons in block.rows for comparison in row_comparisons
    ]
    if any(comparison.sure for comparison in comparisons):
        yield word("difference.sure", language, {"level": f"{1 - compared.level:.6g}"})
    if any(comparison.first_spread or comparison.second_spread for comparison in comparisons):
        yield word("difference.spread", language)


def _is_adjusted(block: Block) -> bool:
    """Whether any p-value was adjusted for several comparisons."""
    return any(
        comparison.p_holm != comparison.p_value
        for _, comparisons in block.rows
        for comparison in comparisons
    )


def _dataset_name(compared: AnyComparison) -> str:
    return compared.dataset.name if isinstance(compared, Compared) else ""


def _corner_heading(compared: AnyComparison, language: str) -> str:
    return word("metric" if isinstance(compared, Compared) else "dataset", language)


def _format_value(value: float | None, spread: Spread | None) -> str:
    if value is None:
        return DASH
    return percent(value) + ("" if spread is None else f" ±{percent(spread.deviation)}")


def _format_difference(comparison: Comparison) -> str:
    difference, low, high = (
        DASH if value is None else f"{100 * value:+.1f}".replace("-", MINUS)
        for value in (comparison.difference, comparison.low, comparison.high)
    )
    return difference if DASH in (low, high) else f"{difference} [{low}, {high}]"


def _format_p(value: float | None) -> str:
    if value is None:
        return DASH
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
