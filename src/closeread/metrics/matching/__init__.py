"""Compare answers with gold as text: computations that several official scorers share."""
