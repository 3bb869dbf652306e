"""Question + passage -> prediction."""
