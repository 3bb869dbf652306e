"""Imports ONNX Runtime, and keeps it from telling its makers what it runs, and where.

Since version 1.29 it does so on every system from its import on, and leaves a number for the
machine in the home folder, unless the environment says otherwise by then.
"""

import os

from closeread.registry.extras import missing_extra

_SAYS = os.environ.get("ORT_DISABLE_TELEMETRY") or "1"  # empty is as good as not set
os.environ["ORT_DISABLE_TELEMETRY"] = _SAYS

try:
    import onnxruntime
    from onnxruntime import quantization
except ModuleNotFoundError as error:
    raise missing_extra("this runtime", error.name or "onnxruntime", "onnx") from error

if _SAYS.lower() in ("1", "true", "yes"):  # what it takes for a yes itself
    onnxruntime.disable_telemetry_events()  # on Windows the environment is not asked

__all__ = ["onnxruntime", "quantization"]
