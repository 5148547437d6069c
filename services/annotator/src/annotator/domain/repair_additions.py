"""What a repair of a Python test may add: imports, names of its own, and what an error says is lacking."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from annotator.domain.fault import Fault
from annotator.domain.repair_calls import called
from annotator.domain.repair_units import Unit, bindings

_Function = ast.FunctionDef | ast.AsyncFunctionDef
# By these a name may be given another meaning without being named, or a check another outcome.
_MEDDLING = frozenset(
    (
        *("exec", "eval", "compile", "globals", "locals", "vars", "setattr", "delattr", "__import__", "builtins"),
        *("__builtins__", "ctypes", "gc", "inspect", "importlib", "atexit", "modules", "settrace", "setprofile"),
        *("_getframe", "__dict__", "__class__", "__globals__", "__code__", "__defaults__", "__closure__", "f_globals"),
        *("f_locals", "__setattr__", "__eq__", "__ne__", "__bool__", "__subclasses__", "ANY", "patch", "excepthook"),
        *("getattr", "attrgetter", "methodcaller", "setitem", "delitem", "__main__"),
        *("_exit", "exit", "quit", "__instancecheck__", "__getattribute__", "total_ordering"),
    )
)
_WRITES = frozenset(
    (
        *("open", "write", "writelines", "write_text", "write_bytes", "makedirs", "mkdir", "touch", "Path", "dump"),
        *("dumps", "dirname", "join", "writer", "writerow", "writerows", "writeheader", "DictWriter", "ZipFile"),
        *("writestr", "encode"),
    )
)


@dataclass(frozen=True, slots=True)
class Known:
    """What stands for something before a repair.

    Attributes:
        names: What may not be named anew.
        values: Names of values that might be changed, and which nothing that is new may use.
        entry_point: What is expected may not be taken from the code.
    """

    names: frozenset[str]
    values: frozenset[str]
    entry_point: str


def idle(node: ast.stmt) -> bool:
    """Whether a statement does nothing: it prints what was there, or says something to readers."""
    match node:
        case ast.Pass() | ast.Expr(ast.Constant()):
            return True
        case ast.Expr(ast.Call(ast.Name("print"))):
            doing = ast.Call | ast.NamedExpr | ast.Await | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
            return sum(isinstance(each, doing) for each in ast.walk(node)) == 1
        case _:
            return False


def adds(unit: Unit, known: Known, fault: Fault) -> bool:
    """Whether a statement that is new adds an import or a name of its own, or supplies what was lacking."""
    node = unit.node
    if unit.names:
        new = not any(name in known.names or name.startswith("__") or name == "*" for name in unit.names)
        # By its name it is known what runs in its loop.
        loop = "asyncio" in unit.names and unit.text != "import asyncio"
        return new and not loop and harmless(node, known)
    match node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(), attr=attr)]):
            return attr in fault.attributes and not attr.startswith("__") and _computes(node.value, known)
        case ast.Assign(targets=[ast.Subscript(ast.Attribute(ast.Name("sys"), "modules"), ast.Constant(str(module)))]):
            lacking = any(module == each or each.startswith(f"{module}.") for each in fault.modules)
            return lacking and _computes(node.value, known)
        case ast.With() | ast.Expr(ast.Call()):
            return bool(fault.file) and _writes(node, fault.file, known)
        case _:
            return False


def harmless(node: ast.stmt, known: Known) -> bool:
    """Whether a statement, run or called, leaves all alone that was there, and asks the code for nothing."""
    bound, _ = bindings(node)
    own = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)} | {
        name for each in ast.walk(node) if isinstance(each, ast.stmt) for name in bindings(each)[0]
    }
    own -= bound & known.names
    return all(_leaves_alone(each, own, known) for each in ast.walk(node))


def grown(old: ast.stmt, new: ast.stmt, fault: Fault) -> bool:
    """Whether a stand-in of the test is the old one with what was lacking: an attribute, or a parameter."""
    if isinstance(old, _Function) and isinstance(new, _Function) and old.name == new.name:
        return _wider(old, new, fault)
    match old, new:
        case ast.ClassDef(), ast.ClassDef():
            return _with_more(old, new, fault)
        case ast.Assign(value=ast.Lambda() as before), ast.Assign(value=ast.Lambda() as after):
            same = ast.unparse(before.body) == ast.unparse(after.body)
            same = same and [*map(ast.unparse, old.targets)] == [*map(ast.unparse, new.targets)]
            more = (_parameters(after.args) - _parameters(before.args)) & bindings(before.body)[1]
            return "<lambda>" in fault.called and same and _extends(before.args, after.args) and not more
        case _:
            return False


def _leaves_alone(node: ast.AST, own: set[str], known: Known) -> bool:
    match node:
        case ast.Name(id=name):
            return name not in _MEDDLING and name != known.entry_point and (name in own or name not in known.values)
        case ast.alias(name=name):
            return not _MEDDLING & set(name.split(".")) and name != "*"
        case ast.Global() | ast.Nonlocal():
            return not known.names & set(node.names)
        case ast.NamedExpr(target=ast.Name(id=name)):
            return name not in known.names
        case ast.Attribute(attr=attr) if attr in _MEDDLING or attr == known.entry_point:
            return False
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name not in _MEDDLING
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            return _root(node) in own
        case _:
            return True


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _computes(node: ast.expr, known: Known) -> bool:
    return all(_leaves_alone(each, set(), known) for each in ast.walk(node))


def _writes(node: ast.stmt, path: str, known: Known) -> bool:
    """Whether a statement does nothing but write the file that was missing, or make its folder."""
    texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    about = any(text == path or (text and path.startswith(f"{text.rstrip('/')}/")) for text in texts)
    bound = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    calls = {called(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
    doing = ast.Assign | ast.AugAssign | ast.Delete | ast.NamedExpr | ast.Raise | ast.Return
    files = {each.optional_vars.id for each in ast.walk(node)
             if isinstance(each, ast.withitem) and isinstance(each.optional_vars, ast.Name)}  # fmt: skip
    new = bound <= files and not files & known.names
    return about and new and calls <= _WRITES and not any(isinstance(each, doing) for each in ast.walk(node))


def _with_more(old: ast.ClassDef, new: ast.ClassDef, fault: Fault) -> bool:
    wrong = old.name in fault.called
    if not (fault.attributes or fault.called) or _head(old) != _head(new):
        return False
    there = {name for each in old.body for name in bindings(each)[0]}
    named = {each.attr for each in ast.walk(old) if isinstance(each, ast.Attribute)}
    # Of what a stand-in inherits nobody sees here what an attribute would replace.
    plain = not old.bases and not old.keywords
    waiting = [each for each in old.body if not idle(each)]
    for each in new.body:
        if idle(each):
            continue
        if waiting and _same_member(waiting[0], each, fault):
            waiting.pop(0)
            continue
        bound = bindings(each)[0]
        makes = wrong and plain and isinstance(each, _Function) and each.name == "__init__" and _only_keeps(each)
        lacking = bool(fault.attributes) and not any(name.startswith("__") or name in named for name in bound)
        may = makes or (lacking and (plain or bound <= fault.attributes))
        if not isinstance(each, ast.Assign | ast.AnnAssign | _Function) or not bound or bound & there or not may:
            return False
    return not waiting


def _head(node: ast.ClassDef) -> str:
    return ast.unparse(ast.ClassDef(node.name, node.bases, node.keywords, [ast.Pass()], node.decorator_list))


def _same_member(old: ast.stmt, new: ast.stmt, fault: Fault) -> bool:
    if ast.unparse(old) == ast.unparse(new):
        return True
    return (
        isinstance(old, _Function) and isinstance(new, _Function) and old.name == new.name and _wider(old, new, fault)
    )


def _wider(old: _Function, new: _Function, fault: Fault) -> bool:
    """Whether a function does what it did, and takes more; one that builds an object may keep what it takes."""
    builds = old.name == "__init__"
    if old.name not in fault.called and not (builds and fault.attributes):
        return False
    if type(old) is not type(new) or [*map(ast.unparse, old.decorator_list)] != [*map(ast.unparse, new.decorator_list)]:
        return False
    more = _parameters(new.args) - _parameters(old.args)
    used = {name for each in old.body for name in bindings(each)[1]}
    named = {each.attr for each in ast.walk(old) if isinstance(each, ast.Attribute)}
    waiting = [ast.unparse(each) for each in old.body if not idle(each)]
    for each in new.body:
        if idle(each):
            continue
        if waiting and ast.unparse(each) == waiting[0]:
            waiting.pop(0)
        elif not (builds and _keeps(each) and _attribute(each) not in named):
            return False
    return not waiting and _extends(old.args, new.args) and not more & used


def _only_keeps(node: _Function) -> bool:
    return all(_keeps(each) or idle(each) for each in node.body)


def _keeps(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"))], value=ast.Name() | ast.Constant()):
            return True
        case ast.Expr(ast.Call(ast.Attribute(ast.Attribute(ast.Name("self"), "__dict__"), "update"))):
            return True
        case _:
            return False


def _attribute(node: ast.stmt) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return target.attr if isinstance(target, ast.Attribute) else ""


def _extends(old: ast.arguments, new: ast.arguments) -> bool:
    """Whether parameters are there in their order, with what stands for them where they are not given."""
    before, after = _with_defaults(old), _with_defaults(new)
    return [each for each in after if each[0] in dict(before)] == before


def _with_defaults(node: ast.arguments) -> list[tuple[str, str]]:
    places = [*node.posonlyargs, *node.args]
    defaults: list[ast.expr | None] = [None] * (len(places) - len(node.defaults))
    pairs = [
        *zip(places, [*defaults, *node.defaults], strict=True),
        *zip(node.kwonlyargs, node.kw_defaults, strict=True),
    ]
    found = [(each.arg, ast.unparse(default) if default else "") for each, default in pairs]
    return [*found, *((f"*{each.arg}", "") for each in (node.vararg, node.kwarg) if each)]


def _parameters(node: ast.arguments) -> set[str]:
    return {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
