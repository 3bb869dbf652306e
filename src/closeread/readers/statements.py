"""Builds the input of a verifier for an option: its evidence and the statement that it makes.

The input follows Zhang et al. (2021, section 3.2) and their program: the sentences of the evidence
chain in the order of the passage, then the option. No torch; shared with training.

Their program keeps the beginning of a claim that is too long. If that is a long stem, all options
look the same. Here the option is kept before its stem.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from closeread.evidence.query import query_text, stem_parts
from closeread.protocols import Retriever
from closeread.readers.windows import Encoded, Template
from closeread.types import Evidence, Option, Passage, Question

NO_EVIDENCE = {"zh": "无"}  # as the authors' program writes empty evidence
Tokenize = Callable[[str], Sequence[int]]


class Statement(NamedTuple):
    """One statement to be verified.

    Attributes:
        evidence: The evidence sentences; empty for a hypothesis (natural language inference),
            whose premise is the whole passage.
        premise: The text that may support the claim.
        claim: The statement itself: the option, within its stem.
        stem: The parts of the claim before and after the option.
    """

    evidence: Evidence
    premise: str
    claim: str
    stem: tuple[str, str] = ("", "")


class Claim(NamedTuple):
    """A claim's tokens.

    Attributes:
        ids: Vocabulary ids of the whole claim.
        n_before: Number of stem tokens before the option.
        n_after: Number of stem tokens after the option.
    """

    ids: Sequence[int]
    n_before: int = 0
    n_after: int = 0

    def truncate(self, max_tokens: int) -> Sequence[int]:
        """Return at most ``max_tokens`` ids: from the start of the option if not all fit."""
        end = len(self.ids) - self.n_after
        start = min(self.n_before, max(0, end - max_tokens))
        return self.ids[start : start + max_tokens]


def statements(question: Question, passage: Passage, retriever: Retriever) -> list[Statement]:
    """Return one statement per option, or the one hypothesis of an entailment question."""
    if question.kind == "entailment":
        return [Statement(Evidence(), passage.text, question.text)]
    option_evidence = [retriever.retrieve(question, passage, option) for option in question.options]
    stem = stem_parts(question)
    return [
        Statement(evidence, premise(passage, evidence), query_text(question, option), stem)
        for option, evidence in zip(question.options, option_evidence, strict=True)
    ]


def premise(passage: Passage, evidence: Evidence) -> str:
    """Return the evidence sentences in text order, joined by spaces (in Chinese by nothing)."""
    separator = "" if passage.language == "zh" else " "
    pieces = [span.of(passage.text) for span in sorted(evidence.spans)]
    return separator.join(pieces) or NO_EVIDENCE.get(passage.language, "")


def encode_statement(
    statement: Statement, tokenize: Tokenize, template: Template, max_length: int
) -> Encoded:
    """Return the input sequence of premise and claim.

    Args:
        statement: The statement to verify.
        tokenize: Maps a text to vocabulary ids, without special ones.
        template: How the tokenizer frames two texts.
        max_length: Maximum tokens, special ones included.
    """
    first, second = truncate_longest_first(
        tokenize(statement.premise),
        _claim_tokens(statement.claim, statement.stem, tokenize),
        max_length - template.n_special,
    )
    return template.pair(first, second)


def option_claim(question: Question, option: Option, tokenize: Tokenize) -> Claim:
    """Return the tokens of an option's claim."""
    return _claim_tokens(query_text(question, option), stem_parts(question), tokenize)


def _claim_tokens(claim: str, stem: tuple[str, str], tokenize: Tokenize) -> Claim:
    before, after = (len(tokenize(part.strip())) if part.strip() else 0 for part in stem)
    return Claim(tokenize(claim), before, after)


def truncate_longest_first(
    first: Sequence[int], second: Claim, room: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Return both texts, the longer one cut until they fit, as the tokenizers library does.

    If both are longer than half of the room, each gets half; an odd token goes to the longer text,
    or to the second of equally long ones. ``first`` loses its end, ``second`` the ids that
    ``Claim.truncate`` leaves out.

    Args:
        first: Ids of the first text.
        second: The claim.
        room: Maximum tokens of both together.
    """
    n_second = len(second.ids)
    if len(first) <= n_second:
        keep = min(len(first), room // 2)
        return first[:keep], second.truncate(room - keep)
    keep = min(n_second, room // 2)
    return first[: room - keep], second.truncate(keep)
