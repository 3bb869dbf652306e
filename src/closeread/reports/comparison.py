"""Turns what ``closeread compare`` finds into the tables that terminals, papers and pages show.

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

Found = Compared | ComparedTables
Row = tuple[
    str, tuple[Comparison, ...]
]  # its label; the comparison of each other system with the first


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


def make_blocks(found: Found, language: str = "en") -> list[Block]:
    """Return one block per metric or, on one data set, one block of all metrics."""
    if isinstance(found, Compared):
        by_metric = groupby(found.comparisons, key=lambda one: one.metric)
        return [Block(metric="", rows=[(metric, tuple(of)) for metric, of in by_metric])]
    sets = [(domain(each.dataset.name), each) for each in found.sets]
    parts = [[each for _, each in sets]]
    if all(where for where, _ in sets):
        parts = [[each for where, each in sets if where == part] for part in ("in", "out")]
    labels = _label_datasets(found)
    every: list[list[Row]] = [
        [(labels[id(each)], tuple(each.comparisons)) for each in part] for part in parts
    ]
    every.append(
        [(word(f"macro.{part}", language), tuple(of)) for part, of in found.macro_average.items()]
    )
    metrics = dict.fromkeys(one.metric for each in found.sets for one in each.comparisons)
    return [_metric_block(metric, every) for metric in metrics]


def _metric_block(metric: str, parts: Sequence[Sequence[Row]]) -> Block:
    chosen = [
        [(name, own) for name, of in part if (own := tuple(o for o in of if o.metric == metric))]
        for part in parts
    ]
    ends = accumulate(map(len, chosen))
    rows = [row for part in chosen for row in part]
    begins = tuple(dict.fromkeys(end for end in ends if 0 < end < len(rows)))
    return Block(metric=metric, rows=rows, parts=begins)


def _label_datasets(found: ComparedTables) -> dict[int, str]:
    """Label each data set; if two have the same name, add the folder of the baseline's run."""
    first = next(iter(found.systems))
    names = [each.dataset.name for each in found.sets]
    return {
        id(each): name
        if names.count(name) == 1
        else f"{name} ({Path(each.systems[first][0]).name})"
        for name, each in zip(names, found.sets, strict=True)
    }


def comparison_tables(
    found: Found,
    language: str = "en",
    *,
    shown: Mapping[str, str] | None = None,
    values: bool = True,
) -> list[Table]:
    """Return the tables of a comparison; an asterisk marks what is sure after Holm.

    Args:
        found: By ``compare_runs`` or ``compare_tables``.
        language: Of the words, ``en`` or ``zh``.
        shown: The label of each system, by name; by default the name.
        values: Whether to include the systems' values, which another table may show.
    """
    systems = {name: (shown or {}).get(name, name) for name in found.systems}
    made: list[Table] = []
    for block in make_blocks(found, language):
        if values and len(systems) > 2:
            made.append(_value_table(block, systems, found, language))
        made.append(
            _difference_table(block, systems, found, language, values and len(systems) == 2)
        )
    return made


def _value_table(block: Block, systems: Mapping[str, str], found: Found, language: str) -> Table:
    rows = [
        [name, _format_value(of[0].first_value, of[0].first_spread)]
        + [_format_value(one.second_value, one.second_spread) + "*" * one.sure for one in of]
        for name, of in block.rows
    ]
    return Table(
        caption=block.metric or _dataset_name(found),
        headings=[_corner_heading(found, language), *systems.values()],
        rows=rows,
        parts=block.parts,
        note=" ".join(_iter_mark_notes(block, found, language)),
    )


def _difference_table(
    block: Block,
    systems: Mapping[str, str],
    found: Found,
    language: str,
    values: bool,
) -> Table:
    """Return a row for each comparison, without the columns in which all rows are the same."""
    first, *others = systems.values()
    called = len(block.rows) > 1 or values
    kept = (called, len(others) > 1 or not called, values, values, True, True, _is_adjusted(block))
    headings = [
        _corner_heading(found, language),
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
            systems[one.second],
            _format_value(one.first_value, one.first_spread),
            _format_value(one.second_value, one.second_spread),
            _format_difference(one) + "*" * one.sure,
            _format_p(one.p_value),
            _format_p(one.p_holm),
            percent(one.smallest_difference) or DASH,
        ]
        for name, of in block.rows
        for one in of
    ]
    metric = block.metric or ("" if called else block.rows[0][0])
    params = {"metric": metric or _dataset_name(found), "run": first}
    return Table(
        caption=word("difference.of", language, params),
        headings=[*compress(headings, (*kept, True))],
        rows=[[*compress(row, (*kept, True))] for row in rows],
        left=sum(kept[:2]),
        parts=tuple(at * len(others) for at in block.parts),
        note=" ".join(
            [
                *_iter_method_notes(block, first, found, language),
                *_iter_mark_notes(block, found, language),
            ]
        ),
    )


def explain_tables(found: Found, first: str, language: str = "en") -> list[str]:
    """Return the sentences that explain the tables, each once."""
    notes = [
        note
        for block in make_blocks(found, language)
        for note in (
            *_iter_method_notes(block, first, found, language),
            *_iter_mark_notes(block, found, language),
        )
    ]
    return list(dict.fromkeys(notes))


def comparison_in_markdown(found: Found, language: str = "en") -> str:
    """Return the tables in Markdown, followed by remarks and signatures."""
    parts = [in_markdown(table) for table in comparison_tables(found, language)]
    notes = [
        f"- {escape_markdown(one)}"
        for one in _left_out(found) + comparison_remarks(found, language)
    ]
    parts += ["\n".join(notes)] if notes else []
    signatures = "\n".join(f"- `{to_one_line(one)}`" for one in _signatures(found))
    parts.append(word("table.signatures", language) + "\n\n" + signatures)
    return "\n\n".join(parts) + "\n"


def comparison_in_latex(found: Found, language: str = "en") -> str:
    """Return the tables in LaTeX, followed by remarks and signatures as comments."""
    comments = [*_left_out(found), *comparison_remarks(found, language), *_signatures(found)]
    return in_latex(comparison_tables(found, language), comments)


def _left_out(found: Found) -> list[str]:
    return found.left_out if isinstance(found, ComparedTables) else []


def _signatures(found: Found) -> list[str]:
    sets = found.sets if isinstance(found, ComparedTables) else [found]
    return [
        f"{one.dataset.name}: {signature or f'{name}: signatures differ'}"
        for one in sets
        for name, signature in one.signatures.items()
    ]


def comparison_remarks(found: Found, language: str = "en") -> list[str]:
    """Return the notes of single comparisons, each once, after the labels of its rows."""
    several = isinstance(found, ComparedTables)
    rows_of: dict[str, list[str]] = {}
    for block in make_blocks(found, language):
        for name, of in block.rows:
            for one in of:
                who = [name, one.metric] if several else [name]
                who += [one.second] if len(of) > 1 else []
                if one.note:
                    rows_of.setdefault(one.note, []).append(" ".join(who))
    return [
        f"{', '.join(rows)}: {_translate_note(note, language)}" for note, rows in rows_of.items()
    ]


def _translate_note(note: str, language: str) -> str:
    return note if language == "en" else NOTES.say(note, language)


def _iter_method_notes(block: Block, first: str, found: Found, language: str) -> Iterator[str]:
    every = [one for _, of in block.rows for one in of]
    tests = ", ".join(dict.fromkeys(one.test for one in every if one.p_value is not None))
    level = f"{100 * found.level:g}"
    yield word("difference.how", language, {"run": first, "level": level})
    if tests:
        yield word("difference.tests", language, {"tests": tests})
    if _is_adjusted(block):
        over = "runs"
        if isinstance(found, ComparedTables):
            over = "averages" if found.macro_average else "sets"
        yield word(f"difference.holm-{over}", language)
    if any(one.smallest_difference is not None for one in every):
        yield word("difference.shows", language)


def _iter_mark_notes(block: Block, found: Found, language: str) -> Iterator[str]:
    every = [one for _, of in block.rows for one in of]
    if any(one.sure for one in every):
        yield word("difference.sure", language, {"level": f"{1 - found.level:.6g}"})
    if any(one.first_spread or one.second_spread for one in every):
        yield word("difference.spread", language)


def _is_adjusted(block: Block) -> bool:
    """Whether any p-value was adjusted for several comparisons."""
    return any(one.p_holm != one.p_value for _, of in block.rows for one in of)


def _dataset_name(found: Found) -> str:
    return found.dataset.name if isinstance(found, Compared) else ""


def _corner_heading(found: Found, language: str) -> str:
    return word("metric" if isinstance(found, Compared) else "dataset", language)


def _format_value(value: float | None, spread: Spread | None) -> str:
    if value is None:
        return DASH
    return percent(value) + ("" if spread is None else f" ±{percent(spread.deviation)}")


def _format_difference(one: Comparison) -> str:
    difference, low, high = (
        DASH if value is None else f"{100 * value:+.1f}".replace("-", MINUS)
        for value in (one.difference, one.low, one.high)
    )
    return difference if DASH in (low, high) else f"{difference} [{low}, {high}]"


def _format_p(value: float | None) -> str:
    if value is None:
        return DASH
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
