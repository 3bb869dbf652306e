"""One format into another; into the MRQA form as the shared task made it."""
