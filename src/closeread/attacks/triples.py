"""Make the positive and the negative variant of a question, as in GCRC_advRobust.

The *positive* variant asks the same, and each of its statements is as true as its original. The
*negative* one asks for the other kind of statement, and the truth of its statements is changed so
that exactly one is the answer. The statements, their edits and the order of the options are random.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from closeread.attacks.apply import apply_edits
from closeread.attacks.stems import invert_stem
from closeread.types import Edit, Option, Question, Role, Truth

_MAX_EDITS = 3  # edits of one option
# Rules that insert a negation, which is easier to notice and less fluent than another word.
_NEGATION_RULES = frozenset({"negated", "denied", "cause-denied"})


class NotMadeError(Exception):
    """A variant of a question cannot be made; equal reasons have equal messages, for counting."""


@dataclass(frozen=True)
class OptionEdits:
    """The edits proposed for the options of a question.

    Attributes:
        by_option: Label -> edits, the strongest first.
    """

    by_option: dict[str, list[Edit]] = field(default_factory=dict)

    @classmethod
    def group(cls, edits: Iterable[Edit]) -> "OptionEdits":
        """Group edits by option; edits of the stem or the passage are left out."""
        by_option: dict[str, list[Edit]] = {}
        for edit in edits:
            if edit.place == "option":
                by_option.setdefault(edit.label, []).append(edit)
        return cls(by_option)

    def choose(self, label: str, truth: Truth, rng: random.Random) -> list[Edit]:
        """Return the edits to make in one option: one that changes its truth, or a few that do not.

        All are of one strategy, to which a reader's error can be attributed. An option is negated
        only if no other edit changes its truth. The list is empty if there is no such edit.
        """
        fitting = [
            candidate for candidate in self.by_option.get(label, ()) if candidate.truth == truth
        ]
        fitting = [
            candidate for candidate in fitting if candidate.rule not in _NEGATION_RULES
        ] or fitting
        if not fitting:
            return []
        strategy = rng.choice(sorted({candidate.strategy for candidate in fitting}))
        strategy_edits = [candidate for candidate in fitting if candidate.strategy == strategy]
        if truth == "opposite":
            return [rng.choice(strategy_edits[:_MAX_EDITS])]
        chosen: list[Edit] = []
        for edit in strategy_edits:
            if len(chosen) < _MAX_EDITS and all(do_not_overlap(edit, other) for other in chosen):
                chosen.append(edit)
        return chosen


def make_positive(question: Question, option_edits: OptionEdits, rng: random.Random) -> Question:
    """Return the variant that asks the same about reworded statements.

    Raises:
        NotMadeError: No option can be reworded, or two options would be equal.
    """
    chosen = {
        option.label: option_edits.choose(option.label, "same", rng) for option in question.options
    }
    if not any(chosen.values()):
        raise NotMadeError("no option can be reworded")
    variant = _change_options(question, chosen)
    texts = {option.label: option.text for option in variant.options}
    return replace(
        variant,
        answers=tuple(
            replace(answer, texts=(texts[answer.label],)) if answer.label in texts else answer
            for answer in question.answers
        ),
    )


def make_negative(question: Question, option_edits: OptionEdits, rng: random.Random) -> Question:
    """Return the variant that asks for the other kind of statement.

    Raises:
        NotMadeError: The stem cannot be inverted, the truth of an option is unknown, an option has
            no text, the truth of too few options can be changed, or two options would be equal.
    """
    stem = invert_stem(question.text)
    if stem is None:
        raise NotMadeError("the stem cannot be turned around")
    if len(question.option_truth) != len(question.options) or None in question.option_truth:
        raise NotMadeError("it is not known which options are true")
    if not all(option.text.strip() for option in question.options):
        raise NotMadeError("an option has no text")  # an empty option has no truth to change
    wanted_truth = question.asks_for == "contradicted"  # the truth that the inverted stem asks for
    candidates = [
        option.label
        for option, truth in zip(question.options, question.option_truth, strict=True)
        if truth == wanted_truth
    ]
    turnable = {
        label: edits
        for label in candidates
        if (edits := option_edits.choose(label, "opposite", rng))
    }
    if not candidates or len(turnable) < len(candidates) - 1:
        raise NotMadeError("too few options can be turned " + ("false" if wanted_truth else "true"))
    shuffled = rng.sample(sorted(turnable), len(turnable))
    shuffled.sort(key=lambda label: turnable[label][0].rule in _NEGATION_RULES)
    flipped = set(shuffled[: len(candidates) - 1])
    chosen = {
        option.label: turnable[option.label]
        if option.label in flipped
        else option_edits.choose(option.label, "same", rng)
        for option in question.options
    }
    truths = tuple(
        (truth != (option.label in flipped))
        for option, truth in zip(question.options, question.option_truth, strict=True)
    )
    variant = _change_options(question, chosen)
    return replace(
        variant,
        text=stem,
        asks_for="supported" if wanted_truth else "contradicted",
        option_truth=truths,
        answers=tuple(
            option.answer
            for option, truth in zip(variant.options, truths, strict=True)
            if truth == wanted_truth
        ),
    )


def _change_options(question: Question, edits_by_label: dict[str, list[Edit]]) -> Question:
    options = tuple(
        _change_option(option, edits_by_label[option.label]) for option in question.options
    )
    if len({option.text for option in options}) < len({option.text for option in question.options}):
        raise NotMadeError("two options would be the same")
    return replace(question, options=options)


def _change_option(option: Option, edits: Sequence[Edit]) -> Option:
    tags = {"truth": "same", "origin": option.label}
    if edits:
        tags = {
            "truth": edits[0].truth,
            "strategy": edits[0].strategy,
            "origin": option.label,
            "rule": ", ".join(dict.fromkeys(edit.rule for edit in edits)),
            "was": " / ".join(edit.span.of(option.text) for edit in edits),
            "now": " / ".join(edit.words for edit in edits),
        }
    return replace(
        option, text=apply_edits(option.text, edits), tags=option.tags | _without_empty(tags)
    )


def _without_empty(tags: dict[str, str]) -> dict[str, str]:
    """Return the tags with a value: an insertion has no ``was``, a deletion no ``now``."""
    return {name: value for name, value in tags.items() if value}


def shuffle_options(question: Question, used_labels: set[str], rng: random.Random) -> Question:
    """Return a question with its options shuffled.

    If possible, its answer gets a label that is not in ``used_labels``: the letters of a triple in
    GCRC_advRobust differ too. Labels stay in order; the tag ``origin`` holds an option's old label.
    """
    labels = [option.label for option in question.options]
    correct_labels = {answer.label for answer in question.answers}
    if len(correct_labels) != 1 or not correct_labels <= set(labels):
        original_order = list(range(len(labels)))
        order = rng.sample(original_order, len(labels))
        if order == original_order:
            order = order[1:] + order[:1]
    else:
        answer_index = labels.index(next(iter(correct_labels)))
        unused = [index for index, label in enumerate(labels) if label not in used_labels]
        target = rng.choice(unused or range(len(labels)))
        other_indices = [index for index in range(len(labels)) if index != answer_index]
        order = rng.sample(other_indices, len(other_indices))
        order.insert(target, answer_index)
    new_labels = {labels[old]: labels[new] for new, old in enumerate(order)}
    options = tuple(
        replace(
            question.options[old],
            label=labels[new],
            tags={"origin": labels[old]} | question.options[old].tags,
        )
        for new, old in enumerate(order)
    )
    truth = question.option_truth and tuple(question.option_truth[index] for index in order)
    return replace(
        question,
        options=options,
        option_truth=truth,
        answers=tuple(
            replace(answer, label=new_labels.get(answer.label, answer.label))
            for answer in question.answers
        ),
        gold_evidence=tuple(
            replace(
                evidence, option_label=new_labels.get(evidence.option_label, evidence.option_label)
            )
            for evidence in question.gold_evidence
        ),
    )


def as_group_member(question: Question, group_id: str, role: Role) -> Question:
    """Return a question as a member of its group, with an id that names its role."""
    return replace(question, question_id=f"{group_id}#{role}", group_id=group_id, role=role)


def do_not_overlap(left: Edit, right: Edit) -> bool:
    """Return whether two edits of one text do not overlap."""
    return left.span.end <= right.span.start or right.span.end <= left.span.start
