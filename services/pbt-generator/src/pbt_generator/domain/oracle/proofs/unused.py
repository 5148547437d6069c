"""Code beside the entry function that no case comes to: what nothing calls, and what only an error runs.

A slice takes classes whole, and needs a part of them.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from pbt_generator.domain.oracle.proofs.handing import asked_by_libraries, formats_unseen
from pbt_generator.domain.oracle.proofs.swallowing import (
    PLAIN_DECORATORS,
    QUIET_BASES,
    SWALLOWED,
    builtin_error,
    error_class,
    lets,
    made_otherwise,
)
from pbt_generator.domain.oracle.syntax import ASKING, FunctionNode, functions_of, spelled

NOTHING_CALLS_IT = "nothing calls it"
ONLY_ERRORS = "only what leaves the program with an error runs it"

# By these a program may reach what it does not name.
_DYNAMIC = {
    *ASKING, "vars", "dir", "globals", "locals", "eval", "exec", "compile",
    "attrgetter", "methodcaller", "getmembers", "import_module", "singledispatch", "singledispatchmethod",
    "__import__", "__dict__", "__subclasses__", "__getattribute__", "__globals__", "__builtins__",
}  # fmt: skip
# Methods that the language or its library calls by their names, those between two underscores apart.
_PROTOCOLS = {
    "aclose", "close", "fileno", "flush", "get", "isatty", "items", "keys", "mro", "pop", "read", "readline", "seek",
    "send", "throw", "update", "values", "write",
}  # fmt: skip
# What is asked of a function or class by these runs nothing of it.
_NAMING = {"__name__", "__qualname__", "__module__", "__doc__"}
# Nothing but copying and pickling asks for these.
_COPIED = {"__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__"}
_COPYING = {"copy", "deepcopy", "pickle", "marshal", "shelve", "replace", "asdict", "astuple"}
# Classes that come from the language's own, whose methods are those of these.
_LIKE: dict[str, type] = {"IntEnum": int, "IntFlag": int, "StrEnum": str, "NamedTuple": tuple, "TypedDict": dict}
# Making an object, or a class that comes from another one, runs these; letting it go the last.
_MAKING = {
    "__init__",
    "__new__",
    "__init_subclass__",
    "__set_name__",
    "__class_getitem__",
    "__getattribute__",
    "__del__",
}


@dataclass(frozen=True)
class Unused:
    """Which functions of a program no case comes to, and why.

    Attributes:
        reasons: A reason for each of them, by its node's identity.
        lines: The lines of their bodies, with a reason for each; a line that others share has none.
    """

    reasons: dict[int, str]
    lines: dict[int, str]


def unused(module: ast.Module, entry_point: str) -> Unused:
    """Functions and methods beside the entry that no returning call of it comes to.

    Args:
        module: The program.
        entry_point: The function that is called from outside.
    """
    functions = [node for node in ast.walk(module) if isinstance(node, FunctionNode)]
    reasons = {id(node): ONLY_ERRORS for each in only_raised(module) for node in _methods(each)}
    known = _reached(module, entry_point)
    for node in functions:
        if known is not None and id(node) not in known:
            reasons.setdefault(id(node), NOTHING_CALLS_IT)
    lines: dict[int, str] = {}
    shared: set[int] = set()
    for node in functions:
        inside = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if id(node) in reasons and node.body[0].lineno > node.lineno:
            lines.update(dict.fromkeys(range(node.body[0].lineno, inside.stop), reasons[id(node)]))
        elif id(node) in reasons:
            shared.update(inside)
    return Unused(reasons, {line: reason for line, reason in lines.items() if line not in shared})


def refuted(module: ast.Module, entry_point: str, entered: Collection[int], ran: Collection[int]) -> set[int]:
    """Lines of functions that are called unused, though a run came into them: all that was said of them is false.

    Args:
        module: The program.
        entry_point: The function that is called from outside.
        entered: Lines of the heads of functions that runs entered.
        ran: Lines that runs came to.
    """
    reasons = unused(module, entry_point).reasons
    lines: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, FunctionNode) and id(node) in reasons:
            inside = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
            if node.lineno in entered or any(line in inside and line > node.lineno for line in ran):
                lines.update(range(node.lineno, inside.stop))
    return lines


def _reached(module: ast.Module, entry_point: str) -> set[int] | None:
    """The functions whose names what runs may say; None where a program may reach what it does not name."""
    if _dynamic(module):
        return None
    named: dict[str, list[FunctionNode | ast.ClassDef]] = {}
    owners: dict[int, ast.ClassDef] = {}
    for node in ast.walk(module):
        if isinstance(node, FunctionNode | ast.ClassDef):
            named.setdefault(node.name, []).append(node)
        if isinstance(node, ast.ClassDef):
            owners |= {id(each): node for each in functions_of(node)}
    classes = {node.name: node for nodes in named.values() for node in nodes if isinstance(node, ast.ClassDef)}
    # A class of the module that nothing names has no objects, and nothing is asked of it.
    top = {id(node) for node in module.body if isinstance(node, ast.ClassDef) and not node.decorator_list}
    reached: set[int] = set()
    said: set[str] = {*_PROTOCOLS, entry_point}
    # What a library asks of an object that it is handed; None where it may ask anything.
    asked = asked_by_libraries(module)
    formatted = formats_unseen(module)
    copied = any(_says(node) & _COPYING for node in ast.walk(module))
    waiting: list[ast.AST] = [module]
    naming = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Attribute) and node.attr in _NAMING}

    def enter(node: FunctionNode) -> None:
        if id(node) not in reached:
            reached.add(id(node))
            waiting.extend(node.body)

    while waiting:
        for node in _run_with(waiting.pop()):
            if id(node) not in naming:
                said.update(*map(spelled, _says(node)))
        for node in (each for nodes in named.values() for each in nodes if isinstance(each, FunctionNode)):
            owner = owners.get(id(node))
            objects = owner is not None and (spelled(owner.name) & said or id(owner) not in top)
            by_itself = owner is not None and (
                (objects and _special(node.name, copied=copied))
                or (objects and (node.name in _own_of_bases(owner, classes) or asked is None or node.name in asked))
                or (objects and formatted and bool(node.decorator_list))
                or not _quiet(owner, classes)
            )
            if spelled(node.name) & said or by_itself or not _plain(node):
                enter(node)
    return reached


def _run_with(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all in it that runs where it runs: bodies of functions run when they are called."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(node, FunctionNode) and child in node.body:
            continue
        yield from _run_with(child)


def _dynamic(module: ast.Module) -> bool:
    """Whether a program may reach a function whose name it does not say."""
    nodes = list(ast.walk(module))
    told = {
        id(node.func)
        for node in nodes
        if isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
        if isinstance(node.func, ast.Name) and node.func.id in ASKING
    }
    told |= {
        id(node)
        for node in nodes
        # It reads an expression, and no program.
        if isinstance(node, ast.Attribute) and node.attr == "compile" and _last(node.value) == "re"
    }
    return any(
        (_says(node) & _DYNAMIC and id(node) not in told)
        or (isinstance(node, ast.ImportFrom) and any(each.name == "*" for each in node.names))
        for node in nodes
    )


def _says(node: ast.AST) -> set[str]:
    """The names that a node says, those of a format's fields among them."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return {name}
        case ast.alias(name=name):
            return set(name.split("."))
        case ast.MatchClass(kwd_attrs=names):
            return set(names)
        case ast.Constant(value=str() as text):
            return set(re.findall(r"[^\W\d]\w*", text)) if "{" in text else {text}
        case _:
            return set()


def _special(name: str, *, copied: bool) -> bool:
    """Whether the language calls a method by itself."""
    return name.startswith("_") and name.endswith("_") and len(name) > 2 and (copied or name not in _COPIED)


def _quiet(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> bool:
    """Whether nothing of a class's bases or decorators calls its methods by their names."""
    if made_otherwise(node) or not all(_last(each) in PLAIN_DECORATORS for each in node.decorator_list):
        return False
    for base in node.bases:
        name = _last(base.value if isinstance(base, ast.Subscript) else base)
        own = classes.get(name)
        if own is node or (own is not None and not _quiet(own, classes)):
            return False
        if own is None and name not in QUIET_BASES and builtin_error(name) is None:
            return False
    return True


def _own_of_bases(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> set[str]:
    """What the language's own classes that a class comes from have by themselves: whoever is handed an object asks it.

    It says none of these names where it takes the object for one of those classes.
    """
    found: set[str] = set()
    waiting, seen = [node], set[int]()
    while waiting:
        current = waiting.pop()
        seen.add(id(current))
        for base in current.bases:
            name = _last(base.value if isinstance(base, ast.Subscript) else base)
            own = classes.get(name)
            if own is not None and id(own) not in seen:
                waiting.append(own)
            kind: object = _LIKE.get(name) or getattr(builtins, name, None)
            if isinstance(kind, type):
                found.update(each for each in dir(kind) if not each.startswith("_"))
    return found


def _plain(node: FunctionNode) -> bool:
    """Whether a function is found by its name alone: a decorator may put it elsewhere."""
    return all(_last(each) in PLAIN_DECORATORS for each in node.decorator_list)


def _last(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=func):
            return _last(func)
        case _:
            return ""


def _methods(node: ast.ClassDef) -> list[FunctionNode]:
    return [each for each in ast.walk(node) if isinstance(each, FunctionNode)]


def only_raised(module: ast.Module) -> list[ast.ClassDef]:
    """Classes of errors whose code nothing runs but what leaves the program with an error.

    A program makes objects of them in `raise` alone. Either nothing in it catches anything, or it names them in arms
    that keep no object, and making one runs none of their code: whoever is caught is gone unread.
    """
    nodes = list(ast.walk(module))
    if _dynamic(module):
        return []
    raised = {id(name) for node in nodes if isinstance(node, ast.Raise) for name in _raised(node)}
    if not any(map(_may_catch, nodes)):
        return _named_alone(module, nodes, raised, lambda _: True)
    if any(_may_catch(node) and not _forgets(node) for node in nodes):
        return []
    caught = {id(name) for node in nodes if isinstance(node, ast.ExceptHandler) for name in _caught(node)}
    return _named_alone(module, nodes, raised | caught, _made_without_code)


def _named_alone(
    module: ast.Module, nodes: list[ast.AST], places: set[int], fits: Callable[[ast.ClassDef], bool]
) -> list[ast.ClassDef]:
    """Classes of errors that a program names in some places and as one another's bases alone."""
    known = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    times = [node.name for node in nodes if isinstance(node, FunctionNode | ast.ClassDef)]
    found = {
        name: node
        for name, node in known.items()
        if not (made_otherwise(node) or node.decorator_list)
        and times.count(name) == 1
        and _error(node, known) is not None
    }
    while True:
        bases = {id(base) for node in found.values() for base in node.bases}
        names = [node for node in nodes if isinstance(node, ast.Name)]
        said = [node.id for node in names if id(node) not in places and id(node) not in bases]
        used = frozenset[str]().union(*map(spelled, said))
        kept = {
            name: node
            for name, node in found.items()
            if not spelled(name) & used
            and fits(node)
            and all(base.id in found or base.id not in known for base in node.bases if isinstance(base, ast.Name))
        }
        if len(kept) == len(found):
            return list(found.values())
        found = kept


def _forgets(node: ast.AST) -> bool:
    """Whether no arm of a statement keeps the error that it catches."""
    return isinstance(node, ast.Try) and all(handler.name is None for handler in node.handlers)


def _caught(node: ast.ExceptHandler) -> list[ast.Name]:
    match node.type:
        case ast.Name() as name:
            return [name]
        case ast.Tuple(elts=items):
            return [item for item in items if isinstance(item, ast.Name)]
        case _:
            return []


def _made_without_code(node: ast.ClassDef) -> bool:
    """Whether making an object of a class, and letting it go, runs no code of its own."""
    inside = {each.name for each in _methods(node)}
    plain = (ast.FunctionDef, ast.Pass, ast.Expr, ast.Assign, ast.AnnAssign)
    return not inside & _MAKING and all(isinstance(each, plain) for each in node.body)


def _may_catch(node: ast.AST) -> bool:
    """Whether a statement may take an error for something else, or calls code that may."""
    match node:
        case ast.FunctionDef(name="__del__"):
            return True
        case ast.Try() | ast.TryStar() | ast.With() | ast.AsyncWith() | ast.AsyncFunctionDef():
            return True
        case ast.Import() | ast.ImportFrom():
            return not lets(node)
        case _:
            return False


def _raised(node: ast.Raise) -> list[ast.Name]:
    match node.exc:
        case (ast.Name() as name) | ast.Call(func=ast.Name() as name):
            return [name]
        case _:
            return []


def _error(node: ast.ClassDef, known: dict[str, ast.ClassDef]) -> type[BaseException] | None:
    """The class of errors that a class comes from, where the language takes it for nothing but an error."""
    found = error_class(node.name, known)
    return None if found is None or issubclass(found, SWALLOWED) else found
