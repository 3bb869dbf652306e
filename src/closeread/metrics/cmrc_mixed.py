"""Chinese spans judged by characters and whole Latin words, whatever the width of their marks.

Against CMRC 2018: full-width letters, digits and marks are the same as half-width ones; every
Unicode mark is dropped (not a list of them) and separates; a Latin word and a number are one
segment each, numbers by value; Han characters outside the basic block are segments too; two
answers without a segment are equal, in F1 as well, and so a question without an answer, where the
official program stops, is answered rightly by saying nothing. Needs no NLTK.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from closeread.metrics.cmrc import longest_run
from closeread.metrics.matching.overlap import f1
from closeread.metrics.matching.references import predicted_text, require_gold
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.types import Prediction, Question, Score, Submission, Unit

# With 々〆〇 and the signs of Suzhou numerals; of kana the letters and what repeats or draws them
# out: the middle dot and the double hyphen, which stand among them, are marks.
_HAN = (
    "\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
)
_DIGITS = 15  # as many as a float holds whatever they are
_SEGMENT = re.compile(
    rf"(?P<number>(?<![\d.])\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![\d,]\d)|\d+(?:\.\d+)?)|[{_HAN}]"
    rf"|[^\W\d_{_HAN}]+"
)


@dataclass(frozen=True)
class CmrcMixed:
    """The metric: CMRC's longest run in common, over mended segments."""

    name: str = "cmrc~mixed"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings; a missing prediction counts as wrong."""
        return f"cmrc~mixed|norm:nfkc,marks|unicode:{unicodedata.unidata_version}|missing:zero|v:3"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em``, ``f1`` and their mean, each the best over the references.

        Raises:
            CloseReadError: The question has no gold, not even that it has no answer.
        """
        answers = require_gold(question.question_id, question.answers, self.name)
        golds = [one.texts[0] for one in answers if one.texts] or [""]
        text = predicted_text(prediction)
        exact = best = 0.0
        if text is not None:
            said = segments(text)
            for gold in dict.fromkeys(golds):
                wanted = segments(gold)
                if said == wanted:
                    exact = best = 1.0
                elif length := longest_run(said, wanted):
                    best = max(best, f1(length, len(said), len(wanted)))
        values: dict[str, float | None] = {"em": exact, "f1": best, "average": (exact + best) / 2}
        return Score(
            question_id=question.question_id, values=values, unit_id=question_unit(question)
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return exact match, F1 and their mean."""
        names = {key: f"cmrc.{key}~mixed" for key in ("em", "f1", "average")}
        return mean_pools(names, scores, submission)


def metric() -> CmrcMixed:
    """Return the metric."""
    return CmrcMixed()


@lru_cache(maxsize=1 << 14)
def segments(text: str) -> tuple[str, ...]:
    """Return Han and kana characters, Latin words and numbers, in order; marks are gone."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return tuple(
        f"{float(found[0].replace(',', '')):.{_DIGITS}g}"
        if found["number"] and len(found[0]) <= _DIGITS
        else found[0]
        for found in _SEGMENT.finditer(plain)
    )
