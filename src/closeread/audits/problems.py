"""What of the sources cannot be examined: counted, and told all at once."""

from dataclasses import dataclass, field

from closeread.errors import InputError
from closeread.types import Defects
from closeread.wording import count_of, in_one_line


@dataclass
class Problems:
    """What of the sources cannot be examined, counted; stops unless it is to be skipped."""

    bad: Defects = field(default_factory=Defects)

    def settle(self, skip: bool) -> None:
        """Raise everything at once.

        Raises:
            InputError: Something is bad and not to be skipped.
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
