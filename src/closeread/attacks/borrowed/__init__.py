"""A sentence of another passage: which there are, what they are about, and where one may be put."""
