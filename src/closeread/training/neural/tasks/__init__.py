"""The training tasks: one file per reader, named like its recipe in ``training/recipes``."""
