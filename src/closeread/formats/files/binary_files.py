"""Recognises archives and compressed files by their first bytes, and says how to unpack them."""

from closeread.errors import InputError

_UNPACK = "unpack it: {} FILE"
# First bytes -> what the file is, what to do. No text begins with them.
_KINDS = {
    b"PK\x03\x04": (
        "a zip archive",
        "unpack it and pass a file in it; if it is an Excel table, save it as CSV UTF-8",
    ),
    b"\xfd7zXZ\0": ("compressed with xz", _UNPACK.format("xz -dk")),
    **{
        b"BZh%d1AY&SY" % level: ("compressed with bzip2", _UNPACK.format("bzip2 -dk"))
        for level in range(1, 10)
    },
    b"\x28\xb5\x2f\xfd": ("compressed with zstd", _UNPACK.format("zstd -d")),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "unpack it and pass a file in it"),
    b"Rar!\x1a\x07": ("a rar archive", "unpack it and pass a file in it"),
}
_TAR_AT, _TAR = 257, (b"ustar\0", b"ustar  \0")  # POSIX and GNU; text may have mustard there
N_HEAD_BYTES = _TAR_AT + max(map(len, _TAR))  # enough to recognise the file


def binary_file_error(first: bytes, where: str) -> InputError | None:
    """Return the error for an archive or a compressed file; None if the file is neither.

    Args:
        first: The first ``N_HEAD_BYTES`` bytes, or all bytes of a shorter file.
        where: The file's name.
    """
    if first[_TAR_AT:].startswith(_TAR):
        return _error("a tar archive", "unpack it and pass a file in it: tar -xf FILE", where)
    for beginning, (kind, cure) in _KINDS.items():
        if first.startswith(beginning):
            return _error(kind, cure, where)
    return None


def _error(kind: str, cure: str, where: str) -> InputError:
    expected = "UTF-8 text, plain or gzip-compressed"
    return InputError(kind, where=where, expected=expected, cure=cure)
