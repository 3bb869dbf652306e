"""Asking over HTTP: the client of every model elsewhere, and a reader that is served elsewhere."""
