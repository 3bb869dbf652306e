"""Retrieves the sentences of a passage that are evidence for a question or an option."""
