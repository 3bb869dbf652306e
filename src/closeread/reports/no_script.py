"""Render the tables that the page shows without scripts, as in many file viewers."""

from collections.abc import Sequence

from closeread.reports.frame import escape_html
from closeread.reports.material import Material
from closeread.reports.notices import Notice, collect_notices
from closeread.reports.table import Table
from closeread.reports.tables import report_tables
from closeread.reports.words.page import word
from closeread.runs.records import DatasetInfo

_MAX_NAMES = 3


def noscript_html(material: Material, language: str) -> str:
    """Return HTML with the runs' names, the notices, the tables and the licences.

    Args:
        material: The runs of the page.
        language: The page's language, ``en`` or ``zh``.
    """
    notices = [_render_notice(material, notice, language) for notice in collect_notices(material)]
    notice_section = f"<h2>{escape_html(word('trust', language))}</h2><ul>{''.join(notices)}</ul>"
    return "".join(
        (
            f"<h1>{_isolate(_title(material, language))}</h1>",
            notice_section if notices else "",
            *(_render_table(table) for table in report_tables(material, language)),
            *(f"<p>{_format_dataset(view.info, language)}</p>" for view in material.sets),
            f"<p>{escape_html(word('noscript', language))}</p>",
        )
    )


def _title(material: Material, language: str) -> str:
    """Return the runs' names, or their number if there are many."""
    names = [run.name for run in material.runs]
    many = len(names) > _MAX_NAMES
    return word("n-runs", language, {"n": len(names)}) if many else ", ".join(names)


def _format_dataset(info: DatasetInfo, language: str) -> str:
    n_questions = word("n-questions", language, {"n": f"{info.n_questions:,}"})
    licence = f"{word('licence', language)}: {info.license or word('licence-unknown', language)}"
    return " · ".join(map(_isolate, (info.name, n_questions, licence)))


def _render_notice(material: Material, notice: Notice, language: str) -> str:
    has_run = len(material.runs) > 1 and notice.run is not None
    run_label = f"{_isolate(material.runs[notice.run or 0].name)}: " if has_run else ""
    return f"<li>{run_label}{_isolate(word(f'notice.{notice.code}', language, notice.params))}</li>"


def _render_table(table: Table) -> str:
    head = _render_row('th scope="col"', table.headings)
    rows = "".join(_render_row("td", row) for row in table.rows)
    note = f"<p>{_isolate(table.note)}</p>" if table.note else ""
    return (
        f'<h2>{_isolate(table.caption)}</h2><div class="scroll" tabindex="0"><table>'
        f"<thead>{head}</thead><tbody>{rows}</tbody></table></div>{note}"
    )


def _render_row(cell: str, texts: Sequence[str]) -> str:
    opening_tags = [f"<{cell}>", *[f'<{cell} class="n">'] * (len(texts) - 1)]
    return f"<tr>{''.join(map(str.__add__, opening_tags, map(_isolate, texts)))}</tr>"


def _isolate(text: str) -> str:
    return f"<bdi>{escape_html(text)}</bdi>"
