"""What strategies for statements share: word lists, grounds in evidence, denial, numerals."""
