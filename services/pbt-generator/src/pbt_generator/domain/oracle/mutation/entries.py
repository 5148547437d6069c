"""Proofs that an entry of a map is written once: whether the first or the last value stays makes no difference."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pbt_generator.domain.oracle.proofs.flow import Fact, Flow, changes, names_of

_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class Entries:
    """Maps that one function fills.

    Args:
        flow: The function.
        kind: Tells the kind of an expression at its place; empty when it is not known.
    """

    def __init__(self, flow: Flow, kind: Callable[[ast.expr], str]) -> None:
        self.flow = flow
        self.kind = kind

    def once(self, place: ast.expr, owner: str, value: ast.expr, facts: Sequence[Fact]) -> str:
        """Why an entry of a map is written once: the key was asked for, or the keys of another map bring it.

        Args:
            place: The key, in the target of an assignment.
            owner: The map.
            value: What is written.
            facts: What holds there.
        """
        if owner in names_of(value):
            return ""
        for fact in () if any(map(changes, ast.walk(value))) else facts:
            match fact.test:
                case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Name(id=name)]) if (
                    name == owner and ast.dump(left) == ast.dump(place) and fact.truth == isinstance(op, ast.NotIn)
                ):
                    return "an earlier test shows that the key is not there"
                case _:
                    pass
        loop = self._keyed(place)
        if loop is None or not self._fresh(owner, loop):
            return ""
        store = self._statement(place)
        for node in ast.walk(self.flow.function):
            if not (isinstance(node, ast.Name) and node.id == owner):
                continue
            statement = self._statement(node)
            if statement is store or isinstance(node.ctx, ast.Store):
                continue
            inside = any(inner is node for inner in ast.walk(loop))
            stored = self._stored(node) is not None
            if not self._harmless(node, place if inside else None):
                return ""
            if stored and inside and not self._apart(store, statement):
                return ""
            if stored and not inside and not self._behind(node, loop):
                return ""
        return "it is written once for each key of a map that is gone over"

    def _keyed(self, key: ast.expr) -> ast.For | None:
        """The innermost loop around a key, where it goes over the keys of a map, numbers or places, each once."""
        if not isinstance(key, ast.Name):
            return None
        for below, parent in self.flow.ancestors(key):
            if isinstance(parent, (ast.While, ast.AsyncFor, ast.FunctionDef, ast.Lambda, ast.ClassDef)):
                return None
            if isinstance(parent, ast.For):
                if below not in parent.body or not self._goes_over_keys(parent, key.id):
                    return None
                inside = {id(node) for statement in parent.body for node in ast.walk(statement)}
                rebound = any(id(node) in inside for node in self.flow.writes.get(key.id, ()))
                return None if rebound else parent
        return None

    def _goes_over_keys(self, loop: ast.For, key: str) -> bool:
        source = loop.iter
        while True:
            match source:
                case ast.Call(func=ast.Name(id="sorted" | "list" | "tuple" | "reversed"), args=[inner]):
                    source = inner
                case _:
                    break
        match loop.target, source:
            case ast.Name(id=name), ast.Call(func=ast.Attribute(value=owner, attr="keys")):
                return name == key and self.kind(owner) == "dict"
            case ast.Tuple(elts=[ast.Name(id=name), *_]), ast.Call(func=ast.Attribute(value=owner, attr="items")):
                return name == key and self.kind(owner) == "dict"
            case ast.Name(id=name), ast.Call(func=ast.Name(id="range")):
                return name == key and "range" not in self.flow.renamed
            case ast.Tuple(elts=[ast.Name(id=name), *_]), ast.Call(func=ast.Name(id="enumerate")):
                return name == key and "enumerate" not in self.flow.renamed
            case ast.Name(id=name), _:
                return name == key and self.kind(source) in {"dict", "set"}
            case _:
                return False

    def _fresh(self, owner: str, loop: ast.For) -> bool:
        """Whether a map is bound once, to an empty one, in the block of a loop and before it."""
        writes = self.flow.writes.get(owner, [])
        if len(writes) != 1 or owner in self.flow.parameters or owner in self.flow.shared:
            return False
        statement = self._statement(writes[0])
        beside = self.flow.parents.get(id(statement)) is self.flow.parents.get(id(loop))
        match statement:
            case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=ast.expr() as value):
                empty = isinstance(value, ast.Dict) and not value.keys
                empty = empty or (
                    isinstance(value, ast.Call)
                    and isinstance(value.func, ast.Name)
                    and value.func.id in {"dict", "OrderedDict"}
                    and not value.args
                    and not value.keywords
                )
                return beside and empty and statement.lineno < loop.lineno
            case _:
                return False

    def _statement(self, node: ast.AST) -> ast.stmt:
        for below, parent in self.flow.ancestors(node):
            if isinstance(below, ast.stmt):
                return below
            if isinstance(parent, ast.stmt):
                return parent
        return self.flow.function

    def _stored(self, node: ast.Name) -> ast.expr | None:
        """The key under which an entry is written, where a name is a map that gets one."""
        parent = self.flow.parents.get(id(node))
        match parent:
            case ast.Subscript(value=value, slice=key, ctx=ast.Store()) if value is node:
                return key
            case _:
                return None

    def _harmless(self, node: ast.Name, key: ast.expr | None) -> bool:
        """Whether a use of a map writes no other entry; inside the loop, only entries of the loop's key."""
        parent = self.flow.parents.get(id(node))
        stored = self._stored(node)
        if stored is not None:
            plain = isinstance(self.flow.parents.get(id(parent)), ast.Assign)
            return plain and (key is None or ast.dump(stored) == ast.dump(key))
        match parent:
            case ast.Subscript(value=value, ctx=ast.Load()) if value is node:
                return True
            case ast.Compare(ops=[ast.In() | ast.NotIn()]) | ast.Return():
                return True
            case ast.Call(func=ast.Name(id="len" | "sorted" | "list" | "dict" | "bool" | "sum" | "tuple")):
                return True
            case ast.Attribute(attr="get" | "items" | "keys" | "values"):
                return True
            case _:
                return False

    def _behind(self, node: ast.AST, loop: ast.For) -> bool:
        """Whether a part runs after a loop: behind it, and not in a function that may be called earlier."""
        outer = [parent for _, parent in self.flow.ancestors(node)]
        later = any(isinstance(parent, _LATER) and parent is not self.flow.function for parent in outer)
        return not later and getattr(node, "lineno", 0) > (loop.end_lineno or 0)

    def _apart(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Whether two statements stand in two arms of one `if`: one round runs one of them."""
        arms: dict[int, bool] = {}
        for below, parent in self.flow.ancestors(first):
            if isinstance(parent, ast.If):
                arms[id(parent)] = below in parent.body
        return any(
            isinstance(parent, ast.If) and arms.get(id(parent), below in parent.body) != (below in parent.body)
            for below, parent in self.flow.ancestors(second)
        )


__all__ = ["Entries"]
