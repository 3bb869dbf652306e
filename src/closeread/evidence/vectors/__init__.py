"""Word vectors: their files, look-up, the index of a passage, and training."""
