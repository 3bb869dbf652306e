"""Extract evidence from a corpus for every claim of a data set, and score where it is from."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from closeread.evidence.corpus import Corpus, CorpusEvidence, evidence_from
from closeread.evidence.query import label_of
from closeread.metrics.intervals import Resampling
from closeread.metrics.pools import count_questions, strip_texts, sum_by_unit
from closeread.metrics.summary import describe_pool
from closeread.metrics.units import passage_unit
from closeread.pipeline.extract import EvidenceScorer, add_setting, claimed_options
from closeread.pipeline.processes import Work, map_in_order
from closeread.protocols import Advance, Pool, uncounted
from closeread.registry.factory import make
from closeread.runs.plan import strip_question
from closeread.types import (
    Evidence,
    Item,
    Passage,
    Prediction,
    Question,
    Record,
    Score,
    Span,
    Submission,
    Summary,
)


class Piece(Record, frozen=True, kw_only=True):
    """A sentence of evidence, with the corpus passage that it is from."""

    passage_id: str
    span: Span
    text: str


class ClaimEvidence(Record, frozen=True, kw_only=True):
    """The corpus evidence for one claim.

    Attributes:
        option_label: The claimed option; empty for the question itself.
        score: The retriever's score; None if the corpus shares no word with the claim.
        sentences: The evidence, in the order of the passages found.
        passages: The ids of the passages found, the best first.
        own: The rank of the question's own passage among them, from 1; 0 for none.
        own_sentences: For each sentence, whether it is from the question's own passage.
    """

    option_label: str
    score: float | None
    sentences: tuple[Piece, ...]
    passages: tuple[str, ...]
    own: int
    own_sentences: tuple[bool, ...]


def extract_from_corpus(
    items: Iterable[Item],
    folder: Path,
    name: str,
    options: Mapping[str, Any],
    *,
    passages: int,
    label: str | None = None,
    workers: int = 1,
    advance: Advance = uncounted,
) -> Iterator[tuple[Passage, Question, tuple[ClaimEvidence, ...]]]:
    """Return every question with the corpus evidence for its claims, in the data set's order.

    Args:
        items: Passages with questions; a passage only identifies the question's own in the corpus.
        folder: The corpus.
        name: The retriever.
        options: Its options.
        passages: Number of passages from the first stage.
        label: Only this option.
        workers: Number of processes; each opens the corpus and makes its own retriever.
        advance: Called with the number of questions done.

    Raises:
        InputError: The folder is not a corpus.
        MissingExtraError: bm25s is not installed.
    """
    settings = (folder, name, dict(options), passages, label)
    return map_in_order(items, _searcher, settings, workers=workers, advance=advance)


def _searcher(
    folder: Path, name: str, options: dict[str, Any], passages: int, label: str | None
) -> Work[tuple[ClaimEvidence, ...]]:
    retriever, _ = make("retriever", name, options)
    corpus = Corpus(folder)

    def search_claims(passage: Passage, question: Question) -> tuple[ClaimEvidence, ...]:
        stripped = strip_question(question)
        return tuple(
            _describe_claim(
                evidence_from(
                    corpus,
                    retriever,
                    stripped,
                    option,
                    language=passage.language,
                    passages=passages,
                ),
                label_of(option),
                passage.text,
            )
            for option in claimed_options(stripped, label)
        )

    return search_claims


def _describe_claim(corpus_evidence: CorpusEvidence, label: str, own_text: str) -> ClaimEvidence:
    """Return the evidence of a claim; the question's own passage is the one with its text."""
    ranks = [
        rank for rank, passage in enumerate(corpus_evidence.passages, 1) if passage.text == own_text
    ]
    return ClaimEvidence(
        option_label=label,
        score=corpus_evidence.evidence.score if corpus_evidence.evidence is not None else None,
        sentences=tuple(
            Piece(
                passage_id=source.passage.passage_id,
                span=source.span,
                text=source.span.of(source.passage.text),
            )
            for source in corpus_evidence.sources
        ),
        passages=tuple(passage.passage_id for passage in corpus_evidence.passages),
        own=ranks[0] if ranks else 0,
        own_sentences=tuple(source.passage.text == own_text for source in corpus_evidence.sources),
    )


class CorpusScorer:
    """Scores passages and evidence as they are found; keeps numbers, not texts.

    ``corpus.recall@1`` and ``corpus.recall@K`` are the shares of claims whose own passage ranks
    first, or among the K of the first stage. With gold evidence, the evidence is scored too; a
    sentence of another passage counts as wrong.
    """

    def __init__(self, passages: int, resampling: Resampling | None) -> None:
        self._passages = passages
        self._resampling = resampling
        self._evidence = EvidenceScorer(resampling)
        self._scores: list[Score] = []
        self._predictions: dict[str, Prediction] = {}
        self.claims = self.with_evidence = self.all_own = 0

    def add(
        self,
        passage: Passage,
        question: Question,
        claims: tuple[ClaimEvidence, ...],
        only: str | None = None,
    ) -> None:
        """Score one question's claims (only that of the option ``only``, if given)."""
        self.claims += len(claims)
        self.with_evidence += sum(bool(claim.sentences) for claim in claims)
        self.all_own += sum(bool(claim.sentences) and all(claim.own_sentences) for claim in claims)
        prediction = Prediction(
            question_id=question.question_id,
            evidence=tuple(_place_in_passage(passage, claim) for claim in claims),
        )
        self._evidence.add(question, prediction, only=only)
        if claims:
            name = question.question_id
            n_within = {
                rank: sum(0 < claim.own <= rank for claim in claims) for rank in (1, self._passages)
            }
            values: dict[str, float | None] = {f"recall@{rank}": n for rank, n in n_within.items()}
            values["claims"] = len(claims)
            self._scores.append(
                Score(question_id=name, values=values, unit_id=passage_unit(question))
            )
            self._predictions[name] = strip_texts(prediction)

    def summaries(self) -> dict[str, Summary]:
        """Return the summaries of the passages found and, with gold, of the evidence."""
        setting = f"from:corpus|passages:{self._passages}"
        by_name = {
            pool.metric: describe_pool(pool, f"corpus|{setting}|v:2", "passage", self._resampling)
            for pool in map(self._recall, sorted({1, self._passages}))
        }
        for name, summary in self._evidence.summaries().items():
            by_name[name] = add_setting(summary, setting)
        return by_name

    def _recall(self, rank: int) -> Pool:
        units, (n_found, n_claims) = sum_by_unit(
            [score.unit_id for score in self._scores],
            [score.values[f"recall@{rank}"] or 0.0 for score in self._scores],
            [score.values["claims"] or 0.0 for score in self._scores],
        )
        submission = Submission(predictions=self._predictions)
        return Pool(
            metric=f"corpus.recall@{rank}",
            unit_ids=units,
            numerators=n_found,
            denominators=n_claims,
            **count_questions(self._scores, submission, by_evidence=True),
        )


def _place_in_passage(passage: Passage, claim: ClaimEvidence) -> Evidence:
    """Return evidence with spans in the question's passage.

    Sentences of other passages get spans behind its end, where there is no gold, so that they
    count as wrong.
    """
    spans = []
    free_start = len(passage.text) + 1
    for piece, is_own in zip(claim.sentences, claim.own_sentences, strict=True):
        if is_own:
            spans.append(piece.span)
        else:
            spans.append(Span(free_start, free_start + piece.span.end - piece.span.start))
            free_start = spans[-1].end + 1
    return Evidence(
        spans=tuple(spans),
        texts=tuple(piece.text for piece in claim.sentences),
        option_label=claim.option_label,
        score=claim.score,
    )
