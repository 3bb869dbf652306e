"""Attack a data set: make variants of each question with strategies, under constraints."""

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
    OptionEdits,
    as_group_member,
    do_not_overlap,
    make_negative,
    make_positive,
    shuffle_options,
)
from closeread.protocols import Constraint, Perturbation
from closeread.types import Edit, Item, Passage, PassageQuestion, Question, Role

Proposals = Sequence[Sequence[Edit]]  # for each strategy, its edits that all constraints allow
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
        questions: Number of questions, without variants that already existed.
        groups: Number of questions with new variants.
        left_out: Reason -> number of questions without variants.
        changes: Strategy -> ``same`` or ``opposite`` (of the truth) -> number of edited texts.
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
    """Makes variants of questions.

    Attributes:
        strategies: Propose edits; without any, options are only shuffled.
        constraints: Every edit must be allowed by all of them.
        roles: The variants to make, all of them or none. By default the positive one, and for
            statements also the negative one if it can be made.
        deal: Whether the options of variants are shuffled; None: if statements are edited.
        seed: Seed of the random numbers, together with a question's id.
        place: Rank of the edit of a passage or a stem to make, 0 for the strongest; the last one if
            there are fewer.
    """

    strategies: Sequence[Perturbation]
    constraints: Sequence[Constraint] = CONSTRAINTS
    roles: Sequence[Role] = ()
    deal: bool | None = None
    seed: str = "0"
    place: int = 0

    def groups(self, items: Iterable[Item], summary: AttackSummary) -> Iterator[Group]:
        """Yield the questions that get variants, with their variants; count the others."""
        for passage, question in iter_originals(items, summary):
            try:
                proposals = self.propose_edits(passage, question)
                yield Group(passage, question, self.variants(passage, question, proposals))
            except NotMadeError as error:
                summary.left_out[str(error)] += 1

    def propose_edits(self, passage: Passage, question: Question) -> Proposals:
        """Return the allowed edits of each strategy; they do not depend on ``seed`` and ``place``.

        Raises:
            NotMadeError: Two options have the same label, so that an edit fits no single option.
        """
        if len({option.label for option in question.options}) < len(question.options):
            raise NotMadeError("two options have the same label")
        question = infer_statements(question)
        return [self._propose_allowed(strategy, passage, question) for strategy in self.strategies]

    def variants(
        self, passage: Passage, question: Question, proposals: Proposals
    ) -> list[PassageQuestion]:
        """Return the variants of one question, by role.

        Args:
            passage: Its passage.
            question: An original.
            proposals: What ``propose_edits`` returned for it.

        Raises:
            NotMadeError: One of the variants in ``roles`` cannot be made.
        """
        rng = random.Random(f"{self.seed}\0{question.question_id}")
        # A variant gets the truth of its options only if its original has it, so that option
        # scores cover both or neither.
        truth_is_known = bool(question.option_truth)
        question = infer_statements(_remove_attack_tags(question))
        option_edits = OptionEdits.group(edit for edits in proposals for edit in edits)
        used_labels = {answer.label for answer in question.answers}
        variants = []
        for role in self.roles or _default_roles(option_edits):
            if role == "negative":
                try:
                    variant = make_negative(question, option_edits, rng)
                except NotMadeError:
                    if self.roles:
                        raise
                    continue
            elif option_edits.by_option:
                variant = make_positive(question, option_edits, rng)
            else:
                variant = question
            passage_edits = self._choose_edits(passage, question, variant, proposals)
            new_passage, variant = apply(
                passage, as_group_member(variant, _group_id(question), role), passage_edits
            )
            variant = _add_attack_tags(variant, passage_edits)
            if self._shuffles_options(question, option_edits):
                variant = shuffle_options(variant, used_labels, rng)
            used_labels |= {answer.label for answer in variant.answers}
            if not truth_is_known:
                variant = replace(variant, option_truth=())
            if new_passage is passage and _reads_like(variant, question):
                raise NotMadeError("nothing can be changed")
            variants.append((new_passage, variant))
        return variants

    def _choose_edits(
        self, passage: Passage, question: Question, variant: Question, proposals: Proposals
    ) -> list[Edit]:
        """Return edits of a variant's passage and stem, one per strategy, without overlaps."""
        chosen: list[Edit] = []
        for strategy, edits in zip(self.strategies, proposals, strict=True):
            if all(edit.place == "option" for edit in edits):
                continue
            # An inverted stem or edited options may allow other edits than the original.
            fitting = (
                edits if variant is question else self._propose_allowed(strategy, passage, variant)
            )
            free = [
                edit
                for edit in fitting
                if edit.place != "option"
                and all(
                    edit.place != other.place or do_not_overlap(edit, other) for other in chosen
                )
            ]
            if free:
                chosen.append(free[min(self.place, len(free) - 1)])
        return chosen

    def _shuffles_options(self, question: Question, option_edits: OptionEdits) -> bool:
        if not question.options or question.kind == "entailment":
            return False
        return bool(option_edits.by_option) if self.deal is None else self.deal

    def _propose_allowed(
        self, strategy: Perturbation, passage: Passage, question: Question
    ) -> list[Edit]:
        return [
            edit
            for edit in strategy.propose(passage, question)
            if all(constraint.allows(edit, passage, question) for constraint in self.constraints)
        ]


def iter_originals(
    items: Iterable[Item], summary: AttackSummary
) -> Iterator[tuple[Passage, Question]]:
    """Yield the questions that are not variants, and count them.

    Of several questions with one id only the first is yielded, because the id identifies variants.
    """
    seen: set[str] = set()
    for passage, questions in items:
        for question in questions:
            if question.role not in (None, "original"):
                continue
            summary.questions += 1
            if (group_id := _group_id(question)) in seen:
                summary.left_out["a question before it has the same id"] += 1
                continue
            seen.add(group_id)
            yield passage, question


def gather_groups(groups: Iterable[Group], summary: AttackSummary) -> Iterator[Item]:
    """Yield groups as passages with questions, and count them.

    A group stays together. If a variant has another passage, the group becomes two items.
    """
    passage_questions: list[Question] = []
    passage = None
    for group in groups:
        summary.add(group)
        original = as_group_member(group.original, _group_id(group.original), "original")
        if passage is not None and passage != group.passage:  # passage ids may repeat
            yield passage, tuple(passage_questions)
            passage_questions = []
        passage = group.passage
        passage_questions += [
            original,
            *(variant for variant_passage, variant in group.variants if variant_passage == passage),
        ]
        if with_new_passage := [
            (variant_passage, variant)
            for variant_passage, variant in group.variants
            if variant_passage != passage
        ]:
            yield passage, tuple(passage_questions)
            passage_questions, passage = [], None
            for new_passage, variant in with_new_passage:
                yield new_passage, (variant,)
    if passage is not None:
        yield passage, tuple(passage_questions)


def merge_by_passage(items: Iterable[Item]) -> Iterator[Item]:
    """Yield each passage of an attacked set once, with all questions about its original text.

    Passages that were changed for a variant follow it. In formats without groups a repeated
    passage would count as another one.
    """
    current, current_questions, new_passages = None, list[Question](), list[Item]()
    for passage, questions in items:
        if all(question.role != "original" for question in questions):
            new_passages.append((passage, questions))
            continue
        if current is not None and passage != current:
            yield current, tuple(current_questions)
            yield from new_passages
            current_questions, new_passages = [], []
        current = passage
        current_questions += questions
    if current is not None:
        yield current, tuple(current_questions)
        yield from new_passages


def _default_roles(option_edits: OptionEdits) -> tuple[Role, ...]:
    if option_edits.by_option:
        return ("positive", "negative")
    return ("positive",)


def _remove_attack_tags(question: Question) -> Question:
    """Return a question without the tags of an earlier attack."""
    return replace(
        question,
        tags=_remove_tags(question.tags, _QUESTION_TAGS),
        options=tuple(
            replace(option, tags=_remove_tags(option.tags, _OPTION_TAGS))
            for option in question.options
        ),
    )


def _remove_tags(tags: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    return {name: value for name, value in tags.items() if name not in names}


def _add_attack_tags(variant: Question, chosen: Sequence[Edit]) -> Question:
    """Return a question with tags that record the edits of its stem or its passage."""
    if not chosen:
        return variant
    tags = {
        "strategy": "+".join(dict.fromkeys(edit.strategy for edit in chosen)),
        "rule": ", ".join(edit.rule for edit in chosen),
        "now": " / ".join(edit.words.strip() for edit in chosen),
    }
    return replace(variant, tags=variant.tags | tags)


def _reads_like(variant: Question, question: Question) -> bool:
    """Return whether stem and options are unchanged."""
    return variant.text == question.text and [option.text for option in variant.options] == [
        option.text for option in question.options
    ]


def _group_id(question: Question) -> str:
    """Return the id that a question's variants share; a group id counts only with a role."""
    return (question.role and question.group_id) or question.question_id
