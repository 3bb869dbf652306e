"""The units of a passage's sentences, computed once for all claims."""

from array import array
from collections.abc import Iterable

from closeread.evidence.claims.terms import units
from closeread.types import Span

_MAX_PLACES = 16


class SentenceUnits:
    """The units of one sentence.

    Attributes:
        forms: Their forms, in order.
        starts: Where each starts, in the passage.
        ends: Where each ends, in the passage.
        distinct_forms: The set of forms.
        starts_of: The indices, among the units, of each pair of forms, and of each single word
            under ``(form, "")``. Only the first few of a repeated pair are kept, so that the time
            to match a claim is linear in its length, whatever the sentence repeats.
    """

    def __init__(self, text: str, span: Span) -> None:
        sentence_units = units(span.of(text))
        self.forms = [unit.form for unit in sentence_units]
        self.starts = array("q", [span.start + unit.start for unit in sentence_units])
        self.ends = array("q", [span.start + unit.end for unit in sentence_units])
        self.distinct_forms = frozenset(self.forms)
        self.starts_of: dict[tuple[str, str], list[int]] = {}
        for index, unit in enumerate(sentence_units):
            if index:
                self._add_start(index - 1, (sentence_units[index - 1].form, unit.form))
            if unit.is_word:
                self._add_start(index, (unit.form, ""))

    def _add_start(self, index: int, pair: tuple[str, str]) -> None:
        indices = self.starts_of.setdefault(pair, [])
        if len(indices) < _MAX_PLACES:
            indices.append(index)


class UnitIndex:
    """The units of a passage's sentences, split on demand; made for one question, and not kept.

    The sentences of one retriever do not overlap, so together they take no more memory than the
    whole passage.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._sentences: dict[Span, SentenceUnits] = {}

    def __getitem__(self, span: Span) -> SentenceUnits:
        if span not in self._sentences:
            self._sentences[span] = SentenceUnits(self._text, span)
        return self._sentences[span]

    def forms_in(self, spans: Iterable[Span]) -> frozenset[str]:
        """Return the forms that occur in any of some sentences."""
        return frozenset[str]().union(*(self[span].distinct_forms for span in spans))
