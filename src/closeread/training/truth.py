"""The truth of each option of a question: as annotated, or as the answer implies."""

from closeread.types import Question


def option_truths(question: Question) -> tuple[bool | None, ...]:
    """Return the truth of each option, None if unknown; () if the question has no gold answer.

    Without annotated truths, accepted options get the truth that the stem asks for, and the other
    options the opposite.
    """
    if question.option_truth:
        return question.option_truth
    accepted = {answer.label for answer in question.answers}
    is_accepted = [option.label in accepted for option in question.options]
    if not any(is_accepted):
        return ()
    supported = question.asks_for != "contradicted"
    return tuple([accepted_option == supported for accepted_option in is_accepted])
