"""Measure confidences: calibration, and bands of risk-coverage curves."""
