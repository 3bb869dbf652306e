"""The reader ``cues``: how an option differs from its evidence, as features a person can check."""

from closeread.readers.cues.reader import cues as cues
