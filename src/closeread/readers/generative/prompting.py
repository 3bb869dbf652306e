"""Turns a question into prompts, and what a language model wrote into a prediction.

Shared by models behind an endpoint and models in this process.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from closeread.errors import UsageError
from closeread.readers.competition import softmax
from closeread.readers.generative.examples import Examples
from closeread.readers.generative.extraction import Extraction, check_rule
from closeread.readers.generative.judging import JUDGE_MODES, is_judged_one_by_one, support_question
from closeread.readers.generative.prompts import (
    Prompt,
    format_gold,
    language_of,
    load_built_in,
    load_prompt,
    reorder_options,
)
from closeread.types import Answer, Candidate, Generation, Passage, Prediction, Question, Span

SCORINGS = ("generation", "letters", "texts")
_KINDS = ("verification", "choice", "entailment", "span", "discrete")


class Turn(NamedTuple):
    """One message of a conversation."""

    role: str
    content: str


@dataclass(frozen=True)
class Ask:
    """One request about a question.

    Attributes:
        turns: For chat: system, examples, question.
        begun: How the answer begins; models that complete text are shown it.
        option_order: The labels in the order shown, empty for the question's own order.
        continuations: For scoring: what would follow, one an option in the question's order.
    """

    turns: tuple[Turn, ...]
    begun: str
    option_order: tuple[str, ...] = ()
    continuations: tuple[str, ...] = ()

    def plain(self) -> str:
        """Return everything as one text to be completed, with no space at its end."""
        blocks, rest = [], list(self.turns)
        if rest and rest[0].role == "system":
            blocks.append(rest.pop(0).content)
        for question, answer in zip(rest[:-1:2], rest[1::2], strict=True):
            blocks.append(f"{question.content}\n{answer.content}")
        blocks.append(f"{rest[-1].content}\n{self.begun}")
        return "\n\n".join(blocks)


@dataclass(frozen=True)
class Asking:
    """How questions are put, whichever model they go to.

    Attributes:
        prompt: The user's own file, "" for those that ship.
        shuffles: How often a question with options is asked, the first time in its own order.
        scoring: ``generation`` reads what the model writes; ``letters`` and ``texts`` compare the
            log-probabilities of the options' letters or of their words.
        judge: ``each`` asks about every option of a verification question alone.
    """

    examples: Examples
    extraction: Extraction
    prompt: str = ""
    shuffles: int = 1
    scoring: str = "generation"
    seed: int = 0
    judge: str = "together"

    def __post_init__(self) -> None:
        check_rule(self.extraction.rule)
        if self.scoring not in SCORINGS:
            raise UsageError(f"scoring={self.scoring}", expected="one of " + ", ".join(SCORINGS))
        if self.shuffles < 1:
            raise UsageError(f"shuffles={self.shuffles}", expected="at least 1 (no shuffling)")
        if self.shuffles > 1 and self.scoring != "generation":
            raise UsageError(
                f"shuffles={self.shuffles} with scoring={self.scoring}",
                expected="scoring=generation: shuffles are votes of generated answers",
                cure="leave out shuffles= or scoring=",
            )
        if self.judge not in JUDGE_MODES:
            raise UsageError(f"judge={self.judge}", expected="one of " + ", ".join(JUDGE_MODES))
        if self.judge == "each" and (
            self.shuffles > 1 or self.scoring != "generation" or self.examples.shots
        ):
            raise UsageError(
                "judge=each asks about one option at a time, by generation and without examples",
                cure="leave out shuffles=, scoring= and shots=",
            )
        if self.prompt:
            load_prompt(self.prompt)

    def prompt_for(self, passage: Passage, question: Question) -> Prompt:
        """Return the prompt file for a question."""
        if self.prompt:
            return load_prompt(self.prompt)
        return load_built_in(question.kind, language_of(passage))

    def asks(self, passage: Passage, question: Question) -> list[Ask]:
        """Return the requests that a question needs.

        One for each order of its options, or for each of its options.
        """
        if is_judged_one_by_one(question, self.judge):
            return [self._about(passage, question, one.label) for one in question.options]
        prompt = self.prompt_for(passage, question)
        turns = [Turn("system", prompt.system)] if prompt.system else []
        for of, example in self.examples.select(passage, question):
            turns.append(Turn("user", prompt.format_question(of, example)))
            gold = prompt.fill_answer(format_gold(example, language_of(of)))
            turns.append(Turn("assistant", gold))
        found = []
        for order in self._orders(question):
            labels = [option.label for option in question.options]
            shown = reorder_options(question, order) if order else question
            found.append(
                Ask(
                    turns=(*turns, Turn("user", prompt.format_question(passage, shown))),
                    begun=prompt.answer_prefix(),
                    option_order=tuple(labels[place] for place in order),
                    continuations=self._continuations(prompt, question),
                )
            )
        return found

    def _about(self, passage: Passage, question: Question, label: str) -> Ask:
        """Return the request that shows one option alone."""
        alone = support_question(question, label)
        prompt = self.prompt_for(passage, alone)
        turns = [Turn("system", prompt.system)] if prompt.system else []
        turns.append(Turn("user", prompt.format_question(passage, alone)))
        return Ask(turns=tuple(turns), begun=prompt.answer_prefix(), option_order=(label,))

    def scores_options(self, question: Question) -> bool:
        """Whether this question's options are compared by log-probabilities."""
        return bool(question.options) and self.scoring != "generation"

    def read(
        self, passage: Passage, question: Question, generations: Sequence[Generation]
    ) -> Prediction:
        """Return the prediction that was written."""
        answer, share = self.extraction.vote(generations, question)
        return Prediction(
            question_id=question.question_id,
            answer=locate_answer(answer, passage),
            confidence=share,
            generation=generations[0],
            others=tuple(generations[1:]),
        )

    def weigh(self, question: Question, scores: Sequence[float]) -> Prediction:
        """Return the prediction that picks the likeliest option."""
        found = softmax(scores)
        ranked = sorted(zip(found, question.options, strict=True), key=lambda pair: -pair[0])
        return Prediction(
            question_id=question.question_id,
            answer=ranked[0][1].answer,
            confidence=found[max(range(len(found)), key=found.__getitem__)],
            candidates=tuple(
                Candidate(answer=option.answer, score=share) for share, option in ranked
            ),
            option_scores=tuple(scores),
            scores_rank=True,
        )

    def record(self) -> dict[str, Any]:
        """Return what a run says of it: the prompts word for word, with their hashes."""
        if self.prompt:
            prompts = [load_prompt(self.prompt)]
        else:
            prompts = [
                load_built_in(kind, language) for kind in _KINDS for language in ("zh", "en")
            ]
        return {
            "prompts": {one.name: {"sha256": one.sha256, "text": one.text} for one in prompts},
            "examples": self.examples.record(),
            "extraction": self.extraction.signature(),
        }

    def _continuations(self, prompt: Prompt, question: Question) -> tuple[str, ...]:
        if not self.scores_options(question):
            return ()
        texts = [
            option.text if self.scoring == "texts" else option.label for option in question.options
        ]
        # The beginning of an answer is never less likely than the answer: "1" is no rival of "10"
        # before the line of either has ended.
        ends = any(one != other and other.startswith(one) for one in texts for other in texts)
        return tuple(prompt.continuation(text) + "\n" * ends for text in texts)

    def _orders(self, question: Question) -> list[tuple[int, ...]]:
        """Return the orders of the options to show, different ones as far as there are any."""
        if self.shuffles == 1 or len(question.options) < 2:
            return [()]
        drawing = random.Random(f"{self.seed} {question.question_id}")
        places = range(len(question.options))
        found = [tuple(places)]
        for _ in range(self.shuffles - 1):
            for _ in range(20):
                order = tuple(drawing.sample(places, len(places)))
                if order not in found:
                    break
            found.append(order)
        return found


def locate_answer(answer: Answer | None, passage: Passage) -> Answer | None:
    """Return a span answer with its first place in the passage, where it is word for word there."""
    if answer is None or answer.kind != "span":
        return answer
    start = passage.text.find(answer.texts[0])
    if start < 0:
        return answer
    spans = (Span(start, start + len(answer.texts[0])),)
    return Answer(kind="span", texts=answer.texts, spans=spans)
