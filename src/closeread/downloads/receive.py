"""Brings published sets into a folder, and checks them by checksum and count."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from closeread.downloads.archive import extract
from closeread.downloads.fetch import Patience, describe_checksum_mismatch, digests, fetch
from closeread.downloads.published import Member, PublishedFile, PublishedSet
from closeread.downloads.selection import select
from closeread.errors import (
    CloseReadError,
    MismatchError,
    StorageError,
    TransferError,
    UsageError,
)
from closeread.protocols import Advance, uncounted
from closeread.types import Record
from closeread.wording import count_of

Count = Callable[[Path], int]


class Received(Record, frozen=True, kw_only=True):
    """One file in the folder, and what is known of it.

    Attributes:
        checked_by: ``sha256``, ``md5`` or both, if a published checksum was compared.
        sha256: The hash of the file on disk.
        examples: File name -> number of questions; for an archive of its members.
        address: The address that gave the file; "" if it was there already.
        members: The extracted members of an archive.
        remarks: Counts that differ from the published ones although the checksum is correct.
    """

    name: str
    path: str
    license: str
    citation: str
    checked_by: tuple[str, ...]
    sha256: str
    examples: dict[str, int]
    address: str = ""
    members: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def get(
    names: Iterable[str],
    to: Path,
    *,
    count: Count,
    mirror: str = "",
    patience: Patience | None = None,
    advance: Advance = uncounted,
) -> Iterator[Received]:
    """Bring published sets into a folder, one file after the other.

    A file that cannot be downloaded does not stop the others; the error is raised at the end.

    Args:
        names: Sets (``mrqa/train``), files of them (``mrqa/train/SQuAD``), prefixes (``mrqa``).
        to: The folder.
        count: Counts the questions in a file, whatever its name.
        mirror: An address that holds the files under their names; tried first.
        patience: Time-outs and attempts.
        advance: Called with the number of bytes as they arrive.

    Raises:
        UnknownNameError: No such set.
        UsageError: The set must be downloaded by hand; the message says where, on which terms.
        MismatchError: The file exists with other content, or no checksum is published and the count
            is wrong.
        TransferError: Every address of a file failed.
        StorageError: The folder cannot be written.
    """
    failures: list[TransferError] = []
    patience = patience or Patience()
    for _, published, file in select(names):
        try:
            received = _receive_file(
                published,
                _with_mirror(file, mirror),
                to,
                count=count,
                patience=patience,
                advance=advance,
            )
        except TransferError as error:
            failures.append(error)
            continue
        yield received
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise TransferError(
            f"{len(failures)} files could not be downloaded\n" + "\n".join(map(str, failures))
        )


class _QuestionCounts:
    """Counts the questions of a published file, or of its members if it is an archive.

    Attributes:
        examples: File name to number of questions.
        remarks: Counts that differ from the published ones although the checksum is correct.
    """

    def __init__(self, file: PublishedFile, count: Count) -> None:
        self.examples: dict[str, int] = {}
        self.remarks: list[str] = []
        self._file, self._count = file, count

    def check_file(self, path: Path) -> None:
        """Count the questions in the file unless it is an archive; raises as ``check_member``."""
        if not self._file.members:
            self._check(path, self._file.name, self._file.examples)

    def check_member(self, path: Path, member: Member) -> None:
        """Count the questions in an extracted member.

        Raises:
            MismatchError: The count is wrong, and no checksum is published.
        """
        self._check(path, member.name, member.examples)

    def _check(self, path: Path, name: str, expected: int | None) -> None:
        n = self.examples[name] = self._count(path)
        if expected is None or n == expected:
            return
        # A correct checksum outranks a count: the publishers may have counted differently
        # (independent conversions of the MRQA file of HotpotQA's dev hold 5,901, not 5,904).
        questions = count_of(n, "question was", "questions were")
        if not (self._file.md5 or self._file.sha256):
            raise MismatchError(
                f"{questions} counted",
                where=name,
                expected=f"{expected:,} as published",
            )
        self.remarks.append(
            f"{name}: {questions} counted, but its publishers say {expected:,}; the checksum is "
            "right"
        )


def _receive_file(
    published: PublishedSet,
    file: PublishedFile,
    to: Path,
    *,
    count: Count,
    patience: Patience,
    advance: Advance,
) -> Received:
    """Check a file if it is there, else download it; then extract its members."""
    target = to / file.name
    counts = _QuestionCounts(file, count)
    address = ""
    if target.exists():
        _check_present(file, target, counts.check_file)
    elif not file.addresses:
        raise UsageError(
            f"{file.name} must be downloaded by hand: {published.by_hand}",
            expected=f"the file at {target}",
            cure="put it there, then run this command again to check it",
        )
    else:
        address = fetch(file, target, check=counts.check_file, patience=patience, advance=advance)
    members = extract(target, file.members, to, counts.check_member) if file.members else []
    return Received(
        name=file.name,
        path=str(target),
        license=file.license or published.license,
        citation=file.citation or published.citation,
        checked_by=tuple(kind for kind in ("md5", "sha256") if getattr(file, kind)),
        sha256=digests(target)[1],
        examples=counts.examples,
        address=address,
        members=tuple(map(str, members)),
        remarks=tuple(counts.remarks),
    )


def _with_mirror(file: PublishedFile, mirror: str) -> PublishedFile:
    if not mirror or not file.addresses:
        return file
    return replace(file, addresses=(f"{mirror.rstrip('/')}/{file.name}", *file.addresses))


def _check_present(file: PublishedFile, target: Path, check: Callable[[Path], None]) -> None:
    cure = "move it away and run this command again"
    try:
        problem = describe_checksum_mismatch(file, target)
    except OSError as error:
        raise StorageError(
            f"cannot be read: {error.strerror}", where=str(target), cure=cure
        ) from error
    if problem:
        raise MismatchError(
            f"a file already exists there, but it is not the published one ({problem})",
            where=str(target),
            cure=cure,
        )
    try:
        check(target)
    except CloseReadError as error:
        raise MismatchError(
            f"a file already exists there, but it is not the published one ({error.found})",
            where=str(target),
            cure=cure,
        ) from error
