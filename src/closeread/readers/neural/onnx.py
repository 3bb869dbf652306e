"""Opens a checkpoint as a graph for ONNX Runtime, with weights of 32 or of 8 bits.

A graph is built once (``onnx_export``, ``quantise``) and stored in the cache folder under the hash
of the weights. Graphs that were not opened for a long time, also those of other versions of this
program, are removed when another one is built.
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

_VERSION = 12  # of the graphs; another number builds all of them again
_MAX_UNUSED_DAYS = 90  # after which a graph is removed
_BUILD_LOCK = Lock()  # exporting and quantising are not thread-safe
_FULL_BYTES = 2**16  # a disk with less free space counts as full


def open_network(checkpoint: Checkpoint, *, int8: bool) -> Network:
    """Return an ONNX Runtime network for ``engine.forward``; its graph is built if needed.

    Args:
        checkpoint: A checkpoint on a processor, in float32.
        int8: Whether weights have 8 bits.

    Raises:
        MissingExtraError: onnx or onnxruntime is not installed.
        InputError: The model cannot be exported, or the graph's outputs differ from the model's.
        StorageError: The cache folder cannot be written.
    """
    folder = cache_folder() / "onnx"
    path = folder / f"{_cache_key(checkpoint)}-{_precision(int8)}.onnx"
    if (network := _open_existing(path, int8)) is not None:
        return network
    with _BUILD_LOCK:
        if (network := _open_existing(path, int8)) is not None:  # another thread has just made it
            return network
        _build_and_store(checkpoint, folder, path, int8=int8)
    return OnnxNetwork(path, alone=int8)


def _precision(int8: bool) -> str:
    """Return the precision in a graph's name; it depends on the processor, for shared caches."""
    return ("int7" if saturates() else "int8") if int8 else "float32"


def _open_existing(path: Path, int8: bool) -> Network | None:
    """Return the stored graph; None if there is none, or if the file is broken."""
    with suppress(Exception):  # the runtime raises many types of errors
        network = OnnxNetwork(path, alone=int8)
        _update_access_time(path)
        return network
    return None


def _build_and_store(checkpoint: Checkpoint, folder: Path, path: Path, *, int8: bool) -> None:
    """Build a graph and store it in the cache folder; raises as ``open_network``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_unused(folder)
        with temporary_folder(folder) as temporary:
            target = temporary / path.name
            with _reporting_full_disk(temporary):
                _build_graph(checkpoint, temporary / "exported.onnx", target, int8=int8)
            for file in (_weights_path(target), target):
                if file.exists():
                    # The library makes weights readable by one user only.
                    file.chmod(target.stat().st_mode)
                    file.replace(path.with_name(file.name))
    except OSError as error:
        raise StorageError(
            f"the ONNX graph cannot be written: {error.strerror or error}",
            where=str(folder),
            cure="free disk space, or set CLOSEREAD_CACHE to another folder",
        ) from error


@contextmanager
def _reporting_full_disk(folder: Path) -> Iterator[None]:
    """Raise OSError instead of an InputError that a full disk caused."""
    try:
        yield
    except InputError as error:
        if shutil.disk_usage(folder).free < _FULL_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        raise


def _update_access_time(graph: Path) -> None:
    """Set the access time of a graph's files: many file systems do not when a file is read."""
    for file in (graph, _weights_path(graph)):
        with suppress(OSError):  # another user's, or no weights beside it
            os.utime(file, ns=(time.time_ns(), file.stat().st_mtime_ns))


def _remove_unused(folder: Path) -> None:
    """Remove files that were neither written nor opened for ``_MAX_UNUSED_DAYS`` days."""
    oldest = time.time() - _MAX_UNUSED_DAYS * 24 * 60 * 60
    for entry in folder.iterdir():
        with suppress(OSError):  # another process removed it, or it is another user's
            state = entry.stat()
            if max(state.st_atime, state.st_mtime) < oldest:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _build_graph(checkpoint: Checkpoint, exported: Path, target: Path, *, int8: bool) -> None:
    """Write the graph to ``target``; ``exported`` is a path for the graph before quantising."""
    try:
        export(checkpoint, exported, padded=not int8)
    except InputError:
        if not int8:
            raise
        # Its attention is not full, such as ModernBERT's: keep the model's own.
        export(checkpoint, exported, padded=True)
    if not int8:
        _move_graph(exported, target)
        return
    try:
        quantise(exported, target, encoder_name(checkpoint))
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
    """Move a graph, with external weights joined into one file.

    A graph of more than 2 GB is exported with one file of weights per tensor.
    """
    initializers = library.load(str(source), load_external_data=False).graph.initializer
    if not any(tensor.external_data for tensor in initializers):
        source.replace(target)
        return
    library.save(
        library.load(str(source)),
        str(target),
        save_as_external_data=True,
        location=_weights_path(target).name,
    )


def _weights_path(graph: Path) -> Path:
    return graph.with_name(f"{graph.name}.data")


def _cache_key(checkpoint: Checkpoint) -> str:
    """Return a hash of a model's weights, configuration and head, of 32 characters."""
    model = checkpoint.model
    digest = hashlib.sha256(f"{_VERSION} {checkpoint.head} {torch.__version__}\n".encode())
    digest.update(configuration(model).encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        digest.update(tensor.detach().contiguous().cpu().numpy())
    return digest.hexdigest()[:32]
