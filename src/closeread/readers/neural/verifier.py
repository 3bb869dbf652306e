"""The torch side of the verifier: statements through a pair head, options as they compete."""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import torch

from closeread.protocols import Retriever
from closeread.readers.competition import DIGITS, choose_by_share, decided
from closeread.readers.lineage import evidence_record, lineage_record, weights_record
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.engine import Network, Rows
from closeread.readers.neural.fused import open_fused
from closeread.readers.neural.groups import answer_groups
from closeread.readers.neural.support import class_names, log_odds, supported_class
from closeread.readers.option_sequences import MIN_TEXT_TOKENS, NOT_FINITE, format_amount
from closeread.readers.statements import Statement, encode_statement, statements
from closeread.readers.windows import Encoded
from closeread.text.memo import TextCache
from closeread.types import Answer, Passage, PassageQuestion, Prediction, Question


class Judgement(NamedTuple):
    """What the model says of a statement.

    Attributes:
        odds: Log-odds of "supported" against everything else.
        shares: The probability of each class, in the model's order; of a single number that of
            "supported".
    """

    odds: float
    shares: tuple[float, ...]


class _QuestionStatements(NamedTuple):
    """A question with its statements, each as the model is given it."""

    question: Question
    statements: list[Statement]
    sequences: list[Encoded]


def open_reader(
    model: str,
    retriever: Retriever,
    options: dict[str, Any],
    *,
    device: str,
    dtype: str,
    pickled: bool,
    **settings: Any,
) -> "VerifierReader":
    """Open the model and make the reader; see ``readers.verifier.verifier``."""
    checkpoint = open_checkpoint(model, "pair", device=device, dtype=dtype, pickled=pickled)
    made = VerifierReader(checkpoint, retriever, network=open_fused(checkpoint), **settings)
    made.options = options
    return made


class VerifierReader:
    """Answers questions with options by competition, entailment questions by the model's classes.

    ``option_scores`` say how well each option is supported, whatever the stem asks for;
    ``confidence`` and the candidates' scores what ``competition.answer_shares`` says. Questions
    without options get no answer and a note: there is no statement to be verified.

    Attributes:
        options: The retriever's, defaults included.
        passing_options: Options that leave answers as they are; a resumed run may have others.
    """

    passing_options = ("device", "token_budget")
    batch_size = 64

    def __init__(
        self,
        checkpoint: Checkpoint,
        retriever: Retriever,
        *,
        score: str = "probability",
        label: str = "",
        max_length: int = 256,
        token_budget: int | None = None,
        network: Network | None = None,
    ) -> None:
        self._max_length = checkpoint.room(max_length, MIN_TEXT_TOKENS)
        self.options: dict[str, Any] = {}
        self._checkpoint = checkpoint
        self._retriever = retriever
        self._probabilities = score == "probability"
        self._supported = supported_class(checkpoint, label)
        self._classes = class_names(checkpoint)
        self._token_budget = token_budget
        self._network = network
        self._ids = TextCache(lambda text: checkpoint.tokens(text).ids, most=4096)

    @cached_property
    def record(self) -> dict[str, Any]:
        """What the run folder keeps about the model, and about the one that finds the evidence."""
        model = lineage_record(self._checkpoint.name, self._checkpoint.n_parameters)
        evidence = weights_record(self.options.get("evidence_model") or "")
        return {
            "classes": self._classes,
            "supported": self._classes[self._supported],
            "max_length": self._max_length,
            **{f"evidence_{name}": value for name, value in evidence.items()},
            **evidence_record(self._retriever),
            **model,
        }

    @staticmethod
    def answers(question: Question) -> bool:
        """Whether it has an answer to a question of this kind; to others it gives none."""
        return bool(question.options)

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, each as soon as its last statement is judged."""
        return answer_groups(
            items, self._asked, self._told, self._checkpoint,
            answers=self.answers, token_budget=self._token_budget, network=self._network,
        )  # fmt: skip

    def _asked(self, passage: Passage, question: Question) -> _QuestionStatements:
        made = statements(question, passage, self._retriever)
        template, most = self._checkpoint.template, self._max_length
        return _QuestionStatements(
            question, made, [encode_statement(one, self._ids, template, most) for one in made]
        )

    def _is_cut(self, statement: Statement) -> bool:
        n_tokens = len(self._ids(statement.premise)) + len(self._ids(statement.claim))
        return n_tokens + self._checkpoint.template.n_special > self._max_length

    def _judgement(self, row: Rows) -> Judgement:
        logits = torch.from_numpy(row)[None].double()
        shares = logits.sigmoid() if logits.shape[1] == 1 else logits.softmax(dim=1)
        return Judgement(float(log_odds(logits, self._supported)), tuple(shares[0].tolist()))

    def _told(self, asked: _QuestionStatements, rows: Sequence[Rows]) -> Prediction:
        judged = [self._judgement(row) for row in rows]
        note = format_amount(asked.sequences)
        if n_cut := sum(map(self._is_cut, asked.statements)):
            note += f", {n_cut} of them cut"
        if asked.question.kind == "entailment" and math.isfinite(judged[0].odds):
            return self._classified(asked.question, judged[0], note)
        odds = [one.odds for one in judged]
        if not all(map(math.isfinite, odds)):
            return Prediction(question_id=asked.question.question_id, error=NOT_FINITE)
        chances = [one.shares[self._supported] for one in judged]
        return decided(
            asked.question,
            odds,
            scores=chances if self._probabilities else odds,
            scores_rank=not self._probabilities,
            evidence=tuple(one.evidence for one in asked.statements),
            note=note,
        )

    def _classified(self, question: Question, judgement: Judgement, note: str) -> Prediction:
        """Answer by the model's classes; one that only knows support can only say that."""
        names = [option.text.strip().lower() for option in question.options]
        if set(names) <= set(self._classes):
            shares = [judgement.shares[self._classes.index(name)] for name in names]
            return choose_by_share(question, shares, note)
        chance = judgement.shares[self._supported]
        if "entailment" in names and chance > 0.5:
            answer = question.options[names.index("entailment")].answer
        else:
            answer = Answer(kind="none")
            note += "; the model only tells supported from not supported"
        return Prediction(
            question_id=question.question_id,
            answer=answer,
            confidence=round(max(chance, 1 - chance), DIGITS),
            note=note,
        )
