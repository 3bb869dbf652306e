"""A data set made harder: each question beside what was made of it."""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from closeread.attacks.apply import apply
from closeread.attacks.constraints import CONSTRAINTS
from closeread.attacks.statements import infer_statements
from closeread.attacks.triples import (
    NotMadeError,
    Proposed,
    as_group_member,
    do_not_overlap,
    make_negative,
    make_positive,
    shuffle_options,
)
from closeread.protocols import Constraint, Perturbation
from closeread.types import Edit, Item, Passage, PassageQuestion, Question, Role

Found = Sequence[Sequence[Edit]]  # by strategy, what it proposes and all constraints allow
# What tags tell of an attack, of a question and of an option.
_QUESTION_TAGS = ("strategy", "rule", "now")
_OPTION_TAGS = ("truth", "strategy", "origin", "rule", "was", "now")


@dataclass(frozen=True)
class Group:
    """A question with what was made of it; a variant's passage may be another."""

    passage: Passage
    original: Question
    variants: Sequence[PassageQuestion]


@dataclass
class AttackSummary:
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
        roles: Which variants are made, beside the original, and all of them or none; where it is
            empty the positive one, and of statements the negative one where it can be made.
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

    def groups(self, items: Iterable[Item], made: AttackSummary) -> Iterator[Group]:
        """Yield the questions that can be made harder, with their variants; count the others."""
        for passage, question in iter_originals(items, made):
            try:
                found = self.found(passage, question)
                yield Group(passage, question, self.variants(passage, question, found))
            except NotMadeError as error:
                made.left_out[str(error)] += 1

    def found(self, passage: Passage, question: Question) -> Found:
        """Return what the strategies propose; neither the seed nor ``place`` decide of it.

        Raises:
            NotMadeError: It cannot be told which option a change is of.
        """
        if len({one.label for one in question.options}) < len(question.options):
            raise NotMadeError("two options have the same label")
        question = infer_statements(question)
        return [self._allowed(one, passage, question) for one in self.strategies]

    def variants(self, passage: Passage, question: Question, found: Found) -> list[PassageQuestion]:
        """Return the variants of one question, by role.

        Args:
            passage: Its passage.
            question: An original.
            found: What ``found`` returned for it.

        Raises:
            NotMadeError: One of those that were asked for cannot be made.
        """
        draw = random.Random(f"{self.seed}\0{question.question_id}")
        # Of its options a variant tells no more than its original: both are scored, or neither.
        truth_is_known = bool(question.option_truth)
        question = infer_statements(_without_attack_tags(question))
        proposed = Proposed.of(edit for edits in found for edit in edits)
        used = {answer.label for answer in question.answers}
        variants = []
        for role in self.roles or _default_roles(proposed):
            if role == "negative":
                try:
                    variant = make_negative(question, proposed, draw)
                except NotMadeError:
                    if self.roles:
                        raise
                    continue
            elif proposed.by_option:
                variant = make_positive(question, proposed, draw)
            else:
                variant = question
            chosen = self._beside(passage, question, variant, found)
            changed, variant = apply(
                passage, as_group_member(variant, _group_id(question), role), chosen
            )
            variant = _with_attack_tags(variant, chosen)
            if self._deals(question, proposed):
                variant = shuffle_options(variant, used, draw)
            used |= {answer.label for answer in variant.answers}
            if not truth_is_known:
                variant = replace(variant, option_truth=())
            if changed is passage and _reads_like(variant, question):
                raise NotMadeError("nothing can be changed")
            variants.append((changed, variant))
        return variants

    def _beside(
        self, passage: Passage, question: Question, variant: Question, found: Found
    ) -> list[Edit]:
        """Return changes of a variant's passage and stem, one a strategy; none overlap."""
        chosen: list[Edit] = []
        for strategy, edits in zip(self.strategies, found, strict=True):
            if all(edit.place == "option" for edit in edits):
                continue
            # What fits a stem that was turned around, or other options, is another matter.
            fitting = edits if variant is question else self._allowed(strategy, passage, variant)
            free = [
                edit
                for edit in fitting
                if edit.place != "option"
                and all(edit.place != one.place or do_not_overlap(edit, one) for one in chosen)
            ]
            if free:
                chosen.append(free[min(self.place, len(free) - 1)])
        return chosen

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


def iter_originals(
    items: Iterable[Item], made: AttackSummary
) -> Iterator[tuple[Passage, Question]]:
    """Yield the questions that are nobody's variants, and count them.

    Of questions with one id only the first: variants are known by it.
    """
    seen: set[str] = set()
    for passage, questions in items:
        for question in questions:
            if question.role not in (None, "original"):
                continue
            made.questions += 1
            if (name := _group_id(question)) in seen:
                made.left_out["a question before it has the same id"] += 1
                continue
            seen.add(name)
            yield passage, question


def gather_groups(groups: Iterable[Group], made: AttackSummary) -> Iterator[Item]:
    """Yield groups as passages with questions, and count them.

    A group stays together. One whose passage was changed for a variant comes as two items.
    """
    here: list[Question] = []
    passage = None
    for group in groups:
        made.add(group)
        original = as_group_member(group.original, _group_id(group.original), "original")
        if passage is not None and passage != group.passage:  # ids may stand twice
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


def merge_by_passage(items: Iterable[Item]) -> Iterator[Item]:
    """Yield each passage of an attacked set once, with all that asks about it as it was.

    Passages that were changed for a variant follow it. In forms that keep no groups a passage that
    comes again would be another one.
    """
    current, here, changed = None, list[Question](), list[Item]()
    for passage, questions in items:
        if all(one.role != "original" for one in questions):
            changed.append((passage, questions))
            continue
        if current is not None and passage != current:
            yield current, tuple(here)
            yield from changed
            here, changed = [], []
        current = passage
        here += questions
    if current is not None:
        yield current, tuple(here)
        yield from changed


def _default_roles(proposed: Proposed) -> tuple[Role, ...]:
    if proposed.by_option:
        return ("positive", "negative")
    return ("positive",)


def _without_attack_tags(question: Question) -> Question:
    """Return a question without what tags of its set say of an attack: they tell of this one."""
    return replace(
        question,
        tags=_without(question.tags, _QUESTION_TAGS),
        options=tuple(
            replace(option, tags=_without(option.tags, _OPTION_TAGS)) for option in question.options
        ),
    )


def _without(tags: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    return {name: value for name, value in tags.items() if name not in names}


def _with_attack_tags(variant: Question, chosen: Sequence[Edit]) -> Question:
    """Return a question that tells what was changed in its words or its passage."""
    if not chosen:
        return variant
    told = {
        "strategy": "+".join(dict.fromkeys(edit.strategy for edit in chosen)),
        "rule": ", ".join(edit.rule for edit in chosen),
        "now": " / ".join(edit.words.strip() for edit in chosen),
    }
    return replace(variant, tags=variant.tags | told)


def _reads_like(variant: Question, question: Question) -> bool:
    """Return whether a reader would see no difference."""
    return variant.text == question.text and [one.text for one in variant.options] == [
        one.text for one in question.options
    ]


def _group_id(question: Question) -> str:
    """Return what a question's variants are named for; a group without roles is something else."""
    return (question.role and question.group_id) or question.question_id
