"""How generated texts ended, and what that did to the score: stops, limits, run-on text, copies."""

from collections.abc import Sequence
from operator import itemgetter

from closeread.audits.findings import Cell, Finding, Table, share, verdict_for_gap, worst_verdict
from closeread.audits.scorers import default_scorer, language_notes
from closeread.audits.subject import Subject, generated_text, only_text_questions
from closeread.audits.truncation import option_texts
from closeread.audits.truncation.copies import (
    GUESSED,
    KNOWN,
    copy_detector,
    count_chance_copies,
    long_copies,
    share_beyond_chance,
)
from closeread.audits.truncation.endings import (
    CAUSES,
    iter_causes,
    leaves_answer_intact,
    without_next_example,
)
from closeread.audits.truncation.recuts import (
    EXTRACT_RULE,
    Recut,
    candidate_stops,
    describe_stop,
    extract_again,
    score_at_stops,
)
from closeread.metrics.intervals import Resampling, interval
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import passage_unit, question_unit
from closeread.protocols import Metric
from closeread.summation import sum_in_order
from closeread.types import Prediction, Question, Score, Submission

_RESAMPLING = Resampling()
_Loss = tuple[float, str, int]  # the share of the score, its cause, the texts
# Whether the other two cost points cannot be told from the text alone.
_HARMFUL = tuple(cause for cause in CAUSES if cause not in ("ends in a number", "run-on"))


def check(run: Subject) -> Finding:
    """Classify how texts ended, and score them again cut at each candidate stop."""
    if not run.is_text:
        return option_texts.check(run)
    run = only_text_questions(run)
    name, metric = default_scorer(run)
    copied = copy_detector(run)
    recuts = score_at_stops(run, metric, [None, *candidate_stops(run)])
    best = max(recuts, key=lambda row: (row.f1, -row.changed))
    saved = recuts[0]
    members: dict[str, list[str]] = {cause: [] for cause in CAUSES}
    harmed: dict[str, dict[str, float]] = {cause: {} for cause in CAUSES}
    n_answered = 0
    for question, prediction in run.answered():
        n_answered += 1
        lines, whole = copied(question, prediction), run.is_whole(prediction)
        for cause in iter_causes(
            question, prediction, run.stops_of(prediction), lines, whole=whole
        ):
            members[cause].append(question.question_id)
            lost = _possible_score(cause, run, question, prediction, metric)
            lost -= saved.f1_of[question.question_id]
            if lost > 0:
                harmed[cause][question.question_id] = lost
    chance = count_chance_copies(run) if members["copied"] else None
    owed = dict.fromkeys(_HARMFUL, 1.0)
    if chance is not None:
        owed["copied"] = share_beyond_chance(len(members["copied"]), *chance)
    elif run.shown is not None:  # all were shown the same: a short one may be chance
        harmed["copied"] = {
            name: harmed["copied"][name] for name in long_copies(run, harmed["copied"])
        }
    by_cause: list[tuple[Cell, ...]] = [
        (
            cause,
            len(found),
            share(len(found), n_answered),
            _mean_f1(saved, found),
            _mean_f1(best, found),
            found[0] if found else None,
        )
        for cause, found in members.items()
    ]
    read = extract_again(run, metric)
    gain = max(best.f1, read.f1 if read else 0.0) - saved.f1
    worst = max(
        (
            (
                part * sum_in_order(harmed[cause].values()) / len(run.questions),
                cause,
                round(part * len(harmed[cause])),
            )
            for cause, part in owed.items()
        ),
        key=itemgetter(0),
    )
    verdict = worst_verdict((verdict_for_gap(gain), verdict_for_gap(worst[0])))
    return Finding(
        check="truncation",
        verdict=verdict,
        headline=_headline(run, name, (saved, best, read), worst),
        tables=(
            Table(
                title="Scores with the texts cut at each stop",
                headings=("stop", "changed answers", f"{name} EM %", f"{name} F1 %"),
                rows=tuple(
                    (describe_stop(row.stop), row.changed, row.em, row.f1) for row in recuts
                ),
            ),
            *((_extraction_table(name, saved, read),) if read else ()),
            _endings_table(by_cause, best.stop),
            _length_table(run, saved, metric),
        ),
        notes=(
            *language_notes(run),
            *((GUESSED if run.shown is None else KNOWN,) if members["copied"] else ()),
            *(
                (f"copied by chance: {chance[0] / chance[1]:.1f} texts equal the answer of an "
                 "example in another question's prompt",)
                if chance is not None
                else ()
            ),
            *(
                ("the texts were cut before they were saved: what followed the stop is lost, "
                 "and no later cut recovers it",)
                if run.tail_lost
                else ()
            ),
        ),
        data={
            "recuts": [
                {"stop": row.stop, "changed": row.changed, "em": row.em, "f1": row.f1}
                for row in recuts
            ],
            "read_anew": {"f1": read.f1, "em": read.em, "changed": read.changed} if read else {},
            "causes": {str(row[0]): row[1] for row in by_cause},
            "by_stop": {
                cause: [{"stop": row.stop, "f1": _mean_f1(row, found)} for row in recuts]
                for cause, found in members.items()
                if found
            },
            "copies_are": "guessed" if run.shown is None else "known",
        },
    )  # fmt: skip


def _extraction_table(name: str, saved: Recut, read: Recut) -> Table:
    return Table(
        title="Answers extracted again from the texts",
        headings=("extraction", "changed answers", f"{name} EM %", f"{name} F1 %"),
        rows=tuple(
            (what, row.changed, row.em, row.f1)
            for what, row in (("as saved", saved), (f"--extract {EXTRACT_RULE}", read))
        ),
    )


def _endings_table(by_cause: Sequence[tuple[Cell, ...]], stop: str | None) -> Table:
    """Return the counts by cause, with the score at the best stop if there is one."""
    cut = () if stop is None else (f"F1 cut at {describe_stop(stop)} %",)
    rows = by_cause if cut else [(*row[:4], row[5]) for row in by_cause]
    return Table(
        title="How texts ended",
        headings=("cause", "texts", "share %", "F1 as saved %", *cut, "for example"),
        rows=tuple(rows),
        note="; ".join(
            (
                *(f"{cause}: {what}" for cause, what in CAUSES.items()),
                "a text can have several causes",
            )
        ),
    )


def _mean_f1(row: Recut, found: Sequence[str]) -> float | None:
    """Return the mean F1 of some questions, or None if there are none."""
    return sum_in_order(map(row.f1_of.__getitem__, found)) / len(found) if found else None


def _length_table(run: Subject, saved: Recut, metric: Metric) -> Table:
    """Return F1 by text length: it falls steeply if long texts mislead the scorer."""
    rows = sorted(
        (
            len(generated_text(prediction)),
            saved.f1_of[question.question_id],
            _unit(question, metric),
        )
        for question, prediction in run.answered()
    )
    fifth = max(1, -(-len(rows) // 5))
    parts = [rows[start : start + fifth] for start in range(0, len(rows), fifth)]
    return Table(
        title="Score by text length",
        headings=("characters", "texts", "F1 %", "from %", "to %"),
        rows=tuple(
            (
                f"{part[0][0]:,} – {part[-1][0]:,}",
                len(part),
                sum_in_order(found for _, found, _ in part) / len(part),
                *_interval_bounds(part, f"{metric.name}.f1@{number}"),
            )
            for number, part in enumerate(parts)
        ),
        note=f"from, to: the {_RESAMPLING.level:.0%} interval, from {_RESAMPLING.resamples:,} "
        "resamples",
    )


def _unit(question: Question, metric: Metric) -> str:
    return (passage_unit if metric.unit == "passage" else question_unit)(question)


def _interval_bounds(
    part: Sequence[tuple[int, float, str]], name: str
) -> tuple[float | None, float | None]:
    """Return the interval of a part's mean F1, computed as for any other score."""
    scores = [
        Score(question_id=str(place), values={"f1": found}, unit_id=unit)
        for place, (_, found, unit) in enumerate(part)
    ]
    (pool,) = mean_pools({"f1": name}, scores, Submission(predictions={}))
    found = interval(pool, _RESAMPLING)
    return found.low, found.high


def _possible_score(
    cause: str, run: Subject, question: Question, prediction: Prediction, metric: Metric
) -> float:
    """Return what an answer could score without a cause; 0 if the cause left it intact."""
    if cause == "next example":
        before = without_next_example(run, question, prediction)
        return metric.score(question, before).values.get("f1") or 0.0
    return 0.0 if leaves_answer_intact(cause, run, question, prediction) else 1.0


def _headline(
    run: Subject, name: str, rows: tuple[Recut, Recut, Recut | None], worst: _Loss
) -> str:
    saved, best, read = rows
    lost, cause, many = worst
    loss = (
        f"{100 * lost:.2f} points are lost in {many:,} texts: {cause}"
        if many > 1
        else f"{100 * lost:.2f} points are lost in 1 text: {cause}"
    )
    before = f"{100 * saved.f1:.2f}"
    if read and verdict_for_gap(read.f1 - best.f1) != "sound":
        mended, gain = (
            f"{run.name}: extracting the answers with --extract {EXTRACT_RULE} changes {name} F1 "
            f"from {before} to {100 * read.f1:.2f}", read.f1 - saved.f1,
        )  # fmt: skip
    elif best.stop is not None:
        mended, gain = (
            f"{run.name}: cutting at {describe_stop(best.stop)} changes {name} F1 from {before} to "
            f"{100 * best.f1:.2f}", best.f1 - saved.f1,
        )  # fmt: skip
    elif not lost:
        return f"{run.name}: no answer was cut, and no other stop raises {name} F1"
    else:
        return f"{run.name}: no other stop raises {name} F1; {loss}"
    return (
        mended
        if worst_verdict((verdict_for_gap(lost), verdict_for_gap(gain))) == verdict_for_gap(gain)
        else f"{mended}; {loss}"
    )
