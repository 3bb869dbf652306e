"""Trains the reader ``cues``: weights of named features, in a minute or two and without torch."""
