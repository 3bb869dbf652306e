"""Reads the logs of other harnesses, one module for each; ``runs.ingest`` stores them as runs."""
