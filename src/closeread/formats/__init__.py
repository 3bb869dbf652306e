"""Published file <-> Dataset: one file a format, all behind ``load``, ``dump`` and ``guess``."""

from closeread.formats.head import Head
from closeread.formats.registry import Format, Info, dump, guess, load
from closeread.formats.source import Source

__all__ = ["Format", "Head", "Info", "Source", "dump", "guess", "load"]
