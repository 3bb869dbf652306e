"""Split a passage into sentences for a retriever, and turn chosen sentences into evidence."""

from collections.abc import Callable, Sequence

from closeread.errors import UsageError
from closeread.evidence.beam import Chain
from closeread.evidence.query import label_of
from closeread.text import segment
from closeread.types import Evidence, Option, Span

Splitter = Callable[[str, str], tuple[Span, ...]]


def splitter(name: str) -> Splitter:
    """Return the splitter ``default`` or ``vgaokao``, a function of text and language.

    Raises:
        UsageError: There is no such splitter.
    """
    if name == "default":
        return segment.sentences
    if name == "vgaokao":
        return lambda text, language: segment.vgaokao(text)
    raise UsageError(f"sentences={name!r}", expected="default or vgaokao")


def as_evidence(
    spans: Sequence[Span], chain: Chain | None, option: Option | None, k: int | None
) -> Evidence:
    """Return a chain as evidence, in text order; if ``k`` is given, only its first k sentences."""
    label = label_of(option)
    if chain is None or k == 0:
        return Evidence(option_label=label, score=None if chain is None else round(chain.score, 6))
    chosen = chain.sentences[:k]
    return Evidence(
        spans=tuple(spans[number] for number in sorted(chosen)),
        option_label=label,
        score=round(chain.score, 6),
        hops=len(chosen),
    )
