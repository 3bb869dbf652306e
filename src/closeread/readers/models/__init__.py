"""A model as a folder or a name: where it is, what its files may hold, and hashes of what it is."""
