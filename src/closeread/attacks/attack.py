"""Attack a data set: make variants of each question by strategies, under constraints."""

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
# The tags that record an attack, on a question and on an option.
_QUESTION_TAGS = ("strategy", "rule", "now")
_OPTION_TAGS = ("truth", "strategy", "origin", "rule", "was", "now")


@dataclass(frozen=True)
class Group:
    """A question with its variants; a variant's passage may differ."""

    passage: Passage
    original: Question
    variants: Sequence[PassageQuestion]


@dataclass
class AttackSummary:
    """The counts of an attack.

    Attributes:
        questions: How many questions there were, not counting variants that already existed.
        groups: How many questions got variants.
        left_out: Reason why the others got none -> how many.
        changes: Strategy -> ``same`` or ``opposite`` -> how many texts it changed.
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
    """How variants of questions are made.

    Attributes:
        strategies: Propose changes. Without any, options are only shuffled.
        constraints: Forbid some of the changes.
        roles: The variants to make beside the original, all of them or none; if empty, the positive
            one, and for statements the negative one if it can be made.
        deal: Whether the options of variants are shuffled; None: if statements are changed.
        seed: Seed of the draws, together with a question's id.
        place: Which proposed change of a passage or a stem is made, from 0, the strongest; the last
            one if there are fewer.
    """

    strategies: Sequence[Perturbation]
    constraints: Sequence[Constraint] = CONSTRAINTS
    roles: Sequence[Role] = ()
    deal: bool | None = None
    seed: str = "0"
    place: int = 0

    def groups(self, items: Iterable[Item], made: AttackSummary) -> Iterator[Group]:
        """Yield the questions that get variants, with these; count the others."""
        for passage, question in iter_originals(items, made):
            try:
                found = self.found(passage, question)
                yield Group(passage, question, self.variants(passage, question, found))
            except NotMadeError as error:
                made.left_out[str(error)] += 1

    def found(self, passage: Passage, question: Question) -> Found:
        """Return what the strategies propose; it does not depend on ``seed`` and ``place``.

        Raises:
            NotMadeError: Two options have the same label, so that a change has no single option.
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
            NotMadeError: One of the variants in ``roles`` cannot be made.
        """
        draw = random.Random(f"{self.seed}\0{question.question_id}")
        # A variant knows no more about its options than its original: both are scored, or neither.
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
        """Return changes of a variant's passage and stem, one per strategy, without overlaps."""
        chosen: list[Edit] = []
        for strategy, edits in zip(self.strategies, found, strict=True):
            if all(edit.place == "option" for edit in edits):
                continue
            # An inverted stem, or changed options, may allow other changes than the original.
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
    """Yield the questions that are not variants, and count them.

    Only the first of several questions with one id: variants are identified by it.
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

    A group stays together. If a variant has another passage, the group becomes two items.
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
    """Yield each passage of an attacked set once, with all questions about its original text.

    Passages that were changed for a variant follow it. In formats without groups a passage that
    occurs again would count as another one.
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
    """Return a question without the tags of an earlier attack: they now record this one."""
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
    """Return a question with tags that record what was changed in its stem or its passage."""
    if not chosen:
        return variant
    tags = {
        "strategy": "+".join(dict.fromkeys(edit.strategy for edit in chosen)),
        "rule": ", ".join(edit.rule for edit in chosen),
        "now": " / ".join(edit.words.strip() for edit in chosen),
    }
    return replace(variant, tags=variant.tags | tags)


def _reads_like(variant: Question, question: Question) -> bool:
    """Return whether a reader would see no difference."""
    return variant.text == question.text and [one.text for one in variant.options] == [
        one.text for one in question.options
    ]


def _group_id(question: Question) -> str:
    """Return the id that names a question's variants; a group without roles is something else."""
    return (question.role and question.group_id) or question.question_id
