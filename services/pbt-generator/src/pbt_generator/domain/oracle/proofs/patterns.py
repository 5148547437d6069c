"""Which regular expressions a program asks for, and whether they are tied to the beginning of a text."""

from __future__ import annotations

import ast
import importlib
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from pbt_generator.domain.oracle.syntax import bound_names

# The parser of `re` has no public name.
_parser: Any = importlib.import_module("re._parser")
_FLAGS = {
    "A": "ASCII", "ASCII": "ASCII", "I": "IGNORECASE", "IGNORECASE": "IGNORECASE", "M": "MULTILINE",
    "MULTILINE": "MULTILINE", "S": "DOTALL", "DOTALL": "DOTALL", "X": "VERBOSE", "VERBOSE": "VERBOSE", "U": "UNICODE",
    "UNICODE": "UNICODE",
}  # fmt: skip
_MULTILINE = int(re.M)
_LONGEST = 2000


class Patterns:
    """The regular expressions of one program.

    Args:
        module: The program, as it was written.
    """

    def __init__(self, module: ast.Module) -> None:
        nodes = list(ast.walk(module))
        # What is declared global or nonlocal is written from elsewhere, too.
        shared = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
        once = {name for name, count in bound_names(module).items() if count == 1} - shared
        self._plain = {
            target.id: value
            for node in nodes
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            for target, value in [_target(node)]
            if target is not None and value is not None and target.id in once
        }
        self._imported: Mapping[str, str] = {
            local: origin for node in module.body for local, origin in _imports(node) if local in once
        }

    def asked(self, call: ast.Call) -> Any:
        """The parsed expression that `re.match(pattern, …)` or `PATTERN.match(…)` asks for, with its flags; or None.

        None as well where its text or its flags are not literal.
        """
        if not isinstance(call.func, ast.Attribute) or any(keyword.arg == "flags" for keyword in call.keywords):
            return None
        if self._origin(call.func.value) == "re":
            return self._parsed(call.args[:1], call.args[2:3])
        if not isinstance(call.func.value, ast.Name):
            return None
        match self._plain.get(call.func.value.id):
            case ast.Call(func=compiled, args=args, keywords=keywords) if self._origin(compiled) == "re.compile":
                given = [*args[1:], *(keyword.value for keyword in keywords)]
                return self._parsed(args[:1], given)
            case _:
                return None

    def _origin(self, node: ast.expr) -> str:
        """The dotted name that an expression was imported as; empty for anything else."""
        match node:
            case ast.Name(id=name):
                return self._imported.get(name, "")
            case ast.Attribute(value=value, attr=attr):
                owner = self._origin(value)
                return f"{owner}.{attr}" if owner else ""
            case _:
                return ""

    def _parsed(self, text: Sequence[ast.expr], flags: Sequence[ast.expr]) -> Any:
        match text:
            case [ast.Constant(value=str() as pattern)] if len(pattern) <= _LONGEST:
                pass
            case _:
                return None
        numbers = [self._flags(flag) for flag in flags]
        if None in numbers:
            return None
        return parsed_pattern(pattern, sum(number for number in numbers if number is not None))

    def _flags(self, node: ast.expr) -> int | None:
        match node:
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                one, two = self._flags(left), self._flags(right)
                return None if one is None or two is None else one | two
            case ast.Constant(value=0):
                return 0
            case _:
                name = self._origin(node).removeprefix("re.")
                return int(re.RegexFlag[_FLAGS[name]]) if name in _FLAGS else None


def parsed_pattern(pattern: str, flags: int = 0) -> Any:
    """A regular expression as `re` parses it; None where it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _parser.parse(pattern, flags)
    except (re.error, ValueError, RecursionError, OverflowError):
        return None


def tied_to_beginning(parsed: Any) -> bool:
    """Whether an expression matches at the beginning of a text only.

    Example:
        >>> [tied_to_beginning(_parser.parse(text)) for text in ("^a", "(^a)b", "^a|b", "(?m)^a", "a")]
        [True, True, False, False, False]
    """
    return _tied(list(parsed), parsed.state.flags)


def _tied(parts: Sequence[tuple[Any, Any]], flags: int) -> bool:
    if not parts:
        return False
    kind, held = parts[0]
    match str(kind), str(held):
        case "AT", "AT_BEGINNING_STRING":
            return True
        case "AT", "AT_BEGINNING":
            return not flags & _MULTILINE
        case "SUBPATTERN", _:
            _, added, _, inner = held
            return not added & _MULTILINE and _tied(list(inner), flags)
        case "BRANCH", _:
            return all(_tied(list(way), flags) for way in held[1])
        case _:
            return False


def _target(node: ast.Assign | ast.AnnAssign) -> tuple[ast.Name | None, ast.expr | None]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    target = targets[0] if len(targets) == 1 else None
    return (target if isinstance(target, ast.Name) else None), node.value


def _imports(node: ast.stmt) -> list[tuple[str, str]]:
    match node:
        case ast.Import(names=names):
            return [(each.asname or each.name, each.name) for each in names if each.asname or "." not in each.name]
        case ast.ImportFrom(module=str(module), names=names, level=0):
            return [(each.asname or each.name, f"{module}.{each.name}") for each in names]
        case _:
            return []


__all__ = ["Patterns", "parsed_pattern", "tied_to_beginning"]
