"""The constraints on changes: each forbids some, and all must allow a change."""

import re

from closeread.attacks.apply import apply_edits
from closeread.protocols import Constraint
from closeread.text.quotations import QUOTATION_MARKS, is_quoted
from closeread.types import Edit, Passage, Question

_QUOTATION = re.compile(
    "|".join(f"{re.escape(a)}[^{re.escape(b)}]*{re.escape(b)}" for a, b in QUOTATION_MARKS.items())
)


class NotQuoted:
    """Forbids changes between quotation marks: what stands there is a name or a quotation."""

    def allows(self, edit: Edit, passage: Passage, question: Question) -> bool:
        """Return whether a change of an option keeps what is quoted: as it is, if elsewhere."""
        if edit.place != "option":
            return True
        text = _option(edit, question)
        if is_quoted(text, edit.span.start) or is_quoted(text, edit.span.end):
            return False
        return all(whole in edit.words for whole in _QUOTATION.findall(edit.span.of(text)))


class NewText:
    """Forbids a change that makes an option equal to another option of the question."""

    def allows(self, edit: Edit, passage: Passage, question: Question) -> bool:
        """Return whether the changed option differs from all options."""
        if edit.place != "option":
            return True
        made = apply_edits(_option(edit, question), [edit])
        return made not in {option.text for option in question.options}


class NotInPassage:
    """Forbids turning a statement false if the new statement is in the passage word for word."""

    def allows(self, edit: Edit, passage: Passage, question: Question) -> bool:
        """Return whether a statement turned false stands nowhere in the passage."""
        if edit.place != "option" or edit.truth == "same":
            return True
        truths = dict(
            zip((one.label for one in question.options), question.option_truth, strict=False)
        )
        if truths.get(edit.label) is not True:
            return True
        return apply_edits(_option(edit, question), [edit]).rstrip("。.") not in passage.text


class OutsideGold:
    """Forbids changes of a passage within its answers and gold evidence."""

    def allows(self, edit: Edit, passage: Passage, question: Question) -> bool:
        """Return whether a change of a passage touches no answer and no gold evidence."""
        if edit.place != "passage":
            return True
        places = [span for answer in question.answers for span in answer.spans]
        places += [span for evidence in question.gold_evidence for span in evidence.spans]
        return not any(edit.span.start < one.end and one.start < edit.span.end for one in places)


CONSTRAINTS: tuple[Constraint, ...] = (NotQuoted(), NewText(), NotInPassage(), OutsideGold())


def _option(edit: Edit, question: Question) -> str:
    return next(option.text for option in question.options if option.label == edit.label)
