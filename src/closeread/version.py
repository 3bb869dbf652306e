"""Which closeread this is: what it writes says so, and every layer may."""

__version__ = "0.1.0"
