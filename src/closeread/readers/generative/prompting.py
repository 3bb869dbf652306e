"""Turns a question into prompts, and a language model's output into a prediction.

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
    """One message of a conversation: ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class PromptRequest:
    """The prompt of one request about a question.

    Attributes:
        turns: The messages: system, examples, question.
        answer_prefix: The beginning of the answer, shown to models that complete a text.
        option_order: The labels in the order shown; empty for the question's own order.
        continuations: For scoring: the text after the prompt for each option, in the question's
            order.
    """

    turns: tuple[Turn, ...]
    answer_prefix: str
    option_order: tuple[str, ...] = ()
    continuations: tuple[str, ...] = ()

    def plain(self) -> str:
        """Return the prompt as one text to be completed, without a space at its end."""
        blocks, remaining = [], list(self.turns)
        if remaining and remaining[0].role == "system":
            blocks.append(remaining.pop(0).content)
        for question, answer in zip(remaining[:-1:2], remaining[1::2], strict=True):
            blocks.append(f"{question.content}\n{answer.content}")
        blocks.append(f"{remaining[-1].content}\n{self.answer_prefix}")
        return "\n\n".join(blocks)


@dataclass(frozen=True)
class Prompter:
    """Builds prompts for questions and predictions from outputs, the same for every model.

    Attributes:
        examples: The few-shot examples.
        extraction: How answers are extracted from generated text.
        prompt: The user's own prompt file; "" for those that ship.
        shuffles: Number of requests for a question with options; the first has its own order.
        scoring: ``generation`` extracts the answer from generated text; ``letters`` and ``texts``
            compare the log-probabilities of the options' letters or of their texts.
        seed: Seed of the option orders.
        judge: ``each`` asks about every option of a verification question separately.
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

    def select_prompt(self, passage: Passage, question: Question) -> Prompt:
        """Return the prompt for a question.

        Raises:
            InputError: The user's prompt file cannot be used.
        """
        if self.prompt:
            return load_prompt(self.prompt)
        return load_built_in(question.kind, language_of(passage))

    def build_requests(self, passage: Passage, question: Question) -> list[PromptRequest]:
        """Return the requests for a question: one per order of its options, or one per option.

        Raises:
            InputError: The data set of examples has too few for this question.
        """
        if is_judged_one_by_one(question, self.judge):
            return [
                self._build_option_request(passage, question, option.label)
                for option in question.options
            ]
        prompt = self.select_prompt(passage, question)
        turns = [Turn("system", prompt.system)] if prompt.system else []
        for example_passage, example in self.examples.select(passage, question):
            turns.append(Turn("user", prompt.format_question(example_passage, example)))
            gold = prompt.fill_answer(format_gold(example, language_of(example_passage)))
            turns.append(Turn("assistant", gold))
        requests = []
        for order in self._draw_orders(question):
            labels = [option.label for option in question.options]
            shown_question = reorder_options(question, order) if order else question
            requests.append(
                PromptRequest(
                    turns=(*turns, Turn("user", prompt.format_question(passage, shown_question))),
                    answer_prefix=prompt.answer_prefix(),
                    option_order=tuple(labels[index] for index in order),
                    continuations=self._build_continuations(prompt, question),
                )
            )
        return requests

    def _build_option_request(
        self, passage: Passage, question: Question, label: str
    ) -> PromptRequest:
        """Return the request that asks whether the passage supports one option."""
        option_question = support_question(question, label)
        prompt = self.select_prompt(passage, option_question)
        turns = [Turn("system", prompt.system)] if prompt.system else []
        turns.append(Turn("user", prompt.format_question(passage, option_question)))
        return PromptRequest(
            turns=tuple(turns), answer_prefix=prompt.answer_prefix(), option_order=(label,)
        )

    def scores_options(self, question: Question) -> bool:
        """Return whether this question's options are compared by log-probabilities."""
        return bool(question.options) and self.scoring != "generation"

    def predict_from_generations(
        self, passage: Passage, question: Question, generations: Sequence[Generation]
    ) -> Prediction:
        """Return the prediction that is extracted from generated texts.

        Args:
            passage: The passage.
            question: The question.
            generations: One per request of ``build_requests``, in order.
        """
        answer, share = self.extraction.vote(generations, question)
        return Prediction(
            question_id=question.question_id,
            answer=locate_answer(answer, passage),
            confidence=share,
            generation=generations[0],
            others=tuple(generations[1:]),
        )

    def predict_from_scores(self, question: Question, scores: Sequence[float]) -> Prediction:
        """Return the prediction of the likeliest option.

        Args:
            question: A question with options.
            scores: Log-probability of every option, up to a common constant.
        """
        shares = softmax(scores)
        ranked = sorted(zip(shares, question.options, strict=True), key=lambda pair: -pair[0])
        return Prediction(
            question_id=question.question_id,
            answer=ranked[0][1].answer,
            confidence=shares[max(range(len(shares)), key=shares.__getitem__)],
            candidates=tuple(
                Candidate(answer=option.answer, score=share) for share, option in ranked
            ),
            option_scores=tuple(scores),
            scores_rank=True,
        )

    def record(self) -> dict[str, Any]:
        """Return the record for the run folder: the prompts' texts and hashes, examples, rule."""
        if self.prompt:
            prompts = [load_prompt(self.prompt)]
        else:
            prompts = [
                load_built_in(kind, language) for kind in _KINDS for language in ("zh", "en")
            ]
        return {
            "prompts": {
                prompt.name: {"sha256": prompt.sha256, "text": prompt.text} for prompt in prompts
            },
            "examples": self.examples.record(),
            "extraction": self.extraction.signature(),
        }

    def _build_continuations(self, prompt: Prompt, question: Question) -> tuple[str, ...]:
        if not self.scores_options(question):
            return ()
        texts = [
            option.text if self.scoring == "texts" else option.label for option in question.options
        ]
        # A prefix of an answer is always at least as likely as the answer: to compare "1" with "10"
        # fairly, both need the end of the line.
        needs_line_end = any(
            text != other and other.startswith(text) for text in texts for other in texts
        )
        return tuple(prompt.continuation(text) + "\n" * needs_line_end for text in texts)

    def _draw_orders(self, question: Question) -> list[tuple[int, ...]]:
        """Return the option orders of all requests: different ones as long as there are any."""
        if self.shuffles == 1 or len(question.options) < 2:
            return [()]
        rng = random.Random(f"{self.seed} {question.question_id}")
        indices = range(len(question.options))
        orders = [tuple(indices)]
        for _ in range(self.shuffles - 1):
            for _ in range(20):
                order = tuple(rng.sample(indices, len(indices)))
                if order not in orders:
                    break
            orders.append(order)
        return orders


def locate_answer(answer: Answer | None, passage: Passage) -> Answer | None:
    """Return a span answer with its first occurrence in the passage, if it occurs verbatim."""
    if answer is None or answer.kind != "span":
        return answer
    start = passage.text.find(answer.texts[0])
    if start < 0:
        return answer
    spans = (Span(start, start + len(answer.texts[0])),)
    return Answer(kind="span", texts=answer.texts, spans=spans)
