"""The torch part of the verifier: a pair head scores statements, and the options compete."""

import math
from collections.abc import Iterable, Iterator, Sequence
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
from closeread.readers.neural.vocabulary import unknown_share
from closeread.readers.option_sequences import MIN_TEXT_TOKENS, NOT_FINITE, format_amount
from closeread.readers.statements import Statement, encode_statement, statements
from closeread.readers.windows import Encoded
from closeread.text.memo import TextCache
from closeread.types import Answer, Passage, PassageQuestion, Prediction, Question


class Judgement(NamedTuple):
    """The model's output for a statement.

    Attributes:
        odds: Log-odds of "supported" against all other classes.
        shares: The probability of each class, in the model's order; for a single number that of
            "supported".
    """

    odds: float
    shares: tuple[float, ...]


class _QuestionStatements(NamedTuple):
    """A question with its statements and their input sequences."""

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
    reader = VerifierReader(checkpoint, retriever, network=open_fused(checkpoint), **settings)
    reader.options = options
    return reader


class VerifierReader:
    """Answers questions with options by competition, entailment questions by the model's classes.

    ``option_scores`` are the support of each option, for any polarity of the stem; ``confidence``
    and the candidates' scores are ``competition.answer_shares``. Questions without options have no
    statement to verify: they get a note instead of an answer.

    Attributes:
        options: The retriever's options, defaults included.
        passing_options: Options that do not change answers; a resumed run may change them.
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
        self._max_length = checkpoint.limit_length(max_length, MIN_TEXT_TOKENS)
        self.options: dict[str, Any] = {}
        self._checkpoint = checkpoint
        self._retriever = retriever
        self._probabilities = score == "probability"
        self._supported = supported_class(checkpoint, label)
        self._classes = class_names(checkpoint)
        self._token_budget = token_budget
        self._network = network
        self._ids = TextCache(lambda text: checkpoint.tokens(text).ids, max_results=4096)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record for the run folder: the model, and the models of the retriever."""
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

    def unknown_share(self, texts: Iterable[str]) -> float:
        """Return the share of the texts' tokens that the model's vocabulary lacks."""
        return unknown_share(self._checkpoint, texts)

    @staticmethod
    def answers(question: Question) -> bool:
        """Return whether the reader answers questions of this kind."""
        return bool(question.options)

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, each when its last statement is scored."""
        return answer_groups(
            items, self._tokenize_question, self._build_prediction, self._checkpoint,
            answers=self.answers, token_budget=self._token_budget, network=self._network,
        )  # fmt: skip

    def _tokenize_question(self, passage: Passage, question: Question) -> _QuestionStatements:
        question_statements = statements(question, passage, self._retriever)
        template, max_length = self._checkpoint.template, self._max_length
        return _QuestionStatements(
            question,
            question_statements,
            [
                encode_statement(statement, self._ids, template, max_length)
                for statement in question_statements
            ],
        )

    def _is_cut(self, statement: Statement) -> bool:
        n_tokens = len(self._ids(statement.premise)) + len(self._ids(statement.claim))
        return n_tokens + self._checkpoint.template.n_special > self._max_length

    def _judge(self, row: Rows) -> Judgement:
        logits = torch.from_numpy(row)[None].double()
        shares = logits.sigmoid() if logits.shape[1] == 1 else logits.softmax(dim=1)
        return Judgement(float(log_odds(logits, self._supported)), tuple(shares[0].tolist()))

    def _build_prediction(self, group: _QuestionStatements, rows: Sequence[Rows]) -> Prediction:
        judgements = [self._judge(row) for row in rows]
        note = format_amount(group.sequences)
        if n_cut := sum(map(self._is_cut, group.statements)):
            note += f", {n_cut} of them cut"
        if group.question.kind == "entailment" and math.isfinite(judgements[0].odds):
            return self._predict_class(group.question, judgements[0], note)
        odds = [item.odds for item in judgements]
        if not all(map(math.isfinite, odds)):
            return Prediction(question_id=group.question.question_id, error=NOT_FINITE)
        probabilities = [item.shares[self._supported] for item in judgements]
        return decided(
            group.question,
            odds,
            scores=probabilities if self._probabilities else odds,
            scores_rank=not self._probabilities,
            evidence=tuple(item.evidence for item in group.statements),
            note=note,
        )

    def _predict_class(self, question: Question, judgement: Judgement, note: str) -> Prediction:
        """Return the prediction of the likeliest class, or of "entailment" if that is all it knows.

        A model with other class names only distinguishes supported from not supported.
        """
        names = [option.text.strip().lower() for option in question.options]
        if set(names) <= set(self._classes):
            shares = [judgement.shares[self._classes.index(name)] for name in names]
            return choose_by_share(question, shares, note)
        probability = judgement.shares[self._supported]
        if "entailment" in names and probability > 0.5:
            answer = question.options[names.index("entailment")].answer
        else:
            answer = Answer(kind="none")
            note += "; the model only tells supported from not supported"
        return Prediction(
            question_id=question.question_id,
            answer=answer,
            confidence=round(max(probability, 1 - probability), DIGITS),
            note=note,
        )
