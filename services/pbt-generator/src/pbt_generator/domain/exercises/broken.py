"""One mutant of a ground truth as a program of its own, as somebody might have written it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from pbt_generator.domain.exercises.exercise import drawn
from pbt_generator.domain.oracle.mutation.mutants import mutate

# What the program of all mutants calls in place of the language's own.
_TICKS = frozenset({"_ts_t", "_ts_s", "_ts_f", "_ts_k"})
_OWN = {"_ts_format": "format", "_ts_str": "str", "_ts_repr": "repr", "_ts_ascii": "ascii"}
_PREFIX = "_ts_"


class Broken(NamedTuple):
    """A mutant as a program: the line of the ground truth that it changes, what became what, and its text."""

    line: int
    change: str
    text: str


def broken_programs(source: str, entry_point: str, task_id: str) -> Sequence[Broken]:
    """Every mutant that nothing shows to be the ground truth over again, in an order drawn for the task.

    Mutants that follow another reader's rule are left out, as are those that need the platform's own names to run.
    """
    program = mutate(source, entry_point)
    original = _text(program.source, 0)
    found: list[Broken] = []
    for mutant in drawn(program.mutants, lambda mutant: str(mutant.number), "repair", task_id):
        if mutant.reading or mutant.proof:
            continue
        text = _text(program.source, mutant.number)
        if text and text != original:
            found.append(Broken(mutant.line, mutant.change, text))
    return found


def _text(source: str, number: int) -> str:
    """The program of all mutants with one of them chosen; empty where names of the platform would be left."""
    module = ast.parse(source)
    tree = _Chosen(number, _kept(module)).visit(module)
    if any(isinstance(node, ast.Name) and node.id.startswith(_PREFIX) for node in ast.walk(tree)):
        return ""
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    try:
        ast.parse(text)
    except SyntaxError:
        # A block that cannot be empty lost all of its statements.
        return ""
    return text


def _kept(module: ast.Module) -> dict[int, ast.expr]:
    """What mutants have in place of literals that the program keeps; the statement that says so goes."""
    match module.body:
        case [*body, ast.Assign(targets=[ast.Name(id="_ts_K")], value=ast.Dict(keys=keys, values=values))]:
            module.body = body
            numbers = (ast.literal_eval(key) for key in keys if key is not None)
            return dict(zip(numbers, values, strict=True))
        case _:
            return {}


class _Chosen(ast.NodeTransformer):
    """Decides every question for the chosen mutant, and takes the counting of steps out."""

    def __init__(self, number: int, kept: Mapping[int, ast.expr]) -> None:
        self._number, self._kept = number, kept

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """The literal that the mutant has."""
        if isinstance(node.value, ast.Name) and node.value.id == "_ts_K":
            return self._kept[self._number]
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """A changed expression, or the original one."""
        answer = self._answer(node.test)
        if answer is None:
            return self.generic_visit(node)
        return cast("ast.AST", self.visit(node.body if answer else node.orelse))

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """A changed statement, or the original one."""
        answer = self._answer(node.test)
        if answer is None:
            return self._filled(node)
        return [each for statement in (node.body if answer else node.orelse) for each in self._visited(statement)]

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A statement that counts a step goes."""
        return None if _is_tick(node.value) else self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """A filter that counts a step goes, and one that a mutant dropped."""
        self.generic_visit(node)
        node.ifs = [each for each in node.ifs if not _is_tick(each) and not _is_true(each)]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Calls of what stands for the language's own."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "_ts_join":
            node.func = ast.Attribute(ast.Constant(""), "join", ast.Load())
        elif isinstance(node.func, ast.Name) and node.func.id in _OWN:
            node.func = ast.Name(_OWN[node.func.id], ast.Load())
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit the parts; a block that lost all of its statements holds `pass`."""
        return self._filled(node)

    def _filled(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(getattr(node, "body", None), list) and not isinstance(node, ast.Module):
            block = cast("list[ast.stmt]", getattr(node, "body"))  # noqa: B009  many kinds of node have it
            if not block:
                block.append(ast.Pass())
        return node

    def _visited(self, statement: ast.stmt) -> list[ast.stmt]:
        found = cast("ast.stmt | list[ast.stmt] | None", self.visit(statement))
        return found if isinstance(found, list) else [found] if found is not None else []

    def _answer(self, test: ast.expr) -> bool | None:
        match test:
            case ast.Compare(left=ast.Name(id="_ts_M"), comparators=[ast.Constant(value=number)]):
                return number == self._number
            case ast.Compare(left=ast.Constant(value=int(first)), comparators=[ast.Name(id="_ts_M"), last]):
                return first <= self._number <= ast.literal_eval(last)
            case ast.BoolOp(op=ast.And(), values=[first, *_]) if self._answer(first) is False:
                return False
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                answer = self._answer(operand)
                return None if answer is None else not answer
            case _:
                return None


def _is_tick(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TICKS


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
