"""Quantises a graph's matrix products to 8 bits: weights per column, activations per tensor.

The inputs of the product after a layer's wide middle have outliers, which would cause half of the
total error. They occur in few rows (a row is a token). So each row is divided by its largest
absolute value before quantising, and the result is multiplied by it.
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

_SCALED_PRODUCTS = re.compile(r"layer\.\d+/output/dense|ffn/lin2")
_MIN_SCALE, _MIN_SCALE_VALUE = "least-of-a-row", 1e-6  # avoids division by 0
_folder: ContextVar[Path | None] = ContextVar("room", default=None)


class _TempfileWithFolder:
    """Replaces the module ``tempfile`` in the library, to put temporary folders beside the graph.

    The library has no argument for the folder, and ``tempfile.tempdir`` would affect all threads.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(tempfile, name)

    def TemporaryDirectory(self, **options: Any) -> Any:
        return tempfile.TemporaryDirectory(**{"dir": _folder.get(), **options})


quantization.quant_utils.tempfile = _TempfileWithFolder()


def quantise(source: Path, target: Path, encoder: str) -> None:
    """Write the graph of ``source`` with products in 8 bits to ``target``.

    Args:
        source: A graph. If its weights are in files beside it, as those of more than 2 GB must be,
            the weights of ``target`` are too, in one file.
        target: The file to write.
        encoder: Prefix of the names of the encoder's nodes. All other nodes are the head's, which
            stays in 32 bits because it is small.
    """
    graph = onnx.load(source, load_external_data=False).graph
    head = [
        node.name
        for node in graph.node
        if not node.name.startswith(encoder) or "/pooler/" in node.name
    ]
    log = logging.getLogger()
    token = _folder.set(target.parent)  # the library writes a temporary copy of the weights
    log.addFilter(_is_worth_logging)
    try:
        quantization.quantize_dynamic(
            source,
            target,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=saturates(),
            weight_type=quantization.QuantType.QInt8,
            # The library renames products of vectors when it makes them products of matrices.
            nodes_to_exclude=[*head, *(f"{name}_MatMul" for name in head)],
            use_external_data_format=any(tensor.external_data for tensor in graph.initializer),
            extra_options={"MatMulConstBOnly": True},
        )
    finally:
        log.removeFilter(_is_worth_logging)
        _folder.reset(token)
    quantised = onnx.load(target, load_external_data=False)  # external weights stay unchanged
    _scale_rows(quantised.graph)
    onnx.save(quantised, target)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return whether to log a record: not the library's recommendations, which do not help here."""
    return record.levelno >= logging.ERROR or "onnxruntime" not in record.pathname


def _scale_rows(graph: Any) -> None:
    """Divide the input rows of ``_SCALED_PRODUCTS`` by their largest size; undo it afterwards.

    ``quantize_dynamic`` writes a product as DynamicQuantizeLinear, MatMulInteger, Cast, Mul; the
    last node multiplies by the scales of both inputs.
    """
    producer = {name: node for node in graph.node for name in node.output}
    consumer = {name: node for node in graph.node for name in node.input}
    before: dict[str, list[Any]] = {}
    after: dict[str, list[Any]] = {}
    for product in graph.node:
        if product.op_type != "MatMulInteger" or not _SCALED_PRODUCTS.search(product.name):
            continue
        rounding = producer[product.input[0]]
        cast = consumer[product.output[0]]
        scaled = consumer[cast.output[0]]
        (source,), (result,) = rounding.input, scaled.output
        maximum, minimum, negated, scale, rows, scaled_output = (
            f"{product.name}/{new_node}"
            for new_node in ("maximum", "minimum", "negated", "scale", "rows", "scaled-output")
        )
        over_row = {"axes": [-1], "keepdims": 1}
        before[rounding.name] = [  # an array of absolute values would take longer
            helper.make_node("ReduceMax", [source], [maximum], name=maximum, **over_row),
            helper.make_node("ReduceMin", [source], [minimum], name=minimum, **over_row),
            helper.make_node("Neg", [minimum], [negated], name=negated),
            helper.make_node("Max", [maximum, negated, _MIN_SCALE], [scale], name=scale),
            helper.make_node("Div", [source, scale], [rows], name=rows),
        ]
        after[scaled.name] = [
            helper.make_node("Mul", [scaled_output, scale], [result], name=scaled_output)
        ]
        rounding.input[0], scaled.output[0] = rows, scaled_output
    graph.initializer.append(numpy_helper.from_array(np.float32(_MIN_SCALE_VALUE), _MIN_SCALE))
    nodes = [
        new_node
        for node in graph.node
        for new_node in (*before.get(node.name, ()), node, *after.get(node.name, ()))
    ]
    del graph.node[:]
    graph.node.extend(nodes)
