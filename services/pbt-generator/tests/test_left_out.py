"""What is left out of the mutants since it makes no difference by its form makes none."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import Mutant, mutate, witnesses
from pbt_generator.ports import Harness

WINDOW = "seen = []\nfor n in xs:\n    if n in seen: return n\n    seen.append(n)\n    if y: seen.pop(0)"
CAUGHT = "try:\n    a, b = x.split(',')\nexcept ValueError:\n    return None\nreturn a"
TAKEN = "best = 0\nfor n in xs:\n    if y.pop() > best: best = y.pop()\nreturn best"
SIZED = "try:\n    a, b = {}\nexcept {}: return\nreturn a"
PASSED = "a, b = {}: what comes behind is passed over"
NESTED = "def pair(t):\n    a, b = t.split('=')\n    return a\ntry: return pair(x)\nexcept ValueError: return None"
HELPED = "def g(t):\n    a, b = t.split('=')\n    return a\n"


def mutants_of(body: str, head: str = "x, y=0, xs=()") -> dict[str, Mutant]:
    source = f"import re\ndef f({head}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    return {mutant.change: mutant for mutant in mutate(source, "f").mutants}


@pytest.mark.parametrize(
    ("body", "change"),
    [
        # Which member is taken out of a window decides what is in it afterwards.
        (WINDOW, "seen.pop(0) → seen.pop()"),
        (WINDOW, "seen.pop(0) twice"),
        # A function that is given a list may put something in.
        ("a = []\nfill(a)\na.append(x)\nreturn a", "a.append(x) → a.insert(0, x)"),
        ("a = []\nb = a\nb.append(y)\na.append(x)\nreturn b", "a.append(x) → a.insert(0, x)"),
        # A name that began as a text may hold a list later.
        ("a = ''\na = x.split()\nreturn sorted(a)", "sorted(a) → sorted(set(a))"),
        # All parts of a text are kept, and a wrong number of them may be caught.
        ("parts = x.split(',')\nreturn parts", "x.split(',') → x.split(',', 1)"),
        ("a, *b = x.split(',')\nreturn b", "x.split(',') → x.split(',', 1)"),
        (CAUGHT, "x.split(',') → x.split(',', 1)"),
        ("try:\n    a, b = x\nexcept ValueError: return\nreturn a", "a, b = x: what comes behind is passed over"),
        (SIZED.format("x.split(',', 2)", "Exception"), PASSED.format("x.split(',', 2)")),
        (SIZED.format("re.split('(,)', x, maxsplit=1)", "ERRORS"), PASSED.format("re.split('(,)', x, maxsplit=1)")),
        ("try:\n    a, b = x\nfinally:\n    return y", PASSED.format("x")),
        ("with suppress(KeyError, ValueError):\n    a, b = x\n    return a", PASSED.format("x")),
        ("with given(x):\n    a, b = x\n    return a", PASSED.format("x")),
        # What is raised in its place may be caught further out.
        (
            "try:\n    try: a, b = x\n    except ValueError: raise KeyError\n    return a\nexcept KeyError: return y",
            PASSED.format("x"),
        ),
        # A function is called where an error of it is caught.
        (NESTED, PASSED.format("t.split('=')")),
        (NESTED, "t.split('=') → t.split('=', 1)"),
        (NESTED.replace("pair(x)", "list(map(pair, xs))"), PASSED.format("t.split('=')")),
        ("try:\n    a, b = x\n    return f(a)\nexcept ValueError: return y", PASSED.format("x")),
        # One of two ways of an expression is tied to the beginning.
        (r"return re.sub('^ +| +$', '', x)", "re.sub('^ +| +$', '', x) → re.sub('^ +| +$', '', x, count=1)"),
        ("return bool(re.search('^a|b', x))", "re.search('^a|b', x) → re.match('^a|b', x)"),
        ("return bool(re.search('^a', x, re.M))", "re.search('^a', x, re.M) → re.match('^a', x, re.M)"),
        # A local name for the parts of a text has a first and a last as the text has.
        ("parts = x.split('.')\nreturn parts[0] + '!'", "parts[0] → parts[-1]"),
        ("parts = x.split('.')\nparts += xs\nreturn parts[0] + '!'", "parts[0] → parts[-1]"),
        ("a = []\na += xs\nreturn sorted(a)", "sorted(a) → sorted(set(a))"),
        ("a = set(xs)\na = [x, *a]\nreturn sorted(a)", "sorted(a) → sorted(set(a))"),
        # What is handed on in a round, what is noted on the way, and what is spread out is computed like all else.
        ("for n in xs: yield n * 3", "n * 3 → n + 3"),
        ("yield from xs[y + 2:]", "y + 2 → y - 2"),
        ("if (n := y * 3) and xs: return n\nreturn x", "y * 3 → y + 3"),
        ("return max(*xs[y + 2:], 1)", "y + 2 → y - 2"),
        ("return [*sorted(xs), y]", "sorted(xs) → list(xs)"),
        # So is what a `match` asks, and where something is written, or is gone.
        ("match x.lower():\n    case 'a': return 1\nreturn 2", "x.lower() → x"),
        ("match x:\n    case 'a' | 'b': return 1\nreturn 2", "case 'a' | 'b' → case 'a'"),
        ("match x:\n    case [3, n]: return n\nreturn 2", "case [3, n] → case [4, n]"),
        ("match x:\n    case 'ab': return 1\n    case _: return 2", "case 'ab' left out"),
        ("xs[y + 2] = x\nreturn xs", "y + 2 → y - 2"),
        ("xs[0] = x\nreturn xs", "0 → 1"),
        ("xs[y + 2] += 1\nreturn xs", "y + 2 → y - 2"),
        ("del xs[y + 2:]\nreturn xs", "y + 2 → y - 2"),
        ("a, xs[y + 2] = x\nreturn xs", "y + 2 → y - 2"),
        # So are a function out of a table, and a manager's arguments.
        ("return TABLE[x.lower()](y)", "x.lower() → x"),
        ("with localcontext(prec=y + 2): return x / 3", "y + 2 → y - 2"),
        # What is evaluated twice may be something else the second time.
        (TAKEN, "y.pop() > best → y.pop() >= best"),
    ],
)  # fmt: skip
def test_a_change_that_may_matter_is_a_mutant(body: str, change: str) -> None:
    mutant = mutants_of(body)[change]
    assert not mutant.reading and not mutant.proof


def test_mutants_of_patterns_have_them(harness: Harness) -> None:
    cases = "case 'ab' | 'cd' if y: return 1", "case [3, n]: return n", "case _: return 2"
    source = "\n        ".join(["def f(x, y):\n    match x:", *cases])
    program = mutate(source, "f")
    space: dict[str, Any] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)

    def given(change: str, *inputs: object) -> list[object]:
        space["_ts_M"] = next((mutant.number for mutant in program.mutants if mutant.change == change), 0)
        return [space["f"](each, True) for each in inputs]

    inputs = ("ab", "cd", [3, 7], [4, 7], "x")
    assert given("", *inputs) == [1, 1, 7, 2, 2]
    assert given("case 'ab' | 'cd' → case 'ab'", *inputs) == [1, 2, 7, 2, 2]
    assert given("case 'ab' | 'cd' left out", *inputs) == [2, 2, 7, 2, 2]
    assert given("case [3, n] → case [4, n]", *inputs) == [1, 1, 2, 7, 2]
    assert len(witnesses(source, "f").mutants) == len(program.mutants)


@pytest.mark.parametrize(
    ("body", "change"),
    [
        ("return sorted(set(xs))", "sorted(set(xs)) → sorted(set(set(xs)))"),
        ("return sorted({*xs})", "sorted({*xs}) → sorted(set({*xs}))"),
        ("return sorted(x.items())", "sorted(x.items()) → sorted(set(x.items()))"),
        ("parts = x.split('.')\nparts = [x]\nreturn parts[0] + '!'", "parts[0] → parts[-1]"),
        ("a, b = x\nreturn a", "a, b = x: what comes behind is passed over"),
        # More parts than names there never are.
        *(
            (SIZED.format(value, "ValueError"), PASSED.format(value))
            for value in (
                "(x, y)",
                "[x, y]",
                "x.split(',', 1)",
            )
        ),
        (
            SIZED.replace("a, b", "a, b, c").format("x.partition(',')", "ValueError"),
            "a, b, c = x.partition(','): what comes behind is passed over",
        ),
        # The error of a wrong number goes out.
        *(
            (SIZED.format("x", caught), PASSED.format("x"))
            for caught in ("KeyError", "(KeyError, OSError)", "json.JSONDecodeError")
        ),
        *(
            (SIZED.format("x.split(',')", caught), "x.split(',') → x.split(',', 1)")
            for caught in ("KeyError", "re.error")
        ),
        ("try:\n    a, b = x\nexcept ValueError: raise KeyError from None\nreturn a", PASSED.format("x")),
        ("try:\n    a, b = x\nexcept ValueError: raise\nexcept Exception: return y\nreturn a", PASSED.format("x")),
        ("try:\n    a, b = x\n    return a\nfinally:\n    y.close()", PASSED.format("x")),
        ("with open(x) as y:\n    a, b = y\n    return a", PASSED.format("y")),
        ("with suppress(KeyError):\n    a, b = x\n    return a", PASSED.format("x")),
        ("try: y = int(y)\nexcept ValueError: return\na, b = x\nreturn f(a)", PASSED.format("x")),
        (HELPED + "try: y = int(y)\nexcept ValueError: return\nreturn g(x)", PASSED.format("t.split('=')")),
        # Which errors a manager lets go, in which order, and a case that takes all.
        (
            "with suppress(KeyError, ValueError):\n    return xs[y]",
            "suppress(KeyError, ValueError) → suppress(ValueError, KeyError)",
        ),
        ("match x:\n    case 'ab': return 1\n    case _: return 2", "case _ left out"),
        ("match x:\n    case 'ab': raise ValueError\nreturn 2", "case 'ab' left out"),
        # With more parts there is no case: the ground truth raises.
        ("a, b = x.split(',')\nreturn a", "x.split(',') → x.split(',', 1)"),
        ("return bool(re.search('^a', x))", "re.search('^a', x) → re.match('^a', x)"),
    ],
)
def test_a_change_that_never_matters_is_none(body: str, change: str) -> None:
    assert change not in mutants_of(body)


@pytest.mark.parametrize(
    ("body", "change"),
    [
        ("if x <= 0: raise ValueError\nreturn x + 1", "x <= 0 → x <= 1"),
        ("if x >= 10: raise ValueError\nreturn x + 1", "x >= 10 → x >= 9"),
        ("if x <= 0 or x >= 10: raise ValueError\nreturn x + 1", "x >= 10 → x >= 9"),
        ("if not 0 < x < 10: raise ValueError\nreturn x + 1", "0 < x < 10 → 1 < x < 10"),
        ("if not 0 < x < 10: raise ValueError\nreturn x + 1", "0 < x < 10 → 0 < x < 9"),
        ("assert x >= y\nreturn x + 1", "x >= y → x > y"),
        ("assert 0 <= x < 10 and y > 3, x\nreturn x + 1", "0 <= x < 10 → 0 < x < 10"),
    ],
)
def test_limits_of_what_is_refused_have_mutants_that_refuse_more(body: str, change: str) -> None:
    assert change in mutants_of(body), list(mutants_of(body))


@pytest.mark.parametrize(
    ("definition", "expression", "changes"),
    [
        ("LIMIT = 72", "x[:LIMIT]", {"LIMIT = 73", "LIMIT = 71"}),
        ("UNITS = ('B', 'KB', 'MB')", "UNITS[x]", {"UNITS without 'B'", "UNITS without 'MB'"}),
        ("CODES: dict[str, int] = {'a': 1, 'b': 2}", "CODES.get(x)", {"CODES without 'a'", "CODES without 'b'"}),
        ("WORDS = frozenset({'a', 'b'})", "x in WORDS", {"WORDS without 'a'", "WORDS without 'b'"}),
    ],
)
def test_constants_of_the_module_have_mutants(definition: str, expression: str, changes: set[str]) -> None:
    source = f"{definition}\ndef f(x):\n    return g(x) or {expression}\ndef g(x):\n    return {expression}\n"
    found = [mutant.change for mutant in mutate(source, "f").mutants]
    assert changes <= set(found)
    assert all(found.count(change) == 1 for change in changes)


@pytest.mark.parametrize(
    "source",
    [
        "LIMIT = 72\nLIMIT = 80\ndef f(x): return x[:LIMIT]",
        "LIMIT = 72\ndef f(x, LIMIT): return x[:LIMIT]",
        "seen = ['a', 'b']\ndef f(x):\n    seen.append(x)\n    return len(seen)",
        "def f(x):\n    return x",
    ],
)
def test_names_that_are_no_constants_have_none(source: str) -> None:
    assert not [mutant for mutant in mutate(source, "f").mutants if mutant.operator == "module constant"]


def test_a_changed_constant_is_read_everywhere(harness: Harness) -> None:
    program = mutate("N = (1, 2)\ndef f(x):\n    return [x in N, x in N]\n", "f")
    space: dict[str, Any] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    number = next(mutant.number for mutant in program.mutants if mutant.change == "N without 1")
    space["_ts_M"] = number
    assert space["f"](1) == [False, False]
    assert len(witnesses("N = (1, 2)\ndef f(x):\n    return [x in N, x in N]\n", "f").mutants) == len(program.mutants)


UNREAD = "LIMIT = 72\ndef f(x: str):\n    if isinstance(x, str):\n        return x{used}\n    return x[:LIMIT]\n"


@pytest.mark.parametrize("written", [mutate, witnesses])
def test_a_constant_that_is_read_only_where_control_never_comes_does_not_count(written: Any) -> None:
    given: dict[str, Any] = {} if written is witnesses else {"given": {"x": frozenset({"str"})}}
    for used, counts in (("", False), ("[:LIMIT]", True)):
        source = UNREAD.format(used=used)
        found = [each for each in written(source, "f", **given).mutants if each.operator == "module constant"]
        assert len(found) == 2
        if given:
            assert [not mutant.proof for mutant in found] == [counts, counts], source
        # A search that finds these lines dead says the same of the constant.
        assert {each.places <= {5} for each in found} == {not counts}


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ("try: return g(x)\n    except ValueError: return None", True),
        ("try: return h(x)\n    except ValueError: return None", True),
        ("try: return sum(map(g, x))\n    except ValueError: return None", True),
        # What is said later may be asked for anywhere.
        ("each = (g(y) for y in x)\n    try: return list(each)\n    except ValueError: return None", True),
        ("try: x = x.strip()\n    except ValueError: return None\n    return g(x)", False),
        ("try: return g(x)\n    except KeyError: return None", False),
    ],
)
def test_a_helper_is_asked_for_another_number_of_parts_where_its_error_is_caught(body: str, *, counts: bool) -> None:
    helpers = "def g(t):\n    a, b = t.split('=')\n    return a\ndef h(t):\n    return g(t)\n"
    found = {mutant.change for mutant in mutate(f"def f(x):\n    {body}\n{helpers}", "f").mutants}
    assert (PASSED.format("t.split('=')") in found) is counts
    assert ("t.split('=') → t.split('=', 1)" in found) is counts
