"""Imports ONNX Runtime with its telemetry turned off.

Since version 1.29 it sends telemetry on every system from its import on, and writes an id of the
machine into the home folder, unless the environment variable is set before.
"""

import os

from closeread.registry.extras import missing_extra

_SETTING = os.environ.get("ORT_DISABLE_TELEMETRY") or "1"  # an empty value counts as not set
os.environ["ORT_DISABLE_TELEMETRY"] = _SETTING

try:
    import onnxruntime
    from onnxruntime import quantization
except ModuleNotFoundError as error:
    raise missing_extra("this runtime", error.name or "onnxruntime", "onnx") from error

if _SETTING.lower() in ("1", "true", "yes"):  # the values that it accepts
    onnxruntime.disable_telemetry_events()  # on Windows it ignores the environment

__all__ = ["onnxruntime", "quantization"]
