"""Constraints on edits; an edit is made only if all of them allow it."""

import re

from closeread.attacks.apply import apply_edits
from closeread.protocols import Constraint
from closeread.text.quotations import QUOTATION_MARKS, is_quoted
from closeread.types import Edit, Passage, Question

_QUOTATION = re.compile(
    "|".join(f"{re.escape(a)}[^{re.escape(b)}]*{re.escape(b)}" for a, b in QUOTATION_MARKS.items())
)


class NotQuoted:
    """Forbids edits between quotation marks, which hold names and quotations."""

    def allows(self, edit: Edit, passage: Passage, question: Question) -> bool:
        """Return whether an edit of an option keeps every quotation whole."""
        if edit.place != "option":
            return True
        text = _option(edit, question)
        if is_quoted(text, edit.span.start) or is_quoted(text, edit.span.end):
            return False
        return all(quotation in edit.words for quotation in _QUOTATION.findall(edit.span.of(text)))


class NewText:
    """Forbids an edit that makes an option equal to another option of the question."""

    def allows(self, edit: Edit, passage: Passage, question: Question) -> bool:
        """Return whether the edited option differs from all options."""
        if edit.place != "option":
            return True
        edited = apply_edits(_option(edit, question), [edit])
        return edited not in {option.text for option in question.options}


class NotInPassage:
    """Forbids making a statement false if the passage has the new statement word for word."""

    def allows(self, edit: Edit, passage: Passage, question: Question) -> bool:
        """Return whether the passage does not contain a statement that was made false."""
        if edit.place != "option" or edit.truth == "same":
            return True
        truths = dict(
            zip((option.label for option in question.options), question.option_truth, strict=False)
        )
        if truths.get(edit.label) is not True:
            return True
        return apply_edits(_option(edit, question), [edit]).rstrip("。.") not in passage.text


class OutsideGold:
    """Forbids edits of a passage within its answers and gold evidence."""

    def allows(self, edit: Edit, passage: Passage, question: Question) -> bool:
        """Return whether an edit of a passage overlaps no answer and no gold evidence."""
        if edit.place != "passage":
            return True
        gold_spans = [span for answer in question.answers for span in answer.spans]
        gold_spans += [span for evidence in question.gold_evidence for span in evidence.spans]
        return not any(
            edit.span.start < gold_span.end and gold_span.start < edit.span.end
            for gold_span in gold_spans
        )


CONSTRAINTS: tuple[Constraint, ...] = (NotQuoted(), NewText(), NotInPassage(), OutsideGold())


def _option(edit: Edit, question: Question) -> str:
    return next(option.text for option in question.options if option.label == edit.label)
