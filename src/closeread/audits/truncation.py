"""Where a text ended, and what that did to its score: stops, limits, run-on text, copies."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from closeread.audits.copies import GUESSED, KNOWN, is_copy
from closeread.audits.findings import Cell, Finding, Table, Verdict, share
from closeread.audits.material import Subject, judge_of, of_texts, said
from closeread.protocols import Metric
from closeread.readers.generative.extraction import Extraction
from closeread.types import Answer, Prediction, Question

STOPS = (".", "\n", "\n\n", ",", "Question:", "Passage:", "。")
_HEADING = re.compile(
    r"\n\s*(?:Passage|Question|Context|Article|Q|A|Answer|文章|材料|问题|题目|答案)\s*\d*\s*[:：]",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"\d+\.\d+")
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


@dataclass(frozen=True)
class Recut:
    """The scores of a run with its texts cut at ``stop`` (None: as they were saved)."""

    stop: str | None
    changed: int
    em: float
    f1: float


def check(one: Subject) -> Finding:
    """Find how texts ended and score them again, cut at each candidate stop."""
    if not one.is_text:
        return Finding(
            check="truncation", verdict="skipped", headline="the questions ask for options"
        )
    one = of_texts(one)
    name, metric = judge_of(one)
    often = _said_often(one) if one.shown is None else frozenset()
    members: dict[str, list[tuple[Question, Prediction]]] = {cause: [] for cause in CAUSES}
    n_answered = 0
    for question, prediction in one.answered():
        n_answered += 1
        copied = often if one.shown is None else _copied(one, question, prediction)
        for cause in causes(question, prediction, one.stops, copied):
            members[cause].append((question, prediction))
    recuts = [_recut(one, metric, stop) for stop in (None, *_candidates(one))]
    best = max(recuts, key=lambda row: (row.f1, -row.changed))
    saved = recuts[0]
    by_cause: list[tuple[Cell, ...]] = [
        (
            cause,
            len(found),
            share(len(found), n_answered),
            _mean(metric, found, None),
            _mean(metric, found, best.stop),
            found[0][0].question_id if found else None,
        )
        for cause, found in members.items()
    ]
    gain = best.f1 - saved.f1
    lost = max(_lost(row, n_answered) for row in by_cause)
    verdict: Verdict = "sound"
    if gain > 0.005 or lost > 0.005:
        verdict = "broken" if gain > 0.05 or lost > 0.05 else "doubtful"
    return Finding(
        check="truncation",
        verdict=verdict,
        headline=_headline(one, name, saved, best, by_cause),
        tables=(
            Table(
                title="Cut at another stop",
                headings=("stop", "texts that change", f"{name} EM %", f"{name} F1 %"),
                rows=tuple(
                    (_named(row.stop), row.changed, row.em, row.f1) for row in recuts
                ),
            ),
            _endings(by_cause, best.stop),
            _by_length(one, metric),
        ),
        notes=(
            *((GUESSED if one.shown is None else KNOWN,) if members["copied"] else ()),
            *(
                ("the texts were cut when they were saved: what followed the stop is lost, and "
                 "cutting later cannot bring it back",)
                if one.tail_lost
                else ()
            ),
        ),
        data={
            "recuts": [asdict(row) for row in recuts],
            "causes": {str(row[0]): row[1] for row in by_cause},
            "copies_are": "guessed" if one.shown is None else "known",
        },
    )  # fmt: skip


def _endings(by_cause: Sequence[tuple[Cell, ...]], stop: str | None) -> Table:
    """The counts by cause; with the score at the best stop, where that is another one."""
    cut = () if stop is None else (f"F1 cut at {_named(stop)} %",)
    rows = by_cause if cut else [(*row[:4], row[5]) for row in by_cause]
    return Table(
        title="How texts ended",
        headings=("cause", "texts", "share %", "F1 as saved %", *cut, "for example"),
        rows=tuple(rows),
        note="; ".join(f"{cause}: {what}" for cause, what in CAUSES.items()),
    )


def causes(
    question: Question, prediction: Prediction, stops: Sequence[str], copied: frozenset[str]
) -> Iterator[str]:
    """Yield the names of ``CAUSES`` that a text shows."""
    text = said(prediction)
    bare = text.strip()
    if not bare:
        yield "empty"
        return
    if prediction.generation and prediction.generation.finish_reason in ("length", "max_tokens"):
        yield "token limit"
    golds = [found for answer in question.answers for found in answer.texts]
    cut_golds = [gold for gold in golds if _is_cut(bare, gold.strip(), stops)]
    if any(_DECIMAL.search(gold) for gold in cut_golds):
        yield "decimal cut"
    elif cut_golds:
        yield "gold cut"
    if _NUMBER_AT_END.search(bare):
        yield "ends in a number"
    if _HEADING.search(bare):
        yield "next example"
    first, _, rest = bare.partition("\n")
    if rest.strip():
        yield "run-on"
        later = rest.lower()
        if any(gold.strip() and _stands_in(gold, later) for gold in golds) and not any(
            _stands_in(gold, first.lower()) for gold in golds
        ):
            yield "answer after"
    if first in copied:
        yield "copied"


def _is_cut(text: str, gold: str, stops: Sequence[str]) -> bool:
    for stop in stops or STOPS[:2]:
        head, found, rest = gold.partition(stop)
        if found and rest and head and text.endswith(head.rstrip()) and gold not in text:
            before = text[: len(text) - len(head.rstrip())]
            if not before or not before[-1].isalnum():
                return True
    return False


def _stands_in(gold: str, text: str) -> bool:
    wanted = gold.strip().lower()
    place = text.find(wanted)
    while place >= 0 and wanted:
        before, after = text[place - 1 : place], text[place + len(wanted) :][:1]
        if not (before.isalnum() and before.isascii()) and not (
            after.isalnum() and after.isascii()
        ):
            return True
        place = text.find(wanted, place + 1)
    return False


def _copied(one: Subject, question: Question, prediction: Prediction) -> frozenset[str]:
    """Return the first line of a text that copies an example of its own prompt, else nothing."""
    text = said(prediction)
    shown = (one.shown or {}).get(question.question_id, ())
    passage = one.passages[question.passage_id].text
    found = bool(shown) and is_copy(
        question, prediction, text, passage=passage, shown=shown, stops=one.stops
    )
    return frozenset([text.strip().partition("\n")[0]] if found else ())


def _said_often(one: Subject) -> frozenset[str]:
    """Return the long texts that answer ten questions or more, of ten passages, rightly nowhere."""
    passages: dict[str, set[str]] = {}
    right: set[str] = set()
    for question, prediction in one.answered():
        text = said(prediction).strip().partition("\n")[0]
        if len(text) >= 12:
            passages.setdefault(text, set()).add(question.passage_id)
            if any(text in answer.texts for answer in question.answers):
                right.add(text)
    return frozenset(text for text, of in passages.items() if len(of) >= 10 and text not in right)


def _candidates(one: Subject) -> list[str]:
    """Return the stops that some text holds, with those that were in force."""
    texts = [said(prediction) for _, prediction in one.answered()]
    found = [stop for stop in STOPS if any(stop in text for text in texts)]
    return found + [stop for stop in one.stops if stop not in found]


def recut(prediction: Prediction, stop: str | None) -> Prediction:
    """Return a prediction whose answer is its text, cut at a stop; unchanged for None."""
    if stop is None:
        return prediction
    text = Extraction(stops=(stop,)).cut(said(prediction))
    answer = Answer(kind="span", texts=(text,))
    return Prediction(question_id=prediction.question_id, answer=answer)


def _recut(one: Subject, metric: Metric, stop: str | None) -> Recut:
    exact = f1 = 0.0
    changed = 0
    for question in one.questions:
        prediction = one.predictions.get(question.question_id)
        if prediction is not None and stop is not None:
            changed += stop in said(prediction)
            prediction = recut(prediction, stop)
        values = metric.score(question, prediction).values
        exact += values.get("em") or 0.0
        f1 += values.get("f1") or 0.0
    n = len(one.questions)
    return Recut(stop, changed, exact / n, f1 / n)


def _mean(
    metric: Metric, found: Sequence[tuple[Question, Prediction]], stop: str | None
) -> float | None:
    if not found:
        return None
    total = sum(
        metric.score(question, recut(prediction, stop)).values.get("f1") or 0.0
        for question, prediction in found
    )
    return total / len(found)


def _by_length(one: Subject, metric: Metric) -> Table:
    """F1 by the length of the text: a good scorer falls little, a fooled one steeply."""
    rows = sorted(
        (len(said(prediction)), metric.score(question, prediction).values.get("f1") or 0.0)
        for question, prediction in one.answered()
    )
    fifth = max(1, -(-len(rows) // 5))
    parts = [rows[start : start + fifth] for start in range(0, len(rows), fifth)]
    return Table(
        title="Score against length",
        headings=("characters", "texts", "F1 %"),
        rows=tuple(
            (
                f"{part[0][0]:,} – {part[-1][0]:,}",
                len(part),
                sum(found for _, found in part) / len(part),
            )
            for part in parts
        ),
    )


def _named(stop: str | None) -> str:
    return "as saved" if stop is None else repr(stop).replace("'", '"')


def _lost(row: Sequence[Cell], n_answered: int) -> float:
    """The share of the whole score that the texts of a cause lack; a copy need not be wrong."""
    count, kept = row[1], row[3]
    if row[0] in ("ends in a number", "run-on") or not isinstance(kept, float):
        return 0.0
    assert isinstance(count, int)
    return count * (1 - kept) / n_answered


def _headline(
    one: Subject, name: str, saved: Recut, best: Recut, by_cause: Sequence[Sequence[Cell]]
) -> str:
    if best.stop is not None:
        return (
            f"{one.name}: cutting at {_named(best.stop)} takes {name} F1 from "
            f"{100 * saved.f1:.2f} to {100 * best.f1:.2f}"
        )
    worst = max(by_cause, key=lambda row: _lost(row, len(one.questions)))
    lost = _lost(worst, len(one.questions))
    if not lost:
        return f"{one.name}: no text was cut, and no other stop raises {name} F1"
    return (
        f"{one.name}: no other stop raises {name} F1; {100 * lost:.2f} points are lost at "
        f"{worst[1]:,} texts: {worst[0]}"
    )
