"""Reads files (decompression, checks, streaming, error messages) and writes them atomically."""
