"""Plant random bugs in copies of a scorer, and measure the share that the promises find.

A copy is made from the scorer's own source files: one place in their syntax trees is changed (a
step left out, a constant, comparison, operator or argument changed), and the files are executed
anew, importing one another instead of the originals. A copy that scores a thousand probes as the
original does carries no bug and is not counted.
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

# A scorer's own files, the innermost first; the last one holds the factory.
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
    """One bug: where it is, what was changed, whether it changes scores, and what found it."""

    where: str
    what: str
    n_changed: int
    found_by: tuple[str, ...]
    crashed: bool = False


def plant_random_bugs(
    specimen: str, questions: Sequence[Question], count: int, generator: random.Random
) -> Iterator[PlantedBug]:
    """Yield ``count`` bugs that change at least one probe's score, each with what found it.

    Args:
        specimen: A key of ``SPECIMENS``.
        questions: Real questions, for the promises and for the probes.
        count: How many bugs; fewer where the scorer offers fewer places.
        generator: Draws the places.
    """
    modules = SPECIMENS[specimen]
    trees = {name: ast.parse(_source(name)) for name in modules}
    probes = _probes(questions, generator)
    factory = _FACTORIES.get(specimen, "metric")
    original: Metric = _execute(trees, factory)
    expected = _scores(original, probes)
    known = _violation_names(examine(original, questions, shrink=False))
    spots = [(name, *place) for name in modules for place in iter_mutations(trees[name])]
    generator.shuffle(spots)
    found = 0
    for name, number, change in spots:
        if found == count:
            return
        mutated, where, what = mutate(trees[name], number, change)
        try:
            metric = _execute({**trees, name: mutated}, factory)
            n_changed = sum(
                old != new for old, new in zip(expected, _scores(metric, probes), strict=True)
            )
            if not n_changed:
                continue
            names = _violation_names(examine(metric, questions, shrink=False)) - known
            crashed = False
        except Exception:  # a bug may do anything: a crash is a bug found
            n_changed, names, crashed = len(expected), {"crash"}, True
        found += 1
        yield PlantedBug(
            where=f"{name.removeprefix('closeread.')}:{where}",
            what=what,
            n_changed=n_changed,
            found_by=tuple(sorted(names)),
            crashed=crashed,
        )


def _source(name: str) -> str:
    found = util.find_spec(name)
    assert found is not None and found.loader is not None
    source: str = found.loader.get_source(name)  # type: ignore[attr-defined]
    return source


def _execute(trees: dict[str, ast.Module], factory: str) -> Metric:
    """Execute the files in order and return the metric that the last one makes."""
    copies: dict[str, ModuleType] = {}

    def load(name: str, *rest: Any, **named: Any) -> Any:
        found = copies.get(name)
        if found is not None:
            return found
        parts = rest[2] if len(rest) > 2 else named.get("fromlist")
        for part in parts or ():
            if (whole := f"{name}.{part}") in copies:
                holder = ModuleType(name)
                holder.__dict__.update(import_module(name).__dict__)
                setattr(holder, part, copies[whole])
                return holder
        return builtins.__import__(name, *rest, **named)

    for name, tree in trees.items():
        ticking = ast.fix_missing_locations(_Ticking().visit(copy.deepcopy(tree)))
        code: CodeType = compile(ticking, f"<copy of {name}>", "exec")
        module = ModuleType(name)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": load}
        module.__dict__["_tick"] = _Clock()
        exec(code, module.__dict__)
        copies[name] = module
    metric: Metric = getattr(copies[list(trees)[-1]], factory)()
    return metric


class _Clock:
    """Stops a loop that a bug made endless."""

    _MOST = 5_000_000

    def __init__(self) -> None:
        self.ticks = 0

    def __call__(self) -> None:
        self.ticks += 1
        if self.ticks > self._MOST:
            raise TimeoutError("the loop does not end")


class _Ticking(ast.NodeTransformer):
    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        tick = ast.Call(func=ast.Name(id="_tick", ctx=ast.Load()), args=[], keywords=[])
        node.body.insert(0, ast.Expr(value=tick))
        return node


def _violation_names(kept: ScorerReport) -> set[str]:
    found = {f"{one.relation} {one.value}" for one in kept.broken}
    return found | ({"error"} if kept.error else set())


def _probes(
    questions: Sequence[Question], generator: random.Random
) -> list[tuple[Question, Prediction]]:
    """Return gold answers, other questions' answers, and pieces and mixtures of them."""
    golds = [one.answers[0].texts for one in questions if one.answers and one.answers[0].texts]
    probes = []
    for question in questions:
        if not question.answers or not question.answers[0].texts:
            continue
        own, other = question.answers[0].texts, generator.choice(golds)
        words = " ".join(own).split()
        generator.shuffle(words)
        for texts in (
            own,
            other,
            (own[0] + " " + other[0],),
            (" ".join(words),),
            (own[0][: max(1, len(own[0]) // 2)],),
            (f"The answer is {own[0]}.\n{other[0]}",),
            (*own, *other),
            ("",),
            (f"a {own[0].upper()}!",),
            (f"${own[0]}%",),
        ):
            answer = Answer(kind="span" if len(texts) == 1 else "spans", texts=texts)
            probes.append((question, Prediction(question_id=question.question_id, answer=answer)))
    return probes


def _scores(
    metric: Metric, probes: Sequence[tuple[Question, Prediction]]
) -> list[dict[str, float | None]]:
    return [metric.score(*probe).values for probe in probes]


def summarize(found: Sequence[PlantedBug]) -> dict[str, Any]:
    """Return how many were planted and found, in all and without those that crash."""
    quiet = [one for one in found if not one.crashed]
    return {
        "planted": len(found),
        "found": sum(bool(one.found_by) for one in found),
        "quiet": len(quiet),
        "quiet_found": sum(bool(one.found_by) for one in quiet),
        "missed": [asdict(one) for one in found if not one.found_by],
    }
