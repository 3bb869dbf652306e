"""BeamDR: found sentences are appended to the query, which is encoded again (Xiong et al. 2021).

This is the baseline of section 4 that the masking methods are compared with: a query extended by
its evidence finds more sentences like that evidence.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from closeread.errors import UsageError
from closeread.evidence.beam import Chain, search
from closeread.evidence.dense import CachedEncoder
from closeread.evidence.encoding import text_encoder
from closeread.evidence.integrate import Integrator, integrator
from closeread.evidence.models import models_of
from closeread.evidence.query import query_text
from closeread.evidence.sentences import as_evidence, splitter
from closeread.registry.factory import PathText
from closeread.types import Evidence, Option, Passage, Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

INTEGRATED_BY = ("off", "encoder", "overlap")


def beamdr(
    *,
    encoder: str = "sentence-transformers",
    model: PathText = "",
    steps: int = 2,
    beam: int = 2,
    integrate: str = "off",
    sentences: str = "default",
) -> "BeamDR":
    """Make the retriever.

    Args:
        encoder: From ``closeread ls encoders``, or ``package.module:factory``.
        model: The encoder's model, a folder or a hub name.
        steps: Maximum sentences in a chain.
        beam: Chains kept at each step.
        integrate: ``off`` (the baseline), ``encoder`` or ``overlap``.
        sentences: ``default``, or ``vgaokao`` for the authors' splitter.

    Raises:
        UsageError: A number is below 1, or there is no such encoder, integrator or splitter.
        InputError: The model cannot be opened.
    """
    if steps < 1 or beam < 1:
        raise UsageError(f"steps={steps}, beam={beam}", expected="both at least 1")
    if integrate not in INTEGRATED_BY:  # the others need word vectors, or a cross-encoder
        raise UsageError(
            f"integrate={integrate!r}", expected="for beamdr one of " + ", ".join(INTEGRATED_BY)
        )
    encoded = CachedEncoder(text_encoder(encoder, model), splitter(sentences))
    return BeamDR(encoded, integrator(integrate, encoder, model), steps, beam)


class BeamDR:
    """Finds chains by dense retrieval with a growing query."""

    def __init__(
        self, encoded: CachedEncoder, integrator: Integrator, steps: int, beam: int
    ) -> None:
        self._encoded = encoded
        self._integrator = integrator
        self.models = models_of(encoded, integrator)
        self._steps = steps
        self._beam = beam

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return the best chain's sentences; ``score`` is the sum of its steps' cosines."""
        spans, rows = self._encoded.passage(passage.text, passage.language)
        text = query_text(question, option)
        if not spans or not text.strip():
            return as_evidence(spans, None, option, k)
        separator = "" if passage.language == "zh" else " "

        def extend(chains: Sequence[Chain]) -> "NDArray[Any]":
            queries = [
                separator.join(
                    [text, *(spans[number].of(passage.text) for number in chain.sentences)]
                )
                for chain in chains
            ]
            return self._encoded.cosines_with(queries, rows)

        first = self._encoded.cosines_with([text], rows)[0]
        chains = search(first, extend, steps=self._steps, beam=self._beam)
        best = self._integrator.best(text, passage, spans, chains)
        return as_evidence(spans, best, option, k)
