"""Calibrated confidence: features of a prediction, and the learned probability that it is right."""
