"""Trains readers with learned encoders; torch, transformers and accelerate are imported here."""

import sys
from contextlib import redirect_stdout, suppress

# With WANDB_MODE offline this module prints on import; stdout is reserved for results. If it is not
# installed, the trainer reports that later.
with redirect_stdout(sys.stderr), suppress(ModuleNotFoundError):
    import transformers.integrations.integration_utils  # noqa: F401
