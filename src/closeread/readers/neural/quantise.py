"""Rounds a graph's matrix products to 8 bits: weights by column, activations over all of them.

What enters the product that leaves a layer's wide middle has outliers: rounded once, it makes half
of the whole error. There the activations are rounded twice, the second time what the first left
over, and both parts are multiplied by the same weights. That costs a second product in 8 bits,
which is far less than one in 32.
"""

import logging
import re
import tempfile
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from closeread.parts.extras import missing_extra
from closeread.readers.neural.onnx_runtime import quantization

try:
    import onnx
    from onnx import helper

    from closeread.readers.neural.saturation import saturates
except ModuleNotFoundError as error:
    raise missing_extra("this runtime", error.name or "onnx", "onnx") from error

_TWICE = re.compile(r"layer\.\d+/output/dense|ffn/lin2")
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
    log.addFilter(_is_no_advice)
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
        log.removeFilter(_is_no_advice)
        _room.reset(before)
    made = onnx.load(target, load_external_data=False)  # weights beside it stay where they are
    _take_the_rest(made.graph)
    onnx.save(made, target)


def _is_no_advice(record: logging.LogRecord) -> bool:
    """Whether a record is to be told: the library recommends steps that gain nothing here."""
    return record.levelno >= logging.ERROR or "onnxruntime" not in record.pathname


def _take_the_rest(graph: Any) -> None:
    """Add to the products of ``_TWICE`` what rounding left of their activations.

    ``quantize_dynamic`` writes a product as DynamicQuantizeLinear, MatMulInteger, Cast, Mul: the
    last one, by the scales of both sides, gets the second part added.
    """
    maker = {name: node for node in graph.node for name in node.output}
    taker = {name: node for node in graph.node for name in node.input}
    second = {}
    for product in graph.node:
        if product.op_type != "MatMulInteger" or not _TWICE.search(product.name):
            continue
        rounding = maker[product.input[0]]
        cast = taker[product.output[0]]
        scaled = taker[cast.output[0]]
        (scales,) = [maker[name] for name in scaled.input if name != cast.output[0]]
        (by_column,) = [name for name in scales.input if name != rounding.output[1]]
        second[scaled.name] = (product, rounding, scaled, by_column)
    nodes = []
    for node in graph.node:
        nodes.append(node)
        if node.name in second:
            nodes.extend(_second(*second[node.name]))
    del graph.node[:]
    graph.node.extend(nodes)


def _second(product: Any, rounding: Any, scaled: Any, by_column: str) -> Iterator[Any]:
    (given,), (rounded, scale, zero) = rounding.input, rounding.output
    _, weights, _, weights_zero = product.input
    whole, first = scaled.output[0], f"{product.name}/first"
    scaled.output[0] = first

    def node(kind: str, given: list[str], *made: str, **settings: Any) -> Any:
        names = [f"{product.name}/{one}" for one in made]
        return helper.make_node(kind, given, names, name=f"{product.name}/{kind}_rest", **settings)

    def own(*names: str) -> list[str]:
        return [f"{product.name}/{one}" for one in names]

    yield node("DequantizeLinear", [rounded, scale, zero], "said")
    yield node("Sub", [given, *own("said")], "rest")
    yield node("DynamicQuantizeLinear", own("rest"), "rounded", "scale", "zero")
    yield node("MatMulInteger", [*own("rounded"), weights, *own("zero"), weights_zero], "product")
    yield node("Cast", own("product"), "cast", to=onnx.TensorProto.FLOAT)
    yield helper.make_node(
        "Mul", [*own("scale"), by_column], own("scales"), name=f"{product.name}/scales_rest"
    )
    yield node("Mul", own("cast", "scales"), "second")
    yield helper.make_node("Add", [first, *own("second")], [whole], name=f"{product.name}/Add_rest")
