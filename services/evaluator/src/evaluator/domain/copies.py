"""Whether code that was found elsewhere is the task's own under other names."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from touchstone_runtime.extraction import parse
from touchstone_runtime.likeness import likeness_of

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MADE = (*_FUNCTIONS, ast.ClassDef)
_BUILTINS = frozenset(dir(builtins))
# Of what a task took along, shorter definitions are like many that have nothing to do with it.
_LEAST_STATEMENTS = 3
# What a method calls its object.
_OBJECTS = ("self", "cls")
# What a method as a function of its object's fields gives beside its result.
_RESULT = "result"


def shapes_of(code: str, name: str) -> str:
    """What copies of a task's code look like, whatever they are called and whichever of it they hold.

    The asked function counts, and whatever else says enough to be known by it.

    Args:
        code: All that the task took along, in Python.
        name: The asked function there.

    Returns:
        Hashes between blanks; empty for what does not parse.
    """
    tree = parse(code)
    if tree is None:
        return ""
    told = {_shape(_text(node)) for node in _definitions(tree) if _says_enough(node, name)}
    return " ".join(sorted({*told, likeness_of(code)} - {""}))


def is_copy(code: str, shapes: str) -> bool:
    """Whether found code holds a Python function or class that differs from a task's in names and constants alone.

    A method is like the function of its object's fields that was made of it.

    Args:
        code: What was found.
        shapes: The task's, as `shapes_of` or `likeness_of` tells them; empty where nobody told.
    """
    known = frozenset(shapes.split())
    tree = parse(code) if known else None
    if tree is None:
        return False
    alone = (text for node in _definitions(tree) if (text := _text(node)))
    return likeness_of(code) in known or any(_shape(text) in known or likeness_of(text) in known for text in alone)


def _definitions(tree: ast.AST) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, _MADE))


def _says_enough(node: ast.stmt, name: str) -> bool:
    if isinstance(node, _MADE) and node.name == name:
        return True
    if isinstance(node, _FUNCTIONS) and node.name.startswith("__"):
        return False
    statements = [each for each in ast.walk(node) if isinstance(each, ast.stmt) and not _is_words(each)]
    # The definition itself is one.
    return len(statements) > _LEAST_STATEMENTS


def _is_words(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _text(node: ast.AST) -> str:
    """A definition without what surrounds it; empty where it is nested too deeply to be told."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""


def _shape(text: str) -> str:
    """Equal for definitions that do the same by other names, of the helpers that they call too."""
    tree = parse(text)
    try:
        return likeness_of(_text(_Plain().visit(tree))) if tree else ""
    except RecursionError:
        return ""


class _Plain(ast.NodeTransformer):
    """Functions without parameters: fields of an object are plain names, and what is called by its name has none."""

    def __init__(self) -> None:
        self._given: frozenset[str] = frozenset()
        self._object = ""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        if self._given or self._object:
            return self.generic_visit(node)
        places = [*node.args.posonlyargs, *node.args.args]
        named = [*places, *node.args.kwonlyargs, *filter(None, (node.args.vararg, node.args.kwarg))]
        first = places[0].arg if places else ""
        self._given, self._object = frozenset(each.arg for each in named), first if first in _OBJECTS else ""
        node.args, node.decorator_list = ast.arguments([], [], None, [], [], None, []), []
        made = self.generic_visit(node)
        self._given, self._object = frozenset(), ""
        return made

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node.func:
            case ast.Name(id=called) if called not in _BUILTINS or called in self._given:
                node.func = ast.Name("called", ast.Load())
            case ast.Attribute(value=ast.Name(id=owner)) if owner == self._object:
                node.func = ast.Name("called", ast.Load())
            case _:
                pass
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == self._object:
            return ast.Name(f"{node.attr}_", node.ctx)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(f"{node.id}_", node.ctx) if node.id in self._given else node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        match node.value:
            case ast.Dict(keys=[ast.Constant(value=key), *_], values=[value, *_]) if key == _RESULT:
                node.value = value
            case _:
                pass
        return self.generic_visit(node)
