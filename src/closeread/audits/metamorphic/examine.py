"""Test a scorer's promises on transformed gold answers, and shrink the counterexamples."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from closeread.audits.metamorphic.corpus_relations import FILE_RELATIONS, FileRelation, file_scores
from closeread.audits.metamorphic.judge import KINDS, BrokenPromise, TrialScorer, length
from closeread.audits.metamorphic.relations import RELATIONS, Relation, Spans, Trial
from closeread.audits.metamorphic.shrinking import shrink_answer
from closeread.errors import CloseReadError, OutsideError
from closeread.protocols import Metric
from closeread.types import Question

_CLOSE = 1e-9


@dataclass(frozen=True, kw_only=True)
class ScorerReport:
    """The result for one scorer: the promises it broke, and how many could be tested."""

    metric: str
    broken: tuple[BrokenPromise, ...]
    n_relations: int
    n_trials: int
    error: str = ""


def examine(metric: Metric, questions: Sequence[Question], *, shrink: bool = True) -> ScorerReport:
    """Test every promise on a scorer.

    Args:
        metric: Any scorer; it is only called.
        questions: Real ones; ``pick_varied`` picks a manageable number of different kinds.
        shrink: Look for the smallest counterexample; costs little unless nearly all fails.
    """
    broken: list[BrokenPromise] = []
    n_relations = n_trials = 0
    error = ""
    texts = [one for one in questions if not one.options and one.answers and one.answers[0].texts]
    judge = TrialScorer(metric)
    try:
        if texts and metric.unit != "group":
            for relation in RELATIONS:
                tried, found = _try_relation(judge, relation, texts, shrink)
                n_relations += bool(tried)
                n_trials += tried
                broken += found
            n_relations += judge.n_invariants
            broken += judge.broken_invariants()
        for file_relation in FILE_RELATIONS:
            tried, found = _try_file_relation(metric, file_relation, questions)
            n_relations += bool(tried)
            n_trials += tried
            broken += found
    except OutsideError as problem:  # of one of our own: our bug, with its traceback
        error = f"fails: {problem.raised}"
    except CloseReadError as problem:
        error = str(problem)
    return ScorerReport(
        metric=metric.name, broken=tuple(broken), n_relations=n_relations, n_trials=n_trials,
        error=error,
    )  # fmt: skip


def pick_varied(questions: Iterable[Question], most: int = 80) -> list[Question]:
    """Return questions whose gold answers look as different as possible, triples kept whole.

    One question for each shape of answer (digits, words and marks, in their order), then the next
    one of each, the commoner shapes first.
    """
    shapes: dict[str, list[Question]] = {}
    groups: dict[str, list[Question]] = {}
    for question in questions:
        if not question.answers:
            continue
        if question.group_id:
            groups.setdefault(question.group_id, []).append(question)
            continue
        shapes.setdefault(_shape(question), []).append(question)
    complete = [members for members in groups.values() if len(members) == 3]
    found = [one for members in complete[: most // 3] for one in members]
    ranked = sorted(shapes.values(), key=len, reverse=True)
    depth = 0
    while len(found) < most and any(len(members) > depth for members in ranked):
        found += [members[depth] for members in ranked if len(members) > depth]
        depth += 1
    return found[: max(most, 3)]


def _shape(question: Question) -> str:
    texts = question.answers[0].texts[:3]
    shape = "|".join(re.sub(r"[^\W\d_]+", "a", re.sub(r"\d{4,}", "9999", text)) for text in texts)
    return re.sub(r"(?<!\d)\d{1,3}(?!\d)", "9", shape)[:24]


def _try_relation(
    judge: TrialScorer, relation: Relation, questions: Sequence[Question], shrink: bool
) -> tuple[int, list[BrokenPromise]]:
    tried = 0
    worst: dict[str, tuple[Question, Spans]] = {}
    failed: dict[str, int] = {}
    for question in questions:
        gold = question.answers[0].texts
        for trial in relation.trials(gold):
            tried += 1
            for name, _, _ in _violations(judge, relation, question, trial):
                failed[name] = failed.get(name, 0) + 1
                if name not in worst or length(gold) < length(worst[name][1]):
                    worst[name] = question, gold
    found = []
    for name, (question, gold) in worst.items():
        trial, before, after = _smallest(judge, relation, question, gold, name, shrink=shrink)
        found.append(
            BrokenPromise(
                relation=relation.name,
                promise=relation.promise,
                value=name,
                tried=tried,
                failed=failed[name],
                gold=trial.gold,
                said=trial.said,
                instead=trial.instead,
                before=before,
                after=after,
                question_id=question.question_id,
            )
        )
    return tried, found


def _violations(
    judge: TrialScorer, relation: Relation, question: Question, trial: Trial
) -> Iterator[tuple[str, float, float]]:
    """Yield the values that break the demand, with both scores."""
    before = judge.values(question, trial.said, [trial.gold])
    after = judge.values(question, trial.instead, [*trial.first, trial.gold, *trial.further])
    for name in dict.fromkeys((*before, *after)):  # in the scorer's order, whatever hashes are
        old, new = before.get(name, math.nan), after.get(name, math.nan)
        if not _holds(relation, name, old, new):
            yield name, old, new


def _holds(relation: Relation, name: str, old: float, new: float) -> bool:
    if math.isnan(old) or math.isnan(new):
        return False
    match relation.demand:
        case "same":
            return abs(old - new) < _CLOSE
        case "lower":
            return new < old or old == 0
        case "not lower":
            return new >= old - _CLOSE
        case "above zero":
            return not name.endswith("f1") or new > 0
        case "one":
            return new == 1


def _smallest(
    judge: TrialScorer,
    relation: Relation,
    question: Question,
    gold: Spans,
    name: str,
    *,
    shrink: bool,
) -> tuple[Trial, float, float]:
    """Return the smallest trial in which a value breaks the promise, with both scores."""

    def breaking(gold: Spans) -> Iterator[tuple[Trial, float, float]]:
        for trial in relation.trials(gold):
            for broken, old, new in _violations(judge, relation, question, trial):
                if broken == name:
                    yield trial, old, new

    if shrink:
        gold = shrink_answer(gold, lambda smaller: any(breaking(smaller)))
    return min(breaking(gold), key=lambda one: length(one[0].gold, one[0].said, one[0].instead))


def _try_file_relation(
    metric: Metric, relation: FileRelation, questions: Sequence[Question]
) -> tuple[int, list[BrokenPromise]]:
    """Try a promise about whole files on ever more questions, the smallest first."""
    tried = 0
    found: dict[str, BrokenPromise] = {}
    for part in _parts(questions):
        before_rows, after_rows = relation.make(part)
        before, after = (
            file_scores(metric, part, before_rows),
            file_scores(metric, part, after_rows),
        )
        tried += 1
        for name, old in before.items():
            new = after.get(name)
            if new is None or name in found or name.rpartition(".")[2] in KINDS:
                continue
            kept = {
                "same": abs(new - old) < _CLOSE,
                "lower": new < old - _CLOSE or old == 0,
                "not higher": new <= old + _CLOSE,
            }[relation.demand]
            if not kept:
                found[name] = BrokenPromise(
                    relation=relation.name,
                    promise=relation.promise,
                    value=name,
                    tried=tried,
                    failed=1,
                    gold=(),
                    said=(f"{len(part)} questions, {len(before_rows)} and {len(after_rows)} rows",),
                    instead=(),
                    before=old,
                    after=new,
                )
    return tried, list(found.values())


def _parts(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    # Rows are told apart by their ids: of two questions that share one the rows would be the same.
    questions = list({one.question_id: one for one in questions}.values())
    whole = {one.group_id for one in questions if one.group_id}
    sizes = (9, 18, 36) if whole else (3, 6, 12)
    for size in sizes:
        if len(questions) >= size:
            yield questions[:size]
