"""What a name holds at a place of a program: what its function was given, or what the program gave it before."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbt_generator.domain.oracle.syntax import FunctionNode

_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_LEAVING = (ast.Return, ast.Raise)
_Place = tuple[int, str]


@dataclass(frozen=True)
class Giving:
    """A name is given a value, or what it holds is changed.

    Attributes:
        holder: The part of the program that does it.
        value: Of what the new value is made.
        how: How it is, see `phrases`.
    """

    holder: ast.AST
    value: ast.expr
    how: str


class Course:
    """In which order the parts of a program run, as far as that is certain.

    Args:
        tree: The program.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._parents: dict[int, tuple[ast.AST, str]] = {}
        for node in ast.walk(tree):
            for name, held in ast.iter_fields(node):
                for child in held if isinstance(held, list) else [held]:  # pyright: ignore[reportUnknownVariableType]
                    if isinstance(child, ast.AST):
                        self._parents[id(child)] = node, name

    def knows(self, node: ast.AST) -> bool:
        """Whether a node is one of the program's."""
        return id(node) in self._parents

    def is_of_lambda(self, read: ast.AST, name: str) -> bool:
        """Whether a name stands for a parameter of a lambda around it."""
        return any(isinstance(each, ast.Lambda) and name in _own(each) for each, _ in self._around(read))

    def held(self, read: ast.AST, givings: Sequence[Giving]) -> list[Giving | None]:
        """What a name may hold where it is read; None is what its function was given, an empty list means anything.

        Args:
            read: The place.
            givings: All that give it a value or change it.

        Example:
            >>> tree = ast.parse("def f(n):\\n    a = n\\n    n = n // 60\\n    return n")
            >>> first, giving, last = tree.body[0].body
            >>> given = [Giving(giving, giving.value, "{}")]
            >>> [Course(tree).held(each.value, given) == held for each, held in ((first, [None]), (last, given))]
            [True, True]
        """
        around = [*self._around(read)]
        before: list[Giving] = []
        functions = [each for each, _ in around if isinstance(each, FunctionNode)]
        for giving in givings:
            if isinstance(giving.holder, ast.comprehension):
                if self._is_inside(read, giving.holder):
                    return [giving]
                continue
            function = self._function(giving.holder)
            if function is None or (functions and function not in functions):
                continue
            if not functions or function is not functions[0] or self._comes_round(around, giving.holder):
                return []
            if _end(giving.holder) <= _start(read):
                before.append(giving)
        return self._reaching(around, before)

    def _reaching(self, around: Sequence[tuple[ast.AST, str]], before: Sequence[Giving]) -> list[Giving | None]:
        """Which of the changes before a place may be the last one; nothing where that is not certain."""
        places = {(id(each), part) for each, part in around}
        whole = {id(each) for each, _ in around}
        found: list[Giving | None] = []
        for giving in sorted(before, key=lambda each: _end(each.holder), reverse=True):
            if not isinstance(giving.holder, _SIMPLE):
                return []
            reaches = True
            for above, part in self._around(giving.holder):
                if (id(above), part) in places:
                    break
                if id(above) in whole and not isinstance(above, ast.If):
                    return []
                reaches = reaches and id(above) not in whole and not _goes_elsewhere(above, part, giving)
            if not reaches:
                continue
            found.append(giving)
            above, part = self._parents[id(giving.holder)]
            if (id(above), part) in places:
                return found
        return [*found, None]

    def _around(self, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
        """What holds a node, from within, and in which of its parts."""
        while (above := self._parents.get(id(node))) is not None:
            yield above
            node = above[0]

    def _function(self, node: ast.AST) -> ast.AST | None:
        return next((each for each, _ in self._around(node) if isinstance(each, FunctionNode)), None)

    def _is_inside(self, read: ast.AST, generator: ast.comprehension) -> bool:
        """Whether a place sees the names of a comprehension; what the first goes through is read outside of it."""
        around = {id(each) for each, _ in self._around(read)}
        owner, _ = self._parents[id(generator)]
        first = next(iter(getattr(owner, "generators", [])), None)
        outside = generator is first and (generator.iter is read or id(generator.iter) in around)
        return id(owner) in around and not outside

    def _comes_round(self, around: Sequence[tuple[ast.AST, str]], holder: ast.AST) -> bool:
        """Whether a change belongs to a block around a place, or stands in a loop around it and may come before it."""
        blocks = {id(each) for each, part in around if isinstance(each, _BLOCKS) and part not in ("iter", "items")}
        loops = {
            id(each) for each, _ in around if id(each) in blocks and not isinstance(each, ast.With | ast.AsyncWith)
        }
        return id(holder) in blocks or any(id(each) in loops for each, _ in self._around(holder))


def _own(function: ast.Lambda) -> set[str]:
    return {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}


def _goes_elsewhere(above: ast.AST, part: str, giving: Giving) -> bool:
    """Whether what comes behind a branch is not run after it, or whether the branch fills in what is missing."""
    block = getattr(above, part)
    if isinstance(above, ast.If) and isinstance(block[-1], _LEAVING):
        return True
    return isinstance(above, ast.If) and part == "body" and _asks_for_missing(above.test, giving)


def _asks_for_missing(test: ast.expr, giving: Giving) -> bool:
    targets = getattr(giving.holder, "targets", [getattr(giving.holder, "target", None)])
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            pass
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
            pass
        case _:
            return False
    return any(isinstance(each, ast.Name) and each.id == name for each in targets)


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


__all__ = ["Course", "Giving"]
