"""Trains the weights of the reader ``cues``, in a minute or two and without torch."""
