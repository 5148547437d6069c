"""The code under test: what to call, whether calling it with plain data can work, and what it lacks."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from dataclasses import dataclass

from annotator.domain.declarations import Declaration, declarations
from annotator.domain.dependencies import import_for
from annotator.domain.outside import without_tags
from annotator.domain.pair import Pair
from annotator.domain.scopes import bound_by, unbound

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__class__"}
_HARMLESS_DECORATORS = frozenset({"staticmethod", "functools.wraps", "lru_cache", "functools.lru_cache", "cache"})
ASYNCHRONOUS = "it is asynchronous"
_FUTURE = re.compile(r"^from\s+__future__\s+import[^\n]*\n?", re.MULTILINE)
_DEFERRED = re.compile(r"^\s*from\s+__future__\s+import\b[^#]*?\bannotations\b", re.MULTILINE)
# What is called `fields` or `signature` and is none of `dataclasses` or `inspect` looks at none.
_READS_ANNOTATIONS = re.compile(
    r"\b(?:__annotations__|get_annotations|getfullargspec|return_annotation)\b"
    r"|(?:\binspect\.|(?<![.\w])(?<!def ))signature\s*\(|(?:\bdataclasses\.|(?<![.\w])(?<!def ))fields\s*\("
)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
# A text of several lines, as a group of its own.
_TEXT = re.compile(r"""((?:"{3}(?:\\.|[^\\])*?"{3})|(?:'{3}(?:\\.|[^\\])*?'{3}))""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Subject:
    """The code under test, ready to be put into a program.

    Attributes:
        code: The code itself, dedented, otherwise as it was found.
        imports: Statements that stand before it: known ones, and those that its undefined names ask for.
        entry_point: The function to call; empty when none was found.
        signature: The line that declares the entry point, as far as it could be read.
        undefined: Names that nothing defines even with `imports`.
        obstacle: Why calling it with plain data cannot work; empty where it can.
        owner: The class that the entry point belongs to; empty for a function.
        parameters: Their names, where they could be read.
        returns: Type of its result as the code writes it; empty where it does not.
        body: Offset in `code` where the entry point's body begins; 0 where nobody knows.
        evaluated: Whether annotations of Python mean what they name, since the code looks at them; else they are
            texts, so that what they name need not be there.
    """

    language: str
    code: str
    imports: tuple[str, ...]
    entry_point: str
    signature: str = ""
    undefined: tuple[str, ...] = ()
    obstacle: str = ""
    owner: str = ""
    parameters: tuple[str, ...] = ()
    returns: str = ""
    body: int = 0
    evaluated: bool = False

    @property
    def target(self) -> str:
        """What the sandbox is told to call."""
        return f"{self.owner}.{self.entry_point}" if self.owner else self.entry_point

    @property
    def plain(self) -> bool:
        """Whether the entry point takes and returns plain data, as far as its text tells."""
        return not self.obstacle and bool(self.entry_point)


def examine(pair: Pair) -> Subject:
    """Find out what the code of a pair offers. Reads text only; nothing of it runs."""
    if pair.language == "python":
        return _examine_python(pair)
    return _examine_other(pair)


def _examine_other(pair: Pair) -> Subject:
    code = pair.code.strip("\n")
    if pair.language == "php":
        code = without_tags(code).strip("\n")
    found = declarations(code, pair.language)
    chosen = _chosen(found, pair.name)
    if chosen is None:
        why = _not_there(pair.name) if found else "no function or method was found"
        return Subject(pair.language, code, pair.imports, "", pair.name, obstacle=why)
    line = code[chosen.start : chosen.body].strip().rstrip("{").strip()
    signature = " ".join(f"{line} // method of {chosen.owner}".split()) if chosen.owner else " ".join(line.split())
    return Subject(
        pair.language,
        code,
        pair.imports,
        chosen.name,
        signature,
        obstacle=chosen.trouble,
        owner=chosen.owner,
        parameters=chosen.parameters,
        returns=chosen.returns,
        body=chosen.body,
    )


def _chosen(found: tuple[Declaration, ...], name: str) -> Declaration | None:
    """The declaration that somebody named, and no other one instead; where nobody named any, the last one.

    What is declared last builds upon what came before.
    """
    owner, short = _named(name)
    if short:
        alike = [each for each in found if _bare(each.name) == _bare(short)]
        return next((each for each in reversed(alike) if each.owner == owner), alike[-1] if alike else None)
    usable = [each for each in found if each.name != "main" and not each.trouble]
    return (usable or list(found) or [None])[-1]


def _named(name: str) -> tuple[str, str]:
    """What a function belongs to and its own name: of `A.f`, `A::f`, `A#f`, `A->f` and `n\\A.f(int)` "A" and "f"."""
    words = re.split(r"[.:>#\\]+", re.sub(r"\s*\([^()]*\)\s*\Z", "", name))
    return words[-2].strip("(*)- ") if len(words) > 1 else "", words[-1].strip()


def _bare(name: str) -> str:
    """A name without signs at its ends, which names of stored functions lack."""
    return name.strip("$#") or name


def _not_there(name: str) -> str:
    return f"{_named(name)[1]} was not found in it"


def without_future(code: str) -> str:
    """Drop `from __future__` statements: the assembled program begins with its own; texts that look so stay."""
    try:
        statements = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _FUTURE.sub("", code)
    lines = code.split("\n")
    for node in reversed(statements):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            last = (node.end_lineno or node.lineno) - 1
            behind = lines[last].encode()[node.end_col_offset or 0 :].decode().strip().lstrip(";").strip()
            lines[node.lineno - 1 : last + 1] = [behind] if behind and not behind.startswith("#") else []
    return "\n".join(lines)


def _examine_python(pair: Pair) -> Subject:
    code = _as_module(pair.code).strip("\n")
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        words = error.msg if isinstance(error, SyntaxError) else str(error)
        return Subject("python", code, pair.imports, pair.name, obstacle=f"it is no Python 3: {words}")
    imported = (code, *pair.imports, *pair.file_imports)
    evaluated = _READS_ANNOTATIONS.search(code) is not None and not any(_DEFERRED.search(text) for text in imported)
    undefined = _undefined(code, tree, pair.imports, () if evaluated else ("annotation", "returns"))
    own = _statements_by_name(pair.file_imports)
    added = {name: statement for name in undefined if (statement := own.get(name) or import_for(name, code))}
    lacking = tuple(name for name in undefined if name not in added)
    imports = (*pair.imports, *dict.fromkeys(added.values()))
    function = _entry(tree, pair.name)
    if function is None:
        any_other = pair.name and _entry(tree, "") is not None
        why = _not_there(pair.name) if any_other else "it has no function at top level"
        return Subject("python", code, imports, "", "", lacking, why, evaluated=evaluated)
    obstacle = _obstacle(function)
    arguments = [*function.args.posonlyargs, *function.args.args]
    parameters = tuple(argument.arg for argument in arguments)
    signature = _signature(function)
    return Subject(
        "python", code, imports, function.name, signature, lacking, obstacle, parameters=parameters, evaluated=evaluated
    )


def _as_module(code: str) -> str:
    """A code without its margin, and where Python needs it, without tabs in front of its lines; texts stay as found."""
    forms = (code, _dedented(code), textwrap.dedent(code), _dedented(_INDENT.sub(_expanded, code)))
    return next((form for form in forms if _is_python(form)), textwrap.dedent(code))


def _dedented(code: str) -> str:
    margin = re.match(r"\s*?([ \t]+)\S", code)
    if not margin:
        return code
    lines = re.compile(rf"(?<=\n){margin.group(1)}")
    parts = _TEXT.split(f"\n{code}")
    # What stands between two signs of a text begins no line of the code.
    return "".join(part if place % 2 else lines.sub("", part) for place, part in enumerate(parts))[1:]


def _expanded(found: re.Match[str]) -> str:
    return found.group().expandtabs(4)


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _entry(tree: ast.Module, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    if short := _named(name)[1]:
        return next((node for node in reversed(functions) if node.name == short), None)
    public = [node for node in functions if not node.name.startswith("_")]
    # What is defined last builds upon what came before.
    return (public or functions or [None])[-1]


def _signature(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    returns = f" -> {_written(function.returns)}" if function.returns else ""
    return f"def {function.name}({_written(function.args)}){returns}"


def _written(node: ast.AST) -> str:
    """A part of a code as Python writes it; dots where it is nested too deeply to be written."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return "..."


def _obstacle(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if isinstance(function, ast.AsyncFunctionDef):
        return ASYNCHRONOUS
    arguments = [*function.args.posonlyargs, *function.args.args]
    if arguments and arguments[0].arg in {"self", "cls"}:
        return f"it is a method: its first parameter is {arguments[0].arg}"
    for decorator in function.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (written := _written(target)) not in _HARMLESS_DECORATORS:
            return f"it is decorated with {written}"
    if _yields(function):
        return "it is a generator"
    return ""


def _yields(function: ast.FunctionDef) -> bool:
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def _undefined(code: str, tree: ast.Module, imports: tuple[str, ...], unread: tuple[str, ...]) -> tuple[str, ...]:
    """Names that are read where nothing binds them.

    The fields of `unread` do not count as reads: annotations that no assembled program evaluates.
    """
    reads: dict[str, None] = {}
    bound = set(_BUILTINS)
    for statement in imports:
        try:
            bound |= _all_bound(ast.parse(statement))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            reads.setdefault(node.id)
        for field, value in ast.iter_fields(node):
            if field in unread:
                continue
            children: list[object] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
            waiting.extend(child for child in children if isinstance(child, ast.AST))
    free = unbound(code, tree) - bound
    return tuple(name for name in reads if name in free)


def _statements_by_name(imports: tuple[str, ...]) -> dict[str, str]:
    """Which statement of the file defines which name; relative ones lead nowhere outside their package."""
    found: dict[str, str] = {}
    for statement in imports:
        try:
            tree = ast.parse(statement)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if any(isinstance(node, ast.ImportFrom) and (node.level or node.module == "__future__") for node in tree.body):
            continue
        for name in _all_bound(tree):
            found.setdefault(name, statement.strip())
    return found


def _all_bound(tree: ast.AST) -> set[str]:
    return {name for node in ast.walk(tree) for name in bound_by(node)}
