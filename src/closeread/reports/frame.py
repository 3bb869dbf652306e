"""Assemble every page: its frame, its content security policy, its scripts and data."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import chain
from string import Template
from typing import Any

import msgspec

from closeread.version import __version__

_TEMPLATES = files("closeread.reports") / "templates"


def render_frame(
    body: Iterable[str], *, title: str, language: str, style: str, allowed: str
) -> Iterator[bytes]:
    """Yield a self-contained page in pieces, since a page of many questions is large.

    Args:
        body: HTML, in pieces.
        title: HTML.
        language: ``en`` or ``zh``.
        style: CSS.
        allowed: Content security policy directives, in addition to inline images.
    """
    before, after = load_template("frame.html").split("$body")
    head = Template(before).substitute(
        lang="zh-CN" if language == "zh" else "en",
        version=__version__,
        title=title,
        style=style,
        allowed=allowed,
    )
    for piece in chain([head], body, [after]):
        yield piece.encode("utf-8", "backslashreplace")


def render_scripted(
    script: str,
    blocks: Iterable[tuple[str, Any]],
    *,
    title: str,
    noscript: str,
    language: str,
    style: str,
    further: str = "",
) -> Iterator[bytes]:
    """Yield a page that is rendered by its script, in pieces.

    Args:
        script: JavaScript.
        blocks: JSON values by element id.
        title: Plain text.
        noscript: HTML shown when scripts are disabled.
        language: ``en`` or ``zh``.
        style: CSS.
        further: Further content security policy directives.
    """
    allowed = [f"script-src '{_csp_hash(script)}'", f"style-src '{_csp_hash(style)}'", further]
    return render_frame(
        _iter_body(script, blocks, noscript),
        title=escape_html(title),
        language=language,
        style=style,
        allowed="; ".join(filter(None, allowed)),
    )


def _iter_body(script: str, blocks: Iterable[tuple[str, Any]], noscript: str) -> Iterator[str]:
    yield f'<noscript><main class="noscript">{noscript}</main></noscript>\n<div id="app"></div>\n'
    for name, value in blocks:
        yield f'<script type="application/json" id="{name}">{json_for_html(value)}</script>\n'
    yield f"<script>{script}</script>"


def wrap_in_closure(parts: Iterable[str]) -> str:
    """Join the parts of a script in one closure, without comments and indentation.

    Each page carries the script. No string of it may extend over several lines.
    """
    lines = (line.lstrip() for line in "".join(parts).splitlines(keepends=True))
    code = (line for line in lines if not line.startswith("//"))
    return "\n(() => {\n'use strict';\n" + "".join(code) + "})();\n"


def load_template(name: str) -> str:
    """Return the text of a template: a style sheet, script or frame."""
    return (_TEMPLATES / name).read_text("utf-8")


def script_names() -> list[str]:
    """Return the names of the report's scripts, in order."""
    return sorted(file.name for file in _TEMPLATES.iterdir() if file.name.endswith(".js"))


def json_for_html(value: Any) -> str:
    """Return JSON that is safe to embed in an HTML script element."""
    text = msgspec.json.encode(value).decode()
    for character, code in (("<", "003c"), (">", "003e"), ("&", "0026")):
        text = text.replace(character, "\\u" + code)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def escape_html(text: str) -> str:
    """Escape text for HTML."""
    return re.sub("[<>&\"']", lambda match: f"&#{ord(match[0])};", text)


def _csp_hash(text: str) -> str:
    """Return the content security policy hash of an inline text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
