"""Extracts an answer from a model's text: stop strings, then a named rule.

Runs keep the whole text, so that they can be scored under another rule without asking the model
again; the rule is part of a number's signature.

The rules are imported with the first text, since most commands need none and compiling their
patterns takes longer than scoring a small file.
"""

import json
from collections import Counter
from collections.abc import Sequence

from closeread.errors import UnknownNameError
from closeread.readers.generative.judging import (
    find_option,
    matching_labels,
    show_one_option_each,
    support_question,
)
from closeread.types import Answer, Generation, Question, Record


class Extraction(Record, frozen=True, kw_only=True):
    """How answers are extracted from generations.

    Attributes:
        stops: Stop strings: the text after the first one is ignored.
        rule: A name from ``rules.RULES``.
    """

    stops: tuple[str, ...] = ()
    rule: str = "auto"

    def signature(self) -> str:
        """Return the extraction's part of a number's signature."""
        stops = json.dumps(list(self.stops), ensure_ascii=False).replace("|", "\\u007c")
        return f"stop:{stops}|extract:{self.rule}"

    def cut(self, text: str) -> str:
        """Return the text up to the first stop string in it."""
        positions = [position for stop in self.stops if (position := text.find(stop)) >= 0]
        return text[: min(positions)] if positions else text

    def answer(self, text: str, question: Question | None) -> Answer | None:
        """Return the answer in a text; None if the rule finds none."""
        from closeread.readers.generative.rules import RULES

        return RULES[self.rule](self.cut(text), question)

    def vote(
        self, generations: Sequence[Generation], question: Question | None
    ) -> tuple[Answer | None, float | None]:
        """Return the answer of one or more generations, and the winner's share of the votes.

        If each generation judges one option, the answer is the only option with the verdict that
        the stem asks for; without exactly one such option there is no answer. Otherwise each
        generation is a vote: its letter is mapped from the order of options that the model saw to
        the question's own. Of answers with equal votes the first one wins.

        Args:
            generations: At least one.
            question: The question, or None if the rule reads only the text.
        """
        if question is not None and show_one_option_each(generations, question):
            return self._vote_by_option(generations, question), None
        if len(generations) == 1 and not generations[0].option_order:
            return self.answer(generations[0].text, question), None
        answers = [self._answer_in_own_order(item, question) for item in generations]
        votes = Counter(item.label for item in answers if item is not None and item.label)
        if not votes:
            return answers[0], None
        label, count = max(votes.items(), key=lambda vote: vote[1])
        winner = next(item for item in answers if item is not None and item.label == label)
        return winner, count / len(generations)

    def _vote_by_option(
        self, generations: Sequence[Generation], question: Question
    ) -> Answer | None:
        if not needs_question(self.rule):
            return None
        from closeread.readers.generative.rules import extract_verdict

        verdicts = []
        for generation in generations:
            (label,) = generation.option_order
            verdicts.append(
                (
                    label,
                    extract_verdict(self.cut(generation.text), support_question(question, label)),
                )
            )
        labels = matching_labels(verdicts, question)
        return find_option(question, labels[0]).answer if len(labels) == 1 else None

    def _answer_in_own_order(
        self, generation: Generation, question: Question | None
    ) -> Answer | None:
        if question is None or not generation.option_order:
            return self.answer(generation.text, question)
        from closeread.readers.generative.prompts import reorder_options

        labels = [option.label for option in question.options]
        order = tuple(labels.index(label) for label in generation.option_order)
        answer = self.answer(generation.text, reorder_options(question, order))
        if answer is None or not answer.label:
            return answer
        return find_option(question, generation.option_order[labels.index(answer.label)]).answer


def parse_stops(text: str) -> tuple[str, ...]:
    r"""Return the stop strings of an option: separated by ``||``; ``\n`` and ``\t`` are escapes."""
    pieces = (piece.replace("\\n", "\n").replace("\\t", "\t") for piece in text.split("||"))
    return tuple(piece for piece in pieces if piece)


def check_rule(name: str) -> str:
    """Return the name of a rule unchanged.

    Raises:
        UnknownNameError: There is no such rule; the message lists all of them.
    """
    from closeread.readers.generative.rules import RULES

    if name not in RULES:
        raise UnknownNameError(
            f"there is no extraction rule named {name!r}", expected="one of " + ", ".join(RULES)
        )
    return name


def needs_question(rule: str) -> bool:
    """Return whether a rule needs the question's options, not only the text."""
    return rule in ("letter", "auto")
