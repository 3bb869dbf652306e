"""Reproduce scorers of other harnesses under their names, for comparison only."""
