"""What the known kinds of parameters decide: tests of them that have one outcome, and what stands behind these.

Only names that nothing has given another value yet are read, and an input of another kind is never a case. Kinds are
known where they are declared, and where a task is for five languages: no case of it holds what these do not share.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from pbt_generator.domain.oracle.proofs.flow import Flow
from pbt_generator.domain.oracle.proofs.reachability import constant_truth, leaves
from pbt_generator.domain.oracle.syntax import NO_LITERAL, FunctionNode, bound_names, called_as, class_nodes, named_as

# Kinds of values per parameter.
Kinds = Mapping[str, frozenset[str]]
_CLASSES: dict[str, frozenset[str]] = {
    "str": frozenset({"str"}), "bytes": frozenset({"bytes"}), "bool": frozenset({"bool"}),
    "int": frozenset({"int", "bool"}), "float": frozenset({"float"}), "list": frozenset({"list"}),
    "tuple": frozenset({"tuple"}), "dict": frozenset({"dict"}), "set": frozenset({"set"}),
    "frozenset": frozenset({"set"}),
}  # fmt: skip
# Kinds of all inputs of a task for five languages: whatever else a program may be given by others, no case holds it.
SHARED = frozenset({"none", "bool", "int", "float", "str", "list", "tuple", "dict", "deque"})
# Classes of builtins that no value of a plain kind is of.
_OTHER = {
    "bytearray": frozenset({"bytearray"}), "memoryview": frozenset({"memoryview"}), "complex": frozenset({"complex"}),
    "type": frozenset({"type"}), "range": frozenset({"range"}), "slice": frozenset({"slice"}),
}  # fmt: skip
# Classes of libraries that no value of a plain kind is of, by their modules. Abstract ones, of which a plain value may
# be one, are not here.
_LIBRARY = {
    "re": {"Pattern", "Match"},
    "typing": {"Pattern", "Match", "Callable", "Iterator", "Generator", "Awaitable", "Coroutine"},
    "collections.abc": {"Callable", "Iterator", "Generator", "Awaitable", "Coroutine", "AsyncIterator"},
    "datetime": {"date", "datetime", "time", "timedelta", "tzinfo", "timezone"},
    "decimal": {"Decimal"}, "fractions": {"Fraction"}, "enum": {"Enum", "IntEnum", "Flag"}, "uuid": {"UUID"},
    "pathlib": {"Path", "PurePath", "PosixPath", "PurePosixPath"}, "os": {"PathLike"},
    "io": {"IOBase", "TextIOBase", "StringIO", "BytesIO", "TextIOWrapper", "RawIOBase", "BufferedIOBase"},
    "types": {"FunctionType", "MethodType", "LambdaType", "ModuleType", "GeneratorType", "BuiltinFunctionType"},
    "functools": {"partial"}, "array": {"array"},
}  # fmt: skip
# The kind of what no plain value is.
_NONE = frozenset({"no plain value"})
_SIZED = frozenset({"str", "bytes", "list", "tuple", "dict", "deque", "set"})
_SEQUENCE = frozenset({"str", "bytes", "list", "tuple", "deque"})
# Abstract classes that plain values are of, by their modules.
_ABSTRACT = {
    "Sized": _SIZED, "Iterable": _SIZED, "Container": _SIZED, "Collection": _SIZED, "Sequence": _SEQUENCE,
    "MutableSequence": frozenset({"list", "deque"}), "Mapping": frozenset({"dict"}),
    "MutableMapping": frozenset({"dict"}), "Set": frozenset({"set"}), "MutableSet": frozenset({"set"}),
}  # fmt: skip
_NUMBERS = {
    "Number": frozenset({"int", "bool", "float"}), "Complex": frozenset({"int", "bool", "float"}),
    "Real": frozenset({"int", "bool", "float"}), "Rational": frozenset({"int", "bool"}),
    "Integral": frozenset({"int", "bool"}),
}  # fmt: skip
# The kinds of plain values that are of each class of a library.
_OF_LIBRARIES: dict[str, dict[str, frozenset[str]]] = {
    **{library: dict.fromkeys(names, _NONE) for library, names in _LIBRARY.items()},
    "collections.abc": {**dict.fromkeys(_LIBRARY["collections.abc"], _NONE), **_ABSTRACT},
    "typing": {**dict.fromkeys(_LIBRARY["typing"], _NONE), **_ABSTRACT},
    "numbers": _NUMBERS,
}
# The builtin types of each kind, for what attributes they have.
_TYPES: dict[str, tuple[type, ...]] = {
    "none": (type(None),), "bool": (bool,), "int": (int,), "float": (float,), "str": (str,), "bytes": (bytes,),
    "list": (list,), "tuple": (tuple,), "dict": (dict, OrderedDict, Counter, defaultdict), "deque": (deque,),
    "set": (set, frozenset),
}  # fmt: skip
_SHOWN = {"str", "repr"}
_TABLES = {"numpy", "pandas", "scipy", "np", "pd"}
# By these a class of the program's own says what it is rounded to.
_ROUNDED = {"__round__", "__floor__", "__ceil__", "__trunc__"}
# Where these are done all of their parts are.
_DONE_WHOLE = (
    ast.Return, ast.Assign, ast.Expr, ast.Call, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Tuple,
    ast.List, ast.Starred, ast.keyword,
)  # fmt: skip
# Whoever has these reaches every name.
_ALL_NAMES = {"globals", "eval", "exec"}


class Declared:
    """The declared kinds of one function's parameters, where they still are what came in.

    Args:
        module: The program.
        function: The function, with positions.
        given: The kinds of each parameter that has declared ones.
    """

    def __init__(self, module: ast.Module, function: FunctionNode, given: Kinds) -> None:
        self.function = function
        self.flow = Flow(function)
        bound = bound_names(module)
        self.bound = bound.keys()
        self.rounders = called_as(module, "math", ("floor", "ceil", "trunc"))
        # What the program itself gives its function, by a call or a decorator, is of any kind.
        called = function.decorator_list or any(
            isinstance(node, ast.Name) and node.id in {function.name, *_ALL_NAMES} for node in ast.walk(module)
        )
        known: Kinds = {} if called else given
        self.called = bool(called)
        self.defaults = defaults = _defaults(function)
        self.kinds = {
            name: kinds
            for name, kinds in known.items()
            # A default that is no plain value is of a kind that nobody told.
            if name in self.flow.parameters and (kinds != SHARED or _plain(defaults.get(name)))
        }
        self.classes = _library_classes(module) | _own_classes(module, bound)
        # Arrays and tables come to no program without their libraries; all other data has a text.
        self.texts = not self.bound & _TABLES and not is_foreign(module)
        self.whole = self.texts and not self.bound & _ROUNDED

    def kind(self, node: ast.expr) -> str:
        """The one kind that an expression has; empty where it has others, or is not known."""
        match node:
            case ast.Name(id=name) if len(self.kinds.get(name, ())) == 1 and self._came_in(node):
                return next(iter(self.kinds[name]))
            case ast.Call(func=func, args=[_], keywords=[]) if ast.unparse(func) in self.rounders:
                return "int" if self.whole else ""
            case ast.Call(func=ast.Name(id="round" | "len" as name), args=[_], keywords=[]):
                return "int" if self.whole and name not in self.bound else ""
            case _:
                return ""

    def truth(self, node: ast.expr) -> bool | None:
        """The truth of a test that has one outcome; None where it has both, or that is not known."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.truth(operand)
                return None if inner is None else not inner
            case ast.BoolOp(op=op, values=values):
                truths = [self.truth(value) for value in values]
                ending = isinstance(op, ast.Or)
                return ending if ending in truths else None if None in truths else not ending
            case ast.Compare(left=ast.Name() as name, ops=[ast.Is() | ast.IsNot() as op], comparators=[other]):
                if not (isinstance(other, ast.Constant) and other.value is None):
                    return None
                return self._one_of(name, frozenset({"none"}), wanted=isinstance(op, ast.Is))
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name() as name, classes], keywords=[]):
                sought = [self._kinds_of_class(each) for each in class_nodes(classes)]
                if None in sought or "isinstance" in self.bound:
                    return None
                return self._one_of(name, frozenset[str]().union(*filter(None, sought)), wanted=True)
            case ast.Call(func=ast.Name(id="callable"), args=[ast.Name() as name], keywords=[]):
                return None if "callable" in self.bound else self._one_of(name, frozenset({"callable"}), wanted=True)
            case ast.Call(
                func=ast.Name(id="hasattr"), args=[ast.Name() as name, ast.Constant(value=str(asked))], keywords=[]
            ) if "hasattr" not in self.bound and self.kinds.get(name.id, frozenset()) <= _TYPES.keys():
                having = {kind for kind, types in _TYPES.items() if any(hasattr(each, asked) for each in types)}
                lacking = {kind for kind, types in _TYPES.items() if not all(hasattr(each, asked) for each in types)}
                truth = self._one_of(name, frozenset(having), wanted=True)
                return None if truth and self.kinds[name.id] & lacking else truth
            case _:
                return constant_truth(node)

    def outcomes(self, node: ast.expr) -> dict[str, bool]:
        """The parts of an expression that have one outcome, by their forms."""
        found: dict[str, set[bool | None]] = {}
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Compare, ast.Call)):
                found.setdefault(ast.dump(inner), set()).add(self.truth(inner))
        return {
            form: truth for form, truths in found.items() for truth in truths if len(truths) == 1 and truth is not None
        }

    def never(self, node: ast.expr) -> bool:
        """Whether an expression stands where a decided test keeps control from coming."""
        for below, parent in self.flow.ancestors(node):
            match parent:
                case ast.BoolOp(op=op, values=values):
                    before = values[: next(at for at, value in enumerate(values) if value is below)]
                    dead = any(self.truth(value) is isinstance(op, ast.Or) for value in before)
                case ast.IfExp(test=test, body=body):
                    dead = below is not test and self.truth(test) is (below is not body)
                case _:
                    dead = False
            if dead:
                return True
        return False

    def _kinds_of_class(self, node: ast.expr) -> frozenset[str] | None:
        """The kinds of the values that are of a class; None where that is not known."""
        text = ast.unparse(node)
        if text in self.classes:
            return self.classes[text]
        return None if text in self.bound else (_CLASSES | _OTHER).get(text)

    def shows(self, node: ast.expr | None) -> bool:
        """Whether an expression only makes a text of a parameter, which of data never fails."""
        match node:
            case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=name) as given], keywords=[]):
                # A value of a case has a text, whatever it is. What the program makes itself may be too large for one.
                data = (
                    not self.called and self.texts and name in self.flow.parameters and _plain(self.defaults.get(name))
                )
                return called in _SHOWN - self.bound and (data or name in self.kinds) and self._came_in(given)
            case _:
                return False

    def fails(self, node: ast.expr | ast.stmt) -> bool:
        """Whether what is done only fails: a parameter is asked for an attribute that no value of its kinds has."""
        waiting: list[ast.AST] = [node]
        while waiting:
            current = waiting.pop()
            match current:
                case ast.Attribute(value=ast.Name() as name, attr=asked, ctx=ast.Load()):
                    having = ast.Call(ast.Name("hasattr", ast.Load()), [name, ast.Constant(asked)], [])
                    if self.truth(having) is False:
                        return True
                case _ if isinstance(current, _DONE_WHOLE):
                    waiting.extend(ast.iter_child_nodes(current))
                case _:
                    pass
        return False

    def impossible(self, node: ast.expr | ast.stmt, outcome: str) -> bool:
        """Whether a test never has an outcome, `true` or `false`."""
        if not isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)) or outcome not in {"true", "false"}:
            return False
        truth = self.truth(node.test)
        return truth is not None and truth is (outcome == "false")

    def dead_lines(self) -> frozenset[int]:
        """Lines that belong to statements only which control never comes to."""
        dead = {inner for statement in self._dead(self.function.body) for inner in ast.walk(statement)}
        gone: set[int] = set()
        live: set[int] = set()
        for node in ast.walk(self.function):
            if isinstance(node, ast.stmt) and node is not self.function:
                (gone if node in dead else live).update(_own_lines(node))
        return frozenset(gone - live)

    def _came_in(self, name: ast.Name) -> bool:
        """Whether a parameter still is what came in where its name stands."""
        return id(name) in self.flow.parents and self.flow.unchanged(frozenset({name.id}), name)

    def _one_of(self, name: ast.Name, sought: frozenset[str], *, wanted: bool) -> bool | None:
        kinds = self.kinds.get(name.id)
        if not kinds or not self._came_in(name):
            return None
        if "set" in kinds & sought:
            # Sets and frozen sets are one kind: of which class such a value is, is not known.
            return None
        return wanted if kinds <= sought else None if kinds & sought else not wanted

    def _dead(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements of a block, at any depth, that no input comes to."""
        found: list[ast.stmt] = []
        for place, statement in enumerate(body):
            match statement:
                case ast.If(test=test, body=first, orelse=second):
                    truth = self.truth(test)
                    taken = [first, second] if truth is None else [first] if truth else [second]
                    found += [] if truth is None else second if truth else first
                    found += [inner for block in taken for inner in self._dead(block)]
                    ended = truth is not None and any(map(leaves, taken[0]))
                case ast.For(body=first) | ast.While(body=first) | ast.With(body=first) | ast.Try(body=first):
                    found += self._dead(first)
                    ended = False
                case _:
                    ended = False
            if ended:
                return [*found, *body[place + 1 :]]
        return found


def simplified(node: ast.expr, outcomes: Mapping[str, bool]) -> ast.expr:
    """A test without the parts that are decided: it has the same truth, and fails where the whole one fails.

    Args:
        node: The test.
        outcomes: The outcomes of decided parts, by their forms.
    """
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = simplified(operand, outcomes)
            return ast.Constant(not inner.value) if is_decided(inner) else ast.UnaryOp(ast.Not(), inner)
        case ast.BoolOp(op=op, values=values):
            ending = isinstance(op, ast.Or)
            parts: list[ast.expr] = []
            for value in values:
                part = simplified(value, outcomes)
                if not is_decided(part):
                    parts.append(part)
                elif part.value is ending:
                    # What stands behind it is never looked at.
                    parts.append(part)
                    break
            return ast.Constant(not ending) if not parts else parts[0] if len(parts) == 1 else ast.BoolOp(op, parts)
        case ast.Compare() | ast.Call():
            truth = outcomes.get(ast.dump(node))
            return node if truth is None else ast.Constant(truth)
        case _:
            return node


def is_decided(node: ast.expr) -> TypeGuard[ast.Constant]:
    """Whether a test is a truth value."""
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def _defaults(function: FunctionNode) -> dict[str, ast.expr]:
    """The defaults of parameters."""
    arguments = function.args
    placed = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(reversed(placed), reversed(arguments.defaults), strict=False)]
    pairs += [(each, value) for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value]
    return {each.arg: value for each, value in pairs}


def _plain(default: ast.expr | None) -> bool:
    """Whether a default is a value of a plain kind, or there is none."""
    if default is None:
        return True
    try:
        return isinstance(ast.literal_eval(default), (type(None), bool, int, float, str, list, tuple, dict))
    except NO_LITERAL:
        return False


def _library_classes(module: ast.Module) -> dict[str, frozenset[str]]:
    """Texts by which a program names classes of libraries, with the plain kinds whose values are of each."""
    return {text: _OF_LIBRARIES[library][name] for text, (library, name) in named_as(module, _OF_LIBRARIES).items()}


def _own_classes(module: ast.Module, bound: Counter[str]) -> dict[str, frozenset[str]]:
    """Classes of a program that no plain value is of: their bases say nothing else of what is theirs."""
    found: dict[str, frozenset[str]] = {}
    for node in module.body:
        if not isinstance(node, ast.ClassDef) or bound[node.name] != 1 or node.keywords:
            continue
        bases = [each.id if isinstance(each, ast.Name) else "" for each in node.bases]
        marked = [ast.unparse(each).partition("(")[0] for each in node.decorator_list]
        if all(name in found or (name not in bound and _builtin_class(name)) for name in bases) and all(
            name in {"dataclass", "dataclasses.dataclass"} for name in marked
        ):
            found[node.name] = _NONE
    return found


def _builtin_class(name: str) -> bool:
    return type(getattr(builtins, name, None)) is type


def is_foreign(module: ast.Module) -> bool:
    """Whether a program takes in what is not of the standard library, or names that it does not name."""
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                imported = [each.name for each in names]
            case ast.ImportFrom(module=source, level=level, names=names):
                imported = ["" if level or any(each.name == "*" for each in names) else source or ""]
            case _:
                continue
        if not {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names:
            return True
    return False


def _own_lines(statement: ast.stmt) -> range:
    """The lines of a statement, those of its blocks left out."""
    end = statement.end_lineno or statement.lineno
    inner = [node.lineno for node in ast.iter_child_nodes(statement) if isinstance(node, ast.stmt)]
    return range(statement.lineno, max(statement.lineno, min(inner) - 1 if inner else end) + 1)
