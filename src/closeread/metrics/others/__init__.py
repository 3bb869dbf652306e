"""Scorers as other harnesses have them, under their names and for comparison only."""
