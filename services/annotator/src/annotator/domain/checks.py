"""Checks that break: whether a result is of another kind than its check is about, or the check is broken itself.

Both look alike where a check meets one result. So it is asked about other values, too: a check that breaks on every
value of the result's kind, and answers about one of another kind, is about that other kind. Wherever else it breaks,
nobody can tell.
"""

from __future__ import annotations

import ast
import builtins
import json
from collections.abc import Sequence
from typing import cast

from annotator.domain.execution import CaseRun
from annotator.domain.program import Case

# What stands around a check where it runs (see `checks_of`).
_THERE = frozenset(dir(builtins)) | {"args", "result", "math", "re"}

_VALUES = (
    "null", "true", "false", "0", "1", "-1", "2.5", '""', '"abcdefgh"', "[]", "[1,2,3,4,5,6,7,8]",
    '["a","b","c","d","e","f","g","h"]', "[[1,2],[3,4],[5,6],[7,8]]", '[["a",1],["b",2],["c",3],["d",4]]',
    '[{"a":1},{"a":2},{"a":3}]', "{}", '{"a":1,"b":2}', '{"$":"set","v":[]}', '{"$":"set","v":[1,2]}',
)  # fmt: skip
_MOST_OF_TEST = 16
_LONGEST = 2000

_NUMBERS = frozenset({"int", "float", "complex", "decimal", "fraction"})
_SEQUENCES = frozenset({"tuple", "deque"})
_SETS = frozenset({"set", "frozenset"})
_MAPS = frozenset({"map", "ordered_map", "counter", "default_map"})


def undefined_names(check: str) -> tuple[str, ...]:
    """Names that a check uses and that nothing defines where it runs; the check is an expression.

    Example:
        >>> undefined_names("np.mean(result) == math.floor(args[0])")
        ('np',)
    """
    nodes = list(ast.walk(ast.parse(check.strip(), mode="eval")))
    bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return tuple(sorted({node.id for node in names} - _THERE - bound))


def other_values(cases: Sequence[Case], runs: Sequence[CaseRun], index: int) -> tuple[str, ...]:
    """Values of many kinds that a check is asked about when it broke, those of the test's other cases among them.

    Args:
        cases: The test.
        runs: How its calls ended.
        index: The case whose check broke.
    """
    told = [case.expected for case in cases if case.kind == "value"]
    given = [run.value for place, run in enumerate(runs) if place != index and run.outcome == "returned"]
    own = [value for value in (*told, *given) if len(value) <= _LONGEST and _kind(value)]
    return tuple(dict.fromkeys([*own[:_MOST_OF_TEST], *_VALUES]))


def misfit(result: str, answered: Sequence[tuple[str, bool]]) -> bool:
    """Whether a result is of another kind than a check is about that broke on it.

    What is empty is often passed over by a check, so that an answer about it tells nothing of a kind. A check that
    breaks on an empty result and answers about a full one may ask what such a call cannot give.

    Args:
        result: What the code returned, a portable value.
        answered: Other values, and whether the check gave an answer about them instead of breaking.
    """
    own = _kind(result)
    of_kind = any(answer and _alike(_kind(value), own) for value, answer in answered)
    return not of_kind and any(answer and _filled(value) for value, answer in answered)


def _kind(text: str) -> str:
    """The kind of a value, and that of what it holds; as comparing has it, sequences are alike, and so are numbers."""
    try:
        return _kind_of(json.loads(text), 1)
    except (ValueError, RecursionError):
        return ""


def _kind_of(value: object, depth: int) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "truth"
        case int() | float():
            return "number"
        case str():
            return "text" if value else "empty text"
        case list():
            return _sequence(cast("list[object]", value), depth)
        case _:
            return _tagged(cast("dict[str, object]", value), depth)


def _sequence(items: list[object], depth: int) -> str:
    inner = {_kind_of(item, depth - 1).removeprefix("empty ") for item in items} if depth else {"anything"}
    if not items:
        return "empty sequence"
    return f"sequence of {inner.pop()}" if len(inner) == 1 else "sequence"


def _tagged(fields: dict[str, object], depth: int) -> str:
    tag, held = fields.get("$", "map"), fields.get("v")
    if tag in _NUMBERS:
        return "number"
    if tag in _SEQUENCES and isinstance(held, list):
        return _sequence(cast("list[object]", held), depth)
    empty = "" if (held if "$" in fields else fields) else "empty "
    return f"{empty}{'set' if tag in _SETS else 'map' if tag in _MAPS else tag}"


def _alike(kind: str, own: str) -> bool:
    """Whether a value is of a result's kind; of an empty result any that it would be with something in it."""
    bare = own.removeprefix("empty ")
    return kind == own or (bare != own and kind.removeprefix("empty ").startswith(bare))


def _filled(text: str) -> bool:
    """Whether a value is one of those that no check passes over."""
    return text not in ("0", "false") and not _kind(text).startswith(("empty", "nothing"))
