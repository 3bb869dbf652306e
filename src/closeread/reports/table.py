"""A table of formatted cells, and its rendering in Markdown and LaTeX."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from closeread.text.unicode_scripts import HAN
from closeread.wording import in_one_line

DASH = "—"
MINUS = "−"
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    DASH: "---",
    MINUS: "$-$",
}
_HAN = re.compile(f"[{HAN}]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#])")


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of formatted cells; the first columns are text, the others are numbers.

    Attributes:
        note: A paragraph below the table.
        left: The number of text columns, aligned left.
        parts: The rows before which another part of the table begins.
    """

    caption: str
    headings: list[str]
    rows: list[list[str]]
    note: str = ""
    left: int = 1
    parts: tuple[int, ...] = ()


def in_markdown(table: Table) -> str:
    """Return a table in Markdown, its caption above and its note below."""
    n_number_columns = len(table.headings) - table.left
    lines = [f"**{escape_markdown(table.caption)}**", ""]
    lines.append("| " + " | ".join(map(escape_markdown, table.headings)) + " |")
    lines.append("|" + "---|" * table.left + "---:|" * n_number_columns)
    lines += ["| " + " | ".join(map(escape_markdown, row)) + " |" for row in table.rows]
    lines += ["", escape_markdown(table.note)] if table.note else []
    return "\n".join(lines)


def in_latex(tables: Iterable[Table], comments: Iterable[str]) -> str:
    """Return tables in LaTeX for the booktabs package, followed by comment lines.

    The first comment names the packages that the preamble needs.
    """
    parts = []
    for table in tables:
        n_number_columns = len(table.headings) - table.left
        rows = []
        for index, row in enumerate(table.rows):
            rows += ["\\midrule"] if index in table.parts else []
            cells = " & ".join(map(escape_latex, row))
            # after a row end, LaTeX reads a bracket or an asterisk as its argument
            rows.append(("{}" if cells[:1] in ("[", "*") else "") + cells + " \\\\")
        lines = [
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{escape_latex(table.caption)}}}",
            f"\\begin{{tabular}}{{{'l' * table.left}{'r' * n_number_columns}}}",
            "\\toprule",
            " & ".join(map(escape_latex, table.headings)) + " \\\\",
            "\\midrule",
            *rows,
            "\\bottomrule",
            "\\end{tabular}",
            *([f"\\par\\raggedright {escape_latex(table.note)}"] if table.note else []),
            "\\end{table}",
        ]
        parts.append("\n".join(lines))
    packages = ["% \\usepackage{booktabs}"]
    if any(_HAN.search(part) for part in parts):
        packages.append("% \\usepackage{ctex} % Chinese, with XeLaTeX or LuaLaTeX")
    parts.append("\n".join(f"% {to_one_line(comment)}" for comment in comments))
    return "\n\n".join(["\n".join(packages), *parts]) + "\n"


def escape_latex(text: str) -> str:
    """Escape text for LaTeX."""
    return to_one_line("".join(_LATEX.get(character, character) for character in text))


def escape_markdown(text: str) -> str:
    """Escape text for Markdown."""
    return _MARKDOWN.sub(r"\\\1", to_one_line(text))


def to_one_line(text: str) -> str:
    """Return text as one line, with runs of white space collapsed."""
    return in_one_line(" ".join(text.split()))
