"""What can go wrong by a user's hand. Anything else is a bug of ours and shows its traceback."""

from closeread.wording import escape_message, in_one_line


class CloseReadError(Exception):
    """A user error: one message, exit code 2. Says what, where, what was expected, what to do."""

    def __init__(self, found: str, *, where: str = "", expected: str = "", cure: str = "") -> None:
        self.found = found
        self.where = where
        self.expected = expected
        self.cure = cure
        super().__init__(str(self))

    def __str__(self) -> str:
        found = escape_message(str(self.found))
        lines = [f"{in_one_line(str(self.where))}: {found}" if self.where else found]
        if self.expected:
            lines.append(f"  expected: {in_one_line(str(self.expected))}")
        if self.cure:
            lines.append(f"  do: {in_one_line(str(self.cure))}")
        return "\n".join(lines)


class InputError(CloseReadError):
    """A file cannot be parsed, or a field that its format promises is missing."""


class PredictionError(InputError):
    """A prediction cannot be judged. ``where`` names its question; who knows its file adds it."""

    def of_file(self, path: object) -> "PredictionError":
        """Return the same with the file that the prediction stands in."""
        where = f"{path}, {self.where}"
        return PredictionError(self.found, where=where, expected=self.expected, cure=self.cure)


class DefectError(CloseReadError):
    """The data has defects and the user asked for ``--strict``."""


class UsageError(CloseReadError):
    """An option, a recipe key or a combination of them makes no sense."""


class UnknownNameError(UsageError):
    """A name is not in the catalog."""


class OutsideError(CloseReadError):
    """A part that somebody else wrote, named by ``package.module:factory``, failed."""

    @property
    def raised(self) -> str:
        """What it raised itself, in a line: ``ValueError: no such word``."""
        return f"{type(self.__cause__).__name__}: {' '.join(str(self.__cause__).split())}"


class MissingExtraError(CloseReadError):
    """An optional dependency is not installed."""


class MismatchError(CloseReadError):
    """Two things that must agree (data sets, signatures, checksums) do not."""


class StorageError(CloseReadError):
    """A file or folder cannot be written or read."""


class TransferError(CloseReadError):
    """A download failed at every address."""


class EndpointError(CloseReadError):
    """A model's endpoint cannot be reached, refuses, or does not have what was asked for."""


class BudgetError(CloseReadError):
    """A budget of tokens or money is used up; what was read is kept and can be resumed."""
