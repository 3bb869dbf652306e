"""What the ends of texts did to their score: stops, limits, run-on text, copied examples."""
