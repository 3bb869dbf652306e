"""Recomputing every number of a run folder from its own files."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest

import msgspec

from closeread.errors import CloseReadError
from closeread.readers.generative.extraction import needs_question
from closeread.runs.choose import make_metrics
from closeread.runs.fits import predictions_misfit, summary_misfits
from closeread.runs.plan import ordered
from closeread.runs.records import RunSummary
from closeread.runs.score import as_submission, breakdowns_of, summaries_of
from closeread.runs.store import LEDGER, PREDICTIONS, Run
from closeread.runs.walk import Walked, score_rows
from closeread.types import Dataset, Score, Submission, Summary

_MOST = 20


@dataclass
class Verification:
    """What was checked, what could not be, and what differs; ``differences`` empty is good."""

    checked: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """``differs``, ``verified``, or ``verified in part`` where something was not checked."""
        if self.differences:
            return "differs"
        return "verified in part" if self.unchecked else "verified"

    def compare(self, what: str, differences: Iterator[str]) -> bool:
        """Run one check; keep what it found, the first few of it."""
        found = list(differences)
        self.differences += [f"{what}: {one}" for one in found[:_MOST]]
        if len(found) > _MOST:
            self.differences.append(f"{what}: and {len(found) - _MOST:,} more")
        if not found:
            self.checked.append(what)
        return not found


def verify(run: Run) -> Verification:
    """Check a run folder against itself and, where it is still there, against its data set.

    The ledger and the hash in ``run.json`` vouch for the predictions; predictions and gold for
    the scores; scores for the summary. An interval is recomputed with the seed it was made with.
    """
    found = Verification()
    if not run.info.complete:
        found.differences.append("run.json: the run is not finished (`--resume` finishes it)")
        return found
    try:
        found.compare("predictions.jsonl has the hash in run.json", predictions_misfit(run))
        found.compare("predictions.jsonl holds what the ledger holds", _ledger(run))
        found.compare("run.json counts the predictions rightly", _counts(run))
    except CloseReadError as error:
        found.differences.append(str(error))
        return found
    dataset = _dataset(run, found)
    if dataset is not None:
        found.compare("one prediction for each question, in order", _order(run, dataset))
    try:
        summary = run.summary()
        if summary is None:
            found.unchecked.append("scores: the run was not scored yet")
        else:
            _scores(run, summary, dataset, found)
    except CloseReadError as error:
        found.differences.append(str(error))
    return found


def _dataset(run: Run, found: Verification) -> Dataset | None:
    try:
        dataset = run.dataset()
    except CloseReadError as error:
        found.unchecked.append(f"the data set: {error}".partition("\n")[0])
        return None
    found.checked.append("the data set has the hash in run.json")
    return dataset


def _ledger(run: Run) -> Iterator[str]:
    """Compare both files as bags of lines: the order of completion may differ."""
    counts: dict[bytes, int] = {}
    for sign, name in ((1, LEDGER), (-1, PREDICTIONS)):
        with (run.path / name).open("rb") as stream:
            for line in stream:
                digest = hashlib.blake2b(line, digest_size=16).digest()
                counts[digest] = counts.get(digest, 0) + sign
    missing = sum(count for count in counts.values() if count > 0)
    added = -sum(count for count in counts.values() if count < 0)
    if missing or added:
        yield f"{missing} lines are only in the ledger, {added} only in {PREDICTIONS}"


def _counts(run: Run) -> Iterator[str]:
    n_predictions = n_failed = 0
    for prediction in run.predictions():
        n_predictions += 1
        n_failed += bool(prediction.error)
    if (n_predictions, n_failed) != (run.info.n_predictions, run.info.n_failed):
        yield (
            f"{n_predictions} predictions, {n_failed} failed; run.json says "
            f"{run.info.n_predictions} and {run.info.n_failed}"
        )


def _order(run: Run, dataset: Dataset) -> Iterator[str]:
    asked = (one.question_id for _, _, one in ordered(dataset, run.info.dataset.limit))
    given = (one.question_id for one in run.predictions())
    if run.info.submission:
        handed_in = set(given)
        given = (name for name in list(dict.fromkeys(asked)) if name in handed_in)
        asked = (one.question_id for one in run.predictions())
    for place, (question, prediction) in enumerate(zip_longest(asked, given), 1):
        if question != prediction:
            yield f"line {place} answers {prediction}, the data set has {question} there"


def _scores(run: Run, summary: RunSummary, dataset: Dataset | None, found: Verification) -> None:
    settings = summary.settings
    metrics = make_metrics(settings.metrics, settings.options)
    as_made = found.compare("summary.json is of these predictions", summary_misfits(run, summary))
    stored: dict[str, list[Score]] = {name: [] for name in metrics}
    anew: dict[str, list[Score]] = {name: [] for name in metrics}
    for row in run.scores():
        stored.setdefault(row.metric, []).append(row)
    submission = Submission(predictions={})
    walked = Walked(tagged=True, n_questions=run.info.dataset.n_questions)
    if dataset is None:
        found.unchecked.append("scores: they need the data set")
        if settings.extraction is not None and needs_question(settings.extraction.rule):
            found.unchecked.append("summary.json: reading the answers anew needs the data set")
            return
        if not run.info.submission:
            submission = as_submission(run, None, settings.extraction)
    else:
        submission = as_submission(run, dataset, settings.extraction)
        walked = Walked(tagged=True)
        limit = run.info.dataset.limit
        for name, _, score in score_rows(dataset, submission, metrics, limit, walked):
            anew[name].append(score)
        found.compare("scores.jsonl follows from predictions and gold", _differing(stored, anew))
    if dataset is None and not as_made:
        found.unchecked.append("summary.json: it was made from another scores.jsonl")
        return
    # Scores that were changed may hold anything: sums are made of those that are right.
    right = stored if dataset is None else anew
    computed = summaries_of(
        metrics, right.__getitem__, submission, settings, n_questions=walked.n_questions
    )
    found.compare("summary.json follows from the scores", _summaries(summary.metrics, computed, ""))
    if not settings.by:
        return
    if dataset is None:
        found.unchecked.append("breakdowns: they need the data set's tags")
        return
    parts = breakdowns_of(metrics, right.__getitem__, walked, submission, settings)
    found.compare("breakdowns follow from the scores", _breakdowns(summary.breakdowns, parts))


def _differing(stored: Mapping[str, list[Score]], anew: Mapping[str, list[Score]]) -> Iterator[str]:
    for name in sorted({*stored, *anew}):
        for old, new in zip_longest(stored.get(name, []), anew.get(name, [])):
            if old is None or new is None:
                who = (old or new).question_id
                yield f"{name}, {who}: {'not stored' if old is None else 'should not be there'}"
            elif (old.question_id, old.unit_id, old.values) != (
                new.question_id,
                new.unit_id,
                new.values,
            ):
                yield f"{name}, {old.question_id}: {old.values} is stored, {new.values} is right"


def _breakdowns(
    stored: Mapping[str, Mapping[str, Mapping[str, Summary]]],
    anew: Mapping[str, Mapping[str, Mapping[str, Summary]]],
) -> Iterator[str]:
    for tag in sorted({*stored, *anew}):
        old, new = stored.get(tag, {}), anew.get(tag, {})
        for value in sorted({*old, *new}):
            yield from _summaries(old.get(value, {}), new.get(value, {}), f"{tag} {value}, ")


def _summaries(
    stored: Mapping[str, Summary], anew: Mapping[str, Summary], prefix: str
) -> Iterator[str]:
    for name in sorted({*stored, *anew}):
        old, new = stored.get(name), anew.get(name)
        if old is None or new is None:
            yield f"{prefix}{name}: {'is not stored' if old is None else 'should not be there'}"
            continue
        for one in msgspec.structs.fields(Summary):
            had, has = getattr(old, one.name), getattr(new, one.name)
            if had != has:
                yield f"{prefix}{name}: {one.name} {had} is stored, {has} is right"
