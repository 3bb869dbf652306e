"""Renders the tables that the page shows when scripts are disabled, as in many file viewers."""

from collections.abc import Sequence

from closeread.reports.frame import escape_html
from closeread.reports.material import Material
from closeread.reports.notices import Notice, collect_notices
from closeread.reports.table import Table
from closeread.reports.tables import report_tables
from closeread.reports.words.page import word
from closeread.runs.records import DatasetInfo

_MOST_NAMES = 3


def noscript_html(material: Material, language: str) -> str:
    """Return HTML with the runs' names, the notices, the tables and the licences.

    Args:
        material: The runs of the page.
        language: The page's language, ``en`` or ``zh``.
    """
    cautions = [_caution(material, notice, language) for notice in collect_notices(material)]
    trust = f"<h2>{escape_html(word('trust', language))}</h2><ul>{''.join(cautions)}</ul>"
    return "".join(
        (
            f"<h1>{_isolate(_title(material, language))}</h1>",
            trust if cautions else "",
            *(_table(table) for table in report_tables(material, language)),
            *(f"<p>{_set(view.info, language)}</p>" for view in material.sets),
            f"<p>{escape_html(word('noscript', language))}</p>",
        )
    )


def _title(material: Material, language: str) -> str:
    """Return the runs' names, or their number if there are many."""
    names = [run.name for run in material.runs]
    many = len(names) > _MOST_NAMES
    return word("n-runs", language, {"n": len(names)}) if many else ", ".join(names)


def _set(info: DatasetInfo, language: str) -> str:
    many = word("n-questions", language, {"n": f"{info.n_questions:,}"})
    licence = f"{word('licence', language)}: {info.license or word('licence-unknown', language)}"
    return " · ".join(map(_isolate, (info.name, many, licence)))


def _caution(material: Material, notice: Notice, language: str) -> str:
    several = len(material.runs) > 1 and notice.run is not None
    of = f"{_isolate(material.runs[notice.run or 0].name)}: " if several else ""
    return f"<li>{of}{_isolate(word(f'notice.{notice.code}', language, notice.params))}</li>"


def _table(table: Table) -> str:
    head = _row('th scope="col"', table.headings)
    rows = "".join(_row("td", row) for row in table.rows)
    note = f"<p>{_isolate(table.note)}</p>" if table.note else ""
    return (
        f'<h2>{_isolate(table.caption)}</h2><div class="scroll" tabindex="0"><table>'
        f"<thead>{head}</thead><tbody>{rows}</tbody></table></div>{note}"
    )


def _row(cell: str, texts: Sequence[str]) -> str:
    opened = [f"<{cell}>", *[f'<{cell} class="n">'] * (len(texts) - 1)]
    return f"<tr>{''.join(map(str.__add__, opened, map(_isolate, texts)))}</tr>"


def _isolate(text: str) -> str:
    return f"<bdi>{escape_html(text)}</bdi>"
