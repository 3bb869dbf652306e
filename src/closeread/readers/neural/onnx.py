"""Opens a checkpoint as a graph for ONNX Runtime, with weights of 32 or of 8 bits.

A graph is made once (``onnx_export``, ``quantise``) and kept in the cache folder under the hash of
the weights. One that nobody opened for a long time, be it of a model that is gone or of an earlier
version of this program, is removed when another is made.
"""

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

import torch

from closeread.downloads.cache import cache_folder
from closeread.errors import InputError, StorageError
from closeread.readers.models.location import first_line
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.engine import Network
from closeread.readers.neural.onnx_export import encoder_name, export
from closeread.readers.neural.onnx_network import OnnxNetwork
from closeread.readers.neural.opening import configuration
from closeread.readers.neural.quantise import quantise
from closeread.readers.neural.saturation import saturates
from closeread.readers.neural.temporary_folders import temporary_folder
from closeread.registry.extras import missing_extra

try:
    import onnx as library
except ModuleNotFoundError as error:
    raise missing_extra("this runtime", error.name or "onnx", "onnx") from error

_VERSION = 11  # of what is written; another number makes all graphs anew
_UNUSED_DAYS = 90  # after which a graph is removed
_MAKING = Lock()  # what exports and rounds graphs is not made for several threads
_FULL_BYTES = 2**16  # free on a disk that is full: no library writes less at once


def open_network(checkpoint: Checkpoint, *, int8: bool) -> Network:
    """Return a network for ``engine.forward``; its graph is made where it is not there yet.

    Args:
        checkpoint: On a processor, in float32.
        int8: Whether weights have 8 bits.

    Raises:
        MissingExtraError: onnx or onnxruntime is not installed.
        InputError: The model cannot be exported, or its graph says something else than it does.
        StorageError: The cache folder cannot be written.
    """
    kept = cache_folder() / "onnx"
    path = kept / f"{_key(checkpoint)}-{_kind(int8)}.onnx"
    if (network := _open_existing(path, int8)) is not None:
        return network
    with _MAKING:
        if (network := _open_existing(path, int8)) is not None:  # another thread has just made it
            return network
        _make_and_store(checkpoint, kept, path, int8=int8)
    return OnnxNetwork(path, alone=int8)


def _kind(int8: bool) -> str:
    """Return what weights a graph has; a cache may be shared by unlike processors."""
    return ("int7" if saturates() else "int8") if int8 else "float32"


def _open_existing(path: Path, int8: bool) -> Network | None:
    """Return a graph that was made before, if there is one.

    What is there may have been cut short, by a disk or by a copy of the folder: it is made anew.
    """
    with suppress(Exception):  # what the runtime raises has no common kind
        network = OnnxNetwork(path, alone=int8)
        _note_use(path)
        return network
    return None


def _make_and_store(checkpoint: Checkpoint, kept: Path, path: Path, *, int8: bool) -> None:
    """Make a graph and put it where it is kept; raises as ``open_network``."""
    try:
        kept.mkdir(parents=True, exist_ok=True)
        _remove_unused(kept)
        with temporary_folder(kept) as place:
            made = place / path.name
            with _reporting_full_disk(place):
                _make(checkpoint, place / "exported.onnx", made, int8=int8)
            for one in (_weights_of(made), made):
                if one.exists():
                    one.chmod(made.stat().st_mode)  # weights are made for one user's eyes alone
                    one.replace(path.with_name(one.name))
    except OSError as error:
        raise StorageError(
            f"the ONNX graph cannot be written: {error.strerror or error}",
            where=str(kept),
            cure="free disk space, or set CLOSEREAD_CACHE to another folder",
        ) from error


@contextmanager
def _reporting_full_disk(place: Path) -> Iterator[None]:
    """Raise OSError for what fails because a library wrote half a file, and did not notice."""
    try:
        yield
    except InputError as error:
        if shutil.disk_usage(place).free < _FULL_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        raise


def _note_use(graph: Path) -> None:
    """Write down when a graph was last opened: many file systems do not by themselves."""
    for one in (graph, _weights_of(graph)):
        with suppress(OSError):  # another user's, or no weights beside it
            os.utime(one, ns=(time.time_ns(), one.stat().st_mtime_ns))


def _remove_unused(kept: Path) -> None:
    """Remove what was neither made nor opened for a long time, whatever version wrote it."""
    since = time.time() - _UNUSED_DAYS * 24 * 60 * 60
    for one in kept.iterdir():
        with suppress(OSError):  # another process removed it, or it is another user's
            state = one.stat()
            if max(state.st_atime, state.st_mtime) < since:
                shutil.rmtree(one) if one.is_dir() else one.unlink()


def _make(checkpoint: Checkpoint, exported: Path, made: Path, *, int8: bool) -> None:
    """Write the graph; ``exported`` is where it stands for a while."""
    try:
        export(checkpoint, exported, padded=not int8)
    except InputError:
        if not int8:
            raise
        # Its attention is not of all tokens to all, such as ModernBERT's: it stays its own.
        export(checkpoint, exported, padded=True)
    if not int8:
        _move_graph(exported, made)
        return
    try:
        quantise(exported, made, encoder_name(checkpoint))
    except OSError:
        raise
    except Exception as error:  # of the library's and protobuf's kinds
        raise InputError(
            f"the ONNX graph cannot be quantised to 8 bits: {first_line(error)}",
            where=checkpoint.name,
            expected="an encoder like BERT or RoBERTa",
            cure="use -o runtime=onnx",
        ) from error


def _move_graph(source: Path, target: Path) -> None:
    """Write a graph to another place, its weights in one file where they stood in many.

    So they do beside a graph of more than 2 GB, each under its own name.
    """
    held = library.load(str(source), load_external_data=False).graph.initializer
    if not any(one.external_data for one in held):
        source.replace(target)
        return
    library.save(
        library.load(str(source)),
        str(target),
        save_as_external_data=True,
        location=_weights_of(target).name,
    )


def _weights_of(graph: Path) -> Path:
    return graph.with_name(f"{graph.name}.data")


def _key(checkpoint: Checkpoint) -> str:
    """Return a name for a model: of its weights, its configuration and its head."""
    model = checkpoint.model
    digest = hashlib.sha256(f"{_VERSION} {checkpoint.head} {torch.__version__}\n".encode())
    digest.update(configuration(model).encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        digest.update(tensor.detach().contiguous().cpu().numpy())
    return digest.hexdigest()[:32]
