"""Make the positive and the negative variant of a question, as GCRC_advRobust has them.

The *positive* variant asks the same, and each of its statements is as true as its original. The
*negative* one asks for the other kind of statement, and as many of its statements are turned as it
takes for exactly one to be the answer. Which statements are turned, by which change, and the order
of the options are drawn.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from closeread.attacks.apply import apply_edits
from closeread.attacks.stems import invert_stem
from closeread.types import Edit, Option, Question, Role, Truth

_AT_MOST = 3  # changes of one option
# Rules that insert a negation, which is easier to spot, and reads less well, than another word.
_DENIALS = frozenset({"negated", "denied", "cause-denied"})


class NotMadeError(Exception):
    """A variant cannot be made of a question; the message says why, in the same words for all."""


@dataclass(frozen=True)
class Proposed:
    """The changes proposed for the options of a question.

    Attributes:
        by_option: Label -> changes, the strongest first.
    """

    by_option: dict[str, list[Edit]] = field(default_factory=dict)

    @classmethod
    def of(cls, edits: Iterable[Edit]) -> "Proposed":
        """Gather changes by option; those of other places are left out."""
        gathered: dict[str, list[Edit]] = {}
        for edit in edits:
            if edit.place == "option":
                gathered.setdefault(edit.label, []).append(edit)
        return cls(gathered)

    def chosen(self, label: str, truth: Truth, draw: random.Random) -> list[Edit]:
        """Return the changes to be made of one option: one that turns it, or a few that do not.

        All are of one strategy, so that it can be told which one broke a reader. An option is
        denied only where nothing else turns it. The list is empty where there is no such change.
        """
        fitting = [one for one in self.by_option.get(label, ()) if one.truth == truth]
        fitting = [one for one in fitting if one.rule not in _DENIALS] or fitting
        if not fitting:
            return []
        strategy = draw.choice(sorted({one.strategy for one in fitting}))
        mine = [one for one in fitting if one.strategy == strategy]
        if truth == "opposite":
            return [draw.choice(mine[:_AT_MOST])]
        kept: list[Edit] = []
        for edit in mine:
            if len(kept) < _AT_MOST and all(do_not_overlap(edit, other) for other in kept):
                kept.append(edit)
        return kept


def make_positive(question: Question, proposed: Proposed, draw: random.Random) -> Question:
    """Return the variant that asks the same of reworded statements.

    Raises:
        NotMadeError: No option can be reworded, or two would be the same.
    """
    made = {
        option.label: proposed.chosen(option.label, "same", draw) for option in question.options
    }
    if not any(made.values()):
        raise NotMadeError("no option can be reworded")
    varied = _change_options(question, made)
    texts = {option.label: option.text for option in varied.options}
    return replace(
        varied,
        answers=tuple(
            replace(one, texts=(texts[one.label],)) if one.label in texts else one
            for one in question.answers
        ),
    )


def make_negative(question: Question, proposed: Proposed, draw: random.Random) -> Question:
    """Return the variant that asks for the other kind of statement.

    Raises:
        NotMadeError: Its stem cannot be turned around, the truth of an option is not known, one
            has no text, too few can be turned, or two would be the same.
    """
    stem = invert_stem(question.text)
    if stem is None:
        raise NotMadeError("the stem cannot be turned around")
    if len(question.option_truth) != len(question.options) or None in question.option_truth:
        raise NotMadeError("it is not known which options are true")
    if not all(option.text.strip() for option in question.options):
        raise NotMadeError("an option has no text")  # it would be as true as any other
    wanted = question.asks_for == "contradicted"  # the truth that the turned stem asks for
    having = [
        option.label
        for option, truth in zip(question.options, question.option_truth, strict=True)
        if truth == wanted
    ]
    turnable = {
        label: edits for label in having if (edits := proposed.chosen(label, "opposite", draw))
    }
    if not having or len(turnable) < len(having) - 1:
        raise NotMadeError("too few options can be turned " + ("false" if wanted else "true"))
    drawn = draw.sample(sorted(turnable), len(turnable))
    drawn.sort(key=lambda label: turnable[label][0].rule in _DENIALS)
    away = set(drawn[: len(having) - 1])
    made = {
        option.label: turnable[option.label]
        if option.label in away
        else proposed.chosen(option.label, "same", draw)
        for option in question.options
    }
    truths = tuple(
        (truth != (option.label in away))
        for option, truth in zip(question.options, question.option_truth, strict=True)
    )
    varied = _change_options(question, made)
    return replace(
        varied,
        text=stem,
        asks_for="supported" if wanted else "contradicted",
        option_truth=truths,
        answers=tuple(
            option.answer
            for option, truth in zip(varied.options, truths, strict=True)
            if truth == wanted
        ),
    )


def _change_options(question: Question, made: dict[str, list[Edit]]) -> Question:
    options = tuple(_change_option(option, made[option.label]) for option in question.options)
    if len({one.text for one in options}) < len({one.text for one in question.options}):
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
        option, text=apply_edits(option.text, edits), tags=option.tags | _non_empty(tags)
    )


def _non_empty(tags: dict[str, str]) -> dict[str, str]:
    """Return tags without those that say nothing: what is put in was nothing before."""
    return {name: value for name, value in tags.items() if value}


def shuffle_options(question: Question, used: set[str], draw: random.Random) -> Question:
    """Return a question with its options shuffled.

    Its answer gets a label that is not among ``used``, where there is one: in GCRC_advRobust the
    letters of a triple differ, too. Labels stay in their order; an option tells in its tag
    ``origin`` which one it was.
    """
    labels = [option.label for option in question.options]
    right = {answer.label for answer in question.answers}
    if len(right) != 1 or not right <= set(labels):
        as_it_was = list(range(len(labels)))
        order = draw.sample(as_it_was, len(labels))
        if order == as_it_was:
            order = order[1:] + order[:1]
    else:
        answer = labels.index(next(iter(right)))
        free = [place for place, label in enumerate(labels) if label not in used]
        target = draw.choice(free or range(len(labels)))
        rest = [place for place in range(len(labels)) if place != answer]
        order = draw.sample(rest, len(rest))
        order.insert(target, answer)
    new = {labels[old]: labels[place] for place, old in enumerate(order)}
    options = tuple(
        replace(
            question.options[old],
            label=labels[place],
            tags={"origin": labels[old]} | question.options[old].tags,
        )
        for place, old in enumerate(order)
    )
    truth = question.option_truth and tuple(question.option_truth[old] for old in order)
    return replace(
        question,
        options=options,
        option_truth=truth,
        answers=tuple(
            replace(one, label=new.get(one.label, one.label)) for one in question.answers
        ),
        gold_evidence=tuple(
            replace(one, option_label=new.get(one.option_label, one.option_label))
            for one in question.gold_evidence
        ),
    )


def as_group_member(question: Question, group_id: str, role: Role) -> Question:
    """Return a question as a member of its group, with an id that names its role."""
    return replace(question, question_id=f"{group_id}#{role}", group_id=group_id, role=role)


def do_not_overlap(one: Edit, other: Edit) -> bool:
    """Return whether two changes of one text do not overlap."""
    return one.span.end <= other.span.start or other.span.end <= one.span.start
