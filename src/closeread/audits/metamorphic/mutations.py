"""The bugs that can be planted: small changes of a single node of a syntax tree."""

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

Change = Callable[[ast.AST], "tuple[ast.AST | None, str] | None"]


def iter_mutations(tree: ast.Module) -> Iterator[tuple[int, Change]]:
    """Yield the number of each node of a tree with each change that applies to it."""
    for number, node in enumerate(ast.walk(tree)):
        for change in _CHANGES:
            if change(copy.deepcopy(node)) is not None:
                yield number, change


def mutate(tree: ast.Module, number: int, change: Change) -> tuple[ast.Module, str, str]:
    """Return a copy of a tree with one node changed, its line, and a description of the change."""
    copied = copy.deepcopy(tree)
    target = next(node for index, node in enumerate(ast.walk(copied)) if index == number)
    before = ast.unparse(target)
    outcome = change(target)
    assert outcome is not None
    replacement, description = outcome
    if replacement is not target:
        copied = _Replace(target, replacement).visit(copied)
    ast.fix_missing_locations(copied)
    return (
        copied,
        f"{getattr(target, 'lineno', 0)}",
        f"{description}: {before.splitlines()[0][:60]}",
    )


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST | None) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else super().visit(node)


def _skip_call(node: ast.AST) -> tuple[ast.AST | None, str] | None:
    """Leave out a call: ``f(x)`` or ``x.f()`` becomes ``x``."""
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr in _STEPS:
        return node.func.value, "left out a step"
    if isinstance(node.func, ast.Name) and node.func.id in _STEPS and len(node.args) == 1:
        return node.args[0], "left out a step"
    return None


_STEPS = frozenset((
    "lower", "casefold", "strip", "rstrip", "lstrip", "translate", "float", "round", "rounded",
    "drop", "set", "frozenset", "abs", "extract_answer", "first_line", "removeprefix",
    "removesuffix", "to_ascii_marks", "parse_number_words",
))  # fmt: skip
_OTHER_CALL = {"max": "min", "min": "max", "any": "all", "all": "any"}
_OTHER_METHOD = {"isdisjoint": "issubset", "intersection": "union", "rpartition": "partition"}
_COMPARE: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Eq: ast.NotEq(), ast.NotEq: ast.Eq(), ast.Lt: ast.LtE(), ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(), ast.GtE: ast.Gt(), ast.In: ast.NotIn(), ast.NotIn: ast.In(),
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.Mult: ast.Div(), ast.Div: ast.Mult(),
    ast.BitAnd: ast.BitOr(), ast.BitOr: ast.BitAnd(),
}  # fmt: skip


def _other_call(node: ast.AST) -> tuple[ast.AST | None, str] | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in _OTHER_CALL and not node.keywords:
            node.func.id = _OTHER_CALL[node.func.id]
            return node, f"called {node.func.id} instead"
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _OTHER_METHOD
    ):
        node.func.attr = _OTHER_METHOD[node.func.attr]
        return node, f"called {node.func.attr} instead"
    return None


def _other_comparison(node: ast.AST) -> tuple[ast.AST | None, str] | None:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARE:
        node.ops[0] = _COMPARE[type(node.ops[0])]
        return node, "compared otherwise"
    return None


def _other_arithmetic(node: ast.AST) -> tuple[ast.AST | None, str] | None:
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        node.op = _ARITHMETIC[type(node.op)]
        return node, "calculated otherwise"
    return None


def _other_constant(node: ast.AST) -> tuple[ast.AST | None, str] | None:
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node.value, int | float):
        node.value = node.value + 1
    elif isinstance(node.value, str) and 0 < len(node.value) <= 3:
        node.value = ""
    else:
        return None
    return node, "changed a constant"


def _no_condition(node: ast.AST) -> tuple[ast.AST | None, str] | None:
    if isinstance(node, ast.If):
        node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)
        return node, "turned a condition round"
    return None


_CHANGES: tuple[Change, ...] = (
    _skip_call, _other_call, _other_comparison, _other_arithmetic, _other_constant, _no_condition,
)  # fmt: skip
