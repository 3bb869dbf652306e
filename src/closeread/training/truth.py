"""Which options of a question hold: as the data set says, or as its answer implies."""

from closeread.types import Question


def option_truths(question: Question) -> tuple[bool | None, ...]:
    """Return one truth an option, None where nobody knows; () where the question has no gold.

    Where the data set does not tell truths, an accepted answer's is what the stem asks for and the
    others' the opposite.
    """
    if question.option_truth:
        return question.option_truth
    accepted = {answer.label for answer in question.answers}
    fitting = [option.label in accepted for option in question.options]
    if not any(fitting):
        return ()
    supported = question.asks_for != "contradicted"
    return tuple([fits == supported for fits in fitting])
