"""The frame of every page: what it may load, which is nothing, and how it is put together."""

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


def framed(
    body: Iterable[str], *, title: str, language: str, style: str, allowed: str
) -> Iterator[bytes]:
    """Yield a page that is whole in itself, piece by piece: one of many questions is large.

    Args:
        body: HTML, in pieces.
        title: As HTML shows it.
        language: ``en`` or ``zh``.
        style: CSS.
        allowed: What its content security policy lets in beside pictures in its own text.
    """
    before, behind = template("frame.html").split("$body")
    head = Template(before).substitute(
        lang="zh-CN" if language == "zh" else "en",
        version=__version__,
        title=title,
        style=style,
        allowed=allowed,
    )
    for piece in chain([head], body, [behind]):
        yield piece.encode("utf-8", "backslashreplace")


def drawn_by(
    script: str,
    blocks: Iterable[tuple[str, Any]],
    *,
    title: str,
    noscript: str,
    language: str,
    style: str,
    further: str = "",
) -> Iterator[bytes]:
    """Yield a page that its script draws, piece by piece.

    Args:
        script: JavaScript.
        blocks: What it draws, by names under which it finds each.
        title: Plain text.
        noscript: HTML for where scripts are turned off.
        language: ``en`` or ``zh``.
        style: CSS.
        further: What it may load beside itself, as a content security policy says it.
    """
    allowed = [f"script-src '{_hash(script)}'", f"style-src '{_hash(style)}'", further]
    return framed(
        _drawn(script, blocks, noscript),
        title=escaped(title),
        language=language,
        style=style,
        allowed="; ".join(filter(None, allowed)),
    )


def _drawn(script: str, blocks: Iterable[tuple[str, Any]], noscript: str) -> Iterator[str]:
    yield f'<noscript><main class="noscript">{noscript}</main></noscript>\n<div id="app"></div>\n'
    for name, value in blocks:
        yield f'<script type="application/json" id="{name}">{embedded(value)}</script>\n'
    yield f"<script>{script}</script>"


def in_closure(parts: Iterable[str]) -> str:
    """Return the parts of a script as one, whose names are its own.

    Lines of comments stay at home: they are for whoever changes a part, and each page carries it.
    """
    lines = "".join(parts).splitlines(keepends=True)
    said = (line for line in lines if not line.lstrip().startswith("//"))
    return "\n(() => {\n'use strict';\n" + "".join(said) + "})();\n"


def template(name: str) -> str:
    """Return the text of one of the pages' parts: styles, scripts, frames."""
    return (_TEMPLATES / name).read_text("utf-8")


def scripts() -> list[str]:
    """Return the names of the report's scripts, in their order."""
    return sorted(each.name for each in _TEMPLATES.iterdir() if each.name.endswith(".js"))


def embedded(value: Any) -> str:
    """Return JSON that no HTML parser takes for markup and no script engine for a line break."""
    text = msgspec.json.encode(value).decode()
    for character, code in (("<", "003c"), (">", "003e"), ("&", "0026")):
        text = text.replace(character, "\\u" + code)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def escaped(text: str) -> str:
    """Return text as HTML shows it."""
    return re.sub("[<>&\"']", lambda found: f"&#{ord(found[0])};", text)


def _hash(text: str) -> str:
    """Return what a content security policy calls this inline text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
