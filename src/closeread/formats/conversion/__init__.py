"""Converts data sets between formats, and to the MRQA form as the shared task made it."""
