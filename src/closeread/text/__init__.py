"""Characters and words; knows nothing of questions."""
