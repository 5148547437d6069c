"""Errors that end in another way than by leaving, though a program catches none.

The language takes some errors for answers: StopIteration ends what goes through an iterator, IndexError what goes
through `__getitem__`, KeyError keeps the character that `translate` asks for, AttributeError sends `getattr` to its
default. Who is asked by the language or by a library stands where such an error may go no further, and so does what it
calls.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable

from pbt_generator.domain.oracle.driver import driver_of
from pbt_generator.domain.oracle.syntax import FunctionNode, functions_of, last_name, spelled, statements_of

Errors = tuple[type[BaseException], ...]
# The language takes these for answers in some places.
SWALLOWED: Errors = (
    AttributeError, TypeError, LookupError, StopIteration, StopAsyncIteration, GeneratorExit, ImportError,
    RecursionError,
)  # fmt: skip
# What programs import whose errors leave it as they came: no code of these catches what a call of theirs raises, but
# what the language takes for an answer.
_LETTING = {
    "__future__", "typing", "typing_extensions", "collections", "dataclasses", "enum", "abc", "re", "math", "string",
    "itertools", "functools", "operator", "unicodedata", "datetime", "decimal", "fractions", "textwrap", "html",
    "urllib", "base64", "bisect", "heapq", "numbers", "types",
}  # fmt: skip
# Bases that call none of their methods by name but those of the language's protocols.
QUIET_BASES = {
    "object", "str", "int", "float", "bytes", "list", "dict", "tuple", "set", "frozenset", "Enum", "IntEnum", "StrEnum",
    "Flag", "IntFlag", "NamedTuple", "TypedDict", "Generic", "Protocol", "ABC",
}  # fmt: skip
PLAIN_DECORATORS = {
    "property", "staticmethod", "classmethod", "cached_property", "lru_cache", "cache", "overload", "abstractmethod",
    "override", "final", "dataclass", "total_ordering", "unique", "setter", "getter", "deleter",
}  # fmt: skip
_ABSTRACT = {"ABCMeta", "abc.ABCMeta"}
_ANY: Errors = (BaseException,)
_NONE: Errors = ()
_ENDS: Errors = (StopIteration, StopAsyncIteration, GeneratorExit)
_ATTRIBUTES = {"property", "cached_property", "getter", "abstractproperty"}
_LETTING_DECORATORS = PLAIN_DECORATORS - _ATTRIBUTES | {"wraps", "contextmanager", "singledispatch", "register"}
# What a method is asked by, and what raises there for an answer.
_ASKED: dict[str, Errors] = {
    "__next__": (StopIteration,), "__anext__": (StopAsyncIteration,), "__getitem__": (IndexError, StopIteration),
    "__del__": _ANY,
    **dict.fromkeys(("__getattr__", "__getattribute__", "__get__"), (AttributeError,)),
    **dict.fromkeys(
        ("__len__", "__length_hint__", "__iter__", "__index__", "__int__", "__float__", "__hash__"), (TypeError,)
    ),
}  # fmt: skip
# Methods that the language calls and whose errors it lets through.
_LET_THROUGH = re.compile(
    r"__(?:init|new|post_init|init_subclass|set_name|class_getitem|str|repr|format|bool|call|contains|reversed|copy"
    r"|deepcopy|reduce|reduce_ex|getstate|setstate|getnewargs|getnewargs_ex|missing|enter|exit|setitem|delitem"
    r"|setattr|delattr|set|delete|eq|ne|lt|le|gt|ge|neg|pos|abs|invert"
    r"|round|floor|ceil|trunc|[ir]?(?:add|sub|mul|matmul|truediv|floordiv|mod|divmod|pow|lshift|rshift|and|xor|or))__"
)
# Making an object runs these.
_MAKING = ("__init__", "__new__", "__post_init__")
# They make a function what the language asks.
_INSTALLING = {"property", "cached_property", "partialmethod", "setattr", "type", "new_class", "__setattr__"}
# Who asks a map by these takes KeyError for an answer, and who goes through something backwards IndexError.
_ASKING_MAPS = {"ChainMap", "eval", "exec", "translate", "safe_substitute", "charmap_encode", "charmap_decode"}
_BACKWARDS = {"reversed"}
# Who writes a line of a log, or shows a value, goes on where its text cannot be made.
_SHOWING = {"__str__", "__repr__", "__format__"}
# What the words of an error are made with.
_SAYING = {"str", "repr", "len", "type", "isinstance", "format"}
_WORDS = (
    ast.Constant, ast.Name, ast.Attribute, ast.JoinedStr, ast.FormattedValue, ast.Tuple, ast.BinOp, ast.operator,
    ast.UnaryOp, ast.unaryop, ast.BoolOp, ast.boolop, ast.Compare, ast.cmpop, ast.IfExp, ast.expr_context, ast.Call,
    ast.keyword,
)  # fmt: skip
# Where a function is kept that stands there, and what holds it on the way.
_KEEPING = (ast.Return, ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Lambda, ast.Yield)
_HOLDING = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.IfExp, ast.BoolOp, ast.keyword)
_FunctionLike = FunctionNode | ast.Lambda


class Swallowing:
    """Which functions of a program stand where an error may be taken for an answer, and which errors these are.

    Args:
        module: The program. A driver of a class lets through what the class raises.
    """

    def __init__(self, module: ast.Module) -> None:
        # Kept, so that no other node gets the identity of one of these.
        self._nodes = list(ast.walk(module))
        self._classes = {node.name: node for node in self._nodes if isinstance(node, ast.ClassDef)}
        self._named: dict[str, list[FunctionNode]] = {}
        self._owners: dict[int, ast.ClassDef] = {}
        for node in self._nodes:
            if isinstance(node, FunctionNode):
                for name in spelled(node.name):
                    self._named.setdefault(name, []).append(node)
            if isinstance(node, ast.ClassDef):
                self._owners |= {id(each): node for each in functions_of(node)}
        self._libraries = _imported(self._nodes)
        self._foreign = any(isinstance(node, ast.Import | ast.ImportFrom) and not lets(node) for node in self._nodes)
        self._said = {name for node in self._nodes if isinstance(node, ast.expr) for name in spelled(last_name(node))}
        # Whether any error may be one that ends what goes through an iterator.
        self.ends_said = bool(self._said & {each.__name__ for each in _ENDS})
        driven = [node for node in self._nodes if isinstance(node, FunctionNode) and driver_of(node) is not None]
        self._driving = {id(inner) for node in driven for inner in ast.walk(node)}
        self._taken: dict[int, Errors] = {}
        self._find()

    def taken(self, function: ast.AST) -> Errors:
        """The errors of a function that may go no further than to who asks it."""
        return self._taken.get(id(function), _NONE)

    def takes(self, function: ast.AST, error: type[BaseException]) -> bool:
        """Whether an error of a function may go no further than to who asks it."""
        return issubclass(error, self.taken(function))

    def leaves(self, function: ast.AST, statement: ast.stmt) -> bool:
        """Whether what a statement of a function raises leaves who asks the function, whoever that is."""
        taken = self.taken(function)
        ending = self.ends_said and self._asked_by_some(function)
        for node in ast.walk(statement):
            match node:
                case ast.Raise(exc=exc):
                    error = None if exc is None else self._error(exc)
                    if taken and (error is None or issubclass(error, taken)):
                        return False
                    # Who calls a function need not be who goes through something by it.
                    if ending and exc is not None and (error is None or issubclass(error, _ENDS)):
                        return False
                case ast.Assert() if issubclass(AssertionError, taken):
                    return False
                case _:
                    pass
        return not taken or all(self._cannot_fail(node, taken) for node in ast.walk(statement))

    def _asked_by_some(self, function: ast.AST) -> bool:
        """Whether anything in the program may ask a function."""
        return not isinstance(function, FunctionNode) or bool(
            id(function) in self._owners or spelled(function.name) & self._said
        )

    def _find(self) -> None:
        handed = self._handed_on()
        functions = [node for node in self._nodes if isinstance(node, _FunctionLike)]
        for node in functions:
            found = handed.get(id(node), _NONE)
            if isinstance(node, FunctionNode):
                found += self._decorated(node) + self._asked(node)
                found += _ANY if isinstance(node, ast.AsyncFunctionDef) else _NONE
            if found:
                self._taken[id(node)] = found
        waiting = [node for node in functions if id(node) in self._taken]
        while waiting:
            node = waiting.pop()
            spread = self._taken[id(node)]
            for name in _mentions(node):
                for called in self._called(name):
                    before = self.taken(called)
                    if called is not node and not {*spread} <= {*before}:
                        self._taken[id(called)] = (*before, *(each for each in spread if each not in before))
                        waiting.append(called)

    def _by_name(self, name: str) -> list[FunctionNode]:
        return list({id(each): each for one in spelled(name) for each in self._named.get(one, ())}.values())

    def _called(self, node: ast.Name | ast.Attribute) -> list[FunctionNode]:
        """The functions that a name stands for: a method behind a point, any other without one."""
        name = last_name(node)
        behind = isinstance(node, ast.Attribute)
        found = [each for each in self._by_name(name) if (id(each) in self._owners) is behind]
        owner = self._classes.get(name)
        if owner is not None and not behind:
            found += [each for each in functions_of(owner) if each.name in _MAKING]
        return found

    def _handed_on(self) -> dict[int, Errors]:
        """What becomes of errors of functions that are named, or written, where nothing calls them."""
        parents = {id(child): node for node in self._nodes for child in ast.iter_child_nodes(node)}
        bodies = {id(each) for owner in self._classes.values() for each in statements_of(owner.body)}
        found: dict[int, Errors] = {}
        for node in self._nodes:
            if id(node) in self._driving or not isinstance(node, (ast.Name, ast.Attribute, ast.Lambda)):
                continue
            below, holder = _holder(node, parents)
            if isinstance(holder, ast.Call):
                taken = self._given_to(holder.func) if below is not holder.func else _NONE
            elif isinstance(holder, _KEEPING) and not (isinstance(holder, ast.AnnAssign) and below is not holder.value):
                taken = SWALLOWED if id(holder) in bodies and holder is parents.get(id(node)) else _NONE
                taken += _ANY if self._foreign else _NONE
            else:
                taken = _NONE
            called = [node] if isinstance(node, ast.Lambda) else self._called(node) if taken else []
            if id(holder) in bodies:
                called += self._by_name(last_name(node))
            for each in called if taken else []:
                found[id(each)] = found.get(id(each), _NONE) + taken
        return found

    def _given_to(self, function: ast.expr) -> Errors:
        """What becomes of errors of a function that is given to another one."""
        name = last_name(function)
        if name in _INSTALLING:
            return SWALLOWED
        plain = name == "sort" or (isinstance(function, ast.Name) and hasattr(builtins, name))
        return _ANY if self._foreign and (not plain or name in self._named) else _NONE

    def _decorated(self, node: FunctionNode) -> Errors:
        found = _NONE
        for each in node.decorator_list:
            name = last_name(each.func if isinstance(each, ast.Call) else each)
            if name in _ATTRIBUTES:
                found += (AttributeError,)
            elif name not in _LETTING_DECORATORS and name not in self._named:
                found += _ANY
        return found

    def _asked(self, node: FunctionNode) -> Errors:
        owner = self._owners.get(id(node))
        if owner is None:
            return _NONE
        found = self._of_class(owner, frozenset())
        if node.name == "__getitem__" and "__iter__" in self._methods(owner) and not self._said & _BACKWARDS:
            # What goes through it asks for an iterator.
            found += _NONE
        elif node.name in _ASKED:
            found += _ASKED[node.name]
        elif re.fullmatch("__.+__", node.name) and not _LET_THROUGH.fullmatch(node.name):
            found += SWALLOWED
        if node.name in {"__getitem__", "__missing__"} and (self._foreign or self._said & _ASKING_MAPS):
            found += (LookupError,)
        if node.name in _SHOWING and self._foreign:
            found += _ANY
        return found

    def _methods(self, owner: ast.ClassDef, depth: int = 0) -> set[str]:
        """The names of the methods of a class, with those of its bases in the program."""
        found = {each.name for each in functions_of(owner)}
        for base in owner.bases:
            known = self._classes.get(last_name(base))
            if known is not None and depth < len(self._classes):
                found |= self._methods(known, depth + 1)
        return found

    def _of_class(self, owner: ast.ClassDef, seen: frozenset[str]) -> Errors:
        """What becomes of errors of any method of a class: its bases and what makes it may ask for it by name."""
        plain = {last_name(each.func if isinstance(each, ast.Call) else each) for each in owner.decorator_list}
        if not plain <= PLAIN_DECORATORS or made_otherwise(owner):
            return _ANY
        found = _NONE
        for base in owner.bases:
            name = last_name(base.value if isinstance(base, ast.Subscript) else base)
            known = self._classes.get(name)
            if known is not None:
                found += self._of_class(known, seen | {name}) if name not in seen else _NONE
            elif name not in QUIET_BASES and builtin_error(name) is None:
                letting = self._libraries.get(name, "") in _LETTING or (
                    isinstance(base, ast.Attribute) and self._libraries.get(last_name(base.value), "") in _LETTING
                )
                found += SWALLOWED if letting or hasattr(builtins, name) else _ANY
        return found

    def _error(self, node: ast.expr) -> type[BaseException] | None:
        named = node.func if isinstance(node, ast.Call) else node
        return error_class(named.id, self._classes) if isinstance(named, ast.Name) else None

    def _cannot_fail(self, node: ast.AST, taken: Errors) -> bool:
        """Whether a part of a statement fails with none of these errors, as far as its form tells."""
        match node:
            case ast.Call(func=func):
                return (isinstance(func, ast.Name) and func.id in _SAYING) or self._error(func) is not None
            case ast.BinOp() | ast.Compare():
                return not issubclass(TypeError, taken)
            case ast.Raise() | ast.If() | ast.Pass() | ast.Expr() | ast.Assert():
                return True
            case ast.Assign(targets=targets):
                return all(isinstance(target, ast.Name) for target in targets)
            case _:
                return isinstance(node, _WORDS)


def _mentions(node: ast.AST) -> Iterable[ast.Name | ast.Attribute]:
    return (inner for inner in ast.walk(node) if isinstance(inner, (ast.Name, ast.Attribute)))


def _holder(node: ast.AST, parents: dict[int, ast.AST]) -> tuple[ast.AST, ast.AST | None]:
    """What a value is given to or kept by, and the part of it that the value lies in."""
    below, holder = node, parents.get(id(node))
    while isinstance(holder, _HOLDING):
        below, holder = holder, parents.get(id(holder))
    return below, holder


def _imported(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """The first part of the module that each imported name is of."""
    found: dict[str, str] = {}
    for node in nodes:
        match node:
            case ast.Import(names=names):
                found |= {each.asname or each.name.partition(".")[0]: each.name.partition(".")[0] for each in names}
            case ast.ImportFrom(module=source, level=0, names=names):
                found |= {each.asname or each.name: (source or "").partition(".")[0] for each in names}
            case _:
                pass
    return found


def lets(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether what is imported catches nothing that is called through it raises, but what the language answers with."""
    if isinstance(node, ast.Import):
        return all(each.name.partition(".")[0] in _LETTING for each in node.names)
    return node.level == 0 and (node.module or "").partition(".")[0] in _LETTING


def builtin_error(name: str) -> type[BaseException] | None:
    """The builtin class of errors of a name."""
    found: object = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def error_class(name: str, known: dict[str, ast.ClassDef], depth: int = 0) -> type[BaseException] | None:
    """The builtin class of errors that a name stands for, or that its class in the program comes from alone.

    Example:
        >>> own = {node.name: node for node in ast.parse("class A(KeyError): pass\\nclass B(A): pass").body}
        >>> error_class("B", own), error_class("ValueError", own), error_class("C", own)
        (<class 'KeyError'>, <class 'ValueError'>, None)
    """
    node = known.get(name)
    if node is None:
        return builtin_error(name)
    match node.bases:
        case [ast.Name(id=base)] if base == name:
            return builtin_error(base)
        case [ast.Name(id=base)] if depth < len(known):
            return error_class(base, known, depth + 1)
        case _:
            return None


def made_otherwise(node: ast.ClassDef) -> bool:
    """Whether something but the language, or its class of abstract classes, makes a class."""
    return not all(each.arg == "metaclass" and ast.unparse(each.value) in _ABSTRACT for each in node.keywords)


__all__ = [
    "PLAIN_DECORATORS",
    "QUIET_BASES",
    "SWALLOWED",
    "Swallowing",
    "builtin_error",
    "error_class",
    "lets",
    "made_otherwise",
]
