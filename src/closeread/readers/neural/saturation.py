"""Tests whether sums of 8-bit products saturate on this processor.

Without a special instruction (VNNI on x86), ONNX Runtime adds pairs of products in 16 bits, which
saturate: weights of 8 bits then give wrong results, weights of 7 bits do not (``reduce_range`` in
ONNX Runtime's documentation of quantisation).
"""

from functools import cache

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from closeread.readers.neural.onnx_runtime import onnxruntime

_LENGTH, _WIDTH = 64, 16


@cache
def saturates() -> bool:
    """Return whether sums of the largest 8-bit products are too small on this processor."""
    weights = np.full((_LENGTH, _WIDTH), 127, np.int8)
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["given", "weights"], ["sums"])],
        "largest",
        [helper.make_tensor_value_info("given", TensorProto.UINT8, [1, _LENGTH])],
        [helper.make_tensor_value_info("sums", TensorProto.INT32, [1, _WIDTH])],
        [numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (sums,) = session.run(None, {"given": np.full((1, _LENGTH), 255, np.uint8)})
    return bool((np.asarray(sums) != 255 * 127 * _LENGTH).any())
