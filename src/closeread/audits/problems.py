"""Unusable records of an audit's sources: counted, and reported together."""

from dataclasses import dataclass, field

from closeread.errors import InputError
from closeread.types import Defects
from closeread.wording import count_of, in_one_line


@dataclass
class Problems:
    """Counts unusable records, and raises one error for all of them unless they are skipped."""

    bad: Defects = field(default_factory=Defects)

    def raise_unless_skipped(self, skip: bool) -> None:
        """Report all unusable records in one error.

        Raises:
            InputError: There are unusable records, and ``skip`` is False.
        """
        if not self.bad.total or skip:
            return
        lines = [
            in_one_line(f"{code} {count:,}, first {found.question_id or '-'}: {found.message}")
            for code, count in self.bad.counts.items()
            for found in self.bad.examples[code][:1]
        ]
        raise InputError(
            f"{count_of(self.bad.total, 'thing')} cannot be used:\n    " + "\n    ".join(lines),
            cure="repair the sources, name runs of the same questions, or pass --skip-bad to "
            "skip these and report their number",
        )
