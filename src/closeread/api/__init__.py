"""The commands as Python functions, exported by ``closeread``."""
