"""Compare systems on the same questions: differences, intervals and paired tests."""
