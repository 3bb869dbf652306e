"""Render the OpenAPI document as a self-contained page without scripts."""

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: 4px; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; }
p, td:nth-child(2) { overflow-wrap: anywhere; }
tr { border-bottom: 1px solid #8886; }
h2 { margin-top: 2.5rem; } h3 { margin-top: 2rem; }
.method { font-weight: bold; }
.means { font-size: .9em; opacity: .8; }
"""


_LITERAL = re.compile(r"(`{1,2})([^`]+)\1")


def reference_page(document: Mapping[str, Any], reader: str) -> bytes:
    """Return the page as HTML in UTF-8.

    Args:
        document: From :func:`closeread.serve.openapi.openapi_document`.
        reader: The name of the reader that is served.
    """
    return "".join(_render_page(document, reader)).encode()


def _render_page(document: Mapping[str, Any], reader: str) -> Iterator[str]:
    info = document["info"]
    yield (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>closeread: interface</title><style>{_STYLE}</style>"
        f"<h1>closeread {escape(info['version'])}: interface</h1>"
        f"<p>The reader here is <code>{escape(reader)}</code>."
        f" {_format_text(info['description'])}</p>"
        '<p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI '
        f"{escape(document['openapi'])}).</p>"
    )
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield from _render_operation(path, method, operation)
    yield "<h2>Records</h2>"
    for name, schema in document["components"]["schemas"].items():
        yield from _render_record(name, schema)
    yield "</html>"


def _render_operation(path: str, method: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f'<h2><span class="method">{method.upper()}</span> <code>{escape(path)}</code></h2>'
        f"<p>{_format_text(operation['summary'])}</p>"
    )
    if "description" in operation:
        yield f"<p>{_format_text(operation['description'])}</p>"
    if "requestBody" in operation:
        for content in operation["requestBody"]["content"].values():
            yield f"<p>Body: {_format_type(content['schema'])}</p>"
            example = json.dumps(content["example"], ensure_ascii=False, indent=2)
            yield f"<pre>{escape(example)}</pre>"
    yield "<table><tr><th>status</th><th>when</th><th>body</th></tr>"
    for status, reply in operation["responses"].items():
        kinds = "; ".join(
            _format_type(content["schema"]) if "json" in name else escape(name)
            for name, content in reply["content"].items()
        )
        description = _format_text(reply["description"])
        yield f"<tr><td>{status}</td><td>{description}</td><td>{kinds}</td></tr>"
    yield "</table>"


def _render_record(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f'<h3 id="{escape(name)}"><code>{escape(name)}</code></h3>'
    for part in schema.get("description", "").split("\n\n"):
        yield f"<p>{_format_text(part)}</p>"
    if "properties" not in schema:
        yield f"<p>{_format_type(schema)}</p>"
        return
    required = schema.get("required", ())
    yield "<table><tr><th>field</th><th>type</th><th>default</th></tr>"
    for field, kind in schema["properties"].items():
        default = "required" if field in required else escape(json.dumps(kind.get("default")))
        description = kind.get("description")
        details = f'<div class="means">{_format_text(description)}</div>' if description else ""
        yield f"<tr><td><code>{escape(field)}</code></td><td>{_format_type(kind)}{details}</td>"
        yield f"<td>{default}</td></tr>"
    yield "</table>"


def _format_text(text: str) -> str:
    """Return text as HTML, with text between backticks as code."""
    return _LITERAL.sub(r"<code>\2</code>", escape(text))


def _format_type(schema: Mapping[str, Any]) -> str:
    """Return the type of a schema as HTML, with links to the records that it names."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(_format_type(variant) for variant in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(
            f"<code>{escape(json.dumps(variant))}</code>" for variant in schema["enum"]
        )
    if "prefixItems" in schema:
        return "[" + ", ".join(_format_type(variant) for variant in schema["prefixItems"]) + "]"
    if schema.get("type") == "array":
        return "list of " + _format_type(schema.get("items", {}))
    if isinstance(schema.get("additionalProperties"), dict):
        return "object of " + _format_type(schema["additionalProperties"])
    bounds = [
        f"{word} {schema[key]:g}"
        for key, word in (("minimum", "at least"), ("maximum", "at most"))
        if key in schema
    ]
    return escape(" ".join([str(schema.get("type", "anything")), *bounds]))
