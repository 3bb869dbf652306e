"""Plant random bugs in copies of a scorer, and measure the share that the promises find.

A copy is made from the scorer's own source files: one node of their syntax trees is changed (a
call left out, or a constant, comparison, operator or argument changed), and the files are executed
again, importing one another instead of the originals. A copy that scores all probes as the original
does is not counted as a bug.
"""

import ast
import builtins
import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module, util
from types import CodeType, ModuleType
from typing import Any

from closeread.audits.metamorphic.examine import ScorerReport, examine
from closeread.audits.metamorphic.mutations import iter_mutations, mutate
from closeread.protocols import Metric
from closeread.types import Answer, Prediction, Question

# A scorer's own modules in order of import; the last one holds the factory.
SPECIMENS: dict[str, tuple[str, ...]] = {
    "drop": (
        "closeread.text.normalize_drop", "closeread.metrics.matching.assignment",
        "closeread.metrics.drop",
    ),
    "squad": (
        "closeread.text.normalize", "closeread.metrics.matching.overlap",
        "closeread.metrics.matching.single", "closeread.metrics.squad",
    ),
    "inspect": (
        "closeread.metrics.others.foreign", "closeread.metrics.others.inspect",
    ),
    "opencompass": (
        "closeread.metrics.others.foreign", "closeread.metrics.others.fuzzy",
        "closeread.metrics.others.opencompass",
    ),
    "drop~fixed": (
        "closeread.text.normalize_drop", "closeread.text.numbers",
        "closeread.text.normalize_drop_mended",
        "closeread.metrics.matching.assignment", "closeread.metrics.drop",
        "closeread.metrics.drop_mended",
    ),
}  # fmt: skip
_FACTORIES = {"drop~fixed": "fixed"}


@dataclass(frozen=True, kw_only=True)
class PlantedBug:
    """One bug: its location, the change, the number of changed scores, and what found it."""

    where: str
    what: str
    n_changed: int
    found_by: tuple[str, ...]
    crashed: bool = False


def plant_random_bugs(
    specimen: str, questions: Sequence[Question], count: int, generator: random.Random
) -> Iterator[PlantedBug]:
    """Yield ``count`` bugs that change the score of a probe, each with the promises that found it.

    Args:
        specimen: A key of ``SPECIMENS``.
        questions: Real questions, for the promises and for the probes.
        count: Maximum number of bugs.
        generator: Random numbers to choose the changes.
    """
    modules = SPECIMENS[specimen]
    trees = {name: ast.parse(_load_source(name)) for name in modules}
    probes = _make_probes(questions, generator)
    factory = _FACTORIES.get(specimen, "metric")
    original: Metric = _execute(trees, factory)
    expected = _score_probes(original, probes)
    known_violations = _violation_names(examine(original, questions, shrink=False))
    mutations = [(name, *place) for name in modules for place in iter_mutations(trees[name])]
    generator.shuffle(mutations)
    n_found = 0
    for name, number, change in mutations:
        if n_found == count:
            return
        mutated, where, what = mutate(trees[name], number, change)
        try:
            metric = _execute({**trees, name: mutated}, factory)
            n_changed = sum(
                old != new for old, new in zip(expected, _score_probes(metric, probes), strict=True)
            )
            if not n_changed:
                continue
            violations = (
                _violation_names(examine(metric, questions, shrink=False)) - known_violations
            )
            crashed = False
        except Exception:  # a bug may raise anything: a crash counts as found
            n_changed, violations, crashed = len(expected), {"crash"}, True
        n_found += 1
        yield PlantedBug(
            where=f"{name.removeprefix('closeread.')}:{where}",
            what=what,
            n_changed=n_changed,
            found_by=tuple(sorted(violations)),
            crashed=crashed,
        )


def _load_source(name: str) -> str:
    spec = util.find_spec(name)
    assert spec is not None and spec.loader is not None
    source: str = spec.loader.get_source(name)  # type: ignore[attr-defined]
    return source


def _execute(trees: dict[str, ast.Module], factory: str) -> Metric:
    """Execute the modules in order and return the metric that the last one makes."""
    copies: dict[str, ModuleType] = {}

    def load(name: str, *arguments: Any, **keywords: Any) -> Any:
        copied = copies.get(name)
        if copied is not None:
            return copied
        parts = arguments[2] if len(arguments) > 2 else keywords.get("fromlist")
        for part in parts or ():
            if (full_name := f"{name}.{part}") in copies:
                package = ModuleType(name)
                package.__dict__.update(import_module(name).__dict__)
                setattr(package, part, copies[full_name])
                return package
        return builtins.__import__(name, *arguments, **keywords)

    for name, tree in trees.items():
        with_ticks = ast.fix_missing_locations(_AddTicks().visit(copy.deepcopy(tree)))
        code: CodeType = compile(with_ticks, f"<copy of {name}>", "exec")
        module = ModuleType(name)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": load}
        module.__dict__["_tick"] = _LoopLimit()
        exec(code, module.__dict__)
        copies[name] = module
    metric: Metric = getattr(copies[list(trees)[-1]], factory)()
    return metric


class _LoopLimit:
    """Limits the iterations of a loop that a bug may have made endless."""

    _MAX_TICKS = 5_000_000

    def __init__(self) -> None:
        self.ticks = 0

    def __call__(self) -> None:
        self.ticks += 1
        if self.ticks > self._MAX_TICKS:
            raise TimeoutError("the loop does not end")


class _AddTicks(ast.NodeTransformer):
    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        tick = ast.Call(func=ast.Name(id="_tick", ctx=ast.Load()), args=[], keywords=[])
        node.body.insert(0, ast.Expr(value=tick))
        return node


def _violation_names(report: ScorerReport) -> set[str]:
    violations = {f"{broken.relation} {broken.value}" for broken in report.broken}
    return violations | ({"error"} if report.error else set())


def _make_probes(
    questions: Sequence[Question], generator: random.Random
) -> list[tuple[Question, Prediction]]:
    """Return probes: gold answers, answers of other questions, and parts and mixtures of both."""
    golds = [
        question.answers[0].texts
        for question in questions
        if question.answers and question.answers[0].texts
    ]
    probes = []
    for question in questions:
        if not question.answers or not question.answers[0].texts:
            continue
        gold, other_gold = question.answers[0].texts, generator.choice(golds)
        words = " ".join(gold).split()
        generator.shuffle(words)
        for texts in (
            gold,
            other_gold,
            (gold[0] + " " + other_gold[0],),
            (" ".join(words),),
            (gold[0][: max(1, len(gold[0]) // 2)],),
            (f"The answer is {gold[0]}.\n{other_gold[0]}",),
            (*gold, *other_gold),
            ("",),
            (f"a {gold[0].upper()}!",),
            (f"${gold[0]}%",),
        ):
            answer = Answer(kind="span" if len(texts) == 1 else "spans", texts=texts)
            probes.append((question, Prediction(question_id=question.question_id, answer=answer)))
    return probes


def _score_probes(
    metric: Metric, probes: Sequence[tuple[Question, Prediction]]
) -> list[dict[str, float | None]]:
    return [metric.score(*probe).values for probe in probes]


def summarize(bugs: Sequence[PlantedBug]) -> dict[str, Any]:
    """Return the numbers of bugs planted and found, in total and without those that crash."""
    without_crash = [bug for bug in bugs if not bug.crashed]
    return {
        "planted": len(bugs),
        "found": sum(bool(bug.found_by) for bug in bugs),
        "quiet": len(without_crash),
        "quiet_found": sum(bool(bug.found_by) for bug in without_crash),
        "missed": [asdict(bug) for bug in bugs if not bug.found_by],
    }
