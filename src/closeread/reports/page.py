"""Write a self-contained page about one or more runs, which opens without a network."""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from closeread.errors import MissingExtraError
from closeread.formats.files.atomic_write import replacing
from closeread.reports import payload
from closeread.reports.differences import differences_payload
from closeread.reports.frame import load_template, render_scripted, script_names, wrap_in_closure
from closeread.reports.groups import run_plots
from closeread.reports.joint import cells_of_rows, joint_scores, joint_table
from closeread.reports.material import Material, RunView, SetView
from closeread.reports.mrqa import published_table
from closeread.reports.no_script import noscript_html
from closeread.reports.notices import collect_notices
from closeread.reports.plots import make_plots
from closeread.reports.words.notes import NOTES
from closeread.reports.words.page import LANGUAGES, by_language
from closeread.version import __version__


def write_material(material: Material, out: Path, *, language: str | None = None) -> Path:
    """Write the page; the file appears only once it is complete.

    Args:
        material: Gathered from run folders, or from retrievers' evidence.
        out: The HTML file.
        language: The page's language, ``en`` or ``zh``; by default the data set's.

    Raises:
        StorageError: The file cannot be written.
    """
    page_language = language or material.language
    html = render_scripted(
        wrap_in_closure(map(load_template, script_names())),
        chain([("index", _index(material, page_language))], payload.iter_blocks(material)),
        title=", ".join(run.name for run in material.runs[:3]) + " · closeread",
        noscript=noscript_html(material, page_language),
        language=page_language,
        style=load_template("overview.css") + load_template("page.css"),
    )
    with replacing(out) as stream:
        stream.writelines(html)
    return out


def _index(material: Material, language: str) -> dict[str, Any]:
    mrqa = published_table(material)
    index: dict[str, Any] = {
        "lang": language,
        "version": __version__,
        "words": by_language(),
        "part": {"passages": payload.PASSAGES_A_BLOCK, "details": payload.DETAILS_A_BLOCK},
        "datasets": [_dataset_payload(view) for view in material.sets],
        "runs": [_run_payload(run) for run in material.runs],
        "notices": [
            {"code": notice.code, "run": notice.run, "params": notice.params}
            for notice in collect_notices(material)
        ],
        "plots": [plot.flatten() for plot in make_plots(material)],
        "runsPlots": [plot.flatten() for plot in run_plots(material)],
        "differences": {
            page_language: differences_payload(material, page_language)
            for page_language in LANGUAGES
        },
        "mrqa": mrqa,
        "questions": payload.question_columns(material),
    }
    notes = {summary.note for run in material.runs for summary in run.metrics.values()}
    notes |= {result.note for run in material.runs for result in run.results.values()}
    chinese = {note: NOTES.say(note, "zh") for note in sorted(notes)}
    index["notes"] = {
        note: translated for note, translated in chinese.items() if translated != note
    }
    for number, joined in enumerate(joint_scores(material)):
        if isinstance(joined, MissingExtraError):  # the rest of the page does not need the extra
            index["runs"][number]["notJoined"] = {"why": joined.found, "cure": joined.cure}
        elif joined is not None:
            index["runs"][number]["joined"] = joint_table(joined)
            place = material.runs[number].place
            index["questions"]["runs"][number]["cell"] = cells_of_rows(material, place, joined)
    return index


def _dataset_payload(view: SetView) -> dict[str, Any]:
    info = view.info
    return {
        "name": info.name,
        "version": info.version,
        "format": info.format,
        "license": info.license,
        "sha256": info.sha256,
        "n_questions": info.n_questions,
    }


def _run_payload(run: RunView) -> dict[str, Any]:
    info = run.info.reader
    reader, options = info.shown
    return {
        "name": run.name,
        "reader": reader,
        "options": options,
        # A reader without its own name is named by its address.
        "address": info.record["address"] if reader != info.name else "",
        "confidences": _calibration_payload(info.record.get("calibrated")),
        "created": run.info.created[:16].replace("T", " "),
        "dataset": run.place,
        "headline": run.headline,
        "level": f"{run.level * 100:g}",
        "metrics": run.metrics,
        "evidenceOnly": run.evidence_only,
        "first": leading_metrics(list(run.metrics)),
    }


def _calibration_payload(calibrated: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a calibrated run's method, and the threshold below which it withholds answers."""
    if not calibrated:
        return None
    threshold = (calibrated.get("threshold") or {}).get("value")
    return {
        "method": calibrated["method"],
        # Above 1, no threshold meets the guarantee, and every answer is withheld.
        "least": threshold if threshold is None else f"{threshold:g}" if threshold <= 1 else "none",
        "elsewhere": bool(calibrated.get("warnings")),
    }


def leading_metrics(names: Sequence[str]) -> list[str]:
    """Return the metrics to show first, each official one followed by its strict variant.

    A ``~strict`` variant keeps the data set's denominator where the official program drops
    questions without a prediction, so the two are shown together. Other variants (a tilde) and
    values by answer type (a second dot) come later.
    """
    leading = []
    for name in names:
        if name.count(".") == 1 and "~" not in name:
            leading += [metric for metric in (name, f"{name}~strict") if metric in names]
    strict = (name for name in names if name.count(".") == 1 and name.endswith("~strict"))
    return list(dict.fromkeys([*leading, *strict]))
