r"""A notation for values that a few lines read and write in any language, and that needs no quoting in any source.

```
n t f               null, true, false
i12;                an integer
d3ff8000000000000   a float, by its bits
stext;              text; all but letters, digits and a few signs as %XXXX, one for each UTF-16 code unit
b00ff;              bytes
[…] {…} <…>         a sequence, a set, a map (keys and values by turns)
```

The key of an input is the same notation with everything forgotten that some language cannot tell apart: a float
with an integral value is an integer, a tuple is a list, sets and maps are sorted.
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from touchstone_values import parse

# Arguments and expected result, JSON texts in the portable form.
CaseText = tuple[str, str]
# (key of the input, notation of the result)
Row = tuple[str, str]

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+*/=.,:!?()[]{}<>@#&|^~")
_MOST_EXACT = 2**53
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_NAN = "d7ff8000000000000"


class InexpressibleError(ValueError):
    """A value has no counterpart in some language; names its kind."""


def rows(cases: Sequence[CaseText], *, broken: bool) -> list[Row]:
    """The table of a suite.

    Args:
        cases: The suite's cases.
        broken: Answer one case, the middle one, with something else.

    Raises:
        InexpressibleError: a value has no counterpart outside of Python.
    """
    made = [(key_of(positional(arguments)), write(parse(expected))) for arguments, expected in cases]
    if broken and made:
        key, text = made[len(made) // 2]
        # A list around it is another value, whatever it is; every row with this key must say so.
        made = [(other, f"[{text}]") if other == key else (other, given) for other, given in made]
    return made


def arities(cases: Sequence[CaseText]) -> list[int]:
    """With how many arguments the function is called."""
    return sorted({len(positional(arguments)) for arguments, _ in cases})


def positional(arguments: str) -> list[Any]:
    """The trees of a case's arguments, named ones in their order."""
    tree = parse(arguments)
    return list(tree.values()) if isinstance(tree, dict) else list(tree)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def write(tree: Any) -> str:
    """The notation of a portable tree.

    Raises:
        InexpressibleError: it holds a kind that only Python has.
    """
    return _Notation(_exact_float, sort=False, records=False).write(tree)


def key_of(arguments: list[Any]) -> str:
    """The key of an input.

    Raises:
        InexpressibleError: it holds a kind that only Python has.
    """
    return _Notation(_number, sort=True, records=True).write(arguments)


def _exact_float(value: float) -> str:
    return _NAN if math.isnan(value) else "d" + struct.pack(">d", value).hex()


def _number(value: float) -> str:
    if math.isfinite(value) and value == math.floor(value) and abs(value) <= _MOST_EXACT:
        return f"i{int(value)};"
    return _exact_float(value)


def _text(value: str) -> str:
    out: list[str] = []
    for char in value:
        if char in _PLAIN:
            out.append(char)
            continue
        raw = char.encode("utf-16-be", "surrogatepass").hex()
        out.append("".join(f"%{raw[at : at + 4]}" for at in range(0, len(raw), 4)))
    return f"s{''.join(out)};"


class _Notation:
    def __init__(self, write_float: Callable[[float], str], *, sort: bool, records: bool) -> None:
        self._float = write_float
        self._sort = sort
        self._records = records

    def write(self, tree: Any) -> str:
        match tree:
            case None:
                return "n"
            case bool():
                return "t" if tree else "f"
            case int():
                return f"i{tree};"
            case float():
                return self._float(tree)
            case str():
                return _text(tree)
            case list():
                return "[" + "".join(map(self.write, tree)) + "]"  # pyright: ignore[reportUnknownArgumentType]
            case dict() if "$" not in tree:
                return self._map([[name, item] for name, item in tree.items()])  # pyright: ignore[reportUnknownVariableType]
            case _:
                return self._tagged(tree)

    def _tagged(self, node: dict[str, Any]) -> str:
        match node["$"]:
            case "int":
                return f"i{node['v']};"
            case "float":
                return self._float(_FLOATS[node["v"]])
            case "str":
                return _text("".join(map(chr, node["v"])))
            case "tuple" | "deque":
                return self.write(node["v"])
            case "set" | "frozenset":
                items = list(map(self.write, node["v"]))
                return "{" + "".join(sorted(items) if self._sort else items) + "}"
            case "map" | "ordered_map" | "counter" | "default_map":
                return self._map(node["v"])
            case "bytes" | "bytearray":
                return f"b{base64.b64decode(node['v']).hex()};"
            case "record" if self._records:
                return self._map(node["fields"])
            case kind:
                raise InexpressibleError(f"a {kind} exists in Python only")

    def _map(self, pairs: list[list[Any]]) -> str:
        entries = [self.write(name) + self.write(item) for name, item in pairs]
        return "<" + "".join(sorted(entries) if self._sort else entries) + ">"
