"""Distillation: the teachers, their probabilities, and the votes that the student learns."""
