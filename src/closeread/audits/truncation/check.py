"""What the ends of texts did to their score: stops, limits, run-on text, copies."""

from collections.abc import Sequence
from operator import itemgetter

from closeread.audits.findings import Cell, Finding, Table, grave, gravest, share
from closeread.audits.scorers import judge_of, other_languages
from closeread.audits.subject import Subject, of_texts, said
from closeread.audits.truncation import option_texts
from closeread.audits.truncation.copies import (
    GUESSED,
    KNOWN,
    by_chance,
    copied_by,
    long_ones,
    share_beyond,
)
from closeread.audits.truncation.endings import (
    CAUSES,
    beside_the_answer,
    causes,
    without_next_example,
)
from closeread.audits.truncation.recuts import ANEW, Recut, candidates, named, read_anew, recut_at
from closeread.metrics.intervals import Resampling, interval
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import passage_unit, question_unit
from closeread.protocols import Metric
from closeread.summation import sum_in_order
from closeread.types import Prediction, Question, Score, Submission

_RESAMPLING = Resampling()
_Loss = tuple[float, str, int]  # the share of the score, its cause, the texts
# Whether the two others cost anything is not to be told from the text alone.
_HARMFUL = tuple(cause for cause in CAUSES if cause not in ("ends in a number", "run-on"))


def check(one: Subject) -> Finding:
    """Find how texts ended and score them again, cut at each candidate stop."""
    if not one.is_text:
        return option_texts.check(one)
    one = of_texts(one)
    name, metric = judge_of(one)
    copied = copied_by(one)
    recuts = recut_at(one, metric, [None, *candidates(one)])
    best = max(recuts, key=lambda row: (row.f1, -row.changed))
    saved = recuts[0]
    members: dict[str, list[str]] = {cause: [] for cause in CAUSES}
    harmed: dict[str, dict[str, float]] = {cause: {} for cause in CAUSES}
    n_answered = 0
    for question, prediction in one.answered():
        n_answered += 1
        lines, whole = copied(question, prediction), one.is_whole(prediction)
        for cause in causes(question, prediction, one.stops_of(prediction), lines, whole=whole):
            members[cause].append(question.question_id)
            lost = _but_for(cause, one, question, prediction, metric)
            lost -= saved.f1_of[question.question_id]
            if lost > 0:
                harmed[cause][question.question_id] = lost
    chance = by_chance(one) if members["copied"] else None
    owed = dict.fromkeys(_HARMFUL, 1.0)
    if chance is not None:
        owed["copied"] = share_beyond(len(members["copied"]), *chance)
    elif one.shown is not None:  # all were shown the same: a short one may be chance
        harmed["copied"] = {
            name: harmed["copied"][name] for name in long_ones(one, harmed["copied"])
        }
    by_cause: list[tuple[Cell, ...]] = [
        (
            cause,
            len(found),
            share(len(found), n_answered),
            _mean(saved, found),
            _mean(best, found),
            found[0] if found else None,
        )
        for cause, found in members.items()
    ]
    read = read_anew(one, metric)
    gain = max(best.f1, read.f1 if read else 0.0) - saved.f1
    worst = max(
        (
            (
                part * sum_in_order(harmed[cause].values()) / len(one.questions),
                cause,
                round(part * len(harmed[cause])),
            )
            for cause, part in owed.items()
        ),
        key=itemgetter(0),
    )
    verdict = gravest((grave(gain), grave(worst[0])))
    return Finding(
        check="truncation",
        verdict=verdict,
        headline=_headline(one, name, (saved, best, read), worst),
        tables=(
            Table(
                title="Scores with the texts cut at each stop",
                headings=("stop", "changed answers", f"{name} EM %", f"{name} F1 %"),
                rows=tuple(
                    (named(row.stop), row.changed, row.em, row.f1) for row in recuts
                ),
            ),
            *((_anew(name, saved, read),) if read else ()),
            _endings(by_cause, best.stop),
            _by_length(one, saved, metric),
        ),
        notes=(
            *other_languages(one),
            *((GUESSED if one.shown is None else KNOWN,) if members["copied"] else ()),
            *(
                (f"copied by chance: {chance[0] / chance[1]:.1f} texts equal the answer of an "
                 "example in another question's prompt",)
                if chance is not None
                else ()
            ),
            *(
                ("the texts were cut before they were saved: what followed the stop is lost, "
                 "and no later cut recovers it",)
                if one.tail_lost
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
                cause: [{"stop": row.stop, "f1": _mean(row, found)} for row in recuts]
                for cause, found in members.items()
                if found
            },
            "copies_are": "guessed" if one.shown is None else "known",
        },
    )  # fmt: skip


def _anew(name: str, saved: Recut, read: Recut) -> Table:
    return Table(
        title="Answers extracted again from the texts",
        headings=("extraction", "changed answers", f"{name} EM %", f"{name} F1 %"),
        rows=tuple(
            (what, row.changed, row.em, row.f1)
            for what, row in (("as saved", saved), (f"--extract {ANEW}", read))
        ),
    )


def _endings(by_cause: Sequence[tuple[Cell, ...]], stop: str | None) -> Table:
    """The counts by cause; with the score at the best stop, where that is another one."""
    cut = () if stop is None else (f"F1 cut at {named(stop)} %",)
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


def _mean(row: Recut, found: Sequence[str]) -> float | None:
    """The mean F1 of some questions."""
    return sum_in_order(map(row.f1_of.__getitem__, found)) / len(found) if found else None


def _by_length(one: Subject, saved: Recut, metric: Metric) -> Table:
    """F1 by the length of the text: a good scorer falls little, a fooled one steeply."""
    rows = sorted(
        (len(said(prediction)), saved.f1_of[question.question_id], _unit(question, metric))
        for question, prediction in one.answered()
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
                *_bounds(part, f"{metric.name}.f1@{number}"),
            )
            for number, part in enumerate(parts)
        ),
        note=f"from, to: the {_RESAMPLING.level:.0%} interval, from {_RESAMPLING.resamples:,} "
        "resamples",
    )


def _unit(question: Question, metric: Metric) -> str:
    return (passage_unit if metric.unit == "passage" else question_unit)(question)


def _bounds(part: Sequence[tuple[int, float, str]], name: str) -> tuple[float | None, float | None]:
    """The interval of a part's mean F1, as that of any other score."""
    scores = [
        Score(question_id=str(place), values={"f1": found}, unit_id=unit)
        for place, (_, found, unit) in enumerate(part)
    ]
    (pool,) = mean_pools({"f1": name}, scores, Submission(predictions={}))
    found = interval(pool, _RESAMPLING)
    return found.low, found.high


def _but_for(
    cause: str, one: Subject, question: Question, prediction: Prediction, metric: Metric
) -> float:
    """Return what an answer may score but for how its text ended: 0 where that did not touch it."""
    if cause == "next example":
        before = without_next_example(one, question, prediction)
        return metric.score(question, before).values.get("f1") or 0.0
    return 0.0 if beside_the_answer(cause, one, question, prediction) else 1.0


def _headline(
    one: Subject, name: str, rows: tuple[Recut, Recut, Recut | None], worst: _Loss
) -> str:
    saved, best, read = rows
    lost, cause, many = worst
    told = (
        f"{100 * lost:.2f} points are lost in {many:,} texts: {cause}"
        if many > 1
        else f"{100 * lost:.2f} points are lost in 1 text: {cause}"
    )
    before = f"{100 * saved.f1:.2f}"
    if read and grave(read.f1 - best.f1) != "sound":
        mended, gain = (
            f"{one.name}: extracting the answers with --extract {ANEW} changes {name} F1 from "
            f"{before} to {100 * read.f1:.2f}", read.f1 - saved.f1,
        )  # fmt: skip
    elif best.stop is not None:
        mended, gain = (
            f"{one.name}: cutting at {named(best.stop)} changes {name} F1 from {before} to "
            f"{100 * best.f1:.2f}", best.f1 - saved.f1,
        )  # fmt: skip
    elif not lost:
        return f"{one.name}: no answer was cut, and no other stop raises {name} F1"
    else:
        return f"{one.name}: no other stop raises {name} F1; {told}"
    return mended if gravest((grave(lost), grave(gain))) == grave(gain) else f"{mended}; {told}"
