"""The reader ``cues``: how an option turns its evidence, as features that a person can check."""

from closeread.readers.cues.reader import cues as cues
