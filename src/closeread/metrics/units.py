"""What a question belongs to: what intervals resample, tests pair and folds keep together.

A question that was made of another (a variant of a triple, or of ``attack``) is no unit of its own:
who answers the one rightly mostly answers the other so. It belongs to its original, and a passage
that was changed for it to the original's passage. Forms that keep no groups still have the ids that
``attack`` gives, which end in the role, or AddSent's, which end in who wrote the sentence.
"""

import re

from closeread.types import Question

_CHANGED = ("#positive", "#negative")
_ROLES = ("#original", *_CHANGED)
# Of the 3,560 rows of AddSent (Jia and Liang 2017) 2,560 are variants of the other 1,000.
_ADDSENT = re.compile(r"-high-conf-turk\d+\Z")


def question_unit(question: Question) -> str:
    """Return what a question shares with the variants of it; its own id where there are none."""
    if question.role and question.group_id:
        return question.group_id
    name = question.question_id
    return name.rpartition("#")[0] if name.endswith(_ROLES) else _ADDSENT.sub("", name)


def passage_unit(question: Question) -> str:
    """Return the id of the passage that a question is about, as it was before an attack.

    A passage that was changed for a variant has the original's id before the variant's own.
    """
    if not question.question_id.endswith(_CHANGED):
        return question.passage_id
    return question.passage_id.removesuffix(f"#{question.question_id}")
