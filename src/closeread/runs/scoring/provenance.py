"""Record which versions computed scores, and decide which differences these explain.

A value under an official name never changes, and a metric's own version is in its signature. The
interval and the counts of a value have versions too.
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
# Parts of a signature that are versions, not options.
_VERSIONS = ("v", "base-v", "nltk", "punkt", "unicode")


def computed_by(settings: ScoreSettings) -> ComputedBy:
    """Return the current versions; numpy only if intervals are resampled."""
    drawn_by = ""
    if settings.resamples:
        import numpy as np

        drawn_by = np.__version__
    return ComputedBy(
        closeread=__version__, intervals=intervals.VERSION, counts=pools.VERSION, numpy=drawn_by
    )


@dataclass(frozen=True)
class Versions:
    """The versions that computed the stored scores, and the current ones."""

    stored: ComputedBy | None
    now: ComputedBy

    def explain(self, old: Summary, new: Summary, name: str) -> str:
        """Return the versions that explain a difference in the field ``name`` of a summary.

        Empty if no version explains it, which is then an error.
        """
        if reason := self.of_metrics(old.signature, new.signature):
            return reason
        if name == "signature" and comparable_signature(old.signature) != comparable_signature(
            new.signature
        ):
            return ""
        return self.of_field(name)

    def of_field(self, name: str) -> str:
        """Return the differing versions of what computes a field; empty if they are equal."""
        kinds = [kind for kind, fields in _FIELDS.items() if name in fields]
        if not kinds:
            return ""
        if self.stored is None:
            return UNRECORDED
        return self._format_versions(
            {
                kind: (getattr(self.stored, kind), getattr(self.now, kind))
                for kind in kinds
                if getattr(self.stored, kind) != getattr(self.now, kind)
            }
        )

    def of_metrics(self, old: str, new: str) -> str:
        """Return the versions in which two signatures of a metric differ; empty if in none."""
        had, has = _versions(old), _versions(new)
        if had.keys() != has.keys():
            return ""
        name = family(new.partition("|")[0])
        called = {key: name if key == "v" else key for key in had}
        return self._format_versions(
            {called[key]: (had[key], has[key]) for key in had if had[key] != has[key]}
        )

    def of_families(
        self, summaries: Iterable[Summary], metrics: Mapping[str, Metric]
    ) -> dict[str, str]:
        """Return ``of_metrics`` by family, for the families that another version scored."""
        found = {}
        for one in summaries:
            name = family(one.metric)
            if name in metrics and (
                told := self.of_metrics(one.signature, metrics[name].signature())
            ):
                found[name] = told
        return found

    def _format_versions(self, differing: Mapping[str, tuple[object, object]]) -> str:
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
