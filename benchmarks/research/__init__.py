"""The numbers of studies that pages tell; no part of ``make bench``."""
