"""Extracts an answer from a model's text: stop strings, then a named rule.

The text itself is never touched, so that a run can be scored under another rule without asking the
model again; which rule was used is part of a number's signature.

Every run may name an extraction, and few need one: the rules, whose many patterns take longer to
compile than a small file to score, are loaded by the first text that is read.
"""

import json
from collections import Counter
from collections.abc import Sequence

from closeread.errors import UnknownNameError
from closeread.readers.generative.judging import (
    matching_labels,
    option_of,
    show_one_option_each,
    support_question,
)
from closeread.types import Answer, Generation, Question, Record


class Extraction(Record, frozen=True, kw_only=True):
    """How answers are read from generations.

    Attributes:
        stops: The text counts up to the first of these.
        rule: A name from ``rules.RULES``.
    """

    stops: tuple[str, ...] = ()
    rule: str = "auto"

    def signature(self) -> str:
        """Return what a number's signature says of it."""
        stops = json.dumps(list(self.stops), ensure_ascii=False).replace("|", "\\u007c")
        return f"stop:{stops}|extract:{self.rule}"

    def cut(self, text: str) -> str:
        """Return the text up to the first stop string in it."""
        places = [place for stop in self.stops if (place := text.find(stop)) >= 0]
        return text[: min(places)] if places else text

    def answer(self, text: str, question: Question | None) -> Answer | None:
        """Return the answer in a text; None where there is none to be read."""
        from closeread.readers.generative.rules import RULES

        return RULES[self.rule](self.cut(text), question)

    def vote(
        self, generations: Sequence[Generation], question: Question | None
    ) -> tuple[Answer | None, float | None]:
        """Return the answer of one or more generations, and the winner's share of the votes.

        Where each is about one option, the answer is the option that fits; there is none where
        several do, or none. Otherwise each is read with the options in the order in which its model
        saw them, and its letter is turned back. Of equal ones the answer that was given first wins.
        """
        if question is not None and show_one_option_each(generations, question):
            return self._fitting(generations, question), None
        if len(generations) == 1 and not generations[0].option_order:
            return self.answer(generations[0].text, question), None
        answers = [self._turned_back(one, question) for one in generations]
        votes = Counter(one.label for one in answers if one is not None and one.label)
        if not votes:
            return answers[0], None
        label, many = max(votes.items(), key=lambda vote: vote[1])
        winner = next(one for one in answers if one is not None and one.label == label)
        return winner, many / len(generations)

    def _fitting(self, generations: Sequence[Generation], question: Question) -> Answer | None:
        if not needs_question(self.rule):
            return None
        from closeread.readers.generative.rules import extract_verdict

        verdicts = []
        for one in generations:
            (label,) = one.option_order
            verdicts.append(
                (label, extract_verdict(self.cut(one.text), support_question(question, label)))
            )
        labels = matching_labels(verdicts, question)
        return option_of(question, labels[0]).answer if len(labels) == 1 else None

    def _turned_back(self, generation: Generation, question: Question | None) -> Answer | None:
        if question is None or not generation.option_order:
            return self.answer(generation.text, question)
        from closeread.readers.generative.prompts import reorder_options

        labels = [option.label for option in question.options]
        order = tuple(labels.index(label) for label in generation.option_order)
        found = self.answer(generation.text, reorder_options(question, order))
        if found is None or not found.label:
            return found
        return option_of(question, generation.option_order[labels.index(found.label)]).answer


def parse_stops(text: str) -> tuple[str, ...]:
    r"""Return the stop strings in an option: separated by ``||``, ``\n`` and ``\t`` as escapes."""
    pieces = (piece.replace("\\n", "\n").replace("\\t", "\t") for piece in text.split("||"))
    return tuple(piece for piece in pieces if piece)


def check_rule(name: str) -> str:
    """Return the name where there is such a rule.

    Raises:
        UnknownNameError: There is not; the message lists them.
    """
    from closeread.readers.generative.rules import RULES

    if name not in RULES:
        raise UnknownNameError(
            f"there is no extraction rule named {name!r}", expected="one of " + ", ".join(RULES)
        )
    return name


def needs_question(rule: str) -> bool:
    """Whether a rule reads the question's options, or only the text."""
    return rule in ("letter", "auto")
