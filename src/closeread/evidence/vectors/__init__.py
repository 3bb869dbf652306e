"""Word vectors: their files, the words that have one, passages in them, and learning them."""
