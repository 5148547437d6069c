"""Literals that a program keeps outside of what runs: constants of the module and of classes, defaults and fields.

They decide as much as those written in place. What keeps them is made before any mutant runs, so that a mutant has
another one wherever it is read, and wherever a call leaves it to the default.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pbt_generator.domain.oracle.mutation.attributes import Attributes, attributes_of
from pbt_generator.domain.oracle.mutation.constants import Change, constants_of, near_constants, sets_of_characters
from pbt_generator.domain.oracle.proofs.handing import NAMES_OF_KINDS
from pbt_generator.domain.oracle.syntax import FunctionNode, bound_names, functions_of, last_name

_BOUND_TO_CLASS = {"staticmethod", "classmethod"}
_ITSELF = {"self", "cls"}
# Their members have the value that is written down, unless the class itself says how one is made.
_ENUMERATIONS = {"Enum", "IntEnum", "StrEnum"}
_OF_MEMBERS = {"__new__", "__init__", "value", "_generate_next_value_"}
_Default = tuple[str, ast.expr]


def _itself(value: ast.expr) -> ast.expr:
    return value


@dataclass(frozen=True)
class Place:
    """A place where a kept literal counts.

    Attributes:
        key: What keeps it, one for all of its places.
        line: The line where it is kept.
        changes: What a mutant says of it, and the literal that it has.
        saying: Gives what a mutant has in this place, of its literal.
        asked: The question whether it is this literal that counts here; None where it can be no other.
    """

    key: str
    line: int
    changes: tuple[Change, ...]
    saying: Callable[[ast.expr], ast.expr] = _itself
    asked: ast.expr | None = None


@dataclass(frozen=True)
class _Called:
    """A function, a method or a class as calls see it: all parameters by place, and those that have a default."""

    placed: tuple[str, ...]
    defaults: tuple[_Default, ...]
    line: int


class Kept:
    """What one program keeps.

    Args:
        module: The program, as it was written.
    """

    def __init__(self, module: ast.Module) -> None:
        self._constants = constants_of(module)
        bound = bound_names(module)
        classes = [node for node in module.body if isinstance(node, ast.ClassDef) and bound[node.name] == 1]
        self._classes = {node.name for node in classes}
        self._attributes = Attributes(module)
        self._members: dict[tuple[str, str], tuple[int, list[Change]]] = {}
        self._functions: dict[str, _Called] = {}
        self._methods: dict[str, _Called] = {}
        for node in module.body:
            match node:
                case ast.FunctionDef(name=name, decorator_list=[]) if bound[name] == 1:
                    self._functions[name] = _of_function(node, skipped=0)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value) if bound[name] == 1:
                    self._functions[name] = _of_function(value, skipped=0)
                case _:
                    pass
        self._uses, self._sets = _uses(module), sets_of_characters(module)
        defined = Counter(node.name for node in ast.walk(module) if isinstance(node, FunctionNode))
        for node in classes:
            if _is_enumeration(node):
                self._members |= {(node.name, name): (line, others) for name, line, others in attributes_of(node)}
            made = _of_class(node)
            if made is not None:
                self._functions[node.name] = made
            for method in functions_of(node):
                told = {last_name(each) for each in method.decorator_list}
                if defined[method.name] == 1 and told <= _BOUND_TO_CLASS and not method.name.startswith("__"):
                    self._methods[method.name] = _of_function(method, skipped=0 if "staticmethod" in told else 1)

    def places(self, node: ast.expr) -> Iterator[Place]:
        """The kept literals that count where an expression stands."""
        match node:
            case ast.Name(id=name) if name in self._constants:
                line, others = self._constants[name]
                yield Place(name, line, _named(name, others))
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=owner), attr=name), attr="value") if (
                owner,
                name,
            ) in self._members:
                line, others = self._members[owner, name]
                yield Place(f"{owner}.{name}", line, _named(f"{owner}.{name}.value", others))
            case ast.Attribute(attr=name):
                for keeper, line, others, question in self._attributes.kept(node):
                    yield Place(f".{keeper}.{name}", line, _named(name, others), asked=question)
            case ast.Call(func=ast.Name(id=name)) if name in self._functions:
                yield from self._left_to_it(node, name, self._functions[name])
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in self._methods:
                # A list's `pop` takes no defaults of the program's.
                is_own = name not in NAMES_OF_KINDS or last_name(owner) in _ITSELF
                if is_own and last_name(owner) not in self._classes:
                    yield from self._left_to_it(node, name, self._methods[name])
            case _:
                pass

    def left(self, function: FunctionNode | ast.Lambda, above: ast.AST | None) -> frozenset[str]:
        """The parameters of a function that stands in another one which some call of it may leave to their defaults.

        Args:
            function: The function.
            above: What it stands in.
        """
        name, skipped = "", 0
        match above, function:
            case ast.ClassDef(), ast.FunctionDef() | ast.AsyncFunctionDef():
                name = above.name if function.name == "__init__" else function.name
                skipped = 0 if any(last_name(each) == "staticmethod" for each in function.decorator_list) else 1
            case _, ast.FunctionDef() | ast.AsyncFunctionDef():
                name = function.name
            case ast.Assign(targets=[ast.Name(id=given)]), _:
                name = given
            case _:
                pass
        placed = [each.arg for each in (*function.args.posonlyargs, *function.args.args)][skipped:]
        given = [None if call is None else _given(call, placed) for call in self._uses.get(name, [None])]
        parameters = [*placed, *(each.arg for each in function.args.kwonlyargs)]
        return frozenset(each for each in parameters if any(known is None or each not in known for known in given))

    def _left_to_it(self, call: ast.Call, name: str, called: _Called) -> Iterator[Place]:
        """The defaults that a call takes, each with the calls that say another value."""
        given = _given(call, called.placed)
        if given is None:
            return
        for parameter, default in called.defaults:
            others = near_constants(default, characters=parameter in self._sets)
            if isinstance(default, ast.Name) and default.id in self._constants:
                others = self._constants[default.id][1]
            if parameter not in given and others:
                changes = tuple((f"{name}({parameter}{words})", other) for words, other in others)
                yield Place(f"{name}({parameter})", called.line, changes, partial(_saying, call, parameter))


def _uses(module: ast.Module) -> dict[str, list[ast.Call | None]]:
    """Where a program names something: the call of it, None where it is not called there."""
    calls = {id(node.func): node for node in ast.walk(module) if isinstance(node, ast.Call)}
    found: dict[str, list[ast.Call | None]] = {}
    for node in ast.walk(module):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            found.setdefault(last_name(node), []).append(calls.get(id(node)))
    return found


def _given(call: ast.Call, placed: Sequence[str]) -> set[str] | None:
    """The parameters that a call gives a value; None where that is not known."""
    if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
        return None
    return {*placed[: len(call.args)], *(each.arg for each in call.keywords if each.arg)}


def _named(name: str, others: Sequence[Change]) -> tuple[Change, ...]:
    return tuple((f"{name}{words}", other) for words, other in others)


def _saying(call: ast.Call, parameter: str, value: ast.expr) -> ast.Call:
    changed = copy.deepcopy(call)
    changed.keywords.append(ast.keyword(parameter, value))
    return changed


def _is_enumeration(node: ast.ClassDef) -> bool:
    """Whether a class has members whose values are those that are written down."""
    own = {each.name for each in functions_of(node)}
    bases = {last_name(base) for base in node.bases}
    told = {last_name(each) for each in node.decorator_list}
    return not (node.keywords or told - {"unique"} or own & _OF_MEMBERS) and len(bases) > 0 and bases <= _ENUMERATIONS


def _of_function(node: FunctionNode | ast.Lambda, *, skipped: int) -> _Called:
    """A function as calls see it that give its first parameters by themselves."""
    arguments = node.args
    placed = [*arguments.posonlyargs, *arguments.args]
    pairs = list(zip(reversed(placed), reversed(arguments.defaults), strict=False))
    pairs += [(each, value) for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value]
    alone = {each.arg for each in arguments.posonlyargs}
    defaults = tuple((each.arg, value) for each, value in pairs if each.arg not in alone)
    return _Called(tuple(each.arg for each in placed[skipped:]), defaults, node.lineno)


def _of_class(node: ast.ClassDef) -> _Called | None:
    """A class as calls see it that make its objects; None where that is not known."""
    functions = {each.name: each for each in functions_of(node)}
    bases = [last_name(base) for base in node.bases]
    told = [last_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list]
    enumerated = any(base.endswith(("Enum", "Flag")) for base in bases)
    if node.keywords or enumerated or "__new__" in functions:
        return None
    made = functions.get("__init__")
    if made is not None:
        return _of_function(made, skipped=1) if not made.decorator_list and told in ([], ["dataclass"]) else None
    if (told, bases) not in ((["dataclass"], []), ([], ["NamedTuple"])) or _asks(node.decorator_list):
        return None
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
    if any("ClassVar" in ast.unparse(each.annotation) or isinstance(each.value, ast.Call) for each in fields):
        return None
    names = [each.target.id for each in fields if isinstance(each.target, ast.Name)]
    defaults = [(name, each.value) for name, each in zip(names, fields, strict=True) if each.value is not None]
    return _Called(tuple(names), tuple(defaults), node.lineno)


def _asks(decorators: Sequence[ast.expr]) -> bool:
    """Whether a decorator says how objects are made."""
    return any(
        each.arg in {"init", "kw_only"} for node in decorators if isinstance(node, ast.Call) for each in node.keywords
    )


__all__ = ["Kept", "Place"]
