"""MLQA exact match and F1 in seven languages (Lewis et al. 2020, section 4).

Checked against ``mlqa_evaluation_v1.py`` of facebookresearch/MLQA @ 5ef5c73. The computation is
that of SQuAD with other words: the language of the answers decides which punctuation and articles
are dropped, and what a word is.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from closeread.errors import UsageError
from closeread.metrics.matching.overlap import exact_and_f1
from closeread.metrics.matching.references import predicted_text, references
from closeread.metrics.matching.single import score_file
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.text.normalize import MLQA_LANGUAGES, mlqa_words
from closeread.types import Prediction, Question, Score, Submission, Unit


@dataclass(frozen=True, kw_only=True)
class Mlqa:
    """Exact match and bag-of-words F1, each the best over the references.

    Attributes:
        answer_language: The language of all answers; "" for that of each question's tag
            ``answer_language``.
    """

    answer_language: str = ""
    name: str = "mlqa"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings that two numbers must share; Unicode's version decides on marks."""
        language = self.answer_language or "tag"
        unicode = unicodedata.unidata_version
        return f"{self.name}|norm:mlqa|language:{language}|unicode:{unicode}|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em`` (0 or 1) and ``f1``.

        Raises:
            UsageError: The language is unknown, or the program does not support it.
            CloseReadError: The question has no reference (the official program stops there too).
        """
        language = check_language(
            self.answer_language or question.tags.get("answer_language", ""),
            where=f"{self.name}, question {question.question_id}",
        )
        golds = references(question, self.name)
        text = predicted_text(prediction)
        exact, f1 = (0.0, 0.0) if text is None else score_text(text, golds, language)
        return Score(
            question_id=question.question_id,
            values={"em": exact, "f1": f1},
            unit_id=question_unit(question),
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the pools of exact match and F1."""
        names = {value: f"{self.name}.{value}" for value in ("em", "f1")}
        return mean_pools(names, scores, submission)


def metric(*, answer_language: str = "") -> Mlqa:
    """Return the metric.

    Args:
        answer_language: The program's third argument. By default the data set's: MLQA's and
            XQuAD's files have it in their names.

    Raises:
        UsageError: The program does not support the language.
    """
    if answer_language:
        check_language(answer_language, where="mlqa")
    return Mlqa(answer_language=answer_language)


def check_language(language: str, where: str) -> str:
    """Return the language if the official program supports it.

    Raises:
        UsageError: The program does not support it, or it is "".
    """
    if language in MLQA_LANGUAGES:
        return language
    raise UsageError(
        f"MLQA's program does not support the language {language!r}"
        if language
        else "the language of the answers is unknown",
        where=where,
        expected="one of " + ", ".join(MLQA_LANGUAGES),
        cure="score answers in other languages with the metric `squad`"
        if language
        else "give it with --answer-language L, or with the metric's option answer_language",
    )


def score_text(prediction: str, golds: Sequence[str], language: str) -> tuple[float, float]:
    """Return exact match and F1 of one string, each the best over the references.

    Two strings that both normalise to nothing match exactly but have an F1 of 0.
    """
    gold_words = (mlqa_words(gold, language) for gold in dict.fromkeys(golds))
    return exact_and_f1(mlqa_words(prediction, language), gold_words, both_empty=0.0)


def official(
    golds: Iterable[tuple[str, Sequence[str]]],
    predictions: Mapping[str, Any],
    answer_language: str,
) -> dict[str, float]:
    """Return what the official program prints: ``exact_match`` and ``f1`` in percent.

    Args:
        golds: Question ids with their references, in the file's order; repeated ids count twice.
        predictions: Question id to raw prediction; unknown ids are ignored.
        answer_language: The program's argument of this name.

    Raises:
        UsageError: The program does not support the language.
        CloseReadError: A prediction is not a string, or there is no reference or no question.
    """
    score = partial(score_text, language=check_language(answer_language, where="mlqa"))
    return score_file("mlqa", golds, predictions, score=score)
