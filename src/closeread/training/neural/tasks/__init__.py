"""What can be trained: a file a reader, named like its recipe's in ``training/recipes``."""
