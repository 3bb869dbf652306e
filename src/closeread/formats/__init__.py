"""Reads and writes data sets in published formats; one module for each format."""

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.registry import Format, Info, dump, guess, load

__all__ = ["Format", "Head", "Info", "Source", "dump", "guess", "load"]
