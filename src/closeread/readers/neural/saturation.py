"""Tells whether this processor adds products of 8 bits without losing any of them.

Where it has no instruction for it (VNNI on x86), ONNX Runtime adds pairs of products in 16 bits,
and what does not fit is cut off: weights of 8 bits then give rows that are far from right, weights
of 7 bits do not (``reduce_range`` in ONNX Runtime's documentation of quantisation).
"""

from functools import cache

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from closeread.readers.neural.onnx_runtime import onnxruntime

_LENGTH, _WIDTH = 64, 16


@cache
def saturates() -> bool:
    """Return whether the largest products of 8 bits come out smaller than they are."""
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
