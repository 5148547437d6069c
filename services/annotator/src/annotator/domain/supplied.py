"""What a code works by and a test brings along: where that does the work, a test shows nothing of the code.

A name that a code uses and nobody defines must stand for something, or no test could run. Where what it stands for
gives the result (`return _impl(text)`), whoever wrote the test has written the answer, too.
"""

from __future__ import annotations

import ast
import builtins
import re

from annotator.domain.declarations import blanked, closing_of, declarations, names_of_parameters
from annotator.domain.dependencies import import_for
from annotator.domain.repair_units import last_name, parsed
from annotator.domain.subject import Subject

_DEEPEST = 20
_Function = ast.FunctionDef | ast.AsyncFunctionDef
# Who only tells of what is done does nothing of it.
_TELLS = re.compile(
    r"(?:sys)?log(?:s|f|ln|ger|gers|ging|ged)?|[fs]?print(?:s|f|ln|er|ing|ed)?|(?:warn|debug|trace|metric|notif|verbos)\w*"
    r"|progress\w*|stats?d?|echo|console"
)
# By these a setup gives names to others without naming them.
_MEDDLING = frozenset({"exec", "globals", "setattr", "builtins", "__builtins__", "modules", "__dict__"})
_SCALAR = r"(?:[-+]?[\d.][\w.]*|true|false|null|nil|undefined|'[^'\n]*'|\"[^\"\n]*\")\s*(?:[;,)\n]|$)"
_LOADED = r"(?:await\s+)?(?:require|import)\s*\(\s*['\"][^'\"\n]*['\"]\s*\)(?:\.\w+)*\s*(?:[;,)\n]|$)"
_WORK = rf"=\s*+(?![=>])(?!{_SCALAR})(?!{_LOADED})"
_BOUND = re.compile(
    rf"\b(?:const|let|var|static|final)\s+(?:[\w<>\[\], ]+\s)?(\w+)\s*(?::[^=;\n]+)?{_WORK}"
    rf"|\b(?:globalThis|global|window)\.(\w+)\s*{_WORK}"
)
_BOUND_ELSE = {
    # A field without a word before its type.
    "java": re.compile(
        rf"^[ \t]*(?:(?:public|private|protected)\s+)?[A-Z][\w.]*(?:<[^=;\n]*>)?(?:\[\])*[ \t]+(\w+)\s*{_WORK}",
        re.MULTILINE,
    ),
    # A line of a block of variables, and what is given a function later on.
    "go": re.compile(r"^[ \t]*(\w+)[ \t]*(?:[\w.*\[\]]+[ \t]*)?=\s*(?:map\[|func\b|\[\]|&?\w+\{)", re.MULTILINE),
}
# What a code gives a meaning itself, so that nothing of its test stands there.
_ITS_OWN = re.compile(r"\b(?:const|let|var)\s+([\w$]+)|\b(\w+)\s*:=|\b\w[\w.<>\[\]]*\s+(\w+)\s*=(?!=)")
# The same of a function without a name and of a loop.
_ARROW = {
    "java": re.compile(r"\(([^()]*)\)\s*->|(?<![\w$.])(\w+)\s*->"),
    "javascript": re.compile(r"\(([^()]*)\)\s*(?::[^=;{}()]*)?=>|(?<![\w$.])([\w$]+)\s*=>"),
}
_ARROW["typescript"] = _ARROW["javascript"]
_EACH = re.compile(r"\bfor\s*\([^():;]*?(\w+)\s*:")
_PARTS_OF_ITS_OWN = re.compile(r"\b(?:const|let|var)\s*+(?=[{\[])")
_PARTS_BOUND = re.compile(rf"\b(?:const|let|var)\s*([{{\[][^=]*[}}\]])\s*{_WORK}")
_CHANGED = re.compile(
    r"(?:require\(\s*['\"](?:node:)?([^'\"\n]+)['\"]\s*\)|^[ \t]*([A-Za-z_$][\w$]*))((?:\.[\w$]+)+)\s*" + _WORK,
    re.MULTILINE,
)
_IMPORTED = (
    re.compile(r"\b(?:const|let|var)\s+(\w+|\{[^}]*\})\s*=\s*require\(\s*['\"](?:node:)?([^'\"\n]+)['\"]"),
    re.compile(r"\bimport\s+(?:\*\s*as\s+)?(\w+|\{[^}]*\})\s*from\s*['\"](?:node:)?([^'\"\n]+)['\"]"),
)
_CLASS = re.compile(r"\bclass\s+(\w+)")
_KEEPS = re.compile(r"(?:get|set|is|has)(?:[A-Z_]\w*)?|toString|equals|hashCode|compareTo|constructor|__\w+")


def _tells(name: str) -> bool:
    """Whether one of the words of a name is one of those that tell of the work."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
    return any(_TELLS.fullmatch(word.lower()) for word in words)


def supplied(subject: Subject, setup: str, tests: str = "") -> tuple[str, ...]:
    """The names by which a code works, and which only its test gives a meaning; imports and plain values are none.

    Args:
        subject: The code under test.
        setup: What stands before it.
        tests: What stands after it, where the test is a program.
    """
    if subject.language == "python":
        return _of_python(subject, f"{setup}\n", f"{tests}\n")
    return _of_other(subject, setup, tests)


def _of_python(subject: Subject, setup: str, tests: str) -> tuple[str, ...]:
    code = parsed(subject.code)
    parts = [tree for text in (setup, tests) if (tree := parsed(text))]
    if not parts:
        return ()
    brought = {name for tree in parts for name in _brought(tree)}
    if code is None:
        # What is nested too deeply to be read may work by any name that stands in it.
        return tuple(name for name in sorted(brought) if re.search(rf"\b{name}\b", subject.code))
    bound = _bound(code)
    meddled = {each for each in (name for tree in parts for name in _names(tree)) if each in _MEDDLING}
    imported = _imported(code)
    worked_by = _worked_by(code)
    patched = _changed(subject, code, parts, [name for name in worked_by if name not in bound])
    found = [name for name in worked_by if (name in brought and name not in bound) or name in patched]
    if meddled:
        # What is made at run time may be any name that the code could not have without.
        found += [name for name in worked_by if name in imported or name in subject.undefined]
    if "__builtins__" in meddled or {"builtins", "setattr"} <= meddled:
        found += [name for name in worked_by if name not in bound and hasattr(builtins, name)]
    if "modules" in meddled:
        found += sorted(imported & set(worked_by))
    found += _of_its_object(code)
    return tuple(dict.fromkeys(found))


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


def _bound(tree: ast.AST) -> set[str]:
    """What the code gives a meaning itself, its imports too."""
    found = _imported(tree)
    for each in ast.walk(tree):
        match each:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case _:
                pass
    return found


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
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.Lambda():
                pass
            case _:
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
    trees = [tree for statement in subject.imports if (tree := parsed(statement))]
    meant: dict[str, str] = {}
    for tree in (*trees, code):
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
            return any(_tells(name) for name in _names(said))
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
                    told = isinstance(above.get(each), ast.Expr) and _tells(attr)
                    if first in ("self", "cls") and attr not in own and not told:
                        found.append(f"{first}.{attr}")
                case _:
                    pass
    return found


def _of_other(subject: Subject, setup: str, tests: str) -> tuple[str, ...]:
    language = subject.language
    brought: set[str] = set()
    for part in (setup, tests):
        found = declarations(part, language)
        working = {each.owner for each in found if each.owner and not _KEEPS.fullmatch(each.name)}
        brought |= {each.name for each in found if not each.owner} | working
        brought |= {each.name for each in found if each.owner == "" or language == "java"} - {"main"}
        for pattern in (_BOUND, *filter(None, [_BOUND_ELSE.get(language)])):
            brought |= {name for found in pattern.finditer(part) for name in found.groups() if name}
        brought |= {name for found in _PARTS_BOUND.finditer(part) for name in re.findall(r"\w+(?=\s*[,}\]])", found[1])}
        brought -= {found[1] for found in _CLASS.finditer(part)} - working
    text = blanked(subject.code, language)
    declared = declarations(subject.code, language)
    inside = _bound_inside(text, language) | {name for each in declared for name in each.parameters}
    own = {each.name for each in declared} | set(_CLASS.findall(text)) | inside
    own |= {subject.entry_point, subject.owner}
    own |= {name for found in _ITS_OWN.finditer(text) for name in found.groups() if name}
    found = {name for name in brought - own if name and _works_by(name, text)}
    if language in ("javascript", "typescript"):
        found |= _changed_in_script(subject.code, text, inside, (setup, tests))
    return tuple(sorted(found))


def _bound_inside(text: str, language: str) -> set[str]:
    """Names that blocks, functions without a name, loops and parts of a value bind in a code; its texts are blanked."""
    found: set[str] = set()
    for bound in _ITS_OWN.finditer(text):
        if text.count("{", 0, bound.start()) > text.count("}", 0, bound.start()):
            found |= {name for name in bound.groups() if name}
    if language in _ARROW:
        for arrow in _ARROW[language].finditer(text):
            found |= set(names_of_parameters(arrow[1] or arrow[2] or "", language))
    if language == "java":
        found |= {each[1] for each in _EACH.finditer(text)}
    if language in ("javascript", "typescript"):
        for parts in _PARTS_OF_ITS_OWN.finditer(text):
            names = text[parts.end() : closing_of(text, parts.end()) + 1]
            found |= set(re.findall(r"[\w$]+(?=\s*[,=}\]])", names))
    return found


def _changed_in_script(code: str, text: str, inside: set[str], parts: tuple[str, ...]) -> set[str]:
    """Names of a code for modules, or things of the language, of which a part of a test changes something.

    Args:
        code: The code under test.
        text: The same, its texts blanked.
        inside: Names that it binds inside of its functions, which are nothing of the test's.
        parts: Setup and tests.
    """
    meant = _modules(code)
    spelled = {name: module for part in (code, *parts) for name, module in _modules(part).items()}
    found: set[str] = set()
    for change in (each for part in parts for each in _CHANGED.finditer(part)):
        root, path = change[2] or "", change[3].split(".")[1:]
        if root in ("module", "exports", "this", "self", "globalThis", "global", "window"):
            continue
        if path[0] == "prototype" and len(path) > 1:
            found |= {path[1]} if re.search(rf"\.{re.escape(path[1])}\s*\(", text) else set()
            continue
        module = change[1] or spelled.get(root, root)
        names = {name for name, other in meant.items() if other == module} | ({module, root} - inside)
        found |= {name for name in names if name and name.isidentifier() and _works_by(name, text)}
    return found


def _modules(text: str) -> dict[str, str]:
    """Which module each name stands for, or is a part of."""
    found: dict[str, str] = {}
    for pattern in _IMPORTED:
        for names, module in pattern.findall(text):
            found |= dict.fromkeys(re.findall(r"\w+(?=\s*(?:[,}]|$))", names), module)
    return found


def _works_by(name: str, text: str) -> bool:
    """Whether a code takes something from what stands under a name, as far as its signs tell."""
    place = rf"(?:(?<![\w$.>:])|(?<=\.\.\.)){re.escape(name)}"
    for found in re.finditer(rf"{place}(?=\s*(?:\(|\.|::|->|\[|,|\)|;|\}}|\]|[-+*/%?&|:]|[=!]=)|[ \t]*(?:\n|$))", text):
        before = text[: found.start()].rstrip()
        if (
            text[found.end() :].lstrip()[:1] == ":"
            and text[found.end() :].lstrip()[:2] != "::"
            and before[-1:] in ("{", ",")
        ):
            # The name of a field.
            continue
        if re.search(r"\b(?:throw\s+new|throw|catch\s*\(|instanceof)$", before):
            continue
        alone = not before or before[-1] in ";{}"
        if alone and _tells(name):
            continue
        return True
    return False
