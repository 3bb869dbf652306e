"""By which state of the tool numbers were computed, and which differences that explains.

A value under an official name is for ever the same, and a metric's own version stands in its
signature. What stands beside a value, its interval and its counts, has versions too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from closeread.metrics import intervals, pools
from closeread.metrics.subject import family
from closeread.metrics.summary import comparable_signature
from closeread.protocols import Metric
from closeread.runs.records import ComputedBy, ScoreSettings
from closeread.types import Summary
from closeread.version import __version__

UNRECORDED = "written before versions were recorded"
_OF_INTERVALS = frozenset({"low", "high", "note", "signature", "unit_id"})
_OF_COUNTS = frozenset({"n_scored", "n_answered", "n_failed", "note"})
_OF_DRAWS = frozenset({"low", "high"})
# Parts of a signature that no option sets.
_VERSIONS = ("v", "base-v", "nltk", "punkt", "unicode")


def computed_by(settings: ScoreSettings) -> ComputedBy:
    """Return what computes numbers here and now; numpy only where intervals are drawn."""
    drawn_by = ""
    if settings.resamples:
        import numpy as np

        drawn_by = np.__version__
    return ComputedBy(
        closeread=__version__, intervals=intervals.VERSION, counts=pools.VERSION, numpy=drawn_by
    )


@dataclass(frozen=True)
class Versions:
    """Who computed the stored numbers, and who computes them now."""

    stored: ComputedBy | None
    now: ComputedBy

    def explain(self, old: Summary, new: Summary, name: str) -> str:
        """Return the versions that a summary's two values of the field ``name`` differ by.

        Empty where no version explains that they differ, which then is an error.
        """
        if reason := self.of_metrics(old.signature, new.signature):
            return reason
        if name == "signature" and comparable_signature(old.signature) != comparable_signature(
            new.signature
        ):
            return ""
        return self.of_field(name)

    def of_field(self, name: str) -> str:
        """Return the versions of what computes a field of a summary or a score; empty if equal."""
        kinds = [kind for kind, fields in _FIELDS.items() if name in fields]
        if not kinds:
            return ""
        if self.stored is None:
            return UNRECORDED
        return self._told(
            {
                kind: (getattr(self.stored, kind), getattr(self.now, kind))
                for kind in kinds
                if getattr(self.stored, kind) != getattr(self.now, kind)
            }
        )

    def of_metrics(self, old: str, new: str) -> str:
        """Return the versions that two signatures of a metric differ by; empty if by none."""
        had, has = _versions(old), _versions(new)
        if had.keys() != has.keys():
            return ""
        name = family(new.partition("|")[0])
        called = {key: name if key == "v" else key for key in had}
        return self._told(
            {called[key]: (had[key], has[key]) for key in had if had[key] != has[key]}
        )

    def of_families(
        self, summaries: Iterable[Summary], metrics: Mapping[str, Metric]
    ) -> dict[str, str]:
        """Return the same by family, of those that another version scored."""
        found = {}
        for one in summaries:
            name = family(one.metric)
            if name in metrics and (
                told := self.of_metrics(one.signature, metrics[name].signature())
            ):
                found[name] = told
        return found

    def _told(self, differing: Mapping[str, tuple[object, object]]) -> str:
        if not differing:
            return ""
        told = dict(differing)
        if self.stored is not None and self.stored.closeread != self.now.closeread:
            told = {"closeread": (self.stored.closeread, self.now.closeread), **told}
        had, has = (
            ", ".join(f"{name} {pair[side]}" for name, pair in told.items()) for side in (0, 1)
        )
        return f"{had}; here {has}"


_FIELDS = {"intervals": _OF_INTERVALS, "counts": _OF_COUNTS, "numpy": _OF_DRAWS}


def _versions(signature: str) -> dict[str, str]:
    parts = (part.partition(":") for part in signature.split("|"))
    # ``selective`` writes its base's version from the second one on.
    return {"base-v": "1"} | {key: value for key, _, value in parts if key in _VERSIONS}
