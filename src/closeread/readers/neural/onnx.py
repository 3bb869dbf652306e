"""Runs a checkpoint with ONNX Runtime on a processor, with weights of 32 or of 8 bits.

The graph is made once and kept in the cache folder under the hash of the weights. In 8 bits
(``quantise``) the range of activations is taken over all that is computed together, so that
sequences are computed one at a time: no answer depends on its neighbours, and the graph needs no
mask.
"""

import hashlib
import os
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface
from transformers.utils import logging

from closeread.catalog import missing_extra
from closeread.downloads.cache import folder
from closeread.errors import InputError, StorageError
from closeread.readers.batching import Batch
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.engine import (
    Ids,
    Network,
    Rows,
    TorchNetwork,
    framed,
    looked_at_by,
    spread,
)
from closeread.readers.neural.last import KEPT, with_last_layer

try:
    import onnx as library
    import onnxruntime
except ModuleNotFoundError as error:
    raise missing_extra("this runtime", error.name or "onnxruntime", "onnx") from error
from closeread.readers.neural.opening import first_line
from closeread.readers.neural.quantise import quantise
from closeread.readers.neural.scratch import scratch

_VERSION = 7  # of what is written; another number makes all graphs anew
_OPSET = 17
_WHOLE = "closeread-whole"  # attention without a mask, by its name in transformers
_ALIKE = 1e-3
_LONG = 384  # tokens of a window, as a rule: some models look so far in another way


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
    kept = folder() / "onnx"
    path = kept / f"{_key(checkpoint)}-{'int8' if int8 else 'float32'}.onnx"
    # What is there may have been cut short, by a disk or by a copy of the folder: it is made anew.
    with suppress(Exception):  # what the runtime raises has no common kind
        return OnnxNetwork(path, alone=int8)
    try:
        kept.mkdir(parents=True, exist_ok=True)
        with scratch(kept) as place:
            made = place / path.name
            _make(checkpoint, place / "exported.onnx", made, int8=int8)
            for one in (_weights_of(made), made):
                if one.exists():
                    one.replace(path.with_name(one.name))
    except OSError as error:
        raise StorageError(f"the graph cannot be kept: {error}", where=str(kept)) from error
    return OnnxNetwork(path, alone=int8)


def _make(checkpoint: Checkpoint, exported: Path, made: Path, *, int8: bool) -> None:
    """Write the graph; ``exported`` is where it stands for a while."""
    try:
        _export(checkpoint, exported, padded=not int8)
    except InputError:
        if not int8:
            raise
        # Its attention is not of all tokens to all, such as ModernBERT's: it stays its own.
        _export(checkpoint, exported, padded=True)
    if not int8:
        _join(exported, made)
        return
    try:
        quantise(exported, made, _encoder(checkpoint))
    except OSError:
        raise
    except Exception as error:  # of protobuf's kinds: no file of its can hold more than 2 GB
        raise InputError(
            f"the model's graph cannot be made one of 8 bits: {first_line(error)}",
            where=checkpoint.name,
            expected="an encoder whose graph of 8 bits has less than 2 GB",
            cure="-o runtime=onnx",
        ) from error


def _join(source: Path, target: Path) -> None:
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


class OnnxNetwork:
    """A graph that stands in for a checkpoint's model; see ``engine.Network``.

    Args:
        path: The graph.
        alone: Whether to compute sequences one at a time, without padding.
    """

    def __init__(self, path: Path, *, alone: bool) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._alone = alone

    def __call__(
        self, ids: Ids, types: Ids | None, mask: Ids | None, kept: Ids | None = None
    ) -> Rows:
        """Return the batch's rows; see ``Network``."""
        types = np.zeros_like(ids) if types is None else types
        mask = np.ones_like(ids) if mask is None else mask
        kept = looked_at_by("span", ids) if kept is None else kept
        if not self._alone:
            return self._run(ids, types, mask, kept)
        found = []
        for row, length in enumerate(mask.sum(axis=1).tolist()):
            here = (slice(row, row + 1), slice(0, max(1, length)))
            places = kept[here[0], : 1 + np.count_nonzero(kept[row])]
            made = self._run(ids[here], types[here], mask[here], places[places < length][None])[0]
            if made.ndim == 2:
                made = np.pad(made, ((0, 0), (0, ids.shape[1] - made.shape[1])))
            found.append(made)
        return np.stack(found)

    def _run(self, ids: Ids, types: Ids, mask: Ids, kept: Ids) -> Rows:
        given = {"ids": ids, "types": types, "mask": mask, KEPT: kept}
        found: Rows = self._session.run(
            None, {name: array for name, array in given.items() if name in self._inputs}
        )[0]
        return spread(found, kept, ids.shape[1]) if KEPT in self._inputs else found


class _Attention(torch.autograd.Function):  # type: ignore[misc]
    """Attention of all tokens to all, which ONNX Runtime computes without keeping the weights."""

    @staticmethod
    def forward(_: Any, *of: Any) -> Any:
        """Return what ``heads`` look up: arrays of shape (sequences, tokens, width)."""
        *given, heads = of
        split = (one.unflatten(2, (heads, -1)).transpose(1, 2) for one in given)
        return scaled_dot_product_attention(*split).transpose(1, 2).flatten(2)

    @staticmethod
    def symbolic(graph: Any, *of: Any) -> Any:
        """Return the graph's node."""
        *given, heads = of
        node = graph.op("com.microsoft::MultiHeadAttention", *given, num_heads_i=heads)
        return node.setType(given[0].type())


def _attention(
    module: Any, query: Any, key: Any, value: Any, mask: Any, *, scaling: float | None, **_: Any
) -> tuple[Any, None]:
    """Attend as the library's functions do: (sequences, heads, tokens, width of a head)."""
    heads, width = int(query.shape[1]), int(query.shape[3])
    if mask is not None or (scaling or width**-0.5) != width**-0.5:
        raise ValueError("the attention of this model is of another kind")
    given = (one.transpose(1, 2).flatten(2) for one in (query, key, value))
    return _Attention.apply(*given, heads).unflatten(2, (heads, width)), None


class _Rows(torch.nn.Module):  # type: ignore[misc]
    """The model as a function of arrays alone."""

    def __init__(self, checkpoint: Checkpoint, *, padded: bool) -> None:
        super().__init__()
        self.model, self.last = with_last_layer(checkpoint)
        AttentionInterface.register(_WHOLE, _attention)
        verbosity = logging.get_verbosity()
        logging.set_verbosity_error()  # of models whose attention is their own alone: it stays
        try:  # "sdpa" traces in part
            self.model.set_attn_implementation("eager" if padded else _WHOLE)
        finally:
            logging.set_verbosity(verbosity)
        self._head = checkpoint.head

    def forward(self, ids: Any, mask: Any = None, types: Any = None, kept: Any = None) -> Any:
        """Return rows as ``engine.Network`` does; where ``kept`` is given, of those tokens."""
        if self.last and self._head != "span":
            kept = torch.zeros_like(ids[:, :1])  # the first token's place
        given = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        given = {name: tensor for name, tensor in given.items() if tensor is not None}
        if self._head == "choice":  # (questions, choices, tokens)
            given = {name: tensor[:, None] for name, tensor in given.items()}
        out = self.model(**given, **({} if kept is None else {KEPT: kept}))
        if self._head == "span":
            return torch.stack((out.start_logits, out.end_logits), dim=1)
        return out.logits


def _export(checkpoint: Checkpoint, path: Path, *, padded: bool) -> None:
    typed = checkpoint.has_segments
    ids, types, mask = map(torch.from_numpy, _tried(checkpoint, 24))
    rows = _Rows(checkpoint, padded=padded).eval()
    given = ({"mask": mask} if padded else {}) | ({"types": types} if typed else {})
    axes = {name: {0: "sequences", 1: "tokens"} for name in ("ids", *given)}
    axes["rows"] = {0: "sequences"}
    if checkpoint.head == "span":
        axes["rows"][2] = "kept" if rows.last else "tokens"
        if rows.last:
            given[KEPT] = torch.arange(18).repeat(2, 1)
            axes[KEPT] = {0: "sequences", 1: "kept"}
    try:
        with warnings.catch_warnings(), torch.inference_mode(False), torch.no_grad():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                rows,
                (ids,),
                str(path),
                kwargs=given,
                dynamo=False,
                input_names=["ids", *given],
                output_names=["rows"],
                dynamic_axes=axes,
                opset_version=_OPSET,
            )
    except OSError:
        raise
    except Exception as error:  # what a model meets that is traced has no common kind
        raise InputError(
            f"the model cannot be made a graph: {first_line(error)}",
            where=checkpoint.name,
            expected="an encoder of the BERT or RoBERTa kind",
            cure="-o runtime=torch",
        ) from error
    for n_tokens in (22, min(_LONG, checkpoint.max_length)):  # the graph was made with 24
        if not _agree(checkpoint, OnnxNetwork(path, alone=False), n_tokens, padded=padded):
            raise InputError(
                "the model's graph says something else than the model",
                where=checkpoint.name,
                expected="an encoder of the BERT or RoBERTa kind",
                cure="-o runtime=torch",
            )


def _agree(checkpoint: Checkpoint, graph: Network, n_tokens: int, *, padded: bool) -> bool:
    """Say whether model and graph tell the same of two sequences, the second one padded."""
    given = _tried(checkpoint, n_tokens)
    try:
        wanted, found = (network(*given) for network in (TorchNetwork(checkpoint), graph))
    except Exception:  # of the runtime's kinds: what was traced may hold for one length alone
        return False
    told = given[2].sum(axis=1)[: 1 + padded]  # where it has no mask the first alone is right
    return all(
        np.allclose(wanted[row][..., :n], found[row][..., :n], rtol=_ALIKE, atol=_ALIKE)
        for row, n in enumerate(told)
    )


def _tried(checkpoint: Checkpoint, n_tokens: int) -> tuple[Ids, Ids, Ids]:
    """Return ids, segments and mask of two sequences, of which the second has 20 tokens."""
    tried = [checkpoint.tried(n_tokens), checkpoint.tried(20, at=n_tokens)]
    padding = checkpoint.tokenizer.pad_token_id or 0
    ids, types, mask = framed(tried, Batch([0, 1], n_tokens), padding)
    assert mask is not None
    return ids, np.zeros_like(ids) if types is None else types, mask


def _encoder(checkpoint: Checkpoint) -> str:
    """Return with what the names of the encoder's nodes begin in the graph of ``_Rows``."""
    model = checkpoint.model
    return "/model/" if model.base_model is model else f"/model/{model.base_model_prefix}/"


def _key(checkpoint: Checkpoint) -> str:
    """Return a name for a model: of its weights, its configuration and its head."""
    model = checkpoint.model
    digest = hashlib.sha256(f"{_VERSION} {checkpoint.head} {torch.__version__}\n".encode())
    digest.update(os.fsencode(model.config.to_json_string(use_diff=False)))
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        digest.update(tensor.detach().contiguous().cpu().numpy())
    return digest.hexdigest()[:32]
