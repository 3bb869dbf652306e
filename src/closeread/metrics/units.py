"""Find the unit of a question: intervals resample units, tests pair them, folds keep them whole.

A variant of a question (in a triple, or made by ``attack``) is not a separate unit, because a
system that answers one of them correctly usually answers the other correctly, too. The variant
belongs to its original, and a passage changed for it belongs to the original's passage. In formats
without groups variants are recognised by their ids: those of ``attack`` end in the role, those of
AddSent in the writer of the sentence.
"""

import re

from closeread.types import Question

_CHANGED = ("#positive", "#negative")
_ROLES = ("#original", *_CHANGED)
# Of the 3,560 rows of AddSent (Jia and Liang 2017) 2,560 are variants of the other 1,000.
_ADDSENT = re.compile(r"-high-conf-turk\d+\Z")


def question_unit(question: Question) -> str:
    """Return the id that a question shares with its variants; its own id if it has none."""
    if question.role and question.group_id:
        return question.group_id
    name = question.question_id
    return name.rpartition("#")[0] if name.endswith(_ROLES) else _ADDSENT.sub("", name)


def passage_unit(question: Question) -> str:
    """Return the id of a question's passage before an attack changed it.

    The id of a passage changed for a variant is the original's id followed by the variant's.
    """
    if not question.question_id.endswith(_CHANGED):
        return question.passage_id
    return question.passage_id.removesuffix(f"#{question.question_id}")
