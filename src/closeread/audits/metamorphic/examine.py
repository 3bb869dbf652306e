"""Test a scorer's promises on transformed gold answers, and shrink the counterexamples."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from closeread.audits.metamorphic.corpus_relations import FILE_RELATIONS, FileRelation, file_scores
from closeread.audits.metamorphic.judge import KINDS, BrokenPromise, TrialScorer, total_length
from closeread.audits.metamorphic.relations import RELATIONS, Relation, Spans, Trial
from closeread.audits.metamorphic.shrinking import shrink_answer
from closeread.errors import CloseReadError, OutsideError
from closeread.protocols import Metric
from closeread.types import Question

_TOLERANCE = 1e-9


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
        questions: Real questions; ``pick_varied`` selects a manageable number of different kinds.
        shrink: Search for the smallest counterexample; slow only if nearly all trials fail.
    """
    broken: list[BrokenPromise] = []
    n_relations = n_trials = 0
    error = ""
    texts = [
        question
        for question in questions
        if not question.options and question.answers and question.answers[0].texts
    ]
    scorer = TrialScorer(metric)
    try:
        if texts and metric.unit != "group":
            for relation in RELATIONS:
                n_tried, newly_broken = _try_relation(scorer, relation, texts, shrink)
                n_relations += bool(n_tried)
                n_trials += n_tried
                broken += newly_broken
            n_relations += scorer.n_invariants
            broken += scorer.broken_invariants()
        for file_relation in FILE_RELATIONS:
            n_tried, newly_broken = _try_file_relation(metric, file_relation, questions)
            n_relations += bool(n_tried)
            n_trials += n_tried
            broken += newly_broken
    except OutsideError as problem:  # closeread's own errors are bugs, and keep their traceback
        error = f"fails: {problem.raised}"
    except CloseReadError as problem:
        error = str(problem)
    return ScorerReport(
        metric=metric.name, broken=tuple(broken), n_relations=n_relations, n_trials=n_trials,
        error=error,
    )  # fmt: skip


def pick_varied(questions: Iterable[Question], max_questions: int = 80) -> list[Question]:
    """Return questions with gold answers as varied as possible, with whole triples.

    Answers are grouped by shape (their sequence of digits, words and punctuation). One question is
    taken of each shape, the most common first, then a second one, and so on.
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
    picked = [member for members in complete[: max_questions // 3] for member in members]
    ranked = sorted(shapes.values(), key=len, reverse=True)
    depth = 0
    while len(picked) < max_questions and any(len(members) > depth for members in ranked):
        picked += [members[depth] for members in ranked if len(members) > depth]
        depth += 1
    return picked[: max(max_questions, 3)]


def _shape(question: Question) -> str:
    texts = question.answers[0].texts[:3]
    shape = "|".join(re.sub(r"[^\W\d_]+", "a", re.sub(r"\d{4,}", "9999", text)) for text in texts)
    return re.sub(r"(?<!\d)\d{1,3}(?!\d)", "9", shape)[:24]


def _try_relation(
    scorer: TrialScorer, relation: Relation, questions: Sequence[Question], shrink: bool
) -> tuple[int, list[BrokenPromise]]:
    n_tried = 0
    shortest: dict[str, tuple[Question, Spans]] = {}
    n_failed: dict[str, int] = {}
    for question in questions:
        gold = question.answers[0].texts
        for trial in relation.trials(gold):
            n_tried += 1
            for name, _, _ in _violations(scorer, relation, question, trial):
                n_failed[name] = n_failed.get(name, 0) + 1
                if name not in shortest or total_length(gold) < total_length(shortest[name][1]):
                    shortest[name] = question, gold
    broken = []
    for name, (question, gold) in shortest.items():
        trial, before, after = _find_smallest(scorer, relation, question, gold, name, shrink=shrink)
        broken.append(
            BrokenPromise(
                relation=relation.name,
                promise=relation.promise,
                value=name,
                n_trials=n_tried,
                n_failed=n_failed[name],
                gold=trial.gold,
                first_answer=trial.first_answer,
                second_answer=trial.second_answer,
                before=before,
                after=after,
                question_id=question.question_id,
            )
        )
    return n_tried, broken


def _violations(
    scorer: TrialScorer, relation: Relation, question: Question, trial: Trial
) -> Iterator[tuple[str, float, float]]:
    """Yield the values that break the demand, with both scores."""
    before = scorer.values(question, trial.first_answer, [trial.gold])
    after = scorer.values(
        question, trial.second_answer, [*trial.golds_before, trial.gold, *trial.golds_after]
    )
    for name in dict.fromkeys(
        (*before, *after)
    ):  # in the scorer's order, which does not depend on hashes
        old, new = before.get(name, math.nan), after.get(name, math.nan)
        if not _is_kept(relation, name, old, new):
            yield name, old, new


def _is_kept(relation: Relation, name: str, old: float, new: float) -> bool:
    if math.isnan(old) or math.isnan(new):
        return False
    match relation.demand:
        case "same":
            return abs(old - new) < _TOLERANCE
        case "lower":
            return new < old or old == 0
        case "not lower":
            return new >= old - _TOLERANCE
        case "above zero":
            return not name.endswith("f1") or new > 0
        case "one":
            return new == 1


def _find_smallest(
    scorer: TrialScorer,
    relation: Relation,
    question: Question,
    gold: Spans,
    value_name: str,
    *,
    shrink: bool,
) -> tuple[Trial, float, float]:
    """Return the smallest trial in which a value breaks the promise, with both scores."""

    def iter_breaking(gold: Spans) -> Iterator[tuple[Trial, float, float]]:
        for trial in relation.trials(gold):
            for broken, old, new in _violations(scorer, relation, question, trial):
                if broken == value_name:
                    yield trial, old, new

    if shrink:
        gold = shrink_answer(gold, lambda smaller: any(iter_breaking(smaller)))
    return min(
        iter_breaking(gold),
        key=lambda candidate: total_length(
            candidate[0].gold, candidate[0].first_answer, candidate[0].second_answer
        ),
    )


def _try_file_relation(
    metric: Metric, relation: FileRelation, questions: Sequence[Question]
) -> tuple[int, list[BrokenPromise]]:
    """Try a promise about whole files on more and more questions, the fewest first."""
    n_tried = 0
    broken: dict[str, BrokenPromise] = {}
    for part in _iter_parts(questions):
        before_rows, after_rows = relation.make(part)
        before, after = (
            file_scores(metric, part, before_rows),
            file_scores(metric, part, after_rows),
        )
        n_tried += 1
        for name, old in before.items():
            new = after.get(name)
            if new is None or name in broken or name.rpartition(".")[2] in KINDS:
                continue
            is_kept = {
                "same": abs(new - old) < _TOLERANCE,
                "lower": new < old - _TOLERANCE or old == 0,
                "not higher": new <= old + _TOLERANCE,
            }[relation.demand]
            if not is_kept:
                broken[name] = BrokenPromise(
                    relation=relation.name,
                    promise=relation.promise,
                    value=name,
                    n_trials=n_tried,
                    n_failed=1,
                    gold=(),
                    first_answer=(
                        f"{len(part)} questions, {len(before_rows)} and {len(after_rows)} rows",
                    ),
                    second_answer=(),
                    before=old,
                    after=new,
                )
    return n_tried, list(broken.values())


def _iter_parts(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    # Rows are identified by ids, so questions that share one would have the same row.
    questions = list({question.question_id: question for question in questions}.values())
    group_ids = {question.group_id for question in questions if question.group_id}
    sizes = (9, 18, 36) if group_ids else (3, 6, 12)
    for size in sizes:
        if len(questions) >= size:
            yield questions[:size]
