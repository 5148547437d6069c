"""What a function asks of its arguments that no value made from data has: attributes, calls, classes, iterators.

Two questions are answered on the syntax tree. Which parameters must be objects of a program's own, whatever happens
(`needed_objects`)? And which objects would a test that no input satisfied need (`needed_by_test`)? What is guarded
(`hasattr`, `getattr` with a default, `isinstance`, a handler of AttributeError) is not asked whatever happens.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import fractions
import pathlib
import re
from collections.abc import Iterator, Sequence

from pbt_generator.domain.inputs.inference.usage_tables import (
    ARRAY_ATTRIBUTES,
    CLASS_KINDS,
    DATE_ATTRIBUTES,
    FRAME_ATTRIBUTES,
)
from pbt_generator.domain.oracle.syntax import FunctionNode, class_names, last_name, named_parameters

_DATA_TYPES = (str, int, float, bool, list, tuple, dict, set, frozenset, bytes, bytearray, complex, type(None))
_LIBRARY_TYPES = (
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone, decimal.Decimal,
    fractions.Fraction, pathlib.PurePosixPath, pathlib.Path, range,
)  # fmt: skip
DATA_NAMES = frozenset(name for kind in _DATA_TYPES for name in dir(kind))
_LIBRARY_NAMES = (
    frozenset(name for kind in _LIBRARY_TYPES for name in dir(kind))
    | frozenset(DATE_ATTRIBUTES) | frozenset(ARRAY_ATTRIBUTES) | frozenset(FRAME_ATTRIBUTES)
)  # fmt: skip
# Attributes that are values: nobody reads a method without calling it.
DATA_VALUES = frozenset(
    name for kind in _DATA_TYPES for name in dir(kind) if not callable(getattr(kind, name)) and name[0] != "_"
)
# Libraries whose values have attributes that nobody can list: a frame has one for each of its columns.
_OPEN_LIBRARIES = {"pandas", "numpy", "scipy", "sklearn", "polars", "xarray"}
# Classes named in annotations that no data makes.
_CLOSED_CLASSES = {
    "Callable", "Match", "Pattern", "ModuleType", "FunctionType", "MethodType", "Generator", "TextIO", "BinaryIO", "IO",
    "FrameType", "CodeType", "TracebackType", "Logger", "Thread", "Lock", "type", "Type",
}  # fmt: skip
_GENERAL_CLASSES = {
    "object", "Sized", "Container", "Reversible", "string_types", "integer_types", "text_type", "unicode", "long",
    "MutableSequence", "MutableSet", "AbstractSet", "Iterable", "ByteString", "SupportsFloat", "SupportsInt", "Complex",
    "Rational", "UserString", "AnyStr", "EllipsisType",
}  # fmt: skip
_PASSING_CALLS = {"list", "tuple", "sorted", "reversed", "iter", "copy", "deepcopy", "cast", "set", "enumerate", "zip"}
_PASSING_METHODS = {"copy", "values", "pop", "get", "items", "popitem"}
_CALLING = {"map", "reduce", "starmap", "takewhile", "dropwhile"}
_ATTRIBUTE_ERRORS = {"AttributeError", "Exception", "BaseException", ""}
_MISSING_ATTRIBUTE = re.compile(r"^AttributeError: '(\w+)' object has no attribute '(\w+)'")


class _Roots:
    """Which names of a function stand for a parameter, or for a part of one, and for nothing else."""

    def __init__(self, tree: FunctionNode) -> None:
        arguments = tree.args
        self.parameters = [argument.arg for argument in named_parameters(arguments)]
        self._names: dict[str, str] = {name: name for name in self.parameters}
        bindings = list(_bindings(tree))
        # Where a parameter's name is bound again; before that it is what was given.
        self._changed: dict[str, int] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in self._names:
                self._changed[node.id] = min(node.lineno, self._changed.get(node.id, node.lineno))
        for _ in range(3):
            for name, value in bindings:
                root = self.of(value) if value is not None else ""
                if name in self._names and self._names[name] != root:
                    # Bound to something else as well: nothing certain is known of it.
                    self._names[name] = "" if value is None or not _is_same(value, name) else self._names[name]
                elif name not in self._names and root:
                    self._names[name] = root

    def of(self, node: ast.expr) -> str:
        """The parameter that an expression is, or is a part of; empty for anything else."""
        match node:
            case ast.Name(id=name):
                given = node.lineno < self._changed.get(name, 0)
                return name if given else self._names.get(name, "")
            case ast.Subscript(value=value) | ast.Starred(value=value) | ast.NamedExpr(value=value):
                return self.of(value)
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in _PASSING_CALLS:
                return self.of(first)
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _PASSING_METHODS:
                return self.of(value)
            case ast.Call(func=ast.Attribute(value=value, attr="__class__"), args=[]):
                return self.of(value)
            case ast.BoolOp(op=ast.Or(), values=[first, *_]):
                return self.of(first)
            case _:
                return ""


def _is_same(value: ast.expr, name: str) -> bool:
    """Whether a name is bound to a part of itself: a walk along a chain."""
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value)) and not isinstance(
        value, ast.Call
    )


def _bindings(tree: FunctionNode) -> Iterator[tuple[str, ast.expr | None]]:
    """Every name that is bound, with the value where one expression gives it."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _bound(target, value)
            case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                yield from _bound(target, value)
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                yield from _bound(target, value)
            case ast.withitem(optional_vars=target) if target is not None:
                yield from _bound(target, None)
            case ast.ExceptHandler(name=str(name)):
                yield name, None
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() if node is not tree:
                for argument in ast.walk(node.args):
                    if isinstance(argument, ast.arg):
                        yield argument.arg, None
                if not isinstance(node, ast.Lambda):
                    yield node.name, None
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for alias in names:
                    yield (alias.asname or alias.name).split(".")[0], None
            case _:
                pass


def _bound(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from _bound(item, value)
    elif isinstance(target, ast.Starred):
        yield from _bound(target.value, value)


def needed_objects(tree: FunctionNode, modules: dict[str, str], *, portable: bool) -> str:
    """The parameter that must be an object of a program's own, with what is asked of it; empty where data does.

    Args:
        tree: The function.
        modules: Names bound by imports, to what they stand for.
        portable: Arguments are what five languages share, without library values.

    Example:
        >>> tree = ast.parse("def f(node): return node.tag").body[0]
        >>> needed_objects(tree, {}, portable=True)
        "node: attribute 'tag'"
    """
    left = set[str]()
    for argument in named_parameters(tree.args):
        name = closed_class(argument)
        if name and not _stays_out(tree, argument):
            return f"{argument.arg}: {name}"
        left |= {argument.arg} if name else set()
    roots = _Roots(tree)
    asked = _asked(tree, roots, known_names(modules, portable=portable), tree.body)
    # An argument that may be left out is asked for nothing whatever happens.
    found = [name for name in roots.parameters if name in asked and name not in left and not _may_be_none(tree, name)]
    return f"{found[0]}: {', '.join(dict.fromkeys(asked[found[0]]))}" if found else ""


def _asked(
    tree: FunctionNode, roots: _Roots, known: frozenset[str] | None, body: Sequence[ast.stmt]
) -> dict[str, list[str]]:
    """What statements ask of parameters, whatever happens, that data has not."""
    guarded = _guarded(tree, roots)
    asked: dict[str, list[str]] = {}

    def own(node: ast.expr) -> str:
        """The parameter that a bare name stands for, where nothing asks what it is."""
        name = node.id if isinstance(node, ast.Name) and node.id in roots.parameters else ""
        return name if name and roots.of(node) == name and name not in guarded else ""

    def note(name: str, what: str) -> None:
        if name:
            asked.setdefault(name, []).append(what)

    for node in _certain(body):
        match node:
            case ast.Attribute(value=value, attr=name) if known is not None and name not in known:
                root = roots.of(value)
                note(root if root not in guarded else "", f"attribute '{name}'")
            case ast.Call(func=ast.Name(id="next"), args=[value]):
                note(own(value), "an iterator")
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]):
                name = own(classes)
                note(name if name and not _defaulted(tree, name) else "", "a class")
            case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="isinstance" | "issubclass"), *_, classes]):
                note(own(classes), "classes")
            case ast.Call(func=ast.Name(id=called), args=[first, *_]) if called in _CALLING:
                note(own(first), "is called")
            case ast.Call(func=func, keywords=keywords):
                note(own(func), "is called")
                for keyword in keywords:
                    note(own(keyword.value) if keyword.arg == "key" and isinstance(func, ast.Name) else "", "is called")
            case _:
                pass
    return asked


def known_names(modules: dict[str, str], *, portable: bool) -> frozenset[str] | None:
    """Attributes that some value made from data has; None where nobody can list them."""
    if portable:
        return DATA_NAMES
    if {name.split(".")[0] for name in modules.values()} & _OPEN_LIBRARIES:
        return None
    return DATA_NAMES | _LIBRARY_NAMES


def known_values(modules: dict[str, str], *, portable: bool) -> frozenset[str] | None:
    """Attributes that some value made from data has, without methods; None where nobody can list them."""
    known = known_names(modules, portable=portable)
    return None if known is None else DATA_VALUES if portable else (known - DATA_NAMES) | DATA_VALUES


def closed_class(argument: ast.arg) -> str:
    """The class that a parameter is declared to hold and that no data makes; empty where some data does.

    Example:
        >>> closed_class(ast.parse("def f(a: dict[str, Callable | None], b: str | Pattern): ...").body[0].args.args[0])
        ''
        >>> closed_class(ast.parse("def f(a: list[Pattern[str]]): ...").body[0].args.args[0])
        'Pattern'
    """
    return _closed(argument.annotation) if argument.annotation is not None else ""


def _closed(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            try:
                return _closed(ast.parse(text, mode="eval").body)
            except SyntaxError:
                return ""
        case ast.Name() | ast.Attribute():
            name = last_name(node)
            return name if name in _CLOSED_CLASSES else ""
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _closed_ways([left, right])
        case ast.Subscript(value=value, slice=index):
            arguments = index.elts if isinstance(index, ast.Tuple) else [index]
            match last_name(value):
                case name if name in _CLOSED_CLASSES:
                    return name
                case "Union":
                    return _closed_ways(arguments)
                case "Optional" | "Literal":
                    return ""
                case "Annotated":
                    return _closed(arguments[0])
                case _:
                    return next((name for name in map(_closed, arguments) if name), "")
        case _:
            return ""


def _closed_ways(nodes: Sequence[ast.expr]) -> str:
    """As `closed_class`, of a kind that is one of several."""
    found = [_closed(node) for node in nodes]
    return found[0] if all(found) else ""


def _stays_out(tree: FunctionNode, argument: ast.arg) -> bool:
    """Whether a call can leave a parameter out: it has a default, and nothing behind it is given by its place."""
    if not _defaulted(tree, argument.arg):
        return False
    behind = list(tree.args.args)
    while behind and behind[-1] is not argument and closed_class(behind[-1]) and _defaulted(tree, behind[-1].arg):
        behind.pop()
    return argument not in behind or behind[-1] is argument or _may_be_none(tree, argument.arg)


def _default_of(tree: FunctionNode, name: str) -> ast.expr | None:
    arguments = tree.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(reversed(positional), reversed(arguments.defaults), strict=False)]
    pairs += [
        (argument, default)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    ]
    return next((default for argument, default in pairs if argument.arg == name), None)


def _defaulted(tree: FunctionNode, name: str) -> bool:
    return _default_of(tree, name) is not None


def _may_be_none(tree: FunctionNode, name: str) -> bool:
    """Whether a parameter has a default that data can be: the function may do without the object."""
    default = _default_of(tree, name)
    return default is not None and isinstance(default, (ast.Constant, ast.Tuple, ast.List, ast.Dict))


def _guarded(tree: FunctionNode, roots: _Roots) -> set[str]:
    """Parameters that the function itself asks what they are."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="hasattr" | "isinstance" | "callable" | "type" | "issubclass"), args=args):
                found.update(roots.of(argument) for argument in args[:1])
            case ast.Call(func=ast.Name(id="getattr"), args=[first, _, _]):
                found.add(roots.of(first))
            case _:
                pass
    return found - {""}


def _certain(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of a function that no handler of AttributeError and no earlier operand keeps from failing it."""
    for statement in body:
        yield from _certain_nodes(statement)


def _certain_nodes(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            names = {
                name
                for handler in handlers
                for name in (class_names(handler.type) if handler.type is not None else [""])
            }
            if not names & _ATTRIBUTE_ERRORS:
                yield from _certain(body)
            for handler in handlers:
                yield from _certain(handler.body)
            yield from _certain([*orelse, *final])
        case ast.BoolOp(values=[first, *_]):
            # Only the first operand is looked at whatever happens.
            yield from _certain_nodes(first)
        case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return
        case _:
            yield node
            for child in ast.iter_child_nodes(node):
                yield from _certain_nodes(child)


def needed_by_test(tree: FunctionNode, modules: dict[str, str], line: int, outcome: str, *, portable: bool) -> str:
    """What the test in a line would need of a parameter to have an outcome, where data cannot have it; else empty.

    Args:
        tree: The function, with the lines of the program.
        modules: Names bound by imports, to what they stand for.
        line: Line of the branch.
        outcome: "true" or "false".
        portable: Arguments are what five languages share, without library values.
    """
    roots = _Roots(tree)
    known = known_names(modules, portable=portable)
    for node in ast.walk(tree):
        if not isinstance(node, (ast.If, ast.While, ast.IfExp)) or node.lineno != line:
            continue
        found = _Tests(roots, known).need(node.test, outcome == "true")
        if found:
            return found
        if isinstance(node, ast.If):
            asked = _asked(tree, roots, known, node.body if outcome == "true" else node.orelse)
            if asked:
                name = next(iter(asked))
                return f"{name}: {', '.join(dict.fromkeys(asked[name]))}"
    return ""


class _Tests:
    def __init__(self, roots: _Roots, known: frozenset[str] | None) -> None:
        self.roots = roots
        self.known = known

    def need(self, test: ast.expr, truth: bool) -> str:
        """What a test needs to come out so, where data cannot have it."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.need(operand, not truth)
            case ast.BoolOp(op=op, values=values):
                needs = [self.need(value, truth) for value in values]
                # One impossible operand decides `and` that shall be true and `or` that shall be false.
                alone = isinstance(op, ast.And) == truth
                return next(filter(None, needs), "") if alone or all(needs) else ""
            case _ if not truth:
                return ""
            case ast.Call(func=ast.Name(id="callable"), args=[value]):
                return self._named(value, "a callable")
            case ast.Call(func=ast.Name(id="isinstance"), args=[value, classes]):
                return self._named(value, self._foreign(classes))
            case ast.Call(func=ast.Name(id="issubclass"), args=[value, _]):
                return self._named(value, "a class")
            case ast.Call(func=ast.Name(id="hasattr"), args=[value, ast.Constant(value=str(name))]):
                return self._named(value, f"attribute '{name}'" if self.known and name not in self.known else "")
            case ast.Call(func=ast.Attribute(attr=name), args=[value]) if re.match(
                r"is(function|class|module|method)", name
            ):
                return self._named(value, name.removeprefix("is"))
            case ast.Compare(left=left, ops=[ast.Is()], comparators=[right]):
                return self._identity(left, right) or self._identity(right, left)
            case _:
                return ""

    def _named(self, value: ast.expr, what: str) -> str:
        root = self.roots.of(value)
        return f"{root}: {what}" if root and what else ""

    def _foreign(self, classes: ast.expr) -> str:
        names = class_names(classes)
        if not names or any(name in CLASS_KINDS or name in _GENERAL_CLASSES for name in names):
            # "Iterator" is among the kinds that use knows, yet no data is one.
            return "an iterator" if names == ["Iterator"] else ""
        # A name that the function binds itself may stand for anything.
        if any(not (name[:1].isupper() or name in {"type", "memoryview"}) and "_" not in name for name in names):
            return ""
        return (
            " or ".join(names[:3]) if all(name[0].isupper() or name in {"type", "memoryview"} for name in names) else ""
        )

    def _identity(self, left: ast.expr, right: ast.expr) -> str:
        match left, right:
            case ast.Call(func=ast.Name(id="iter"), args=[value]), _ if ast.dump(value) == ast.dump(right):
                return self._named(value, "an iterator")
            case value, (ast.Constant(value=constant)) if constant is ...:
                return self._named(value, "Ellipsis")
            case ast.Call(func=ast.Name(id="type"), args=[value]), ast.Name(id=name) if name in self.roots.parameters:
                return f"{name}: a class" if self.roots.of(right) == name else ""
            case _:
                return ""


def missing_attribute(note: str, *, modules: dict[str, str], portable: bool) -> str:
    """The attribute of which an error says that data lacks it, where no value made from data has it; else empty.

    Example:
        >>> missing_attribute("AttributeError: 'dict' object has no attribute 'tag'", modules={}, portable=True)
        'tag'
    """
    known = known_names(modules, portable=portable)
    found = _MISSING_ATTRIBUTE.match(note)
    data = {kind.__name__ for kind in (*_DATA_TYPES, *_LIBRARY_TYPES)}
    if found is None or known is None or found[1] not in data or found[2] in known:
        return ""
    return found[2]
