"""Readers over HTTP: one process, one reader, the questions of many clients in shared batches."""
