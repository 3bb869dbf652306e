"""What the page says where scripts are off, as in many viewers of files: the numbers themselves."""

from collections.abc import Sequence

from closeread.reports.frame import escaped
from closeread.reports.material import Material
from closeread.reports.notices import Notice, notices
from closeread.reports.table import Table
from closeread.reports.tables import tables
from closeread.reports.words.page import word
from closeread.runs.records import DatasetInfo

_MOST_NAMES = 3


def unscripted(material: Material, language: str) -> str:
    """Return HTML: whose numbers they are, what limits trust in them, the tables, the licences.

    Args:
        material: What the page is about.
        language: The page's words, ``en`` or ``zh``.
    """
    cautions = [_caution(material, notice, language) for notice in notices(material)]
    trust = f"<h2>{escaped(word('trust', language))}</h2><ul>{''.join(cautions)}</ul>"
    return "".join(
        (
            f"<h1>{_isolated(_title(material, language))}</h1>",
            trust if cautions else "",
            *(_table(table) for table in tables(material, language)),
            *(f"<p>{_set(view.info, language)}</p>" for view in material.sets),
            f"<p>{escaped(word('noscript', language))}</p>",
        )
    )


def _title(material: Material, language: str) -> str:
    """Name the runs, or say how many there are where their names would fill a screen."""
    names = [run.name for run in material.runs]
    many = len(names) > _MOST_NAMES
    return word("n-runs", language, {"n": len(names)}) if many else ", ".join(names)


def _set(info: DatasetInfo, language: str) -> str:
    many = word("n-questions", language, {"n": f"{info.n_questions:,}"})
    licence = f"{word('licence', language)}: {info.license or word('licence-unknown', language)}"
    return " · ".join(map(_isolated, (info.name, many, licence)))


def _caution(material: Material, notice: Notice, language: str) -> str:
    several = len(material.runs) > 1 and notice.run is not None
    of = f"{_isolated(material.runs[notice.run or 0].name)}: " if several else ""
    return f"<li>{of}{_isolated(word(f'notice.{notice.code}', language, notice.params))}</li>"


def _table(table: Table) -> str:
    head = _row('th scope="col"', table.headings)
    rows = "".join(_row("td", row) for row in table.rows)
    note = f"<p>{_isolated(table.note)}</p>" if table.note else ""
    return (
        f'<h2>{_isolated(table.caption)}</h2><div class="scroll" tabindex="0"><table>'
        f"<thead>{head}</thead><tbody>{rows}</tbody></table></div>{note}"
    )


def _row(cell: str, texts: Sequence[str]) -> str:
    opened = [f"<{cell}>", *[f'<{cell} class="n">'] * (len(texts) - 1)]
    return f"<tr>{''.join(map(str.__add__, opened, map(_isolated, texts)))}</tr>"


def _isolated(text: str) -> str:
    return f"<bdi>{escaped(text)}</bdi>"
