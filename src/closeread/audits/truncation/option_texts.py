"""Whether the option that a generated text names was extracted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from closeread.audits.findings import (
    Finding,
    Table,
    Verdict,
    share,
    skipped_finding,
    verdict_for_gap,
)
from closeread.audits.subject import Subject, generated_text, restrict_to
from closeread.audits.truncation.recuts import EXTRACT_RULE, Recut, extract_again, score_at_stops
from closeread.metrics.choice import picked_label
from closeread.registry.factory import make
from closeread.types import Prediction, Question

_AT_THE_LIMIT = ("length", "max_tokens")


@dataclass(frozen=True, kw_only=True)
class _Extraction:
    """The options extracted from the texts of a run.

    Attributes:
        saved: The scores of the answers as they were saved.
        extracted: The scores with the answers extracted again; None if the run's own rule is known.
        n_texts: Questions with a generated text.
        without_option: Cause to the predictions whose saved answer is not an option.
        lost: The share of the questions whose text ended at the token limit before an option.
    """

    saved: Recut
    extracted: Recut | None
    n_texts: int
    without_option: Mapping[str, Sequence[Prediction]]
    lost: float

    @property
    def gain(self) -> float:
        """The accuracy gained by extracting the answers again."""
        return self.extracted.f1 - self.saved.f1 if self.extracted is not None else 0.0

    @property
    def verdict(self) -> Verdict:
        return verdict_for_gap(max(self.gain, self.lost))


def check(run: Subject) -> Finding:
    """Extract the options again from the generated texts, and count the texts that gave none.

    A run by likelihoods, or without saved texts, is skipped.
    """
    run = restrict_to(run, (question.question_id for question in run.questions if question.options))
    texts = [pair for pair in run.answered() if pair[1].generation is not None]
    if not texts:
        return skipped_finding(
            "truncation", "all questions have options, and no generated texts were saved"
        )
    extraction = _extract(run, texts)
    saved, extracted = extraction.saved, extraction.extracted
    return Finding(
        check="truncation",
        verdict=extraction.verdict,
        headline=_headline(run, extraction),
        tables=(_accuracy_table(saved, extracted), _cause_table(extraction)),
        data={
            "read_anew": {"accuracy": extracted.f1, "changed": extracted.n_changed}
            if extracted is not None
            else {},
            "accuracy": saved.f1,
            "causes": {
                cause: len(predictions) for cause, predictions in extraction.without_option.items()
            },
        },
    )


def _extract(run: Subject, texts: Sequence[tuple[Question, Prediction]]) -> _Extraction:
    """Score a run as saved and extracted again, and group the texts without an option by cause."""
    metric = make("metric", "choice")[0]
    (saved,) = score_at_stops(run, metric, [None])
    # closeread's own readers know the form of their prompt: shuffled options, or one by one.
    knows_rule = run.rule is not None or run.is_shared
    unmatched = [
        prediction for question, prediction in texts if not picked_label(question, prediction)
    ]
    at_limit = [
        prediction for prediction in unmatched if _finish_reason(prediction) in _AT_THE_LIMIT
    ]
    return _Extraction(
        saved=saved,
        extracted=None if knows_rule else extract_again(run, metric),
        n_texts=len(texts),
        without_option={
            "no option": unmatched,
            "empty": [
                prediction for prediction in unmatched if not generated_text(prediction).strip()
            ],
            "token limit": at_limit,
        },
        lost=len(at_limit) / len(run.questions),
    )


def _finish_reason(prediction: Prediction) -> str:
    return prediction.generation.finish_reason if prediction.generation is not None else ""


def _headline(run: Subject, extraction: _Extraction) -> str:
    if (
        extraction.extracted is not None
        and extraction.gain >= extraction.lost
        and verdict_for_gap(extraction.gain) != "sound"
    ):
        return (
            f"{run.name}: extracting the answers with --extract {EXTRACT_RULE} changes accuracy "
            f"from {100 * extraction.saved.f1:.2f} to {100 * extraction.extracted.f1:.2f}"
        )
    if extraction.verdict == "sound":
        return f"{run.name}: no option was lost in extraction"
    n_cut = len(extraction.without_option["token limit"])
    return (
        f"{run.name}: {n_cut:,} texts ended at the token limit before they named an option"
        if n_cut > 1
        else f"{run.name}: 1 text ended at the token limit before it named an option"
    )


def _accuracy_table(saved: Recut, extracted: Recut | None) -> Table:
    rows = [("as saved", saved.n_changed, saved.f1)]
    if extracted is not None:
        rows.append((f"--extract {EXTRACT_RULE}", extracted.n_changed, extracted.f1))
    return Table(
        title="Answers extracted again from the texts",
        headings=("extraction", "changed answers", "accuracy %"),
        rows=tuple(rows),
    )


def _cause_table(extraction: _Extraction) -> Table:
    return Table(
        title="Texts without an extracted option",
        headings=("cause", "texts", "share %", "for example"),
        rows=tuple(
            (
                cause,
                len(predictions),
                share(len(predictions), extraction.n_texts),
                predictions[0].question_id if predictions else None,
            )
            for cause, predictions in extraction.without_option.items()
        ),
    )
