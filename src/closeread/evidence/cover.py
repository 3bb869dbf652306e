"""Closeread's own retriever: the fewest sentences that together cover what a claim says.

It needs no weights and no training, and takes Chinese and English alike. docs/evidence.md derives
the rule, docs/evidence-research.md tells what else was tried and what it gave.
"""

import math
from typing import NamedTuple

from closeread.errors import UsageError
from closeread.evidence.background import Background, load
from closeread.evidence.clauses import without_empty_ends
from closeread.evidence.explanation import Explanation, explanation
from closeread.evidence.sentences import Splitter, splitter
from closeread.evidence.unit_index import UnitIndex
from closeread.evidence.weighing import Claim, Indexed
from closeread.text.asked import asked_for
from closeread.text.remembered import ByText
from closeread.types import Evidence, Option, Passage, Question

_DIGITS = 9  # closer values are ties: sums in another order must not decide


def cover(
    *,
    sentences: str = "default",
    enough: float = 9.0,
    clause: float = 3.5,
    near: float = 4.5,
    stem: float = 0.7,
    most: int = 100,
    unit: str = "sentence",
    background: str = "",
) -> "CoverRetriever":
    """Make the retriever.

    The defaults of ``enough``, ``clause`` and ``near`` are a logistic regression on the evidence
    of ``exam/zh``, rounded.

    Args:
        sentences: ``default``, or ``vgaokao`` for the splitter of that data set's authors.
        enough: What a further sentence must bring; a term that no other sentence holds counts 1.
        clause: What covering the whole of a clause counts beside its terms.
        near: What standing next to a sentence already taken counts.
        stem: The weight of the words of a question beside those of its option.
        most: Sentences at most.
        unit: ``sentence``, or ``clause`` to leave out the clauses at both ends of a sentence that
            say nothing of the claim.
        background: A corpus (a folder) in which the rarity of terms is looked up, too.

    Raises:
        UsageError: A value is out of its range.
        InputError: ``background`` is no corpus.
    """
    if not all(0 <= one < math.inf for one in (enough, clause, near, stem)) or most < 1:
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


class Rule(NamedTuple):
    """When a further sentence is taken; the options of ``cover``."""

    enough: float
    clause: float
    near: float
    stem: float
    most: int


class CoverRetriever:
    """Takes the sentence that covers most, and on while a further one brings enough that is new."""

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
        self._indexed = ByText(lambda text, language: Indexed(text, split(text, language)))

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return the sentences that cover the option's text, or the question's where it is None.

        ``score`` is the share of the claim's weight that they cover, from 0 to 1. A claim that
        shares nothing with the passage, or has nothing that counts, has no evidence and scores 0.
        """
        indexed: Indexed = self._indexed(passage.text, passage.language)
        text, context = claim_and_context(question, option)
        claim = Claim(indexed, text, context, self._rule.stem, self._background)
        if option is None and asked_for(text) in {"number", "date"}:
            claim.want_number()
        search = _Search(indexed, claim)
        chosen = self._choose(search, self._rule.most if k is None else k)
        spans = tuple(indexed.spans[place] for place in sorted(chosen))
        if self._clauses:
            weights = dict(zip(claim.terms, claim.weights, strict=True))
            spans = tuple(
                without_empty_ends(passage.text, indexed.folded, span, weights) for span in spans
            )
        return Evidence(
            spans=spans,
            option_label=option.label if option is not None else "",
            score=round(search.covered() / claim.total, 6) if claim.total else 0.0,
            hops=max(1, len(chosen)),
        )

    def _choose(self, search: "_Search", most: int) -> list[int]:
        if most < 1:
            return []
        best = max(range(len(search.gains)), key=search.rounded, default=-1)
        if best < 0 or search.rounded(best) <= 0:
            return []
        search.take(best)
        while len(search.taken) < most:
            further = self._next(search)
            if further is None:
                break
            search.take(further)
        return search.taken

    def _next(self, search: "_Search") -> int | None:
        """Return the sentence that brings most, where that is enough."""
        enough, all_of_clause, next_to, *_ = self._rule
        best, best_worth = None, enough
        for place, gain in enumerate(search.gains):
            bound = gain + next_to + all_of_clause
            if gain <= 1e-9 or bound < best_worth or place in search.taken:
                continue
            worth = gain + next_to * search.nearness(place)
            if worth + all_of_clause < best_worth:
                continue
            worth = round(worth + all_of_clause * search.clause_share(place), _DIGITS)
            if worth > best_worth or (best is None and worth == best_worth):
                best, best_worth = place, worth
        return best


class _Search:
    """What each sentence would still bring, while sentences are taken."""

    def __init__(self, indexed: Indexed, claim: Claim) -> None:
        many = len(indexed.spans)
        self.taken: list[int] = []
        self.gains = [0.0] * many
        self._paragraphs = indexed.paragraphs
        self._claim = claim
        self._held: list[list[int]] = [[] for _ in range(many)]
        self._postings = [indexed.held_by.get(term, ()) for term in claim.terms]
        self._open = [True] * len(claim.terms)
        for number, (posting, weight) in enumerate(zip(self._postings, claim.weights, strict=True)):
            for place in posting:
                self.gains[place] += weight
                self._held[place].append(number)

    def rounded(self, place: int) -> float:
        return round(self.gains[place], _DIGITS)

    def take(self, place: int) -> None:
        """Take a sentence: what it covers is no longer open."""
        self.taken.append(place)
        for number in self._held[place]:
            if self._open[number]:
                self._open[number] = False
                weight = self._claim.weights[number]
                for other in self._postings[number]:
                    self.gains[other] -= weight

    def nearness(self, place: int) -> float:
        """Return 1 over the distance, in sentences, to one taken in the same paragraph; else 0."""
        paragraph = self._paragraphs[place]
        return max(
            (
                1 / abs(place - other)
                for other in self.taken
                if self._paragraphs[other] == paragraph
            ),
            default=0.0,
        )

    def clause_share(self, place: int) -> float:
        """Return the largest share of a clause that the sentence would newly cover."""
        claim = self._claim
        brought: dict[int, float] = {}
        for number in self._held[place]:
            clause = claim.clauses[number]
            if self._open[number] and clause >= 0:
                brought[clause] = brought.get(clause, 0.0) + claim.weights[number]
        return max(
            (gain / claim.clause_totals[clause] for clause, gain in brought.items()), default=0.0
        )

    def covered(self) -> float:
        """Return the weight of the claim itself, without its context, that is covered."""
        claim = self._claim
        return sum(
            weight
            for is_open, weight, clause in zip(
                self._open, claim.weights, claim.clauses, strict=True
            )
            if not is_open and clause >= 0
        )


def claim_and_context(question: Question, option: Option | None) -> tuple[str, str]:
    """Return the text to be covered and the text that only helps to find the place.

    An option of a verification question is a statement of its own; of any other question it says
    something only together with its stem.
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
    """Return which sentence covers which part of the option, and the parts that none covers.

    Args:
        question: The question.
        passage: Its passage.
        option: The option, or None for a question without options: its text is explained then.
        evidence: What to explain; this retriever's own, with its defaults, where None.
        sentences: The passage's, where several options are explained: each is then taken apart
            once.
    """
    if evidence is None:
        evidence = _DEFAULT.retrieve(question, passage, option)
    claim, _ = claim_and_context(question, option)
    return explanation(claim, sentences or UnitIndex(passage.text), evidence)


_DEFAULT = cover()
