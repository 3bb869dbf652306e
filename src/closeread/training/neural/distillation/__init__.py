"""Distillation: the teachers, their probabilities, and the votes that a student learns."""
