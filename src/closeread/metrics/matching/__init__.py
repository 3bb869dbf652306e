"""Answers held against gold as text: what several official scorers do alike."""
