"""Converts word-vector files, by gensim, into a cached matrix that can be memory-mapped."""

import contextlib
import hashlib
import struct
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from closeread.downloads import cache
from closeread.errors import InputError, StorageError
from closeread.registry.extras import missing_extra
from closeread.system import partial_files
from closeread.system.checksums import sha256_of, store_sha256

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FASTTEXT = b"\xba\x16\x4f\x2f"  # the magic number 793712314, little-endian
_COMPRESSED = {b"\x1f\x8b": ".gz", b"BZh": ".bz2"}
_VERSION = b"2"
_HASH_LENGTH = 64  # hexadecimal digits of a sha256


@dataclass(frozen=True)
class StoredVectors:
    """Vectors on disk.

    Attributes:
        name: The name of the original file.
        rows: The vectors, shape (words, dimensions), single precision, memory-mapped.
        places: The row of each word.
        left_out: Number of words left out because their vector is zero and so has no direction.
        sha256: The hash of the original file, as ``sha256sum`` prints it.
    """

    name: str
    rows: "NDArray[Any]"
    row_of: dict[str, int]
    left_out: int
    sha256: str


def load_stored(path: Path) -> StoredVectors:
    """Return a file's vectors from the cache, converting them first if they are not cached.

    Raises:
        InputError: The file is missing or broken, its rows differ in length, or it contains a
            value that is not finite.
        MissingExtraError: gensim is not installed.
        StorageError: The cache cannot be written.
    """
    import numpy as np

    folder = _cache_folder(path)
    words, matrix = folder / "words.txt", folder / "rows.npy"
    if not (words.exists() and matrix.exists()):
        _convert(path, folder)
    # Not in text mode, where a carriage return in a word would end the line.
    lines = words.read_bytes().decode().split("\n")
    left_out, listed = int(lines[0]), lines[1:]
    rows = np.asarray(np.load(matrix, mmap_mode="r"))  # still mapped; plain arrays index faster
    row_of = {word: row for row, word in enumerate(listed)}
    return StoredVectors(path.name, rows, row_of, left_out, _sha256(path, folder))


def _sha256(path: Path, folder: Path) -> str:
    """Return a file's hash, cached beside its vectors, because hashing gigabytes takes long."""
    path_of_hash = folder / "sha256"
    with contextlib.suppress(OSError):
        if len(digest := path_of_hash.read_text("ascii")) == _HASH_LENGTH:
            store_sha256(path, digest)
            return digest
    digest = sha256_of(path)
    unfinished = partial_files.partial_path(path_of_hash)
    partial_files.remove_abandoned(path_of_hash)
    with contextlib.suppress(OSError):  # the cache may be read-only
        unfinished.write_text(digest, "ascii")
        unfinished.replace(path_of_hash)
    return digest


def _cache_folder(path: Path) -> Path:
    """Return the cache folder of a file; it depends on the file's path, size and modification time.

    Raises:
        InputError: The file is missing, is a folder, or cannot be read.
    """
    try:
        with path.open("rb"):
            stat = path.stat()
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=str(path),
            expected="a file of word vectors: word2vec text or binary, or fastText",
            cure="check the path; `closeread train` trains word vectors on passages "
            "(docs/vgaokao.md)",
        ) from error
    key = f"{path.resolve()}|{stat.st_size}|{stat.st_mtime_ns}".encode()
    name = hashlib.blake2b(_VERSION + key, digest_size=12).hexdigest()
    return cache.cache_folder() / "vectors" / name


def _convert(path: Path, folder: Path) -> None:
    import numpy as np

    words, rows = _read(path)
    rows = np.asarray(rows, dtype=np.float32)
    if rows.ndim != 2 or not rows.size:
        raise InputError(
            "contains no vectors", where=str(path), expected="word2vec text or binary, or fastText"
        )
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        first_bad = int(np.flatnonzero(~finite)[0])
        raise InputError(
            f"{int((~finite).sum()):,} of {len(words):,} vectors contain a value that is not "
            f"finite; the first is row {first_bad + 1}, {words[first_bad]!r}",
            where=str(path),
            cure="train or download the vectors again",
        )
    has_direction = np.linalg.norm(rows, axis=1) > 0
    kept = [
        word.replace("\n", " ")
        for word, is_kept in zip(words, has_direction, strict=True)
        if is_kept
    ]
    lines = [str(len(words) - len(kept)), *kept]
    targets = (folder / "rows.npy", folder / "words.txt")
    unfinished = [partial_files.partial_path(target) for target in targets]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target in targets:
            partial_files.remove_abandoned(target)
        with unfinished[0].open("wb") as stream:
            np.save(stream, rows[has_direction])
        unfinished[1].write_bytes("\n".join(lines).encode())
        for written, target in zip(unfinished, targets, strict=True):
            written.replace(target)
    except OSError as error:
        raise StorageError(
            f"the converted vectors cannot be cached: {error.strerror or error}",
            where=str(folder),
            cure="free disk space, or set CLOSEREAD_CACHE to another folder",
        ) from error
    finally:
        for leftover in unfinished:
            with contextlib.suppress(OSError):
                leftover.unlink()


def _read(path: Path) -> "tuple[list[str], NDArray[Any]]":
    try:
        from gensim import utils
        from gensim.models import KeyedVectors
        from gensim.models.fasttext import load_facebook_vectors
    except ModuleNotFoundError as error:
        raise missing_extra("word vectors", error.name or "gensim", "vectors") from error
    try:
        with utils.open(str(path), "rb") as stream:  # decompresses by the name's ending, as gensim
            head = stream.read(4096)
        _check_decompressed(head, path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", RuntimeWarning)  # overflows are reported later
            if head.startswith(_FASTTEXT):
                _check_complete(head, path)
                vectors = load_facebook_vectors(str(path))
            else:
                vectors = KeyedVectors.load_word2vec_format(
                    str(path), binary=_is_binary(head), unicode_errors="replace"
                )
    except (
        ValueError, EOFError, OSError, AssertionError, LookupError, NotImplementedError,
        struct.error, zlib.error,
    ) as error:  # fmt: skip
        raise InputError(
            f"cannot be read as word vectors: {_explain_error(error)}",
            where=str(path),
            expected="word2vec text or binary (a header of two numbers, then a word and its "
            "numbers in every row), or a fastText .bin",
        ) from error
    return list(vectors.index_to_key), vectors.vectors


def _check_decompressed(start: bytes, path: Path) -> None:
    for magic, ending in _COMPRESSED.items():
        if start.startswith(magic):
            raise InputError(
                f"is compressed, but its name does not end in {ending}",
                where=str(path),
                cure=f"rename it so that its name ends in {ending}",
            )


def _check_complete(start: bytes, path: Path) -> None:
    """Reject a fastText file that gensim would misread, or never finish reading.

    gensim maps the bytes of a compressed file as numbers, and on a truncated file searches forever
    for the end of a word.

    Raises:
        ValueError: The file is compressed or truncated.
        struct.error: The file ends within its header.
    """
    if path.suffix in _COMPRESSED.values():
        raise ValueError(
            f"fastText's binary format cannot be read from {path.suffix}: decompress it first"
        )
    (dimensions,) = struct.unpack_from("<i", start, 8)
    (words,) = struct.unpack_from("<i", start, 68)
    if path.stat().st_size < 4 * dimensions * words:
        raise ValueError("the file is truncated")


def _explain_error(error: Exception) -> str:
    """Return gensim's error in terms of the file."""
    message = str(error)
    if isinstance(error, struct.error):
        return "the file is truncated"
    if "broadcast" in message:
        return "a word has more or fewer numbers than the header says"
    if (
        "invalid literal for int" in message
        or "not enough values" in message
        or "too many" in message
    ):
        return "the first line does not hold two whole numbers"
    return message


def _is_binary(start: bytes) -> bool:
    """Return whether the body after the header is binary."""
    body = start.partition(b"\n")[2]
    return any(byte < 9 for byte in body[:1024])
