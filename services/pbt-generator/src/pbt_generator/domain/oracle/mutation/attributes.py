"""Literals that the classes of a program keep, and where they are read."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from pbt_generator.domain.oracle.mutation.constants import Change, changed_within, near_constants, sets_of_characters
from pbt_generator.domain.oracle.proofs.swallowing import builtin_error
from pbt_generator.domain.oracle.syntax import bound_names, last_name, set_otherwise, statements_of

# What a class of these has is what it says.
_PLAIN_BASES = {
    "object", "ABC", "Generic", "Protocol", "str", "int", "float", "list", "dict", "tuple", "set", "frozenset",
}  # fmt: skip
_PLAIN_DECORATORS = {"dataclass", "total_ordering", "final", "runtime_checkable"}
_ITSELF = {"self", "cls"}
_SETTING = {"setattr", "__setattr__"}
_Kept = tuple[str, int, list[Change], ast.expr | None]


class Attributes:
    """The literals that classes of one program keep: each class its own, which those below it have, too.

    Args:
        module: The program, as it was written.
    """

    def __init__(self, module: ast.Module) -> None:
        bound, sets = bound_names(module), sets_of_characters(module)
        nodes = [node for node in module.body if isinstance(node, ast.ClassDef) and bound[node.name] == 1]
        self._classes = {node.name: node for node in nodes}
        self._said = _said(module, nodes)
        self._stored, self._by_itself = self._stores(module)
        self._bound = {node.name: _bindings(node) for node in nodes}
        self._fields = {node.name: _fields(node) for node in nodes}
        self._own = {
            (node.name, name): (line, others)
            for node in nodes
            for name, line, others in attributes_of(node, sets)
            if self._bound[node.name][name] == 1 and name not in self._fields[node.name]
        }

    def kept(self, node: ast.Attribute) -> Iterator[_Kept]:
        """What an attribute may be: the class that keeps it, its line, its changes, and the question if it is this.

        There is no question where it can be nothing else.
        """
        owner, name = node.value, node.attr
        match owner:
            case ast.Name(id=known) if known in self._classes:
                found = {self._keeper(known, name)}
            case ast.Name(id=known) if known in _ITSELF:
                found = self._keepers(self._around(node.lineno), name)
            case ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__"):
                found = self._keepers(self._around(node.lineno), name)
            case _:
                return
        for keeper in sorted(each for each in found if each is not None):
            line, others = self._own[keeper, name]
            yield keeper, line, others, _question(owner, name, keeper) if len(found) > 1 else None

    def _keepers(self, around: str | None, name: str) -> set[str | None]:
        """The classes that keep an attribute of what `self` is in a class; None for what has another value."""
        below = (each for each in self._classes if around is None or around in self._line(each))
        return {self._keeper(each, name) for each in below if each in self._said}

    def _keeper(self, owner: str, name: str) -> str | None:
        """The class that keeps an attribute of a class as a literal that nothing changes."""
        line = self._line(owner)
        if name in self._stored or any(name in self._by_itself[each] | self._fields[each] for each in line):
            return None
        keeper = next((each for each in line if self._bound[each][name]), None)
        plain = all(map(self._plain, line))
        return keeper if keeper is not None and plain and (keeper, name) in self._own else None

    def _line(self, owner: str, depth: int = 0) -> list[str]:
        """A class and those of the program above it, in the order in which attributes are looked for."""
        found = [owner]
        for base in self._classes[owner].bases if depth < len(self._classes) else ():
            if (above := last_name(base)) in self._classes:
                found += self._line(above, depth + 1)
        return list(dict.fromkeys(reversed(found)))[::-1]

    def _plain(self, owner: str) -> bool:
        """Whether what a class has is what it says: an enumeration, for one, makes members of it."""
        node = self._classes[owner]
        names = [last_name(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases]
        return (
            not node.keywords
            and _decorators(node) <= _PLAIN_DECORATORS
            and all(name in _PLAIN_BASES or name in self._classes or builtin_error(name) is not None for name in names)
        )

    def _around(self, line: int) -> str | None:
        return next(
            (name for name, node in self._classes.items() if node.lineno <= line <= (node.end_lineno or 0)), None
        )

    def _stores(self, module: ast.Module) -> tuple[frozenset[str], dict[str, set[str]]]:
        """Attributes that are given another value anywhere, and those that a class gives itself."""
        found = set(changed_within(module))
        by_itself: dict[str, set[str]] = {name: set() for name in self._classes}
        for node in ast.walk(module):
            match node:
                case ast.Attribute(value=ast.Name(id=owner), attr=name, ctx=ast.Store() | ast.Del()) if (
                    owner in _ITSELF and (around := self._around(node.lineno)) is not None
                ):
                    by_itself[around].add(name)
                case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                    found.add(name)
                case ast.Call(func=func, args=[*_, ast.Constant(value=str(name)), _]) if last_name(func) in _SETTING:
                    found.add(name)
                case ast.Attribute(attr="__dict__") | ast.Call(func=ast.Name(id="vars")):
                    return set_otherwise(module), by_itself
                case ast.Call(func=ast.Name(id="type"), args=[_, _, _]):
                    return set_otherwise(module), by_itself
                case ast.Call(func=func) if last_name(func) in _SETTING:
                    return set_otherwise(module), by_itself
                case _:
                    pass
        return frozenset(found), by_itself


def attributes_of(node: ast.ClassDef, sets: Collection[str] = frozenset()) -> Iterator[tuple[str, int, list[Change]]]:
    """The literals that the body of a class gives names: the name, the line, and what a mutant has in place of it.

    Args:
        node: The class.
        sets: Names of texts that are read as sets of characters.
    """
    for each in node.body:
        match each:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if others := near_constants(value, characters=name in sets):
                yield name, each.lineno, others
            case _:
                pass


def _question(owner: ast.expr, name: str, keeper: str) -> ast.expr:
    asked = ast.Call(ast.Name("_ts_keeper", ast.Load()), [copy.deepcopy(owner), ast.Constant(name)], [])
    return ast.Compare(asked, [ast.Eq()], [ast.Constant(keeper)])


def _said(module: ast.Module, classes: Iterable[ast.ClassDef]) -> set[str]:
    """Names that a program reads, but for those of classes that it only declares something with, or makes others of."""
    declared: list[ast.AST | None] = [base for node in classes for base in node.bases]
    for node in ast.walk(module):
        match node:
            case ast.arg(annotation=annotation) | ast.AnnAssign(annotation=annotation):
                declared.append(annotation)
            case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns):
                declared.append(returns)
            case _:
                pass
    left = {id(inner) for each in declared if each is not None for inner in ast.walk(each)}
    return {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and id(node) not in left}


def _bindings(node: ast.ClassDef) -> Counter[str]:
    """Names that the body of a class gives a meaning, and how often it does."""
    found = Counter[str]()
    for each in statements_of(node.body):
        match each:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] += 1
            case ast.AnnAssign(value=None):
                pass
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Delete() | ast.Import() | ast.ImportFrom():
                found += bound_names(ast.Module([each], []))
            case ast.For(target=target):
                found += bound_names(ast.Module([ast.Expr(target)], []))
            case _:
                pass
    return found


def _decorators(node: ast.ClassDef) -> set[str]:
    return {last_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list}


def _fields(node: ast.ClassDef) -> set[str]:
    """The names of a dataclass that each of its objects has a value of its own for; none of another class."""
    return {
        each.target.id
        for each in (node.body if "dataclass" in _decorators(node) else ())
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        if "ClassVar" not in ast.unparse(each.annotation)
    }


__all__ = ["Attributes", "attributes_of"]
