"""Score as two scorers of OpenCompass: ``EMEvaluator``, and the accuracy of its DROP task.

``opencompass.em`` cuts both sides at the first line break, full stop or comma, removes articles and
whatever is neither letter, digit nor blank, and compares: ``12.25`` becomes ``12``. (The unchanged
gold string is accepted too.) ``opencompass.drop`` is the fuzzy match of simple-evals on the first
line with ``Answer:``. Sources: ``icl_em_evaluator.py``, ``text_postprocessors.py`` and
``drop_simple_eval.py`` at a5acc4bb.
"""

import re
from collections.abc import Mapping

from closeread.metrics.others.foreign import ForeignScorer, Golds, extract_answer, join_spans
from closeread.metrics.others.fuzzy import fuzzy_match

_CUT = re.compile(r"[\n.,]")
_MARKS = re.compile(r"[^\w\s]")
_ARTICLE = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)


def metric() -> ForeignScorer:
    """Return the metric."""
    return ForeignScorer(name="opencompass", version="a5acc4bb", keys=("em", "drop"), judge=_judge)


def _judge(texts: tuple[str, ...], golds: Golds) -> Mapping[str, float]:
    joined = join_spans(texts)
    predicted, answer = _general(joined), extract_answer(joined)
    alternatives = [" and ".join(gold) for gold in golds]
    exact = any(predicted in (gold, _general(gold)) for gold in alternatives)
    fuzzy = any(fuzzy_match(answer, gold) for gold in alternatives)
    return {"em": float(exact), "drop": float(fuzzy)}


def _general(text: str) -> str:
    head = _CUT.split(text, maxsplit=1)[0]
    return " ".join(_ARTICLE.sub("", _MARKS.sub("", head)).split())
