"""The ingester's account of real functions against three independent ones. Prints JSON lines.

    python tests/bench/scope_agreement.py [--list] [PACKAGE ...]

For the newest release of each package (needs the package index; nothing of a package is imported or run):

- binding by binding against the standard library's `symtable`;
- every SC function alone in an empty module, every WSC function after exactly the imports of its record: CPython's
  compiler must find no global name that nothing there defines (`unresolved`), and a discarded function that would
  stand alone by that account must have a reason that the account cannot see (`missed` counts those that have none);
- cyclomatic complexity against radon, differences explained by radon's own rules: it counts the `else` of loops and
  `try`, does not look into `assert`, does not know `except*`, and takes a guarded capture for the default case.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import dis
import json
import types
import warnings
from collections import Counter

from newest import PACKAGES, newest
from radon.visitors import ComplexityVisitor

from ingester.domain.agreement import compare_with_symtable
from ingester.domain.analysis import FoundFunction, UnparsableError, analyse_file, decode, parse
from ingester.domain.grammar import python_parser
from ingester.domain.scope_builder import build_scope_graph

BUILTINS = set(dir(builtins)) | {"__module__", "__qualname__", "__annotations__"}
# Reasons that a compiler cannot see: what a local import brings, and names that alone would mean something else.
INVISIBLE = (
    "imports ", "needs the class", "declared global", "own module", "is a ", "is an ", "also bound", "star import",
    "is imported from", "statement of Python 2",
)  # fmt: skip


def names(code: types.CodeType, wanted: tuple[str, ...]) -> set[str]:
    found = {step.argval for step in dis.get_instructions(code) if step.opname.startswith(wanted)}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= names(constant, wanted)
    return found


def unresolved(found: FoundFunction) -> set[str] | None:
    """Global names that nothing defines; none when the text does not compile."""
    try:
        code = compile("\n".join((*found.imports, found.code)), found.qualname, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return names(code, ("LOAD_GLOBAL", "LOAD_NAME")) - names(code, ("STORE_",)) - BUILTINS


def judge_alone(found: FoundFunction, where: str, count: Counter[str], listed: list[str]) -> None:
    count[found.classification] += 1
    missing = unresolved(found)
    if found.classification in ("SC", "WSC"):
        if missing is None:
            count["does_not_compile"] += 1
        elif missing:
            count["unresolved"] += 1
            listed.append(f"unresolved: {where}::{found.qualname} {sorted(missing)}")
    elif found.classification == "DISCARDED" and missing == set():
        if any(word in reason.why for reason in found.reasons for word in INVISIBLE):
            count["stands_alone_but_means_something_else"] += 1
        else:
            count["missed"] += 1
            listed.append(f"missed: {where}::{found.qualname} {found.reasons}")


def radon_of(tree: ast.Module) -> dict[tuple[str, int], tuple[int, int]]:
    """Radon's complexity of each function, and by how much its rules alone make it differ from the graph's."""
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        visitor = ComplexityVisitor()
        visitor.visit_FunctionDef(node)
        own: list[ast.AST] = []
        stack: list[ast.AST] = list(node.body)
        while stack:
            inner = stack.pop()
            if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                own.append(inner)
                stack.extend(ast.iter_child_nodes(inner))
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        found[node.name, first] = visitor.functions[-1].complexity, sum(map(_quirk, own))
    return found


def _quirk(node: ast.AST) -> int:
    match node:
        case ast.For() | ast.AsyncFor() | ast.While() | ast.Try():
            return bool(node.orelse)
        case ast.TryStar():
            return bool(node.orelse) - len(node.handlers)
        case ast.Match():
            captures = [case for case in node.cases if getattr(case.pattern, "pattern", False) is None]
            return -(bool(captures) - any(case.guard is None for case in captures))
        case ast.Assert():
            return -sum(
                len(inner.values) - 1
                if isinstance(inner, ast.BoolOp)
                else 1 + len(inner.ifs)
                if isinstance(inner, ast.comprehension)
                else isinstance(inner, ast.IfExp)
                for inner in ast.walk(node)
            )
    return 0


def check(path: str, content: bytes, count: Counter[str], listed: list[str]) -> None:
    try:
        source = decode(content)
        graph = build_scope_graph(parse(python_parser(), source), source)
    except UnparsableError:
        count["unparsable"] += 1
        return
    try:
        agreement = compare_with_symtable(graph, path)
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        count["not_taken_by_this_python"] += 1
        return
    count["files"] += 1
    count["bindings"] += agreement.bindings
    count["disagreements"] += len(agreement.disagreements)
    listed.extend(f"binding: {path} {each}" for each in agreement.disagreements)
    radon = radon_of(tree)
    for found in analyse_file(content, path, sketch=False).functions:
        if found.form == "class":
            continue
        count["functions"] += 1
        judge_alone(found, path, count, listed)
        theirs = radon.get((found.name, found.line_start))
        if theirs is None:
            continue
        complexity, quirk = theirs
        if complexity == found.complexity:
            count["complexity_same"] += 1
        elif complexity - found.complexity == quirk:
            count["complexity_explained"] += 1
        else:
            count["complexity_differs"] += 1
            listed.append(f"complexity: {path}::{found.qualname} ours {found.complexity}, radon {complexity}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--list", action="store_true", help="print every disagreement too")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    total = Counter[str]()
    for name in arguments.packages:
        count, listed = Counter[str](), list[str]()
        with newest(name) as (version, files):
            for file in files:
                check(file.path, file.content, count, listed)
        total += count
        print(json.dumps({"package": name, "version": version.version, **dict(sorted(count.items()))}), flush=True)
        for line in listed if arguments.list else ():
            print(json.dumps({"disagreement": line}), flush=True)
    print(json.dumps({"bench": "scope_agreement", **dict(sorted(total.items()))}))


if __name__ == "__main__":
    main()
