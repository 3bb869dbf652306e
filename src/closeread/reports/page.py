"""One self-contained page about one or more runs: opens from disk, needs no network."""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from closeread.errors import MissingExtraError
from closeread.formats.files.atomic_write import replacing
from closeread.reports import payload
from closeread.reports.differences import shown
from closeread.reports.frame import drawn_by, in_closure, scripts, template
from closeread.reports.groups import of_runs
from closeread.reports.joint import cells, joint, table
from closeread.reports.material import Material, RunView, SetView
from closeread.reports.mrqa import published
from closeread.reports.no_script import unscripted
from closeread.reports.notices import notices
from closeread.reports.plots import all_plots
from closeread.reports.words.notes import NOTES
from closeread.reports.words.page import LANGUAGES, by_language
from closeread.version import __version__


def write_material(material: Material, out: Path, *, language: str | None = None) -> Path:
    """Write the page about what was gathered; it appears under its name only when it is whole.

    Args:
        material: Of run folders, or of what retrievers found.
        out: The HTML file.
        language: The page's words, ``en`` or ``zh``; by default the data set's language.

    Raises:
        StorageError: The file cannot be written.
    """
    chosen = language or material.language
    html = drawn_by(
        in_closure(map(template, scripts())),
        chain([("index", _index(material, chosen))], payload.blocks(material)),
        title=", ".join(run.name for run in material.runs[:3]) + " · closeread",
        noscript=unscripted(material, chosen),
        language=chosen,
        style=template("page.css"),
    )
    with replacing(out) as stream:
        stream.writelines(html)
    return out


def _index(material: Material, language: str) -> dict[str, Any]:
    made = published(material)
    found: dict[str, Any] = {
        "lang": language,
        "version": __version__,
        "words": by_language(),
        "part": {"passages": payload.PASSAGES_A_BLOCK, "details": payload.DETAILS_A_BLOCK},
        "datasets": [_set(view) for view in material.sets],
        "runs": [_run(run) for run in material.runs],
        "notices": [
            {"code": each.code, "run": each.run, "params": each.params}
            for each in notices(material)
        ],
        "plots": [plot.merged() for plot in all_plots(material)],
        "runsPlots": [plot.merged() for plot in of_runs(material)],
        "differences": {each: shown(material, each) for each in LANGUAGES},
        "mrqa": made,
        "questions": payload.columns(material),
    }
    given = {one.note for run in material.runs for one in run.metrics.values()}
    given |= {told.note for run in material.runs for told in run.told.values()}
    chinese = {note: NOTES.say(note, "zh") for note in sorted(given)}
    found["notes"] = {note: said for note, said in chinese.items() if said != note}
    for number, both in enumerate(joint(material)):
        if isinstance(both, MissingExtraError):  # the page is not for this view alone
            found["runs"][number]["notJoined"] = {"why": both.found, "cure": both.cure}
        elif both is not None:
            found["runs"][number]["joined"] = table(both)
            place = material.runs[number].place
            found["questions"]["runs"][number]["cell"] = cells(material, place, both)
    return found


def _set(view: SetView) -> dict[str, Any]:
    info = view.info
    return {
        "name": info.name,
        "version": info.version,
        "format": info.format,
        "license": info.license,
        "sha256": info.sha256,
        "n_questions": info.n_questions,
    }


def _run(run: RunView) -> dict[str, Any]:
    info = run.info.reader
    reader, options = info.shown
    return {
        "name": run.name,
        "reader": reader,
        "options": options,
        # One not known by its own name has its address for a name.
        "address": info.record["address"] if reader != info.name else "",
        "confidences": _confidences(info.record.get("calibrated")),
        "created": run.info.created[:16].replace("T", " "),
        "dataset": run.place,
        "headline": run.headline,
        "level": f"{run.level * 100:g}",
        "metrics": run.metrics,
        "evidenceOnly": run.evidence_only,
        "first": first(list(run.metrics)),
    }


def _confidences(calibrated: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return how a calibrated run came by its confidences, and below which it is silent."""
    if not calibrated:
        return None
    least = (calibrated.get("threshold") or {}).get("value")
    return {
        "method": calibrated["method"],
        # Above 1 no threshold keeps what was promised, and nothing is answered.
        "least": least if least is None else f"{least:g}" if least <= 1 else "none",
        "elsewhere": bool(calibrated.get("warnings")),
    }


def first(names: Sequence[str]) -> list[str]:
    """Return the metrics to show before all others, each official one with its strict one after it.

    A ``~strict`` variant keeps the data set's denominator where the official program drops what
    was not handed in, so the two must be seen together. Other variants (a tilde) and values by
    answer type (a second dot) stand back.
    """
    found = []
    for name in names:
        if name.count(".") == 1 and "~" not in name:
            found += [one for one in (name, f"{name}~strict") if one in names]
    strict = (name for name in names if name.count(".") == 1 and name.endswith("~strict"))
    return list(dict.fromkeys([*found, *strict]))
