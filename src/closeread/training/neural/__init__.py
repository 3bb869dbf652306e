"""Trains readers with learned encoders; torch, transformers and accelerate are imported here."""

import sys
from contextlib import redirect_stdout, suppress

# On import it prints where WANDB_MODE is offline, and stdout is for results. Who trains without it
# is told so by the trainer.
with redirect_stdout(sys.stderr), suppress(ModuleNotFoundError):
    import transformers.integrations.integration_utils  # noqa: F401
