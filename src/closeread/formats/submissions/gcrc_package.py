"""Packs and unpacks GCRC_advRobust.zip, the package that the evaluation required.

Section 4 of the task's description: the predicted letters, the model, and a document with
instructions for running the code, each under a fixed name. An incomplete package is disqualified.
"""

import io
import shutil
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from closeread.errors import InputError, UsageError
from closeread.formats.files.decompression import UTF8_MARK
from closeread.formats.files.size_limits import MAX_PREDICTIONS_BYTES
from closeread.wording import argument, in_one_line

PREDICTIONS = "GCRC_advRobust.json"
MODEL, DOCUMENT = BESIDE = ("model.zip", "GCRC_advRobust.docx")
_MAGIC = b"PK\x03\x04"
_SHOWN = 80  # characters of a member's name
_METHODS = {9: "deflate64", 12: "bzip2", 14: "lzma", 93: "Zstandard"}
_CHUNK = 4096
_WRITTEN = (1980, 1, 1, 0, 0, 0)  # the same files make the same package

Parts = Mapping[str, Callable[[], IO[bytes]]]


def pack(predictions: bytes, beside: Sequence[Path], stream: BinaryIO) -> None:
    """Write the package.

    Args:
        predictions: What ``hand_in`` writes as ``gcrc-advrobust``.
        beside: The files of model and document, under the names that the evaluation requires.
        stream: The output.

    Raises:
        UsageError: One is missing, has another name, or is not what its name says; the whole model
            is checked.
    """
    parts: Parts = {path.name: partial(io.FileIO, path) for path in beside if path.is_file()}
    faults = [f"{path} is not a file" for path in beside if not path.is_file()]
    faults += [f"{name} does not belong to the package" for name in parts if name not in BESIDE]
    names = [path.name for path in beside]
    faults += [f"{name} is given twice" for name in BESIDE if names.count(name) > 1]
    missing_names = [name for name in BESIDE if name not in names]
    faults += _missing_parts(missing_names, parts) + _faults(parts, whole=True)
    if faults:
        raise UsageError(
            "; ".join(faults),
            where="the package",
            expected=f"the model as {MODEL}, and instructions for running its code as {DOCUMENT}",
            cure=f"pass both: --beside {MODEL} --beside {DOCUMENT}"
            if missing_names
            else "pass each file once, complete and of its kind",
        )
    with zipfile.ZipFile(stream, "w") as package:
        entry = zipfile.ZipInfo(PREDICTIONS, _WRITTEN)
        package.writestr(entry, predictions, zipfile.ZIP_DEFLATED)
        for name in BESIDE:
            entry = zipfile.ZipInfo(name, _WRITTEN)
            with parts[name]() as source, package.open(entry, "w", force_zip64=True) as into:
                shutil.copyfileobj(source, into, 1 << 20)


def is_zip(path: Path) -> bool:
    """Whether a file is a zip archive, by its first bytes."""
    try:
        if not path.is_file():  # a pipe can be read only once
            return False
        with path.open("rb") as stream:
            return stream.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False  # the reader of the file reports the error


def unpack(path: Path) -> bytes:
    """Return the predictions of a package, a zip archive, without a byte-order mark.

    Raises:
        InputError: The archive is broken, lacks a part, a part is not compressed with deflate, its
            predictions are empty, or they or its document are too large unpacked. The message
            lists all faults.
    """
    try:
        with zipfile.ZipFile(path) as package:
            members = {member.filename: member for member in package.infolist()}
            parts: Parts = {name: partial(package.open, name) for name in members}
            unopened = _unsafe_members(members)
            faults = _missing_parts((PREDICTIONS, *BESIDE), members) + list(unopened.values())
            opened = {name: parts[name] for name in parts if name not in unopened}
            faults += _faults(opened, whole=MODEL in opened and _is_cheap_to_read(members[MODEL]))
            if not faults:
                return read_member(package, PREDICTIONS)
    except Exception as error:  # a damaged archive raises any of many errors
        faults = [f"the archive cannot be read: {error}"]
    raise InputError(
        "; ".join(faults),
        where=str(path),
        expected=f"{PREDICTIONS}, {MODEL} and {DOCUMENT} at the top of a zip archive",
        cure=f"make the package with `closeread convert RUN {argument(path.name)}`; or unpack the "
        "archive and pass only the predictions",
    )


def _unsafe_members(members: Mapping[str, zipfile.ZipInfo]) -> dict[str, str]:
    """Return the members that must not be unpacked, with the reason."""
    unsafe = {}
    for name in (PREDICTIONS, *BESIDE):
        if name not in members:
            continue
        method, size = members[name].compress_type, members[name].file_size
        if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # zipfile unpacks such a member block by block, and a block may be gigabytes.
            method_name = _METHODS.get(method, f"method {method}")
            unsafe[name] = f"{name} is compressed with {method_name}, not with deflate"
        elif name != MODEL and size > MAX_PREDICTIONS_BYTES:
            unsafe[name] = f"{name} unpacks to more than {MAX_PREDICTIONS_BYTES:,} bytes"
        elif name == PREDICTIONS and not size:
            unsafe[name] = f"{name} is empty"
    return unsafe


def _is_cheap_to_read(model: zipfile.ZipInfo) -> bool:
    """Whether the end of a model can be checked at little cost: it is stored, or not too large."""
    return model.compress_type == zipfile.ZIP_STORED or model.file_size <= MAX_PREDICTIONS_BYTES


def read_member(package: zipfile.ZipFile, name: str) -> bytes:
    """Return a member without a byte-order mark; never more bytes than the archive states."""
    content = io.BytesIO()
    with package.open(name) as stream:
        # Read in one call, zipfile unpacks everything before it compares the stated size.
        shutil.copyfileobj(stream, content, _CHUNK)
    return content.getvalue().removeprefix(UTF8_MARK)


def _missing_parts(names: Sequence[str], present: Collection[str]) -> list[str]:
    return [
        f"{name} is missing" + _suggest_member(name, present)
        for name in names
        if name not in present
    ]


def _suggest_member(name: str, present: Collection[str]) -> str:
    """Name a member that may be the missing one: in a folder, or under another name."""
    candidates = [
        member for member in present if member.lower().endswith(PurePosixPath(name).suffix)
    ]
    candidates = [
        member for member in candidates if not PurePosixPath(member).name.startswith(".")
    ]  # macOS's shadow files
    same_ending = [member for member in candidates if member.lower().endswith(name.lower())]
    return f" (found {in_one_line((same_ending or candidates)[0][-_SHOWN:])})" if candidates else ""


def _faults(parts: Parts, *, whole: bool = False) -> list[str]:
    """Return the faults of model and document; of the model as far as its beginning shows them.

    Args:
        parts: Functions that open them.
        whole: Whether to check the model's end, too, which unpacks everything before it.
    """
    faults = []
    if MODEL in parts:
        with parts[MODEL]() as stream:
            if stream.read(len(_MAGIC)) != _MAGIC:
                faults.append(f"{MODEL} is not a zip archive, or is empty")
            elif whole and not zipfile.is_zipfile(stream):
                faults.append(f"{MODEL} is cut off: its end is missing")
    if DOCUMENT in parts:
        with parts[DOCUMENT]() as stream:
            if not _is_document(stream):
                faults.append(f"{DOCUMENT} is not a Word document")
    return faults


def _is_document(stream: IO[bytes]) -> bool:
    try:
        with zipfile.ZipFile(stream) as opened:  # nothing is unpacked, whatever its size
            return "word/document.xml" in opened.namelist()
    except Exception:  # as above
        return False
