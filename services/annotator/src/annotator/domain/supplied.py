"""What a code works by and a test brings along: where that does the work, a test shows nothing of the code.

A name that a code uses and nobody defines must stand for something, or no test could run. Where what it stands for
gives the result (`return _impl(text)`), whoever wrote the test has written the answer, too.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys

from annotator.domain.dependencies import import_for
from annotator.domain.repair_units import last_name, parsed
from annotator.domain.scopes import bound_by, unbound
from annotator.domain.subject import Subject
from annotator.domain.supplied_by_signs import supplied_by_signs, tells

_DEEPEST = 20
_Function = ast.FunctionDef | ast.AsyncFunctionDef
# By these a setup gives names to others without naming them.
_MEDDLING = frozenset(
    {
        *("exec", "eval", "compile", "globals", "locals", "vars", "setattr", "__setattr__", "__dict__"),
        *("builtins", "__builtins__", "modules", "_getframe", "currentframe", "f_globals", "f_locals", "f_builtins"),
    }
)
# By these it changes where modules come from, and by these it writes files, which may be some.
_FINDERS = frozenset({"meta_path", "path_hooks", "path_importer_cache", "spec_from_file_location", "__path__"})
_WRITING = frozenset(
    {
        *("open", "fdopen", "write", "writelines", "write_text", "write_bytes", "writestr", "extractall"),
        *("copy", "copy2", "copyfile", "copytree", "move", "rename", "replace", "link", "symlink", "symlink_to"),
        *("link_to", "hardlink_to", "system", "popen", "run", "call", "check_call", "check_output", "Popen"),
    }
)


def supplied(subject: Subject, setup: str, tests: str = "") -> tuple[str, ...]:
    """The names by which a code works, and which only its test gives a meaning; imports and plain values are none.

    Args:
        subject: The code under test.
        setup: What stands before it.
        tests: What stands after it, where the test is a program.
    """
    if subject.language == "python":
        return _of_python(subject, f"{setup}\n", f"{tests}\n")
    return supplied_by_signs(subject, setup, tests)


def _of_python(subject: Subject, setup: str, tests: str) -> tuple[str, ...]:
    code = parsed(subject.code)
    parts = [tree for text in (setup, tests) if (tree := parsed(text))]
    if not parts:
        return ()
    brought = {name for tree in parts for name in _brought(tree)}
    if code is None:
        # What is nested too deeply to be read may work by any name that stands in it.
        return tuple(name for name in sorted(brought) if re.search(rf"\b{name}\b", subject.code))
    free = unbound(subject.code, code)
    used = {name for tree in parts for name in _names(tree)}
    meddled = used & _MEDDLING
    imported = _imported(code)
    worked_by = _worked_by(code)
    patched = _changed(subject, code, parts, [name for name in worked_by if name in free])
    found = [name for name in worked_by if (name in brought and name in free) or name in patched]
    # In a class a name of two strokes is another one.
    found += sorted(name for name in brought & free if name not in _names(code))
    if meddled:
        # What is made at run time may be any name that the code could not have without.
        found += [name for name in worked_by if name in imported or (name in free and name not in dir(builtins))]
    if "__builtins__" in meddled or {"builtins", "setattr"} <= meddled:
        found += [name for name in worked_by if name in free and hasattr(builtins, name)]
    if "modules" in meddled:
        found += sorted(imported & set(worked_by))
    made = _made_modules(subject, code, parts, used)
    found += [name for name in worked_by if name in made]
    found += _of_its_object(code)
    return tuple(dict.fromkeys(found))


def _made_modules(subject: Subject, code: ast.Module, parts: list[ast.Module], used: set[str]) -> set[str]:
    """Names that a code imports of modules that its test may have written as files, or finds for it."""
    whence = {name: path.split(".") for tree in _with_imports(subject, code) for name, path in _paths(tree).items()}
    foreign = {name for name, path in whence.items() if path[0] not in sys.stdlib_module_names}
    if used & _FINDERS:
        return foreign
    if not used & _WRITING:
        return set()
    nodes = [each for tree in parts for each in ast.walk(tree) if isinstance(each, ast.Constant)]
    texts = [each.value for each in nodes if isinstance(each.value, str)]
    named = {name for name, path in whence.items() if any(_names_module(text, path) for text in texts)}
    modules = any(re.search(r"\.(?:py|pth|egg|zip)\b", text) for text in texts)
    return named | (foreign if modules and not named else set())


def _names_module(text: str, path: list[str]) -> bool:
    """Whether a text names a file or a folder that is a module, or a part of one."""
    part = "|".join(re.escape(each) for each in path)
    return re.search(rf"(?<![\w.-])(?:{part})(?:\.py|[/\\]|\Z)", text) is not None


def _with_imports(subject: Subject, code: ast.Module) -> list[ast.Module]:
    return [*(tree for statement in subject.imports if (tree := parsed(statement))), code]


def _names(tree: ast.AST) -> set[str]:
    """Every name and attribute that is used."""
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in ast.walk(tree)
        if isinstance(each, ast.Name | ast.Attribute)
    }


def _imported(tree: ast.AST) -> set[str]:
    return {
        alias.asname or alias.name.split(".")[0]
        for each in ast.walk(tree)
        if isinstance(each, ast.Import | ast.ImportFrom)
        for alias in each.names
    }


def _brought(tree: ast.Module) -> set[str]:
    """What a part of a test gives a meaning, but by an import, and but plain values and what only keeps some."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        each = waiting.pop()
        match each:
            case ast.ClassDef(name=name):
                found |= set() if _only_keeps(each, tree) else {name}
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
                found |= {name for inner in ast.walk(each) if isinstance(inner, ast.Global) for name in inner.names}
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                found |= set() if _plain(name, value) else {name}
            case ast.Lambda() | ast.alias():
                pass
            case _:
                found |= bound_by(each)
                waiting.extend(ast.iter_child_nodes(each))
    return found


def _changed(subject: Subject, code: ast.Module, parts: list[ast.Module], free: list[str]) -> set[str]:
    """Names of a code that stand for imported or built-in things of which a part of a test changes something.

    Things are compared by what they are (`os.listdir`), and not by the names under which code and test know them.

    Args:
        subject: The code under test.
        code: The same, read.
        parts: Setup and tests.
        free: Names that the code uses and does not bind.
    """
    meant: dict[str, str] = {}
    for tree in _with_imports(subject, code):
        meant |= _paths(tree)
    spelled = dict(meant)
    for tree in parts:
        spelled |= _paths(tree)
    stars = [path.removesuffix(".*") for path in meant.values() if path.endswith(".*")]
    patched = {path for tree in parts for path in _patched(tree, spelled)}
    found = {name for name, path in meant.items() if any(_within(path, other) for other in patched)}
    for name in free:
        paths = [f"builtins.{name}", f"__main__.{name}", *(f"{star}.{name}" for star in stars)]
        found |= {name} & {name for path in paths if path in patched}
    return found | {path.removeprefix("__main__.") for path in patched if path.startswith("__main__.")}


def _paths(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for: `import os as system` makes `system` stand for `os`."""
    found: dict[str, str] = {}
    for each in ast.walk(tree):
        match each:
            case ast.Import(names=names):
                for alias in names:
                    whole = alias.name if alias.asname else alias.name.split(".")[0]
                    found[alias.asname or whole] = whole
            case ast.ImportFrom(module=str(module), names=names):
                found |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in names}
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if path := _path(value, found):
                found[name] = path
            case _:
                pass
    return found


def _path(node: ast.expr, spelled: dict[str, str]) -> str:
    """What an expression stands for, where it is an imported thing or a part of one; empty where it is none."""
    match node:
        case ast.Name(id=name):
            return spelled.get(name, "")
        case ast.Attribute(value=value, attr=attr):
            path = _path(value, spelled)
            return f"{path}.{attr}" if path else ""
        case ast.Call(func=function, args=[ast.Constant(value=str(module)), *_]):
            return module if last_name(function) in ("__import__", "import_module") else ""
        case _:
            return ""


def _within(one: str, other: str) -> bool:
    """Whether one of two things is the other one, or a part of it."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _patched(tree: ast.Module, spelled: dict[str, str]) -> set[str]:
    """Imported things that a part of a test changes: `requests.get = ...`, `mock.patch("requests.get")`."""
    found: set[str] = set()
    for each in ast.walk(tree):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store | ast.Del):
            found.add(_path(each, spelled))
        if isinstance(each, ast.Call) and _patches(each.func, spelled):
            words = [arg.value for arg in each.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            things = [path for arg in each.args if (path := _path(arg, spelled))]
            found |= {f"{things[0]}.{words[0]}"} if things and words else {*things, *words}
    return found - {""}


def _patches(function: ast.expr, spelled: dict[str, str]) -> bool:
    """Whether a call is one of those that change things while a test runs, by whatever name."""
    if isinstance(function, ast.Attribute) and function.attr in ("object", "dict", "multiple"):
        function = function.value
    return last_name(function) == "patch" or _path(function, spelled).endswith(".patch")


def _plain(name: str, value: ast.expr) -> bool:
    """Whether a value does no work: a number, a text, a mark, a kind of tuples, or what Python once called so."""
    match value:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Call(func=ast.Name("object"), args=[], keywords=[]):
            return True
        case ast.Call(func=function):
            return last_name(function) in ("namedtuple", "TypeVar", "getLogger")
        case ast.Name() | ast.Attribute():
            return import_for(name, "").endswith(f"= {ast.unparse(value)}")
        case _:
            return False


def _only_keeps(node: ast.ClassDef, tree: ast.Module, depth: int = 0) -> bool:
    """Whether a class holds what it is given, and can do nothing with it, nor can what of the test it is built on."""
    bases = {last_name(base) for base in node.bases}
    for each in tree.body:
        names = {name.id for name in ast.walk(each) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        if isinstance(each, ast.ClassDef) and each.name in bases and each is not node:
            if depth > _DEEPEST or not _only_keeps(each, tree, depth + 1):
                return False
        elif names & bases and not (isinstance(each, ast.Assign) and _plain("", each.value)):
            return False
    for each in node.body:
        match each:
            case ast.Pass() | ast.Expr(ast.Constant()) | ast.AnnAssign() | ast.Assign(value=ast.Constant()):
                continue
            case ast.FunctionDef(name="__init__", body=body):
                if not all(_keeps(inner) for inner in body):
                    return False
            case _:
                return False
    return not node.keywords and all(not isinstance(each, ast.Call) for each in node.decorator_list)


def _keeps(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"))], value=ast.Name() | ast.Constant()):
            return True
        case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name("super")), attr="__init__"))):
            return True
        case _:
            return False


def _worked_by(tree: ast.Module) -> list[str]:
    """The names whose values go into what a code gives or changes, in their order."""
    above = _parents(tree)
    return list(
        dict.fromkeys(
            each.id
            for each in ast.walk(tree)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and not _aside(each, above)
        )
    )


def _aside(node: ast.Name, above: dict[ast.AST, ast.AST]) -> bool:
    """Whether what a name stands for gives no result: it tells of the work, is raised, caught, or asked for a kind."""
    child: ast.AST = node
    place = above.get(child)
    while isinstance(place, ast.Attribute | ast.Call | ast.Subscript | ast.Await) and _first(place) is child:
        child, place = place, above.get(place)
    match place:
        case ast.Expr():
            said = child.func if isinstance(child, ast.Call) else child
            return any(tells(name) for name in _names(said))
        case ast.Raise() | ast.ExceptHandler():
            return True
        case ast.Call(func=ast.Name("isinstance"), args=[asked, *_]):
            # What is asked may be worked for; what it is asked for is a kind.
            return child is not asked
        case ast.Call(func=ast.Name("issubclass")):
            return True
        case ast.arg():
            return True
        case ast.AnnAssign(annotation=kind) | ast.FunctionDef(returns=kind) | ast.AsyncFunctionDef(returns=kind):
            return kind is child
        case ast.Tuple():
            return isinstance(above.get(place), ast.ExceptHandler)
        case _:
            return False


def _first(node: ast.Attribute | ast.Call | ast.Subscript | ast.Await) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node.value


def _parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: each for each in ast.walk(tree) for child in ast.iter_child_nodes(each)}


def _of_its_object(tree: ast.Module) -> list[str]:
    """Methods of its object that a bare method calls and that do not stand in the code: the test has them."""
    above, own = _parents(tree), {each.name for each in ast.walk(tree) if isinstance(each, _Function)}
    found: list[str] = []
    for function in tree.body:
        if not isinstance(function, _Function) or not function.args.args:
            continue
        first = function.args.args[0].arg
        for each in ast.walk(function):
            match each:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if name == first:
                    told = isinstance(above.get(each), ast.Expr) and tells(attr)
                    if first in ("self", "cls") and attr not in own and not told:
                        found.append(f"{first}.{attr}")
                case _:
                    pass
    return found
