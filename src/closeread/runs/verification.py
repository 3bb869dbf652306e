"""The result of verifying a run folder: what was checked, what was not, and what differs."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from closeread.errors import CloseReadError
from closeread.runs.differences import Difference
from closeread.wording import count_of

_MAX_LISTED = 20


@dataclass
class Verification:
    """What was checked, what could not be checked, and what differs, one sentence each."""

    checked: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """``differs``, ``verified``, or ``verified in part`` if something was not checked."""
        if self.differences:
            return "differs"
        return "verified in part" if self.unchecked else "verified"

    def compare(self, check: str, differences: Iterable[str]) -> bool:
        """Run one check and keep its first differences; return whether there are none."""
        return self.compare_numbers(check, map(Difference, differences))

    def compare_numbers(self, check: str, differences: Iterable[Difference]) -> bool:
        """Run one check of scores; differences explained by another version count as unchecked."""
        listed = list(differences)
        wrong = [difference.message for difference in listed if not difference.versions]
        self.differences += [f"{check}: {difference}" for difference in wrong[:_MAX_LISTED]]
        if len(wrong) > _MAX_LISTED:
            self.differences.append(f"{check}: and {len(wrong) - _MAX_LISTED:,} more")
        explained: dict[str, list[str]] = {}
        for difference, versions in listed:
            if versions:
                explained.setdefault(versions, []).append(difference)
        for versions, of_versions in explained.items():
            self.unchecked.append(
                f"{check}: computed by another version ({versions}); score the run again; "
                f"{count_of(len(of_versions), 'differs', 'differ')}: "
                f"{of_versions[0]}{', ...' if len(of_versions) > 1 else ''}"
            )
        if not listed:
            self.checked.append(check)
        return not listed


def first_line(error: CloseReadError) -> str:
    """Return where and what of an error, without the cure, which verifying does not need."""
    return str(error).partition("\n")[0]
