"""Which options of a question hold: as the data set says, or as its answer implies."""

from closeread.types import Question


def truths(question: Question) -> tuple[bool | None, ...]:
    """Return one truth an option, None where nobody knows; () where the question has no gold.

    Where the data set does not tell truths, the answer's is what the stem asks for and the others'
    the opposite.
    """
    if question.option_truth:
        return question.option_truth
    labels = [option.label for option in question.options]
    if not question.answers or question.answers[0].label not in labels:
        return ()
    gold = labels.index(question.answers[0].label)
    supported = question.asks_for != "contradicted"
    return tuple([(place == gold) == supported for place in range(len(labels))])
