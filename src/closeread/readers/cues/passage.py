"""Data of a passage that every option of a question needs, computed once."""

from functools import cached_property
from itertools import pairwise

from closeread.evidence.claims.terms import Unit, fold, units
from closeread.evidence.claims.unit_index import UnitIndex
from closeread.readers.cues.alignment import AlignedPassage
from closeread.readers.cues.words import Cue, lexicon
from closeread.types import Passage, Span


class PassageIndex:
    """Units, cue words and pairs of a passage; made for one question.

    Attributes:
        passage: The passage.
        sentences: The index of units by sentence.
        words: The cue words of the passage's language.
    """

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.sentences = UnitIndex(passage.text)
        self.words = lexicon(passage.language)
        self._cues: dict[Span, list[Cue]] = {}
        self._cue_words: dict[Span, frozenset[str]] = {}

    @cached_property
    def folded(self) -> str:
        """The text, folded for comparison."""
        return fold(self.passage.text)

    @cached_property
    def units(self) -> frozenset[str]:
        """The forms of all units of the passage."""
        return frozenset(self._forms)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """The forms of all pairs of neighbouring units."""
        return frozenset(pairwise(self._forms))

    @cached_property
    def aligned(self) -> AlignedPassage:
        """The passage's units, prepared for alignment with an option."""
        return AlignedPassage(self._units)

    @cached_property
    def _forms(self) -> list[str]:
        return [unit.form for unit in self._units]

    @cached_property
    def _units(self) -> tuple[Unit, ...]:
        return units(self.passage.text)

    def cues(self, span: Span) -> list[Cue]:
        """Return the cue words of a sentence with their places in the passage, in order."""
        if span not in self._cues:
            self._cues[span] = [
                cue._replace(start=span.start + cue.start, end=span.start + cue.end)
                for cue in self.words.find(span.of(self.passage.text))
            ]
        return self._cues[span]

    def cue_words(self, span: Span) -> frozenset[str]:
        """Return the different cue words of a sentence."""
        if span not in self._cue_words:
            self._cue_words[span] = frozenset(cue.word for cue in self.cues(span))
        return self._cue_words[span]
