"""Where a text ended, and what that did to its score: stops, limits, run-on text, copies."""

import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Literal

from closeread.audits.copies import GUESSED, KNOWN, is_copy, stands_in
from closeread.audits.findings import Cell, Finding, Table, Verdict, share, skipped
from closeread.audits.material import Subject, judge_of, of_texts, other_languages, said
from closeread.audits.recuts import STOPS, Recut, candidates, named, recut_at, within_number
from closeread.metrics.intervals import Resampling, interval
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import passage_unit, question_unit
from closeread.protocols import Metric
from closeread.readers.generative.extraction import Extraction
from closeread.types import Prediction, Question, Score, Submission

_HEADING = re.compile(
    r"\n\s*(?:Passage|Question|Context|Article|Q|文章|材料|问题|题目)\s*\d*\s*[:：]",
    re.IGNORECASE,
)
_RESAMPLING = Resampling()
_GRAVITY: tuple[Verdict, ...] = ("sound", "doubtful", "broken")
_OTHER_PROMPTS = 5  # in which each text is looked for, to tell what is chance
_UNLIKELY = 0.001
_NUMBER_AT_END = re.compile(r"\d$")

CAUSES = {
    "empty": "no text at all",
    "token limit": "the text ended at the token limit",
    "decimal cut": "a decimal gold answer of which the text has the part before the point, no more",
    "gold cut": "the text is the beginning of a gold answer, up to a stop string in it",
    "ends in a number": "the text ends in a digit: a stop may have cut it",
    "next example": "the text goes on with headings as in the prompt",
    "run-on": "text on further lines",
    "copied": "the answer of one of the prompt's examples (see the notes)",
    "answer after": "a gold answer stands in the text, but not on its first line",
}

_Loss = tuple[float, str, int]  # the share of the score, its cause, the texts
# Whether the two others cost anything is not to be told from the text alone.
_HARMFUL = tuple(cause for cause in CAUSES if cause not in ("ends in a number", "run-on"))


def check(one: Subject) -> Finding:
    """Find how texts ended and score them again, cut at each candidate stop."""
    if not one.is_text:
        return skipped("truncation", "the questions ask for options")
    one = of_texts(one)
    name, metric = judge_of(one)
    often = _said_often(one) if one.shown is None else frozenset()
    members: dict[str, list[str]] = {cause: [] for cause in CAUSES}
    harmed: dict[str, list[str]] = {cause: [] for cause in CAUSES}
    n_answered = 0
    for question, prediction in one.answered():
        n_answered += 1
        copied = often if one.shown is None else _copied(one, question, prediction)
        whole = one.is_whole(prediction)
        for cause in causes(question, prediction, one.stops, copied, whole=whole):
            members[cause].append(question.question_id)
            if not beside_the_answer(cause, one, question, prediction):
                harmed[cause].append(question.question_id)
    chance = _by_chance(one) if members["copied"] else None
    if chance is not None and not _beyond(len(members["copied"]), *chance):
        harmed["copied"] = []
    recuts = recut_at(one, metric, [None, *candidates(one)])
    best = max(recuts, key=lambda row: (row.f1, -row.changed))
    saved = recuts[0]
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
    gain = best.f1 - saved.f1
    worst = max(
        ((_lost(saved, harmed[cause]), cause, len(harmed[cause])) for cause in _HARMFUL),
        key=itemgetter(0),
    )
    verdict = max(_grave(gain), _grave(worst[0]), key=_GRAVITY.index)
    return Finding(
        check="truncation",
        verdict=verdict,
        headline=_headline(one, name, saved, best, worst),
        tables=(
            Table(
                title="Cut at another stop",
                headings=("stop", "answers that change", f"{name} EM %", f"{name} F1 %"),
                rows=tuple(
                    (named(row.stop), row.changed, row.em, row.f1) for row in recuts
                ),
            ),
            _endings(by_cause, best.stop),
            _by_length(one, saved, metric),
        ),
        notes=(
            *other_languages(one),
            *((GUESSED if one.shown is None else KNOWN,) if members["copied"] else ()),
            *(
                (f"copied by chance: {chance[0] / chance[1]:.1f} texts equal the answer of an "
                 "example that another question was shown",)
                if chance is not None
                else ()
            ),
            *(
                ("the texts were cut when they were saved: what followed the stop is lost, and "
                 "cutting later cannot bring it back",)
                if one.tail_lost
                else ()
            ),
        ),
        data={
            "recuts": [
                {"stop": row.stop, "changed": row.changed, "em": row.em, "f1": row.f1}
                for row in recuts
            ],
            "causes": {str(row[0]): row[1] for row in by_cause},
            "by_stop": {
                cause: [{"stop": row.stop, "f1": _mean(row, found)} for row in recuts]
                for cause, found in members.items()
                if found
            },
            "copies_are": "guessed" if one.shown is None else "known",
        },
    )  # fmt: skip


def _endings(by_cause: Sequence[tuple[Cell, ...]], stop: str | None) -> Table:
    """The counts by cause; with the score at the best stop, where that is another one."""
    cut = () if stop is None else (f"F1 cut at {named(stop)} %",)
    rows = by_cause if cut else [(*row[:4], row[5]) for row in by_cause]
    return Table(
        title="How texts ended",
        headings=("cause", "texts", "share %", "F1 as saved %", *cut, "for example"),
        rows=tuple(rows),
        note="; ".join(
            (*(f"{cause}: {what}" for cause, what in CAUSES.items()), "a text may show several")
        ),
    )


def causes(
    question: Question,
    prediction: Prediction,
    stops: Sequence[str],
    copied: frozenset[str],
    *,
    whole: bool = False,
) -> Iterator[str]:
    """Yield the names of ``CAUSES`` that a text shows; one that is ``whole`` was cut nowhere."""
    text = said(prediction)
    bare = text.strip()
    if not bare:
        yield "empty"
        return
    if prediction.generation and prediction.generation.finish_reason in ("length", "max_tokens"):
        yield "token limit"
    golds = [found for answer in question.answers for found in answer.texts]
    if not whole:
        cuts = [_cut_at(bare, gold.strip(), stops) for gold in golds]
        if "number" in cuts:
            yield "decimal cut"
        elif any(cuts):
            yield "gold cut"
        if _NUMBER_AT_END.search(bare):
            yield "ends in a number"
    heading = _HEADING.search(bare)
    if heading:
        yield "next example"
    first, _, rest = bare.partition("\n")
    if rest.strip():
        yield "run-on"
        own = bare[len(first) : heading.start() if heading else None].lower()
        small = [gold.strip().lower() for gold in golds if gold.strip()]
        if any(stands_in(gold, own) for gold in small) and not any(
            stands_in(gold, first.lower()) for gold in small
        ):
            yield "answer after"
    if first in copied:
        yield "copied"


def beside_the_answer(cause: str, one: Subject, question: Question, prediction: Prediction) -> bool:
    """Whether what a cause names lies behind the answer that was read, and did not touch it.

    So it is where the run's own stop cut before the limit, where a next example follows an answer
    that is the same without it, and where an answer of a later line was read. A wrong answer is
    then wrong, and no point is lost by how its text ended.
    """
    own, answer = prediction.generation, prediction.answer
    if own is None or answer is None or not answer.texts:
        return False
    if cause == "answer after":
        first = own.text.strip().partition("\n")[0]
        return all(text not in first and "\n" not in text.strip() for text in answer.texts)
    if cause not in ("token limit", "next example"):
        return False
    if cause == "token limit" and any(stop in own.text for stop in one.own_stops):
        return True
    heading = _HEADING.search(own.text)
    if heading is None:
        return False
    before = own.text[: heading.start()]
    if one.rule is None:
        return all(text in before for text in answer.texts)
    found = Extraction(stops=one.own_stops, rule=one.rule).answer(before, question)
    return found is not None and found.texts == answer.texts


def _cut_at(text: str, gold: str, stops: Sequence[str]) -> Literal["", "number", "text"]:
    """Return what of a gold answer a stop cut, if the text ends where it would have."""
    for stop in stops or STOPS[:2]:
        head, found, rest = gold.partition(stop)
        if found and rest and head and text.endswith(head.rstrip()) and gold not in text:
            before = text[: len(text) - len(head.rstrip())]
            if not before or not before[-1].isalnum():
                return "number" if within_number(head, stop, rest) else "text"
    return ""


def _copied(one: Subject, question: Question, prediction: Prediction) -> frozenset[str]:
    """Return the first line of a text that copies an example of its own prompt, else nothing."""
    text = said(prediction)
    shown = (one.shown or {}).get(question.question_id, ())
    found = _copies(one, question, prediction, shown)
    return frozenset([text.strip().partition("\n")[0]] if found else ())


def _copies(one: Subject, question: Question, prediction: Prediction, shown: Sequence[str]) -> bool:
    passage = one.passages[question.passage_id].text
    return bool(shown) and is_copy(
        question, prediction, said(prediction), passage=passage, shown=shown, stops=one.stops
    )


def _by_chance(one: Subject) -> tuple[int, float] | None:
    """Return how many texts copy what another question was shown, and how often each was tried.

    None where the prompts are not known, or all show the same.
    """
    asked = [
        (question, prediction, shown)
        for question, prediction in one.answered()
        if (shown := (one.shown or {}).get(question.question_id))
    ]
    tried = found = 0
    for place, (question, prediction, own) in enumerate(asked):
        for shift in range(1, _OTHER_PROMPTS + 1):
            *_, other = asked[(place + shift) % len(asked)]
            if other != own:
                tried += 1
                found += _copies(one, question, prediction, other)
    return (found, tried / len(asked)) if tried else None


def _beyond(copies: int, elsewhere: int, tries: float) -> bool:
    """Whether more texts copy their own prompt than chance has it.

    Short answers come again: `2` stands among many prompts' examples, and is often said. Were it
    all chance, each of the copies found were as likely in any of the prompts that were tried.
    """
    from scipy.special import bdtrc

    return bool(bdtrc(copies - 1, copies + elsewhere, 1 / (1 + tries)) < _UNLIKELY)


def _said_often(one: Subject) -> frozenset[str]:
    """Return the long texts to ten questions or more, of ten passages, that are hardly ever right.

    Whoever answers in sentences says *The answer is 2.* of many passages, and of some rightly.
    """
    passages: dict[str, set[str]] = {}
    right: dict[str, list[bool]] = {}
    for question, prediction in one.answered():
        text = said(prediction).strip().partition("\n")[0]
        if len(text) >= 12:
            passages.setdefault(text, set()).add(question.passage_id)
            golds = (gold.lower() for answer in question.answers for gold in answer.texts if gold)
            right.setdefault(text, []).append(any(stands_in(gold, text.lower()) for gold in golds))
    return frozenset(
        text
        for text, of in passages.items()
        if len(of) >= 10 and 10 * sum(right[text]) < len(right[text])
    )


def _mean(row: Recut, found: Sequence[str]) -> float | None:
    """The mean F1 of some questions."""
    return sum(map(row.f1_of.__getitem__, found)) / len(found) if found else None


def _by_length(one: Subject, saved: Recut, metric: Metric) -> Table:
    """F1 by the length of the text: a good scorer falls little, a fooled one steeply."""
    rows = sorted(
        (len(said(prediction)), saved.f1_of[question.question_id], _unit(question, metric))
        for question, prediction in one.answered()
    )
    fifth = max(1, -(-len(rows) // 5))
    parts = [rows[start : start + fifth] for start in range(0, len(rows), fifth)]
    return Table(
        title="Score against length",
        headings=("characters", "texts", "F1 %", "from %", "to %"),
        rows=tuple(
            (
                f"{part[0][0]:,} – {part[-1][0]:,}",
                len(part),
                sum(found for _, found, _ in part) / len(part),
                *_bounds(part, f"{metric.name}.f1@{number}"),
            )
            for number, part in enumerate(parts)
        ),
        note=f"from, to: the interval at {_RESAMPLING.level:.0%}, by "
        f"{_RESAMPLING.resamples:,} resamples",
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


def _grave(points: float) -> Verdict:
    """How bad it is that a score is so far off."""
    return "broken" if points > 0.05 else "doubtful" if points > 0.005 else "sound"


def _lost(saved: Recut, found: Sequence[str]) -> float:
    """The share of the whole score that some texts lack."""
    return sum(1 - saved.f1_of[name] for name in found) / len(saved.f1_of)


def _headline(one: Subject, name: str, saved: Recut, best: Recut, worst: _Loss) -> str:
    lost, cause, many = worst
    told = f"{100 * lost:.2f} points are lost at {many:,} texts: {cause}"
    if best.stop is not None:
        cutting = (
            f"{one.name}: cutting at {named(best.stop)} takes {name} F1 from "
            f"{100 * saved.f1:.2f} to {100 * best.f1:.2f}"
        )
        weightier = _GRAVITY.index(_grave(lost)) > _GRAVITY.index(_grave(best.f1 - saved.f1))
        return f"{cutting}; {told}" if weightier else cutting
    if not lost:
        return f"{one.name}: no answer was cut, and no other stop raises {name} F1"
    return f"{one.name}: no other stop raises {name} F1; {told}"
