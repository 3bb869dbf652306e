"""Score Chinese spans by characters and whole Latin words, whatever the width of punctuation.

Differences from CMRC 2018: full-width letters, digits and punctuation equal half-width ones; all
Unicode punctuation is dropped (not a list of it) and separates; a Latin word and a number are one
segment each, numbers by value; Han characters outside the basic block are segments too; two
answers without a segment are equal, in F1 as well. So an empty prediction is right for an
unanswerable question, at which the official program stops. Needs no NLTK.
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

# Includes 々〆〇 and the Suzhou numerals; of the kana blocks the letters, iteration marks and the
# prolonged sound mark, but not the middle dot and the double hyphen, which are punctuation.
_HAN = (
    "\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
)
_DIGITS = 15  # as many as a float always represents exactly
_SEGMENT = re.compile(
    rf"(?P<number>(?<![\d.])\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![\d,]\d)|\d+(?:\.\d+)?)|[{_HAN}]"
    rf"|[^\W\d_{_HAN}]+"
)


@dataclass(frozen=True)
class CmrcMixed:
    """The metric: CMRC's longest common run, over mended segments."""

    name: str = "cmrc~mixed"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings; a missing prediction counts as wrong."""
        return f"cmrc~mixed|norm:nfkc,marks|unicode:{unicodedata.unidata_version}|missing:zero|v:3"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em``, ``f1`` and their mean, each the best over the references.

        Raises:
            CloseReadError: The question has no gold, not even a mark that it is unanswerable.
        """
        answers = require_gold(question.question_id, question.answers, self.name)
        golds = [answer.texts[0] for answer in answers if answer.texts] or [""]
        text = predicted_text(prediction)
        exact = best = 0.0
        if text is not None:
            predicted = segments(text)
            for gold in dict.fromkeys(golds):
                gold_segments = segments(gold)
                if predicted == gold_segments:
                    exact = best = 1.0
                elif length := longest_run(predicted, gold_segments):
                    best = max(best, f1(length, len(predicted), len(gold_segments)))
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
    """Return Han and kana characters, Latin words and numbers in order, without punctuation."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return tuple(
        f"{float(match[0].replace(',', '')):.{_DIGITS}g}"
        if match["number"] and len(match[0]) <= _DIGITS
        else match[0]
        for match in _SEGMENT.finditer(plain)
    )
