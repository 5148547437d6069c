"""What a test expects, held by digest: a repair may change how the code is called, never what must come out."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from typing import cast

from annotator.domain.literals import TOKEN
from annotator.domain.program import DataTest, ProgramTest

_DEPTH = 8


def digest(test: DataTest | ProgramTest, language: str, entry_point: str) -> str:
    """Name what a test expects; tests with the same expectations have the same digest.

    For cases: each kind and expectation, in order; arguments do not count. For programs: what is left when the
    arguments of calls of the entry point are taken out. In Python these are the assertions alone, with the values
    that names stand for; in other languages the whole text.

    Args:
        test: The test.
        language: Language of the code under test.
        entry_point: What the test calls.
    """
    if isinstance(test, DataTest):
        content: object = [[case.kind, case.expected] for case in test.cases]
    elif language == "python":
        content = _python(test.tests, entry_point)
    else:
        content = _without_arguments(TOKEN.findall(test.tests), entry_point)
    text = json.dumps(content, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def rearranged(before: str, after: str) -> bool:
    """Whether repaired arguments hold nothing but values that were there: a repair corrects a call and invents none.

    Args:
        before: Portable arguments of a case that could not be called.
        after: Its repaired arguments.

    Example:
        >>> rearranged('["a","b"]', '{"x":"a"}'), rearranged('["a"]', '["b"]')
        (True, False)
    """
    there = _scalars(json.loads(before))
    return all(value in there for value in _scalars(json.loads(after)))


def _scalars(value: object) -> list[str]:
    if isinstance(value, list):
        return [each for item in cast("list[object]", value) for each in _scalars(item)]
    if isinstance(value, dict):
        return [each for item in cast("dict[str, object]", value).values() for each in _scalars(item)]
    return [json.dumps(value)]


def _python(tests: str, entry_point: str) -> object:
    try:
        tree = ast.parse(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ["unparsed", _without_arguments(TOKEN.findall(tests), entry_point)]
    values: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)):
                values.setdefault(name, []).append(_written(node.value, entry_point))
        elif isinstance(node, ast.For | ast.comprehension):
            # A table of calls and expectations: it is held whole.
            for name in (each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)):
                values.setdefault(name, []).append(_written(node.iter, entry_point))
    return [_resolved(_written(node, entry_point), values) for node in ast.walk(tree) if _expects(node)]


def _expects(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert | ast.Raise | ast.Try | ast.With):
        return True
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr.startswith(("assert", "raises"))
    )


class _Calls(ast.NodeTransformer):
    """Takes the arguments out of calls of the entry point."""

    def __init__(self, entry_point: str) -> None:
        self._entry_point = entry_point

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        return ast.copy_location(ast.Call(node.func, [], []), node) if name == self._entry_point else node


def _written(node: ast.AST, entry_point: str) -> str:
    copy = ast.parse(ast.unparse(node))
    return ast.unparse(ast.fix_missing_locations(_Calls(entry_point).visit(copy)))


def _resolved(text: str, values: dict[str, list[str]]) -> list[str]:
    """The text, and what the names in it stand for, and the names in that."""
    seen: dict[str, None] = {}
    waiting = [text]
    for _ in range(_DEPTH):
        names = [name for each in waiting for name in re.findall(r"[A-Za-z_]\w*", each) if name not in seen]
        seen |= dict.fromkeys(names)
        waiting = [value for name in dict.fromkeys(names) for value in values.get(name, [])]
    return [text, *(f"{name}={values[name]}" for name in sorted(seen) if name in values)]


def _without_arguments(tokens: list[str], entry_point: str) -> list[str]:
    kept: list[str] = []
    depth = 0
    for index, token in enumerate(tokens):
        if depth:
            depth += {"(": 1, ")": -1}.get(token, 0)
            if not depth:
                kept.append(token)
            continue
        kept.append(token)
        if token == "(" and index and tokens[index - 1] == entry_point and entry_point:
            depth = 1
    return kept
