"""User errors, one class per kind. Any other exception is a bug and shows its traceback."""

from closeread.wording import escape_message, in_one_line


class CloseReadError(Exception):
    """A user error: one message with what, where, expected and cure; exit code 2."""

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
    """A file cannot be parsed, or a required field is missing."""


class PredictionError(InputError):
    """A prediction cannot be scored. ``where`` gives its question; ``of_file`` adds the file."""

    def of_file(self, path: object) -> "PredictionError":
        """Return the same error with the file of the prediction."""
        where = f"{path}, {self.where}"
        return PredictionError(self.found, where=where, expected=self.expected, cure=self.cure)


class DefectError(CloseReadError):
    """The data has defects, and the user passed ``--strict``."""


class UsageError(CloseReadError):
    """An option, a recipe key or a combination of them is invalid."""


class UnknownNameError(UsageError):
    """A name is not in the catalog."""


class OutsideError(CloseReadError):
    """A user's own part, named ``package.module:factory``, failed."""

    @property
    def raised(self) -> str:
        """The exception that it raised, in one line: ``ValueError: no such word``."""
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
