"""Names that stand for one thing that a program writes down, and the places where it reads them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping


class Standing:
    """Which names are given a value at one place alone, and where they are read.

    Args:
        tree: The program.
    """

    def __init__(self, tree: ast.Module) -> None:
        given: defaultdict[str, list[ast.expr | None]] = defaultdict(list)
        self._read: defaultdict[str, list[ast.Name]] = defaultdict(list)
        known: set[int] = set()
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                    given[name].append(value)
                    known.add(id(target))
                case ast.AnnAssign(target=ast.Name(id=name) as target, value=value):
                    given[name].append(value)
                    known.add(id(target))
                case _:
                    pass
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=name, ctx=ast.Load()):
                    self._read[name].append(node)
                case ast.Name(id=name) if id(node) not in known:
                    given[name].append(None)
                case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    given[name].append(None)
                case _:
                    pass
        self._given = frozenset(given)
        self._written: Mapping[str, ast.expr] = {
            name: values[0] for name, values in given.items() if len(values) == 1 and values[0] is not None
        }
        self._names = {id(value): name for name, values in given.items() for value in values if value is not None}

    def is_given(self, name: str) -> bool:
        """Whether the program itself gives the name a value: not a library, and not the language."""
        return name in self._given

    def written(self, name: str) -> ast.expr | None:
        """What a name stands for; None where it is given a value at several places, or at none.

        Example:
            >>> standing = Standing(ast.parse("A = 'x'\\nb = 1\\nb = 2\\n"))
            >>> ast.unparse(standing.written("A")), standing.written("b"), standing.written("c")
            ("'x'", None, None)
        """
        return self._written.get(name)

    def name(self, node: ast.expr) -> str:
        """The name that is given this node; empty where none is."""
        return self._names.get(id(node), "")

    def uses(self, node: ast.expr, *, alone: bool = True) -> list[ast.Name]:
        """Where the name is read that stands for this node; none where no name does.

        Args:
            node: What a name is given.
            alone: And nothing else.
        """
        name = self.name(node)
        return self._read[name] if name and (name in self._written) is alone else []
