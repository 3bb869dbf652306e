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

    def explain(self, old: Summary, new: Summary, field: str) -> str:
        """Return the versions that explain a difference in one field of a summary.

        Empty if no version explains the difference; it is then an error.
        """
        if reason := self.explain_signatures(old.signature, new.signature):
            return reason
        if field == "signature" and comparable_signature(old.signature) != comparable_signature(
            new.signature
        ):
            return ""
        return self.explain_field(field)

    def explain_field(self, field: str) -> str:
        """Return the differing versions of what computes a field; empty if they are equal."""
        kinds = [kind for kind, fields in _FIELDS.items() if field in fields]
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

    def explain_signatures(self, old: str, new: str) -> str:
        """Return the versions in which two signatures of a metric differ; empty if in none."""
        stored_versions, current_versions = _parse_versions(old), _parse_versions(new)
        if stored_versions.keys() != current_versions.keys():
            return ""
        name = family(new.partition("|")[0])
        labels = {key: name if key == "v" else key for key in stored_versions}
        return self._format_versions(
            {
                labels[key]: (stored_versions[key], current_versions[key])
                for key in stored_versions
                if stored_versions[key] != current_versions[key]
            }
        )

    def explain_families(
        self, summaries: Iterable[Summary], metrics: Mapping[str, Metric]
    ) -> dict[str, str]:
        """Return the versions that explain differences, by family; other families are left out."""
        versions = {}
        for summary in summaries:
            name = family(summary.metric)
            if name in metrics and (
                differing := self.explain_signatures(summary.signature, metrics[name].signature())
            ):
                versions[name] = differing
        return versions

    def _format_versions(self, differing: Mapping[str, tuple[object, object]]) -> str:
        if not differing:
            return ""
        pairs = dict(differing)
        if self.stored is not None and self.stored.closeread != self.now.closeread:
            pairs = {"closeread": (self.stored.closeread, self.now.closeread), **pairs}
        stored, current = (
            ", ".join(f"{name} {pair[side]}" for name, pair in pairs.items()) for side in (0, 1)
        )
        return f"{stored}; here {current}"


_FIELDS = {"intervals": _OF_INTERVALS, "counts": _OF_COUNTS, "numpy": _OF_DRAWS}


def _parse_versions(signature: str) -> dict[str, str]:
    parts = (part.partition(":") for part in signature.split("|"))
    # ``selective`` writes its base's version from the second one on.
    return {"base-v": "1"} | {key: value for key, _, value in parts if key in _VERSIONS}
