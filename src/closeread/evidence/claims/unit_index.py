"""The units of a passage's sentences, computed once for all claims."""

from array import array
from collections.abc import Iterable

from closeread.evidence.claims.terms import units
from closeread.types import Span

_PLACES = 16


class SentenceUnits:
    """The units of one sentence.

    Attributes:
        forms: Their forms, in order.
        starts: Where each begins, in the passage.
        ends: Where each ends.
        held: The different forms.
        begins: The places, among the units, at which a pair of forms stands, and a word alone
            under ``(form, "")``. Of a pair that comes over and over only the first few count, so
            that a claim is laid in time that is linear in it, whatever the sentence repeats.
    """

    def __init__(self, text: str, span: Span) -> None:
        found = units(span.of(text))
        self.forms = [unit.form for unit in found]
        self.starts = array("q", [span.start + unit.start for unit in found])
        self.ends = array("q", [span.start + unit.end for unit in found])
        self.held = frozenset(self.forms)
        self.begins: dict[tuple[str, str], list[int]] = {}
        for place, unit in enumerate(found):
            if place:
                self._begin(place - 1, (found[place - 1].form, unit.form))
            if unit.is_word:
                self._begin(place, (unit.form, ""))

    def _begin(self, place: int, pair: tuple[str, str]) -> None:
        places = self.begins.setdefault(pair, [])
        if len(places) < _PLACES:
            places.append(place)


class UnitIndex:
    """The sentences of one passage that were asked for; made for one question, not kept.

    Sentences of one retriever lie apart, so all of them together take no more room than the
    passage taken apart as a whole.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._made: dict[Span, SentenceUnits] = {}

    def __getitem__(self, span: Span) -> SentenceUnits:
        if span not in self._made:
            self._made[span] = SentenceUnits(self._text, span)
        return self._made[span]

    def held(self, spans: Iterable[Span]) -> frozenset[str]:
        """Return the forms that stand in any of some sentences."""
        return frozenset[str]().union(*(self[span].held for span in spans))
