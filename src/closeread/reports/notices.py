"""What limits trust in a number: said at the top of the page, each with its count."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from closeread.metrics.summary import comparable_signature
from closeread.reports.excerpts import MOST, shortened
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
    """One remark; ``code`` names its words, ``run`` counts the page's runs (None: all)."""

    code: str
    run: int | None = None
    params: dict[str, Any] = field(default_factory=dict)


def terms(license: str) -> str:  # noqa: A002
    """Tell the kind of a licence: ``open``, ``non-commercial`` or ``unknown``."""
    if not license.strip():
        return "unknown"
    if _NON_COMMERCIAL.search(license):
        return "non-commercial"
    return "unknown" if _UNKNOWN.search(license) else "open"


def notices(material: Material) -> list[Notice]:
    """Return every reason for caution, the gravest first."""
    found = [each for number, run in enumerate(material.runs) for each in _of_run(run, number)]
    found += _between(material)
    for place, view in enumerate(material.sets):
        name = view.info.name
        if view.problem:
            params = {"name": name, "path": view.info.path}
            found.append(Notice(code=f"set-{view.problem}", params=params))
        counts = _defects(material, place)
        if counts:
            total = f"{sum(counts.values()):,}"
            listed = {"name": name, "n": total, "items": list(counts.items())}
            found.append(Notice(code="defects", params=listed))
        kept = sum(row.place == place for row in material.rows)
        if 0 < kept < (view.info.limit or view.info.n_questions) and not view.problem:
            params = {"name": name, "n": f"{kept:,}", "all": f"{view.info.n_questions:,}"}
            found.append(Notice(code="sampled", params=params))
        kind = terms(view.info.license)
        if kind != "open":
            params = {"name": name, "license": view.info.license}
            found.append(Notice(code=f"licence-{kind}", params=params))
    return found


def _of_run(run: RunView, number: int) -> list[Notice]:
    found = []
    if run.misfits:
        params: dict[str, Any] = {"name": run.name, "why": "; ".join(run.misfits)}
        found.append(Notice(code="files-changed", run=number, params=params))
    if not run.metrics:
        found.append(Notice(code="not-scored", run=number))
    found += _of_handed_in(run, number)
    failed = sum(bool(told.prediction.error) for told in run.told.values())
    if failed:
        params = {"n": f"{failed:,}", "filter": "failed"}
        found.append(Notice(code="failed", run=number, params=params))
    generations = [told.prediction.generation for told in run.told.values()]
    cut = sum(made is not None and made.finish_reason in _LENGTH for made in generations)
    if cut:
        found.append(Notice(code="truncated", run=number, params={"n": f"{cut:,}"}))
    long = sum(shortened(told.prediction) != told.prediction for told in run.told.values())
    if long:
        params = {"n": f"{long:,}", "most": f"{MOST:,}"}
        found.append(Notice(code="shortened", run=number, params=params))
    stopped = sum(made is not None and bool(made.stops) for made in generations)
    if stopped:
        found.append(Notice(code="server-stop", run=number, params={"n": f"{stopped:,}"}))
    chief = run.metrics.get(run.headline)
    if chief is not None and chief.n_scored < chief.n_questions:
        # Others of the family leave out more by design: halves, types of answers.
        family = run.headline.partition(".")[0] + "."
        alike = [
            name
            for name, it in run.metrics.items()
            if name.startswith(family) and it.n_scored == chief.n_scored
        ]
        params = {
            "metrics": ", ".join(alike),
            "n": f"{chief.n_scored:,}",
            "all": f"{chief.n_questions:,}",
        }
        found.append(Notice(code="denominator", run=number, params=params))
    if run.info.dataset.limit is not None:
        found.append(Notice(code="limit", run=number, params={"n": f"{run.info.dataset.limit:,}"}))
    return found


def _of_handed_in(run: RunView, number: int) -> Iterator[Notice]:
    """Say what of a file that was handed in does not fit the questions, as ``score`` does."""
    strange = run.strange
    if strange is None:
        return
    for kind in KINDS:
        ids = getattr(strange, kind)
        if ids:
            params: dict[str, Any] = {"n": f"{len(ids):,}", "ids": first_names(ids)}
            if kind == "missing":
                params |= {"all": f"{strange.n_questions:,}", "filter": "unanswered"}
            if kind == "strangers":
                params["all"] = f"{strange.n_predictions:,}"
            yield Notice(code="handed-in-" + kind.replace("_", "-"), run=number, params=params)
    for how, values in run.read_as.items():
        listed = ", ".join(
            f"{name} {100 * new:.1f} % ({100 * old:.1f} %)" for name, (new, old) in values.items()
        )
        code = "read-as-" + how.replace(" ", "-")
        yield Notice(code=code, run=number, params={"values": listed})


def _between(material: Material) -> list[Notice]:
    """Say where two runs must not be compared."""
    found = []
    if 1 < len(material.sets) < len(material.runs):
        found.append(Notice(code="different-sets", params={"n": str(len(material.sets))}))
    for place in range(len(material.sets)):
        members = [material.runs[number] for number in material.runs_of(place)]
        names = {name for run in members for name in run.metrics}
        unlike = []
        for name in sorted(names):
            signatures = [run.metrics[name].signature for run in members if name in run.metrics]
            if len({comparable_signature(signature) for signature in signatures}) > 1:
                unlike.append(name)
        if unlike:
            found.append(Notice(code="signatures", params={"metrics": ", ".join(unlike)}))
    return found


def _defects(material: Material, place: int) -> dict[str, int]:
    for number in material.runs_of(place):
        if material.runs[number].info.defects:
            return material.runs[number].info.defects
    return {}
