"""Collect the notices at the top of the page: what limits trust in a score, with counts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from closeread.metrics.summary import comparable_signature
from closeread.reports.excerpts import MAX_CHARACTERS, shorten
from closeread.reports.material import Material, RunView
from closeread.runs.submission_fit import KINDS
from closeread.wording import first_names

_NON_COMMERCIAL = re.compile(
    r"non[- ]?commercial|\bNC\b|research (use )?only|非商业", re.IGNORECASE
)
_UNKNOWN = re.compile(r"\b(unknown|unspecified|none|own terms)\b|未知|no licen[cs]e", re.IGNORECASE)
_LENGTH = ("length", "max_tokens")


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One notice; ``code`` is the key of its words, ``run`` the index of its run (None: all)."""

    code: str
    run: int | None = None
    params: dict[str, Any] = field(default_factory=dict)


def licence_kind(license: str) -> str:  # noqa: A002
    """Classify a licence as ``open``, ``non-commercial`` or ``unknown``."""
    if not license.strip():
        return "unknown"
    if _NON_COMMERCIAL.search(license):
        return "non-commercial"
    return "unknown" if _UNKNOWN.search(license) else "open"


def collect_notices(material: Material) -> list[Notice]:
    """Return every notice, the most severe first."""
    notices = [
        notice for number, run in enumerate(material.runs) for notice in _run_notices(run, number)
    ]
    notices += _comparison_notices(material)
    for place, view in enumerate(material.sets):
        name = view.info.name
        if view.problem:
            params = {"name": name, "path": view.info.path}
            notices.append(Notice(code=f"set-{view.problem}", params=params))
        counts = _defects(material, place)
        if counts:
            total = f"{sum(counts.values()):,}"
            defect_params = {"name": name, "n": total, "items": list(counts.items())}
            notices.append(Notice(code="defects", params=defect_params))
        n_shown = sum(row.place == place for row in material.rows)
        if 0 < n_shown < (view.info.limit or view.info.n_questions) and not view.problem:
            params = {"name": name, "n": f"{n_shown:,}", "all": f"{view.info.n_questions:,}"}
            notices.append(Notice(code="sampled", params=params))
        licence = licence_kind(view.info.license)
        if licence != "open":
            params = {"name": name, "license": view.info.license}
            notices.append(Notice(code=f"licence-{licence}", params=params))
    return notices


def _run_notices(run: RunView, number: int) -> list[Notice]:
    notices = []
    if run.misfits:
        params: dict[str, Any] = {"name": run.name, "why": "; ".join(run.misfits)}
        notices.append(Notice(code="files-changed", run=number, params=params))
    if not run.metrics:
        notices.append(Notice(code="not-scored", run=number))
    notices += _iter_submission_notices(run, number)
    n_failed = sum(bool(result.prediction.error) for result in run.results.values())
    if n_failed:
        params = {"n": f"{n_failed:,}", "filter": "failed"}
        notices.append(Notice(code="failed", run=number, params=params))
    generations = [result.prediction.generation for result in run.results.values()]
    n_truncated = sum(
        generation is not None and generation.finish_reason in _LENGTH for generation in generations
    )
    if n_truncated:
        notices.append(Notice(code="truncated", run=number, params={"n": f"{n_truncated:,}"}))
    n_shortened = sum(
        shorten(result.prediction) != result.prediction for result in run.results.values()
    )
    if n_shortened:
        params = {"n": f"{n_shortened:,}", "most": f"{MAX_CHARACTERS:,}"}
        notices.append(Notice(code="shortened", run=number, params=params))
    n_stopped = sum(generation is not None and bool(generation.stops) for generation in generations)
    if n_stopped:
        notices.append(Notice(code="server-stop", run=number, params={"n": f"{n_stopped:,}"}))
    chief = run.metrics.get(run.headline)
    if chief is not None and chief.n_scored < chief.n_questions:
        # Other values of the family exclude more questions by design: halves, answer types.
        family = run.headline.partition(".")[0] + "."
        same_denominator = [
            name
            for name, summary in run.metrics.items()
            if name.startswith(family) and summary.n_scored == chief.n_scored
        ]
        params = {
            "metrics": ", ".join(same_denominator),
            "n": f"{chief.n_scored:,}",
            "all": f"{chief.n_questions:,}",
        }
        notices.append(Notice(code="denominator", run=number, params=params))
    if run.info.dataset.limit is not None:
        notices.append(
            Notice(code="limit", run=number, params={"n": f"{run.info.dataset.limit:,}"})
        )
    return notices


def _iter_submission_notices(run: RunView, number: int) -> Iterator[Notice]:
    """Yield what in a prediction file does not fit the questions, as ``score`` reports it."""
    misfits = run.submission_misfits
    if misfits is None:
        return
    for kind in KINDS:
        ids = getattr(misfits, kind)
        if ids:
            params: dict[str, Any] = {"n": f"{len(ids):,}", "ids": first_names(ids)}
            if kind == "missing":
                params |= {"all": f"{misfits.n_questions:,}", "filter": "unanswered"}
            if kind == "strangers":
                params["all"] = f"{misfits.n_predictions:,}"
            yield Notice(code="handed-in-" + kind.replace("_", "-"), run=number, params=params)
    for reading, values in run.read_as.items():
        changes = ", ".join(
            f"{name} {100 * new:.1f} % ({100 * old:.1f} %)" for name, (new, old) in values.items()
        )
        code = "read-as-" + reading.replace(" ", "-")
        yield Notice(code=code, run=number, params={"values": changes})


def _comparison_notices(material: Material) -> list[Notice]:
    """Return notices on runs that must not be compared."""
    notices = []
    if 1 < len(material.sets) < len(material.runs):
        notices.append(Notice(code="different-sets", params={"n": str(len(material.sets))}))
    for place in range(len(material.sets)):
        members = [material.runs[number] for number in material.runs_of(place)]
        names = {name for run in members for name in run.metrics}
        differing = []
        for name in sorted(names):
            signatures = [run.metrics[name].signature for run in members if name in run.metrics]
            if len({comparable_signature(signature) for signature in signatures}) > 1:
                differing.append(name)
        if differing:
            notices.append(Notice(code="signatures", params={"metrics": ", ".join(differing)}))
    return notices


def _defects(material: Material, place: int) -> dict[str, int]:
    for number in material.runs_of(place):
        if material.runs[number].info.defects:
            return material.runs[number].info.defects
    return {}
