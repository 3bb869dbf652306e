"""What a verifier is shown of an option: its evidence, and the statement that it makes.

As Zhang et al. (2021, section 3.2) and their program: the sentences of the chain in the order of
the passage, one behind the other, and then the option. No torch; shared with training.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from closeread.evidence.query import query_text
from closeread.protocols import Retriever
from closeread.readers.windows import Encoded, Template
from closeread.types import Evidence, Passage, Question

NO_EVIDENCE = {"zh": "无"}  # what the authors' program shows where nothing was found
Tokenize = Callable[[str], Sequence[int]]


class Statement(NamedTuple):
    """One statement to be verified.

    Attributes:
        evidence: The sentences; of a hypothesis (natural language inference) none, its premise is
            shown whole.
        premise: The text that is to support it.
        claim: What it says.
    """

    evidence: Evidence
    premise: str
    claim: str


def statements(question: Question, passage: Passage, retriever: Retriever) -> list[Statement]:
    """Return a statement an option, or the one hypothesis of an entailment question."""
    if question.kind == "entailment":
        return [Statement(Evidence(), passage.text, question.text)]
    found = [retriever.retrieve(question, passage, option) for option in question.options]
    return [
        Statement(evidence, premise(passage, evidence), query_text(question, option))
        for option, evidence in zip(question.options, found, strict=True)
    ]


def premise(passage: Passage, evidence: Evidence) -> str:
    """Return the sentences of a chain in text order, with blanks between them but in Chinese."""
    glue = "" if passage.language == "zh" else " "
    pieces = [span.of(passage.text) for span in sorted(evidence.spans)]
    return glue.join(pieces) or NO_EVIDENCE.get(passage.language, "")


def encoded(
    statement: Statement, tokenize: Tokenize, template: Template, max_length: int
) -> Encoded:
    """Return premise and claim as the model is given them.

    Args:
        statement: What is to be verified.
        tokenize: Text to vocabulary ids, without special ones.
        template: How the tokenizer frames two texts.
        max_length: Tokens at most, special ones included.
    """
    first, second = longest_first(
        tokenize(statement.premise), tokenize(statement.claim), max_length - template.n_special
    )
    return template.pair(first, second)


def longest_first(
    first: Sequence[int], second: Sequence[int], room: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Cut the longer of two texts until both fit, as the tokenizers library does by default.

    Where both are longer than half of the room each gets half, the longer one the odd token, the
    second of equal ones.
    """
    if len(first) <= len(second):
        keep = min(len(first), room // 2)
        return first[:keep], second[: room - keep]
    keep = min(len(second), room // 2)
    return first[: room - keep], second[:keep]
