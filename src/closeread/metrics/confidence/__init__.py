"""What confidences are worth: how honest they are, and what curves of risk and coverage hold."""
