"""``GET /``: the demo page, to ask questions on a passage and see answers with evidence."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec

from closeread.reports.frame import escape_html, load_template, render_scripted, wrap_in_closure
from closeread.serve.settings import Settings
from closeread.text.polarity import SPELLED, rules
from closeread.text.quotations import QUOTATION_MARKS
from closeread.version import __version__

_FOLDER = files("closeread.serve") / "demo"
# The scripts that build nodes, number evidence and mark passages are shared with reports.
_SHARED = ("1-dom.js", "4-marks.js", "4-text.js")
_LANGUAGES = ("en", "zh")


def demo_page(reader: str, settings: Settings, calibrated: Mapping[str, Any]) -> bytes:
    """Return the self-contained page; it sends requests to ``v1/answer`` only.

    Args:
        reader: The name of the reader that is served.
        settings: The limits that the page shows.
        calibrated: How confidences were calibrated, as in ``GET /health``: on which data sets, and
            whether on answers of another reader.
    """
    words = {
        language: {key: pair[number] for key, pair in _read_json("words.json").items()}
        for number, language in enumerate(_LANGUAGES)
    }
    data = {
        "reader": reader,
        "limits": {
            "passage": settings.max_passage_characters,
            "question": settings.max_question_characters,
        },
        "learned": list(calibrated.get("learned_from", ())),
        "elsewhere": bool(calibrated.get("warnings")),
        "version": __version__,
        "words": words,
        "examples": _read_json("examples.json"),
        "rules": rules(),
        "asides": QUOTATION_MARKS,
        "spelled": SPELLED,
    }
    script_names = sorted(file.name for file in _FOLDER.iterdir() if file.name.endswith(".js"))
    pieces = render_scripted(
        wrap_in_closure([*map(load_template, _SHARED), *map(_read_script, script_names)]),
        [("data", data)],
        title=f"{words['en']['title']} · closeread",
        noscript=f"<p>{escape_html(words['en']['noscript'])}</p>",
        language="en",
        style=load_template("page.css") + _read_script("demo.css"),
        further="connect-src 'self'",
    )
    return b"".join(pieces)


def _read_script(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")


def _read_json(name: str) -> Any:
    return msgspec.json.decode((_FOLDER / name).read_bytes())
