"""Which variables may share a value that is changed in place."""

from __future__ import annotations

import ast

from pbt_generator.domain.oracle.proofs.flow import pure_call
from pbt_generator.domain.oracle.syntax import FunctionNode


def fragile_names(function: FunctionNode) -> set[str]:
    """Variables whose value, or a part of it, may be changed in place by any name that may share it.

    A container that is changed under its only name, and only itself (`rows.append(x)`, `found[key] = x`), does not make
    what is put into it fragile: nothing is ever taken out of it under another name.
    """
    sharing = _Sharing(function)
    fragile: set[str] = set()
    for name in sharing.variables:
        near = [other for other in sharing.changed if sharing.together(name, other)]
        if name in sharing.changed or any(not sharing.alone(other) for other in near):
            fragile.add(name)
    return fragile


class _Sharing:
    def __init__(self, function: FunctionNode) -> None:
        nodes = list(ast.walk(function))
        arguments = [node.arg for node in nodes if isinstance(node, ast.arg)]
        stored = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        self.variables = {*arguments, *stored}
        # Groups of names that may share a value: `wide` counts what is stored in a container, `near` does not.
        self.wide: dict[str, str] = {}
        self.near: dict[str, str] = {}
        self.changed: set[str] = set()
        self.deep: set[str] = set()
        for node in nodes:
            self.visit(node)

    def together(self, one: str, other: str) -> bool:
        """Whether two names may share a value, or one hold the other's."""
        return _root(self.wide, one) == _root(self.wide, other)

    def alone(self, name: str) -> bool:
        """Whether a changed name is changed itself only, and no other name has it or was taken from it."""
        mine = _root(self.near, name)
        return name not in self.deep and all(
            _root(self.near, other) != mine for other in self.variables if other != name
        )

    def unite(self, *parts: ast.AST | None, stored: bool = False) -> None:
        """The names of these parts may share values."""
        names = [name for part in parts if part is not None for name in self.names(part)]
        for name in names[1:]:
            self.wide[_root(self.wide, name)] = _root(self.wide, names[0])
            if not stored:
                self.near[_root(self.near, name)] = _root(self.near, names[0])

    def names(self, node: ast.AST) -> list[str]:
        """Variables that a part reads or writes."""
        found = [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
        return [name for name in found if name in self.variables]

    def change(self, node: ast.AST) -> None:
        """What a part names is changed; only itself, when the part is a name."""
        self.changed |= set(self.names(node))
        if not isinstance(node, ast.Name):
            self.deep |= set(self.names(node))

    def visit(self, node: ast.AST) -> None:
        """Take in what one node shares and changes."""
        match node:
            case ast.Assign(targets=targets, value=value):
                plain = all(isinstance(target, ast.Name) for target in targets)
                if not _fresh(value) or len(targets) > 1:
                    self.unite(*targets, value, stored=not plain and len(targets) == 1 and _stores(targets[0]))
            case ast.AnnAssign(target=target, value=value) if value is not None:
                if not _fresh(value):
                    self.unite(target, value, stored=_stores(target))
            case ast.NamedExpr(target=target, value=value):
                self.unite(target, value)
            case ast.comprehension(target=target, iter=given) | ast.For(target=target, iter=given):
                self.unite(target, given)
            case ast.AsyncFor(target=target, iter=given):
                self.unite(target, given)
            case ast.withitem(context_expr=given, optional_vars=target):
                self.unite(given, target)
            case ast.AugAssign(target=target, value=value):
                self.change(target if isinstance(target, ast.Name) else _owner(target))
                if not _fresh(value):
                    self.unite(target, value)
            case ast.Match():
                self.unite(node)
                self.deep |= set(self.names(node))
                self.changed |= set(self.names(node))
            case ast.Call() if _keeps(node) and isinstance(node.func, ast.Attribute):
                self.change(node.func.value)
                self.unite(node.func.value, *(part for part in node.args if not _fresh(part)), stored=True)
            case ast.Call() if not pure_call(node):
                # It may keep its arguments, and change them.
                self.unite(node)
                self.changed |= set(self.names(node))
                self.deep |= set(self.names(node))
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                self.change(owner)
            case ast.Attribute(value=owner, ctx=ast.Store() | ast.Del()):
                self.change(owner)
            case _:
                pass


def _root(groups: dict[str, str], name: str) -> str:
    while groups.get(name, name) != name:
        name = groups[name]
    return name


def _stores(target: ast.expr) -> bool:
    """Whether a target is an entry of a variable's own container."""
    return isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)


def _owner(target: ast.expr) -> ast.expr:
    return target.value if isinstance(target, (ast.Subscript, ast.Attribute)) else target


def _keeps(node: ast.Call) -> bool:
    """Whether a method changes its receiver only: the list methods that everybody uses."""
    return isinstance(node.func, ast.Attribute) and node.func.attr in {
        "append",
        "add",
        "appendleft",
        "insert",
        "extend",
    }


def _fresh(value: ast.expr) -> bool:
    """Whether a value surely shares nothing with what it was computed from: numbers, texts, truth values."""
    match value:
        case ast.Constant() | ast.JoinedStr() | ast.Compare():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in {"len", "int", "float", "str", "bool", "round", "ord", "chr", "repr", "isinstance", "hash"}
        case ast.UnaryOp(operand=operand):
            return isinstance(value.op, ast.Not) or _fresh(operand)
        case ast.BinOp(left=left, right=right):
            return _fresh(left) and _fresh(right)
        case ast.IfExp(body=body, orelse=orelse):
            return _fresh(body) and _fresh(orelse)
        case _:
            return False
