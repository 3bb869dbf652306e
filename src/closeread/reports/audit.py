"""The audit as one self-contained page, in the report's look."""

import html
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import closeread
from closeread.formats.registry import replacing

_TEMPLATES = files("closeread.reports") / "templates"
_MARKS = {"sound": "✓", "doubtful": "?", "broken": "✗", "skipped": "–"}


def write_audit(
    sources: Sequence[str],
    findings: Sequence[Mapping[str, Any]],
    skipped: Mapping[str, int],
    out: Path,
) -> Path:
    """Write the page; it appears under its name only when it is whole.

    Args:
        sources: What was examined.
        findings: As ``closeread.audits.findings.Finding`` has them, as plain values.
        skipped: What was left out as bad, counted by kind.
        out: The HTML file.

    Raises:
        StorageError: The file cannot be written.
    """
    style = (_TEMPLATES / "page.css").read_text("utf-8") + (_TEMPLATES / "audit.css").read_text(
        "utf-8"
    )
    page = Template((_TEMPLATES / "audit.html").read_text("utf-8")).substitute(
        version=closeread.__version__,
        title=_text("Audit of " + ", ".join(Path(source).name for source in sources[:3])),
        style=style,
        sources="".join(f"<li><bdi>{_text(source)}</bdi></li>" for source in sources),
        skipped=_skipped(skipped),
        overview="".join(map(_line, enumerate(findings))),
        sections="".join(map(_section, enumerate(findings))),
    )
    with replacing(out) as stream:
        stream.write(page.encode("utf-8", "backslashreplace"))
    return out


def shown(cell: object, heading: str) -> str:
    """Return a cell as tables print it: percent with one decimal under a heading that says so."""
    if cell is None:
        return "—"
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, int | float) and heading.endswith("%"):
        return f"{100 * cell:.2f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def _skipped(counts: Mapping[str, int]) -> str:
    if not counts:
        return ""
    rows = "".join(f"<li>{_text(code)}: {count:,}</li>" for code, count in counts.items())
    return f'<div class="notices"><h2>Left out as bad</h2><ul>{rows}</ul></div>'


def _line(numbered: tuple[int, Mapping[str, Any]]) -> str:
    number, finding = numbered
    verdict = finding["verdict"]
    return (
        f'<li class="{verdict}"><a href="#f{number}"><b aria-hidden="true">{_MARKS[verdict]}</b> '
        f'<span class="word">{verdict}</span> {_text(finding["check"])}</a>'
        f"<p>{_text(finding['headline'])}</p></li>"
    )


def _section(numbered: tuple[int, Mapping[str, Any]]) -> str:
    number, finding = numbered
    notes = "".join(f'<p class="note">{_text(note)}</p>' for note in finding.get("notes", ()))
    tables = "".join(map(_table, finding.get("tables", ())))
    return (
        f'<section id="f{number}"><h2>{_text(finding["check"])}</h2>'
        f"<p>{_text(finding['headline'])}</p>{notes}{tables}</section>"
    )


def _table(table: Mapping[str, Any]) -> str:
    headings = table["headings"]
    numeric = [
        any(isinstance(row[place], int | float) for row in table["rows"])
        for place in range(len(headings))
    ]
    head = "".join(
        f'<th scope="col"{_class(is_number)}>{_text(heading)}</th>'
        for heading, is_number in zip(headings, numeric, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td{_class(is_number)}><bdi>{_text(shown(cell, heading))}</bdi></td>"
            for cell, heading, is_number in zip(row, headings, numeric, strict=True)
        )
        + "</tr>"
        for row in table["rows"]
    )
    note = f'<p class="soft note">{_text(table["note"])}</p>' if table.get("note") else ""
    return (
        f'<h3>{_text(table["title"])}</h3><div class="scroll" tabindex="0"><table><thead><tr>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table></div>{note}"
    )


def _class(is_number: bool) -> str:
    return ' class="n"' if is_number else ""


def _text(text: object) -> str:
    return html.escape(str(text), quote=True)
