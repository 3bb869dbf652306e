"""Rounds a graph's matrix products to 8 bits: weights by column, activations over all of them.

What enters the product that leaves a layer's wide middle has outliers: rounded as it is, it makes
half of the whole error. They lie in few rows (a row is a token), so that there each row is divided
by the size of its largest value first, which its part of the product is multiplied by.
"""

import logging
import re
import tempfile
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from closeread.readers.neural.onnx_runtime import quantization
from closeread.registry.extras import missing_extra

try:
    import onnx
    from onnx import helper, numpy_helper

    from closeread.readers.neural.saturation import saturates
except ModuleNotFoundError as error:
    raise missing_extra("this runtime", error.name or "onnx", "onnx") from error

_WIDE = re.compile(r"layer\.\d+/output/dense|ffn/lin2")
_LEAST, _LEAST_VALUE = "least-of-a-row", 1e-6  # a row may be all 0
_room: ContextVar[Path | None] = ContextVar("room", default=None)


class _Temporary:
    """The module ``tempfile`` as the library sees it: its folders lie where a graph has its room.

    It takes no argument for that, and ``tempfile.tempdir`` is every thread's.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(tempfile, name)

    def TemporaryDirectory(self, **named: Any) -> Any:
        return tempfile.TemporaryDirectory(**{"dir": _room.get(), **named})


quantization.quant_utils.tempfile = _Temporary()


def quantise(source: Path, target: Path, encoder: str) -> None:
    """Write the graph of ``source`` with products in 8 bits to ``target``.

    Args:
        source: A graph. Where its weights lie beside it, as they do where it has more than 2 GB,
            those of ``target`` do too, in one file: no graph of more can be written as a whole.
        target: Where to.
        encoder: With what names of the encoder's nodes begin. All others are the head's, which
            stays in 32 bits: it costs nothing.
    """
    graph = onnx.load(source, load_external_data=False).graph
    head = [
        node.name
        for node in graph.node
        if not node.name.startswith(encoder) or "/pooler/" in node.name
    ]
    log = logging.getLogger()
    before = _room.set(target.parent)  # it writes the weights once more, where they have room
    log.addFilter(_is_worth_logging)
    try:
        quantization.quantize_dynamic(
            source,
            target,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=saturates(),
            weight_type=quantization.QuantType.QInt8,
            # A product of vectors is made one of matrices first, and gets a name of its own.
            nodes_to_exclude=[*head, *(f"{name}_MatMul" for name in head)],
            use_external_data_format=any(one.external_data for one in graph.initializer),
            extra_options={"MatMulConstBOnly": True},
        )
    finally:
        log.removeFilter(_is_worth_logging)
        _room.reset(before)
    made = onnx.load(target, load_external_data=False)  # weights beside it stay where they are
    _scale_rows(made.graph)
    onnx.save(made, target)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Whether a record is to be told: the library recommends steps that gain nothing here."""
    return record.levelno >= logging.ERROR or "onnxruntime" not in record.pathname


def _scale_rows(graph: Any) -> None:
    """Divide what enters the products of ``_WIDE`` by each row's largest size, and undo it after.

    ``quantize_dynamic`` writes a product as DynamicQuantizeLinear, MatMulInteger, Cast, Mul: the
    last one, by the scales of both sides, is where the product is whole again.
    """
    maker = {name: node for node in graph.node for name in node.output}
    taker = {name: node for node in graph.node for name in node.input}
    before: dict[str, list[Any]] = {}
    after: dict[str, list[Any]] = {}
    for product in graph.node:
        if product.op_type != "MatMulInteger" or not _WIDE.search(product.name):
            continue
        rounding = maker[product.input[0]]
        cast = taker[product.output[0]]
        scaled = taker[cast.output[0]]
        (given,), (whole,) = rounding.input, scaled.output
        size, most, scale, rows, made = (
            f"{product.name}/{one}" for one in ("size", "most", "scale", "rows", "made")
        )
        before[rounding.name] = [
            helper.make_node("Abs", [given], [size], name=size),
            helper.make_node("ReduceMax", [size], [most], name=most, axes=[-1], keepdims=1),
            helper.make_node("Max", [most, _LEAST], [scale], name=scale),
            helper.make_node("Div", [given, scale], [rows], name=rows),
        ]
        after[scaled.name] = [helper.make_node("Mul", [made, scale], [whole], name=made)]
        rounding.input[0], scaled.output[0] = rows, made
    graph.initializer.append(numpy_helper.from_array(np.float32(_LEAST_VALUE), _LEAST))
    nodes = [
        one
        for node in graph.node
        for one in (*before.get(node.name, ()), node, *after.get(node.name, ()))
    ]
    del graph.node[:]
    graph.node.extend(nodes)
