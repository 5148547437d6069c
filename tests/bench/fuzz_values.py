"""Random portable values, answers that only look like them, and neighbours that differ by a hair, for the fuzz."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

WORDS = ["", "a", "\0", "\ud800", "😀", "$", "é" * 40, "x" * 500, "\n", "\u2028", "v", "__proto__", "\x1b[2J"]
NUMBERS = [0, 1, -1, 2**53, -(2**53), 2**53 + 1, 10**400, 0.0, -0.0, 0.1, 1e308, 5e-324, 1e-7, 500000.5]
DIGITS = [
    "0",
    "-0",
    "1",
    "9" * 4300,
    "9" * 4301,
    "-" + "7" * 30,
    "1.5",
    "1E+999999",
    "1E9999999",
    "NaN",
    "sNaN",
    "-sNaN12",
]
DIGITS += ["Infinity", "", "٣", "1_000", " 1", "0x10", "1" + "0" * 4299]
DTYPES = [
    "<f8",
    "<i8",
    "|b1",
    "<U3",
    "<U9999999",
    "|S1",
    "|O",
    "<M8[ns]",
    "<m8[D]",
    "<c16",
    "|u1",
    "<f2",
    "[('a','<f8')]",
]
COLUMNS = [
    "object",
    "int64",
    "Int64",
    "float64",
    "str",
    "category",
    "datetime64[ns]",
    "datetime64[ns, UTC]",
    "bool",
    "",
]
SHAPES = [[0], [1], [2], [2**53, 0], []]
NOW = {"v": "2024-01-01T00:00:00", "zone": None, "fold": 0}


def tree(rng: random.Random, depth: int) -> Any:
    """A random tree: mostly in the portable form, now and then out of it."""
    if depth <= 0 or rng.random() < 0.3:
        return rng.choice(
            [None, True, False, rng.choice(WORDS), rng.choice(NUMBERS), rng.uniform(-9, 9), rng.randrange(9)]
        )
    inner = lambda: tree(rng, depth - 1)  # noqa: E731
    many = lambda most=4: [inner() for _ in range(rng.randrange(most))]  # noqa: E731
    kind = rng.choice([*sorted(_FORMS), "list", "list", "map", "map"])
    if kind == "list":
        return many(6)
    if kind == "map" and rng.random() < 0.7:
        return {rng.choice(WORDS): inner() for _ in range(rng.randrange(4))}
    node = {"$": kind, **_FORMS[kind](rng, inner, many)}
    if rng.random() < 0.1:
        key = rng.choice([*node, "extra"])
        node[key] = inner()
    return node


def _index(rng: random.Random, many: Callable[[], list[Any]]) -> dict[str, Any]:
    kind = rng.choice(["Index", "RangeIndex", "MultiIndex", "DatetimeIndex"])
    items: list[Any] = [rng.choice([0, 3, 2**53, -(2**53)]) for _ in range(3)] if kind == "RangeIndex" else many()
    return {"$": "index", "class": kind, "dtype": rng.choice(COLUMNS), "names": [None], "v": items}


_FORMS: dict[str, Callable[[random.Random, Callable[[], Any], Callable[..., list[Any]]], dict[str, Any]]] = {
    "int": lambda r, i, m: {"v": r.choice(DIGITS)},
    "float": lambda r, i, m: {"v": r.choice(["nan", "inf", "-inf", "x"])},
    "str": lambda r, i, m: {"v": [r.choice([0, 65, 0xD800, 0xDC00, 0xFFFF]) for _ in range(r.randrange(4))]},
    "tuple": lambda r, i, m: {"v": m()},
    "deque": lambda r, i, m: {"v": m(), "maxlen": r.choice([None, 0, 9])},
    "set": lambda r, i, m: {"v": m(6)},
    "frozenset": lambda r, i, m: {"v": m(6)},
    "bytes": lambda r, i, m: {"v": r.choice(["", "QQ==", "Q", "=" * 9])},
    "map": lambda r, i, m: {"v": [[i(), i()] for _ in range(r.randrange(4))]},
    "ordered_map": lambda r, i, m: {"v": [[i(), i()] for _ in range(r.randrange(4))]},
    "default_map": lambda r, i, m: {"v": [[i(), i()]], "factory": r.choice([None, "int", "eval"])},
    "complex": lambda r, i, m: {"v": [r.choice([0.0, 1e300, {"$": "float", "v": "nan"}]), 1.0]},
    "decimal": lambda r, i, m: {"v": r.choice(DIGITS)},
    "fraction": lambda r, i, m: {"v": [r.choice(DIGITS), r.choice(["1", "7", "0", "9" * 4300])]},
    "date": lambda r, i, m: {"v": r.choice(["2024-01-01", "0000-00-00", "9999-99-99"])},
    "datetime": lambda r, i, m: {**NOW, "zone": r.choice([None, "UTC", "../etc/passwd", "posix", "Europe/Berlin"])},
    "timestamp": lambda r, i, m: {**NOW, "v": r.choice(["2024-01-01T00:00:00", "9999-01-01T00:00:00+23:59"])},
    "timedelta": lambda r, i, m: {"v": [r.choice([0, 2**53]), 0, 0]},
    "path": lambda r, i, m: {"v": r.choice(WORDS), "pure": r.choice([True, False])},
    "range": lambda r, i, m: {"v": [r.choice([0, -(2**53)]), r.choice([5, 2**53]), r.choice([1, -1, 0, 2**53])]},
    "record": lambda r, i, m: {"name": r.choice(["P", "\0", "x" * 300]), "fields": [[r.choice(WORDS), i()]]},
    "ndarray": lambda r, i, m: {"dtype": r.choice(DTYPES), "shape": r.choice(SHAPES), "v": m(3)},
    "scalar": lambda r, i, m: {"dtype": r.choice(DTYPES), "v": i()},
    "index": lambda r, i, m: _index(r, m),
    "series": lambda r, i, m: {"name": i(), "dtype": r.choice(COLUMNS), "index": _index(r, m), "v": m()},
    "frame": lambda r, i, m: {
        "columns": _index(r, m), "dtypes": [r.choice(COLUMNS)], "index": _index(r, m), "v": [m()],
    },
    "pandas_timedelta": lambda r, i, m: {"v": r.choice([0, {"$": "int", "v": "9" * 30}, "x"])},
    "nat": lambda r, i, m: {},
    "unknown": lambda r, i, m: {"v": i()},
}  # fmt: skip


def text(rng: random.Random) -> str:
    """The text of an answer: of a tree, of a deep nest, or of either with its bytes stirred."""
    choice = rng.random()
    if choice < 0.05:
        form = rng.choice(
            ["[%s]", '{"$":"tuple","v":[%s]}', '{"$":"set","v":[%s]}', '{"a":%s}', '{"$":"map","v":[[%s,1]]}']
        )
        head, tail = form.split("%s")
        depth = rng.choice([3, 100, 190, 199, 200, 201, 400, 2000])
        return head * depth + "1" + tail * depth
    found = json.dumps(tree(rng, rng.randrange(5)), ensure_ascii=rng.random() < 0.5, separators=(",", ":"))
    if choice < 0.25:
        for _ in range(rng.randrange(1, 4)):
            at, length = rng.randrange(len(found) + 1), rng.randrange(4)
            found = (
                found[:at]
                + rng.choice(["", '"', "}", ",", "\0", "\\u0000", "\\ud800", "1e999", found[:20]])
                + found[at + length :]
            )
    return found


# Legal values, and their neighbours

_KEYS = ["a", "b", "n", "key", "", "é", "😀", "x" * 60, "__proto__"]
_FLOATS = [0.0, -0.0, 1.0, 0.1, 2.5, -7.25, 1e300, -1e300, 5e-324, 1e-7, 500000.5, 1e16, 3.0000001]
_INTS = [0, 1, -1, 7, 2**53, -(2**53), 10, 500000]
_LONG = ["9" * 20, "-" + "8" * 40, "1" + "0" * 4299, str(2**53 + 1), str(2**63 - 1)]
_DECIMALS = [
    "0",
    "1.5",
    "1.50",
    "-0.0",
    "1E+20",
    "1E-20",
    "1E+999999",
    "1E-999999",
    "NaN",
    "sNaN",
    "Infinity",
    "-Infinity",
]
_ODD: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "int": lambda r: {"v": r.choice(_LONG)},
    "float": lambda r: {"v": r.choice(["nan", "inf", "-inf"])},
    "str": lambda r: {"v": r.choice([[0xD800], [65, 0xDC00], [0xDC00, 0xD800]])},
    "bytes": lambda r: {"v": r.choice(["", "QQ==", "AAAA", "/+8="])},
    "bytearray": lambda r: {"v": r.choice(["", "QQ=="])},
    "complex": lambda r: {"v": [r.choice([*_FLOATS, {"$": "float", "v": "nan"}]), r.choice(_FLOATS)]},
    "decimal": lambda r: {"v": r.choice(_DECIMALS)},
    "fraction": lambda r: {"v": [r.choice(["0", "1", "-3", *_LONG[:2]]), r.choice(["1", "2", "6", "10"])]},
    "date": lambda r: {"v": r.choice(["2024-01-01", "2024-02-30"])},
    "datetime": lambda r: {
        "v": r.choice(_SAID),
        "zone": r.choice([None, "UTC", "Europe/Berlin"]),
        "fold": r.choice([0, 1]),
    },
    "timedelta": lambda r: {"v": [r.choice([0, 1]), 0, r.choice([0, 5])]},
    "pandas_timedelta": lambda r: {"v": r.choice([0, 10**9])},
    "path": lambda r: {"v": r.choice(["a", "a/b", "/"]), "pure": r.choice([True, False])},
    "range": lambda r: {"v": [r.choice([0, 2]), r.choice([5, 2**53, 6]), r.choice([1, 2, -1])]},
    "nat": lambda r: {},
    "na": lambda r: {},
}
_SAID = [
    "2024-01-01T00:00:00",
    "2024-01-01T00:00:00+00:00",
    "2024-01-01T01:00:00+01:00",
    "2024-01-01T00:00:00.000-00:00",
]
_MISSING = [None, {"$": "float", "v": "nan"}, {"$": "na"}, {"$": "nat"}]
_INDEX = {"$": "index", "class": "RangeIndex", "dtype": "int64", "names": [None], "v": [0, 2, 1]}
_LISTED = {"$": "index", "class": "Index", "dtype": "int64", "names": [None], "v": [0, 1]}


def valid(rng: random.Random, depth: int) -> Any:
    """A random tree in the portable form."""
    if depth <= 0 or rng.random() < 0.35:
        plain = [None, True, False, rng.choice(_KEYS), rng.choice(_FLOATS), rng.choice(_INTS), rng.uniform(-9, 9)]
        if rng.random() < 0.75:
            return rng.choice(plain)
        kind = rng.choice([*_ODD])
        return {"$": kind, **_ODD[kind](rng)}
    inner = lambda: valid(rng, depth - 1)  # noqa: E731
    many = lambda most=5: [inner() for _ in range(rng.randrange(most))]  # noqa: E731
    kind = rng.choice(
        [
            "list",
            "list",
            "list",
            "map",
            "map",
            "tuple",
            "deque",
            "set",
            "frozenset",
            "pairs",
            "ordered_map",
            "counter",
            "default_map",
            "record",
            "array",
            "scalar",
            "frame",
        ]
    )
    if kind == "list":
        return many(7)
    if kind == "map":
        return {key: inner() for key in rng.sample(_KEYS, rng.randrange(5))}
    if kind in ("tuple", "set", "frozenset"):
        return {"$": kind, "v": many(6)}
    if kind == "deque":
        return {"$": kind, "v": many(), "maxlen": rng.choice([None, 9])}
    if kind in ("pairs", "ordered_map", "counter"):
        return {"$": "map" if kind == "pairs" else kind, "v": [[inner(), inner()] for _ in range(rng.randrange(4))]}
    if kind == "default_map":
        return {"$": kind, "v": [[inner(), inner()]], "factory": rng.choice([None, "int"])}
    if kind == "record":
        names = rng.sample(_KEYS[:4], rng.randrange(1, 4))
        return {"$": kind, "name": "P", "fields": [[name, inner()] for name in names]}
    if kind == "array":
        dtype = rng.choice(["<f8", "<i8", "|O", "|b1", "<M8[ns]", "<f4"])
        return {"$": "ndarray", "dtype": dtype, "shape": [3], "v": [_cell(rng, dtype, inner) for _ in range(3)]}
    if kind == "scalar":
        dtype = rng.choice(["<f8", "<i8", "|b1", "<m8[D]"])
        return {"$": "scalar", "dtype": dtype, "v": _cell(rng, dtype, inner)}
    dtypes = [rng.choice(["int64", "float64", "object", "str"]) for _ in range(2)]
    cells = {"int64": lambda: rng.choice(_INTS), "float64": lambda: rng.choice(_FLOATS), "object": inner}
    columns = [[cells.get(dtype, lambda: rng.choice([*_KEYS, *_MISSING]))() for _ in range(2)] for dtype in dtypes]
    if rng.random() < 0.5:
        return {
            "$": "series",
            "name": None,
            "dtype": dtypes[0],
            "index": rng.choice([_INDEX, _LISTED]),
            "v": columns[0],
        }
    return {"$": "frame", "columns": _LISTED, "dtypes": dtypes, "index": rng.choice([_INDEX, _LISTED]), "v": columns}


def _cell(rng: random.Random, dtype: str, inner: Callable[[], Any]) -> Any:
    if dtype[1] == "f":
        return rng.choice([*_FLOATS, {"$": "float", "v": "nan"}])
    if dtype[1] == "i":
        return rng.choice(_INTS)
    if dtype[1] == "b":
        return rng.choice([True, False])
    return rng.choice([0, 5, None]) if dtype[1] in "Mm" else inner()


def near(rng: random.Random, tree: Any, share: float) -> Any:
    """A tree like this one: the same in another kind or order, or different by little, at a share of its places."""
    if rng.random() < share:
        tree = _turned(rng, tree)
    if isinstance(tree, list):
        return [near(rng, item, share) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if "$" not in tree:
        items = [*tree.items()]
        if rng.random() < share:
            rng.shuffle(items)
        return {key: near(rng, item, share) for key, item in items}
    if tree["$"] in ("tuple", "deque", "set", "frozenset"):
        return tree | {"v": [near(rng, item, share) for item in tree["v"]]}
    if tree["$"] in ("map", "ordered_map", "counter", "default_map"):
        return tree | {"v": [[near(rng, key, share), near(rng, item, share)] for key, item in tree["v"]]}
    if tree["$"] == "record":
        return tree | {"fields": [[name, near(rng, item, share)] for name, item in tree["fields"]]}
    if tree["$"] == "ndarray" and tree["dtype"] == "|O":
        return tree | {"v": [near(rng, item, share) for item in tree["v"]]}
    return tree


def _turned(rng: random.Random, tree: Any) -> Any:
    """The same value in another form, or a neighbour of it."""
    if isinstance(tree, bool) or tree is None:
        return rng.choice([tree, int(bool(tree)), str(tree), {"$": "scalar", "dtype": "|b1", "v": bool(tree)}])
    if isinstance(tree, (int, float)):
        return _number(rng, Fraction(tree))
    if isinstance(tree, str):
        return rng.choice([tree, tree + "a", tree.upper(), {"$": "str", "v": [ord(c) for c in tree if ord(c) < 65536]}])
    if isinstance(tree, list):
        return _sequence(rng, tree)
    kind = tree.get("$", "map")
    if kind in ("tuple", "deque"):
        return _sequence(rng, tree["v"])
    if kind in ("set", "frozenset"):
        items = rng.sample(tree["v"], len(tree["v"]))
        if items and rng.random() < 0.2:
            items[0] = items[-1]
        return {"$": rng.choice(["set", "frozenset"]), "v": items}
    if kind == "record":
        items = [value for _, value in tree["fields"]]
        named = {name: value for name, value in tree["fields"]}  # noqa: C416
        return rng.choice([items, {"$": "tuple", "v": items}, named, tree | {"name": "Q"}])
    if kind == "map" and "$" not in tree and tree and rng.random() < 0.5:
        return {"$": "record", "name": "P", "fields": [[key or "none", item] for key, item in tree.items()]}
    if kind in ("map", "ordered_map", "counter", "default_map"):
        pairs = [[*pair] for pair in (tree["v"] if "$" in tree else tree.items())]
        rng.shuffle(pairs)
        return {"$": rng.choice(["map", "ordered_map", "counter"]), "v": pairs}
    if kind in ("int", "fraction", "decimal", "float"):
        found = _exact(tree)
        return tree if found is None else _number(rng, found)
    if kind == "scalar":
        return tree["v"]
    if kind == "ndarray" and tree["dtype"] == "<f8":
        return tree | {"dtype": "<f4"}
    if kind == "ndarray" and tree["dtype"] == "<M8[ns]":
        times = rng.choice([1, 1000])
        return tree | {"dtype": "<M8[ps]", "v": [None if cell is None else cell * times for cell in tree["v"]]}
    if kind == "datetime":
        return {"$": kind, **_ODD[kind](rng)}
    if kind == "series" and tree["dtype"] == "str" and rng.random() < 0.5:
        marked = [rng.choice(_MISSING) if cell in _MISSING else cell for cell in tree["v"]]
        return tree | {"dtype": rng.choice(["object", "string"]), "v": marked}
    if kind == "series":
        return tree | {"index": rng.choice([_INDEX, _LISTED])}
    return tree


def _sequence(rng: random.Random, items: list[Any]) -> Any:
    if items and rng.random() < 0.15:
        items = items[:-1]
    kind = rng.choice(["list", "tuple", "deque"])
    if kind == "list":
        return items
    return {"$": kind, "v": items, **({"maxlen": None} if kind == "deque" else {})}


def _exact(tree: dict[str, Any]) -> Fraction | None:
    if tree["$"] == "int":
        return Fraction(int(tree["v"]))
    if tree["$"] == "fraction":
        return Fraction(*map(int, tree["v"]))
    if tree["$"] == "decimal" and tree["v"] in _DECIMALS[:6]:
        return Fraction(tree["v"])
    return None


def _number(rng: random.Random, number: Fraction) -> Any:
    """A number, or one close to it, in a kind that can hold it."""
    number += rng.choice([0, 0, 0, 1, Fraction(1, 2), Fraction(1, 10**9), Fraction(1, 10**6) * abs(number) / 2])
    number += rng.choice([0, 0, Fraction(1, 10**5) * abs(number)])
    kind = rng.choice(["int", "float", "fraction", "decimal", "complex", "scalar"])
    if kind == "int" and number.denominator == 1:
        return int(number) if abs(number) <= 2**53 else {"$": "int", "v": str(int(number))}
    if kind == "fraction" and number.denominator < 10**4000 and abs(number.numerator) < 10**4000:
        return {"$": "fraction", "v": [str(number.numerator), str(number.denominator)]}
    if kind == "decimal" and number.denominator == 1:
        return {"$": "decimal", "v": f"{int(number)}.0"}
    if abs(number) > 10**300:
        return {"$": "int", "v": str(int(number))}
    value = float(number)
    if kind == "complex":
        return {"$": "complex", "v": [value, rng.choice([0.0, 0.0, 1.0])]}
    return {"$": "scalar", "dtype": "<f8", "v": value} if kind == "scalar" else value
