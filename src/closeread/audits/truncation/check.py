"""Check how generated texts ended, and the effect on the score: stops, limits, run-on, copies."""

from collections.abc import Iterator
from typing import Any

from closeread.audits.findings import Finding, verdict_for_gap, worst_verdict
from closeread.audits.scorers import default_scorer, language_notes
from closeread.audits.subject import Subject, only_text_questions
from closeread.audits.truncation import option_texts
from closeread.audits.truncation.copies import GUESSED, KNOWN
from closeread.audits.truncation.losses import Endings, Loss, classify_endings, largest_loss
from closeread.audits.truncation.recuts import (
    EXTRACT_RULE,
    Recut,
    Rescored,
    describe_stop,
    rescore,
)
from closeread.audits.truncation.tables import (
    endings_table,
    extraction_table,
    length_table,
    mean_f1,
    stop_table,
)


def check(run: Subject) -> Finding:
    """Classify how texts ended, and score them again cut at each candidate stop."""
    if not run.is_text:
        return option_texts.check(run)
    run = only_text_questions(run)
    scorer, metric = default_scorer(run)
    scores = rescore(run, metric)
    endings = classify_endings(run, metric, scores.saved)
    worst = largest_loss(run, endings)
    tables = [stop_table(scorer, scores)]
    if scores.extracted is not None:
        tables.append(extraction_table(scorer, scores.saved, scores.extracted))
    tables.append(endings_table(endings, scores))
    tables.append(length_table(run, scores.saved, metric))
    return Finding(
        check="truncation",
        verdict=worst_verdict((verdict_for_gap(scores.gain), verdict_for_gap(worst.share))),
        headline=_headline(run, scorer, scores, worst),
        tables=tuple(tables),
        notes=tuple(_notes(run, endings)),
        data=_data(run, scores, endings),
    )


def _notes(run: Subject, endings: Endings) -> Iterator[str]:
    yield from language_notes(run)
    if endings.ids_of["copied"]:
        yield GUESSED if run.shown is None else KNOWN
    if endings.chance is not None:
        n_elsewhere, n_tries = endings.chance
        yield (
            f"copied by chance: {n_elsewhere / n_tries:.1f} texts equal the answer of an "
            "example in another question's prompt"
        )
    if run.tail_lost:
        yield (
            "the texts were cut before they were saved: what followed the stop is lost, "
            "and no later cut recovers it"
        )


def _data(run: Subject, scores: Rescored, endings: Endings) -> dict[str, Any]:
    """Return the content of the tables, with the score of each cause at every stop."""
    extracted = scores.extracted
    return {
        "recuts": [
            {"stop": row.stop, "changed": row.n_changed, "em": row.em, "f1": row.f1}
            for row in scores.recuts
        ],
        "read_anew": {"f1": extracted.f1, "em": extracted.em, "changed": extracted.n_changed}
        if extracted is not None
        else {},
        "causes": {cause: len(ids) for cause, ids in endings.ids_of.items()},
        "by_stop": {
            cause: [{"stop": row.stop, "f1": mean_f1(row, ids)} for row in scores.recuts]
            for cause, ids in endings.ids_of.items()
            if ids
        },
        "copies_are": "guessed" if run.shown is None else "known",
    }


def _headline(run: Subject, scorer: str, scores: Rescored, worst: Loss) -> str:
    """Return a sentence on what raises the score most, on what was lost, or on both."""
    loss = (
        f"{100 * worst.share:.2f} points are lost in {worst.n_texts:,} texts: {worst.cause}"
        if worst.n_texts > 1
        else f"{100 * worst.share:.2f} points are lost in 1 text: {worst.cause}"
    )
    mended = _best_change(run, scorer, scores)
    if mended is None:
        if not worst.share:
            return f"{run.name}: no answer was cut, and no other stop raises {scorer} F1"
        return f"{run.name}: no other stop raises {scorer} F1; {loss}"
    change, row = mended
    gain = verdict_for_gap(row.f1 - scores.saved.f1)
    if worst_verdict((verdict_for_gap(worst.share), gain)) == gain:
        return change
    return f"{change}; {loss}"


def _best_change(run: Subject, scorer: str, scores: Rescored) -> tuple[str, Recut] | None:
    """Return a sentence on the extraction or stop that raises the score most, and its scores."""
    best, extracted, before = scores.best, scores.extracted, f"{100 * scores.saved.f1:.2f}"
    if extracted is not None and verdict_for_gap(extracted.f1 - best.f1) != "sound":
        return (
            f"{run.name}: extracting the answers with --extract {EXTRACT_RULE} changes {scorer} F1 "
            f"from {before} to {100 * extracted.f1:.2f}"
        ), extracted
    if best.stop is not None:
        return (
            f"{run.name}: cutting at {describe_stop(best.stop)} changes {scorer} F1 from {before} "
            f"to {100 * best.f1:.2f}"
        ), best
    return None
