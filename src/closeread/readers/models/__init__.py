"""Models of any library: their location, checks of their files, and hashes of their weights."""
