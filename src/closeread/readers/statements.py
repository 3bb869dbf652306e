"""Builds what a verifier reads of an option: its evidence and the statement that it makes.

As Zhang et al. (2021, section 3.2) and their program: the sentences of the chain in the order of
the passage, one behind the other, and then the option. No torch; shared with training.

Of a claim that is too long the program shows the beginning. Where that is a stem nothing may be
left of the options, and all would be the same: here a stem gives way to the option in it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from closeread.evidence.query import query_text, stem_parts
from closeread.protocols import Retriever
from closeread.readers.windows import Encoded, Template
from closeread.types import Evidence, Option, Passage, Question

NO_EVIDENCE = {"zh": "无"}  # what the authors' program shows where nothing was found
Tokenize = Callable[[str], Sequence[int]]


class Statement(NamedTuple):
    """One statement to be verified.

    Attributes:
        evidence: The sentences; of a hypothesis (natural language inference) none, its premise is
            shown whole.
        premise: The text that is to support it.
        claim: What it says.
        stem: What of the claim stands before the option and behind it.
    """

    evidence: Evidence
    premise: str
    claim: str
    stem: tuple[str, str] = ("", "")


class Claim(NamedTuple):
    """A claim's tokens.

    Attributes:
        ids: All of them.
        n_before: How many are the stem's before the option.
        n_behind: How many are the stem's behind it.
    """

    ids: Sequence[int]
    n_before: int = 0
    n_behind: int = 0

    def cut(self, most: int) -> Sequence[int]:
        """Return so many of them: of the option first, from its beginning on."""
        end = len(self.ids) - self.n_behind
        start = min(self.n_before, max(0, end - most))
        return self.ids[start : start + most]


def statements(question: Question, passage: Passage, retriever: Retriever) -> list[Statement]:
    """Return a statement an option, or the one hypothesis of an entailment question."""
    if question.kind == "entailment":
        return [Statement(Evidence(), passage.text, question.text)]
    found = [retriever.retrieve(question, passage, option) for option in question.options]
    stem = stem_parts(question)
    return [
        Statement(evidence, premise(passage, evidence), query_text(question, option), stem)
        for option, evidence in zip(question.options, found, strict=True)
    ]


def premise(passage: Passage, evidence: Evidence) -> str:
    """Return the sentences of a chain in text order, with blanks between them but in Chinese."""
    glue = "" if passage.language == "zh" else " "
    pieces = [span.of(passage.text) for span in sorted(evidence.spans)]
    return glue.join(pieces) or NO_EVIDENCE.get(passage.language, "")


def encode_statement(
    statement: Statement, tokenize: Tokenize, template: Template, max_length: int
) -> Encoded:
    """Return premise and claim as the model is given them.

    Args:
        statement: What is to be verified.
        tokenize: Text to vocabulary ids, without special ones.
        template: How the tokenizer frames two texts.
        max_length: Tokens at most, special ones included.
    """
    first, second = truncate_longest_first(
        tokenize(statement.premise),
        _claim_tokens(statement.claim, statement.stem, tokenize),
        max_length - template.n_special,
    )
    return template.pair(first, second)


def option_claim(question: Question, option: Option, tokenize: Tokenize) -> Claim:
    """Return the tokens of what an option says."""
    return _claim_tokens(query_text(question, option), stem_parts(question), tokenize)


def _claim_tokens(claim: str, stem: tuple[str, str], tokenize: Tokenize) -> Claim:
    before, behind = (len(tokenize(part.strip())) if part.strip() else 0 for part in stem)
    return Claim(tokenize(claim), before, behind)


def truncate_longest_first(
    first: Sequence[int], second: Claim, room: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Cut the longer of two texts until both fit, as the tokenizers library does by default.

    Where both are longer than half of the room each gets half, the longer one the odd token, the
    second of equal ones. The first loses its end, the second what ``Claim.cut`` leaves out.
    """
    n_second = len(second.ids)
    if len(first) <= n_second:
        keep = min(len(first), room // 2)
        return first[:keep], second.cut(room - keep)
    keep = min(n_second, room // 2)
    return first[: room - keep], second.cut(keep)
