"""Answers that mean harm, and what becomes of them on our side: read, compared, made a verdict, sent.

Prints one JSON line: frames tried, how many were values, the slowest one, and every law that was broken (none).

    python tests/bench/hostile_answers.py --frames 1000000
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from sandbox_executor.domain.frames import ProtocolError, Raised, Returned, read_answer
from sandbox_executor.domain.judging import Failure, judge_case
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone_values import MalformedValueError, UnportableError, build, compare, encode, parse

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


def check(value: str, expected: str, mode: Any) -> tuple[Failure | None, str, bool]:
    """What becomes of one answer: its failure, the law that it broke (or nothing), and whether it was a value."""
    frame = b'{"i":0,"o":"returned","v":' + value.encode("utf-8", "surrogatepass") + b"}"
    try:
        found = read_answer(frame, 0)
    except ProtocolError as error:
        result, proven = CaseResult(0, Outcome.FORBIDDEN, "", "ForeignFrame", str(error)), False
    else:
        if isinstance(found, Raised):
            return None, "a value was taken for an exception", False
        assert isinstance(found, Returned)
        result, proven = CaseResult(0, Outcome.RETURNED, found.value), True
    pb.RunCasesResponse(value=result.value, error_type=result.error_type, error_message=result.error_message)
    failure = judge_case(result, expected, mode)
    if failure is not None:
        pb.CaseFailure(index=0, outcome=failure.outcome, detail=failure.detail)
        if "\0" in failure.detail:
            return failure, "a detail that JSONB refuses", proven
    if not proven:
        return failure, "" if failure is not None else "what is no value passed", proven
    return failure, _broken_law(found.value, expected), proven


def _broken_law(value: str, expected: str) -> str:
    for mode in ("exact", "portable"):
        if compare(value, value + " ", mode) is not None:
            return f"a value differs from itself in {mode} mode"
    if compare(expected, value, "exact") is None and compare(expected, value, "portable") is not None:
        return "equal in exact mode, different in portable mode"
    with contextlib.suppress(MalformedValueError, UnportableError):
        parse(encode(build(parse(value))))
    return ""


def fuzz(frames: int, seed: int, take: Callable[[Failure], None] | None = None) -> dict[str, Any]:
    """Try so many answers; gives counts, the slowest answer, and what broke."""
    # Their libraries take seconds to load, which is nobody's answer.
    build(parse('{"$":"nat"}'))
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    broken: list[str] = []
    slowest, slow = 0.0, ""
    expected = "[1,2.5]"
    for _ in range(frames):
        value = text(rng)
        began = time.process_time()
        try:
            failure, law, proven = check(value, expected, rng.choice(["portable", "exact"]))
        except Exception as error:  # noqa: BLE001  that is what is looked for
            failure, law, proven = None, f"{type(error).__name__}: {str(error)[:100]}", False
        took = time.process_time() - began
        if took > slowest:
            slowest, slow = took, value[:80]
        counts["values" if proven else "refused"] += 1
        if law:
            broken.append(f"{law}: {value[:200]!r} against {expected[:200]!r}")
        if failure is not None and take is not None:
            take(failure)
        if proven and rng.random() < 0.2:
            expected = value
    return {
        "bench": "hostile_answers", "frames": frames, "seed": seed, **counts, "slowest_s": round(slowest, 3),
        "slowest": slow, "broken": len(broken), "examples": broken[:5],
    }  # fmt: skip


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    report = fuzz(options.frames, options.seed)
    print(json.dumps(report))
    sys.exit(bool(report["broken"]))


if __name__ == "__main__":
    main()
