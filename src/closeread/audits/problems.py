"""Unusable records of an audit's sources: counted, and reported together."""

from dataclasses import dataclass, field

from closeread.errors import InputError
from closeread.types import Defects
from closeread.wording import count_of, in_one_line


@dataclass
class Problems:
    """Counts unusable records, and raises one error for all of them unless they are skipped."""

    defects: Defects = field(default_factory=Defects)

    def raise_unless_skipped(self, skip: bool) -> None:
        """Report all unusable records in one error.

        Raises:
            InputError: There are unusable records, and ``skip`` is False.
        """
        if not self.defects.total or skip:
            return
        lines = [
            in_one_line(f"{code} {count:,}, first {example.question_id or '-'}: {example.message}")
            for code, count in self.defects.counts.items()
            for example in self.defects.examples[code][:1]
        ]
        raise InputError(
            f"{count_of(self.defects.total, 'thing')} cannot be used:\n    " + "\n    ".join(lines),
            cure="repair the sources, name runs of the same questions, or pass --skip-bad to "
            "skip these and report their number",
        )
