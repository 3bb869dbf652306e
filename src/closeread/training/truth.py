"""Which options of a question are true: as the data set says, or as its answer implies."""

from closeread.types import Question


def option_truths(question: Question) -> tuple[bool | None, ...]:
    """Return a truth for each option, None if unknown; () if the question has no gold answer.

    If the data set gives no truths, an accepted answer's is what the stem asks for and the others'
    the opposite.
    """
    if question.option_truth:
        return question.option_truth
    accepted = {answer.label for answer in question.answers}
    fitting = [option.label in accepted for option in question.options]
    if not any(fitting):
        return ()
    supported = question.asks_for != "contradicted"
    return tuple([fits == supported for fits in fitting])
