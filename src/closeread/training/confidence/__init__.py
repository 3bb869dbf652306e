"""Fits the calibrator and the answering threshold of ``closeread calibrate``."""
