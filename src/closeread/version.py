"""The version of closeread, which every layer may record in what it writes."""

__version__ = "0.1.0"
