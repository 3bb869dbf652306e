"""A data set made harder: each question beside what was made of it."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from closeread.attacks.apply import apply
from closeread.attacks.constraints import CONSTRAINTS
from closeread.attacks.statements import stated
from closeread.attacks.triples import NotMadeError, Proposed, dealt, named, negative, positive
from closeread.protocols import Constraint, Perturbation
from closeread.types import Edit, Item, Passage, Question, Role

Variant = tuple[Passage, Question]


@dataclass(frozen=True)
class Group:
    """A question with what was made of it; a variant's passage may be another."""

    passage: Passage
    original: Question
    variants: Sequence[Variant]


@dataclass
class Made:
    """What became of a data set's questions.

    Attributes:
        questions: How many there were, variants that were there already not counted.
        groups: How many were made harder.
        left_out: Why the others were not -> how many.
        changes: Strategy -> ``same`` or ``opposite`` -> how many texts were changed by it.
    """

    questions: int = 0
    groups: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    changes: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, group: Group) -> None:
        """Count a group and its changes."""
        self.groups += 1
        for _, variant in group.variants:
            for tags in (variant.tags, *(option.tags for option in variant.options)):
                for strategy in filter(None, tags.get("strategy", "").split("+")):
                    kinds = self.changes.setdefault(strategy, Counter())
                    kinds[tags.get("truth", "same")] += 1


@dataclass(frozen=True, kw_only=True)
class Attack:
    """How questions are made harder.

    Attributes:
        strategies: What proposes changes. Where there is none, options are only dealt anew.
        constraints: What forbids some.
        roles: Which variants are made, beside the original; where it is empty both of a
            verification whose statements can be changed, else the positive one.
        deal: Whether the options of variants are dealt anew; None: where statements are changed.
        seed: Of the draws, together with a question's id.
        place: Which proposed change of a passage or a stem is made, from 0, the strongest; the
            last one where there are fewer.
    """

    strategies: Sequence[Perturbation]
    constraints: Sequence[Constraint] = CONSTRAINTS
    roles: Sequence[Role] = ()
    deal: bool | None = None
    seed: str = "0"
    place: int = 0

    def groups(self, items: Iterable[Item], made: Made) -> Iterator[Group]:
        """Yield the questions that can be made harder, with their variants; count the others."""
        for passage, question in originals(items, made):
            try:
                yield Group(passage, question, self.variants(passage, question))
            except NotMadeError as error:
                made.left_out[str(error)] += 1

    def variants(self, passage: Passage, question: Question) -> list[Variant]:
        """Return the variants of one question, by role.

        Raises:
            NotMadeError: One of those that were asked for cannot be made.
        """
        draw = random.Random(f"{self.seed}\0{question.question_id}")
        question = stated(question)
        found = [self._allowed(one, passage, question) for one in self.strategies]
        proposed = Proposed.of(edit for edits in found for edit in edits)
        used = {answer.label for answer in question.answers}
        variants = []
        for role in self.roles or _usual(question, proposed):
            if role == "negative":
                variant = negative(question, proposed, draw)
            elif proposed.by_option:
                variant = positive(question, proposed, draw)
            else:
                variant = question
            beside = [
                # What a stem that was turned around is like is another matter.
                self._allowed(one, passage, variant) if variant.text != question.text else edits
                for one, edits in zip(self.strategies, found, strict=True)
                if any(edit.place != "option" for edit in edits)
            ]
            chosen = [edits[min(self.place, len(edits) - 1)] for edits in beside if edits]
            changed, variant = apply(passage, variant, chosen)
            variant = _told(variant, chosen)
            if self._deals(question, proposed):
                variant = dealt(variant, used, draw)
            used |= {answer.label for answer in variant.answers}
            if variant == question:
                raise NotMadeError("nothing can be changed")
            variants.append((changed, named(variant, _group(question), role)))
        return variants

    def _deals(self, question: Question, proposed: Proposed) -> bool:
        if not question.options or question.kind == "entailment":
            return False
        return bool(proposed.by_option) if self.deal is None else self.deal

    def _allowed(self, strategy: Perturbation, passage: Passage, question: Question) -> list[Edit]:
        return [
            edit
            for edit in strategy.propose(passage, question)
            if all(one.allows(edit, passage, question) for one in self.constraints)
        ]


def originals(items: Iterable[Item], made: Made) -> Iterator[tuple[Passage, Question]]:
    """Yield the questions that are nobody's variants, and count them."""
    for passage, questions in items:
        for question in questions:
            if question.role in (None, "original"):
                made.questions += 1
                yield passage, question


def gathered(groups: Iterable[Group], made: Made) -> Iterator[Item]:
    """Yield groups as passages with questions, and count them.

    A group stays together. One whose passage was changed for a variant comes as two items.
    """
    here: list[Question] = []
    passage = None
    for group in groups:
        made.add(group)
        original = named(group.original, _group(group.original), "original")
        if passage is not None and passage.passage_id != group.passage.passage_id:
            yield passage, tuple(here)
            here = []
        passage = group.passage
        here += [original, *(one for found, one in group.variants if found == passage)]
        if changed := [(found, one) for found, one in group.variants if found != passage]:
            yield passage, tuple(here)
            here, passage = [], None
            for other, variant in changed:
                yield other, (variant,)
    if passage is not None:
        yield passage, tuple(here)


def _usual(question: Question, proposed: Proposed) -> tuple[Role, ...]:
    if proposed.by_option:
        return ("positive", "negative")
    return ("positive",)


def _told(variant: Question, chosen: Sequence[Edit]) -> Question:
    """Return a question that tells what was changed in its words or its passage."""
    if not chosen:
        return variant
    told = {
        "strategy": "+".join(dict.fromkeys(edit.strategy for edit in chosen)),
        "rule": ", ".join(edit.rule for edit in chosen),
        "now": " / ".join(edit.words.strip() for edit in chosen),
    }
    return replace(variant, tags=variant.tags | told)


def _group(question: Question) -> str:
    return question.group_id or question.question_id
