"""Render an audit as a self-contained page, in English or Chinese, in the report's style."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from closeread.formats.files.atomic_write import replacing
from closeread.reports.frame import load_template, render_frame
from closeread.reports.scatter import scatter
from closeread.reports.words.audit import FRAME, MEANINGS, QUESTIONS
from closeread.reports.words.audit_sentences import CELLS, OUR_CELLS, SENTENCES
from closeread.version import __version__

_MARKS = {"broken": "✗", "doubtful": "?", "sound": "✓", "skipped": "–"}
_MAX_ROWS = 500
_MAX_CHARACTERS = 300  # of a cell or a name; a longer one is shortened to its beginning and end
# Invisible characters, and those that change the direction of the text around them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u2000-\u200f\u2028-\u202f\u2060-\u206f\ufeff]"
)

_PERCENT = re.compile(r"(?<=\d) %")


def write_audit(
    sources: Sequence[str],
    findings: Sequence[Mapping[str, Any]],
    skipped: Mapping[str, int],
    out: Path,
    *,
    language: str = "en",
) -> Path:
    """Write the page; the file appears only once it is complete.

    Args:
        sources: The audited runs, logs or tables.
        findings: The fields of ``closeread.audits.findings.Finding`` as plain values.
        skipped: Counts of skipped records, by kind.
        out: The HTML file.
        language: The page's language, ``en`` or ``zh``.

    Raises:
        StorageError: The file cannot be written.
    """
    page = _Page(language)
    numbered = list(enumerate(findings))
    ranks = list(_MARKS)
    by_severity = sorted(numbered, key=lambda pair: ranks.index(pair[1]["verdict"]))
    body = Template(load_template("audit.html")).substitute(
        title=page.title(sources),
        about=page.translate("audit: can the number be believed?"),
        examined=page.translate("Examined"),
        sources="".join(f"<li><bdi>{_escape_text(source)}</bdi></li>" for source in sources),
        skipped=page.skipped_records(skipped),
        counted=page.translate("{n} verdicts, the most severe first", n=f"{len(findings):,}"),
        tally=page.tally(Counter(finding["verdict"] for finding in findings)),
        overview="".join(page.overview_line(number, finding) for number, finding in by_severity),
        sections="".join(page.section(number, finding) for number, finding in by_severity),
        made=page.translate("Made by closeread {version}", version=__version__),
    )
    html = render_frame(
        [body.rstrip("\n")],
        title=page.title(sources),
        language=language,
        style="".join(map(load_template, ("overview.css", "page.css", "audit.css"))),
        allowed="style-src 'unsafe-inline'",
    )
    with replacing(out) as stream:
        stream.writelines(html)
    return out


def format_cell(cell: object, heading: str) -> str:
    """Format a cell for a table: percent with two decimals if the heading ends in ``%``."""
    if cell is None:
        return "—"
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, int | float) and heading.endswith("%"):
        return f"{100 * cell:.2f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


class _Page:
    """The parts of the page in one language; every method returns HTML."""

    def __init__(self, language: str) -> None:
        self.language = language

    def translate(self, template: str, **values: object) -> str:
        return _escape_text(FRAME.fill(template, self.language, **values))

    def translate_finding(self, sentence: str) -> str:
        return _escape_text(SENTENCES.say(sentence, self.language))

    def title(self, sources: Sequence[str]) -> str:
        names = ", ".join(_shorten(Path(source).name, 80) for source in sources[:3])
        if len(sources) > 3:
            names = FRAME.fill(
                "{names} and {n} more", self.language, names=names, n=len(sources) - 3
            )
        return self.translate("Audit of {names}", names=names)

    def skipped_records(self, counts: Mapping[str, int]) -> str:
        if not counts:
            return ""
        rows = "".join(
            f"<li>{_escape_text(FRAME.say(code, self.language))}: {count:,}</li>"
            for code, count in counts.items()
        )
        heading = self.translate("Skipped as unusable")
        return f'<div class="notices"><h2>{heading}</h2><ul>{rows}</ul></div>'

    def tally(self, counts: Counter[str]) -> str:
        """Return each verdict with its count and its meaning."""
        return "".join(
            f'<li class="{verdict}"><b aria-hidden="true">{mark}</b> '
            f'<span class="word">{counts[verdict]:,} {self.translate(verdict)}</span> '
            f'<span class="soft">{self.translate(MEANINGS[verdict])}</span></li>'
            for verdict, mark in _MARKS.items()
            if counts[verdict]
        )

    def verdict(self, finding: Mapping[str, Any]) -> str:
        verdict = finding["verdict"]
        return (
            f'<b aria-hidden="true">{_MARKS[verdict]}</b> '
            f'<span class="word">{self.translate(verdict)}</span>'
        )

    def overview_line(self, number: int, finding: Mapping[str, Any]) -> str:
        return (
            f'<li class="{finding["verdict"]}"><a href="#f{number}">{self.verdict(finding)} '
            f"{self.translate(finding['check'])}</a><p>{self.translate_finding(finding['headline'])}</p></li>"
        )

    def section(self, number: int, finding: Mapping[str, Any]) -> str:
        notes = "".join(
            f'<p class="note">{self.translate_finding(note)}</p>'
            for note in finding.get("notes", ())
        )
        tables = "".join(map(self.table, finding.get("tables", ())))
        check = finding["check"]
        plot = scatter(finding.get("data", {}), self.translate) if check == "shape" else ""
        return (
            f'<section id="f{number}" class="{finding["verdict"]}"><h2>{self.translate(check)} '
            f"<small>{self.verdict(finding)}</small></h2>"
            f'<p class="soft asks">{self.translate(QUESTIONS[check])}</p>'
            f'<p class="headline">{self.translate_finding(finding["headline"])}</p>'
            f"{notes}{plot}{tables}</section>"
        )

    def table(self, table: Mapping[str, Any]) -> str:
        headings, rows = table["headings"], table["rows"][:_MAX_ROWS]
        title = f"<h3>{self.translate_finding(table['title'])}</h3>"
        if not rows:
            return f'{title}<p class="soft">{self.translate("Nothing to show.")}</p>'
        numeric = [
            any(isinstance(row[place], int | float) for row in rows)
            for place in range(len(headings))
        ]
        head = "".join(
            f'<th scope="col"{_number_class(is_number)}>{self.translate_finding(heading)}</th>'
            for heading, is_number in zip(headings, numeric, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f"<td{_number_class(is_number)}>{self.cell(cell, heading)}</td>"
                for cell, heading, is_number in zip(row, headings, numeric, strict=True)
            )
            + "</tr>"
            for row in rows
        )
        notes = [self.translate_finding(table["note"])] if table.get("note") else []
        if len(rows) < len(table["rows"]):
            notes.append(
                self.translate(
                    "the first {shown} of {all} rows; all are in the output of --json",
                    shown=f"{len(rows):,}", all=f"{len(table['rows']):,}",
                )
            )  # fmt: skip
        return (
            f'{title}<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
            + "".join(f'<p class="soft note">{note}</p>' for note in notes)
        )

    def cell(self, cell: object, heading: str) -> str:
        if cell is None:
            return f'<span title="{self.translate("no value")}">—</span>'
        text = format_cell(cell, heading)
        if heading in OUR_CELLS:
            text = CELLS.say(text, self.language)
        if len(text) <= _MAX_CHARACTERS:
            return f"<bdi>{_escape_text(text)}</bdi>"
        length_remark = self.translate("{n} characters", n=f"{len(text):,}")
        short = _escape_text(_shorten(text, _MAX_CHARACTERS))
        return f'<bdi>{short}</bdi> <span class="soft">({length_remark})</span>'


def _number_class(is_number: bool) -> str:
    return ' class="n"' if is_number else ""


def _shorten(text: str, max_length: int) -> str:
    """Shorten a long text to its beginning and end."""
    return text if len(text) <= max_length else f"{text[: max_length - 60]} … {text[-50:]}"


def _escape_text(text: object) -> str:
    visible = _INVISIBLE.sub(
        lambda character: character[0].encode("unicode_escape").decode(), str(text)
    )
    return _PERCENT.sub("&nbsp;%", escape(visible, quote=True))
