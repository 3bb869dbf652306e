"""What scoring a run is made of: its metrics, a walk through the gold, lines and summaries."""
