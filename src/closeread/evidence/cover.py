"""Closeread's own retriever: few sentences that together cover the terms of a claim.

It needs no weights and no training, and handles Chinese and English. docs/evidence.md derives the
rule, docs/evidence-research.md reports the alternatives and their results.
"""

import math
from typing import Annotated

from closeread.errors import UsageError
from closeread.evidence.claims.background import Background, load
from closeread.evidence.claims.clauses import trim_empty_clauses
from closeread.evidence.claims.explanation import Explanation, explain_claim
from closeread.evidence.claims.search import Rule, Search
from closeread.evidence.claims.unit_index import UnitIndex
from closeread.evidence.claims.weighing import Claim, IndexedPassage
from closeread.evidence.corpus import PASSAGES
from closeread.evidence.query import label_of
from closeread.evidence.sentences import Splitter, splitter
from closeread.registry.factory import PathText
from closeread.text.memo import TextCache
from closeread.text.question_type import expected_answer_type
from closeread.types import Evidence, Option, Passage, Question


def cover(
    *,
    sentences: str = "default",
    enough: float = 9.0,
    clause: float = 3.5,
    near: float = 4.5,
    stem: float = 0.7,
    most: int = 100,
    unit: str = "sentence",
    background: Annotated[PathText, PASSAGES] = "",
) -> "CoverRetriever":
    """Make the retriever.

    The defaults of ``enough``, ``clause`` and ``near`` are a logistic regression on the evidence
    of ``exam/zh``, rounded.

    Args:
        sentences: ``default``, or ``vgaokao`` for the splitter of that data set's authors.
        enough: The minimum gain of a further sentence; a term in a single sentence counts 1.
        clause: The gain for newly covering a whole clause, in addition to its terms.
        near: The gain for being next to a sentence already taken.
        stem: The weight of the words of a question relative to those of its option.
        most: Maximum number of sentences.
        unit: ``sentence``, or ``clause`` to trim the clauses at both ends of a sentence that cover
            nothing of the claim.
        background: A corpus (a folder) that also determines the rarity of terms.

    Raises:
        UsageError: A value is out of range.
        InputError: ``background`` is no corpus.
    """
    if not all(0 <= value < math.inf for value in (enough, clause, near, stem)) or most < 1:
        raise UsageError(
            f"enough={enough:g}, clause={clause:g}, near={near:g}, stem={stem:g}, most={most}",
            expected="finite numbers, none negative, and most at least 1",
        )
    if unit not in ("sentence", "clause"):
        raise UsageError(f"unit={unit!r}", expected="sentence or clause")
    return CoverRetriever(
        splitter(sentences),
        Rule(enough, clause, near, stem, most),
        clauses=unit == "clause",
        background=load(background) if background else None,
    )


class CoverRetriever:
    """Takes the sentence that covers most, then others while their gain is large enough."""

    def __init__(
        self,
        split: Splitter,
        rule: Rule,
        *,
        clauses: bool,
        background: Background | None,
    ) -> None:
        self._rule = rule
        self._clauses = clauses
        self._background = background
        self._indexed = TextCache(
            lambda text, language: IndexedPassage(text, split(text, language))
        )

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return the sentences that cover the option's text, or the question's if it is None.

        ``score`` is the share of the claim's weight that they cover, from 0 to 1. A claim without
        terms, or without a term in the passage, has no evidence and scores 0.
        """
        indexed: IndexedPassage = self._indexed(passage.text, passage.language)
        text, context = claim_and_context(question, option)
        claim = Claim(
            indexed,
            text,
            context,
            self._rule.stem,
            self._background,
            wants_number=option is None and expected_answer_type(text) in {"number", "date"},
        )
        search = Search(indexed, claim)
        chosen = self._choose(search, self._rule.most if k is None else k)
        spans = tuple(indexed.spans[number] for number in sorted(chosen))
        if self._clauses:
            weights = dict(zip(claim.terms, claim.weights, strict=True))
            spans = tuple(
                trim_empty_clauses(passage.text, indexed.folded, span, weights) for span in spans
            )
        return Evidence(
            spans=spans,
            option_label=label_of(option),
            score=round(search.covered() / claim.total, 6) if claim.total else 0.0,
            hops=max(1, len(chosen)),
        )

    def _choose(self, search: Search, limit: int) -> list[int]:
        sentence = search.best() if limit > 0 else None
        while sentence is not None:
            search.take(sentence)
            sentence = search.next(self._rule) if len(search.taken) < limit else None
        return search.taken


def claim_and_context(question: Question, option: Option | None) -> tuple[str, str]:
    """Return the text to cover, and the text that only helps to locate the evidence.

    An option of a verification question is a complete statement; other options are statements only
    together with their stem.
    """
    if option is None:
        return question.text, ""
    return option.text, "" if question.kind == "verification" else question.text


def explain(
    question: Question,
    passage: Passage,
    option: Option | None,
    evidence: Evidence | None = None,
    sentences: UnitIndex | None = None,
) -> Explanation:
    """Return which sentence covers which part of the option, and the uncovered parts.

    Args:
        question: The question.
        passage: Its passage.
        option: The option, or None to explain the text of a question without options.
        evidence: The evidence to explain; None for that of this retriever with its defaults.
        sentences: The index of the passage's sentences, to share among several options.
    """
    if evidence is None:
        evidence = _DEFAULT.retrieve(question, passage, option)
    claim, _ = claim_and_context(question, option)
    return explain_claim(claim, sentences or UnitIndex(passage.text), evidence)


_DEFAULT = cover()
