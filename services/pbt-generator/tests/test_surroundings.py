"""Proofs that need what stands around a place: what they show, what they must not show, and that no run contradicts."""

from __future__ import annotations

import ast
import random

import pytest

from pbt_generator.domain.inputs.domains.domain import InputDomain, ParameterDomain
from pbt_generator.domain.inputs.domains.given import given_values, value_of
from pbt_generator.domain.inputs.shapes import IntShape, ListShape, MapShape, NoneShape, Shape, TextShape, UnionShape
from pbt_generator.domain.oracle.mutation.kills import KillMatrix
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.proofs.module_facts import ModuleFacts
from pbt_generator.domain.oracle.proofs.unreachable import unreachable_reason
from pbt_generator.ports import Harness

TEXT, NUMBERS = TextShape(), MapShape(TextShape(), IntShape())
PARTS = ["a", "b", "ab", "A", "/", "//", "|", " ", "\n", "1", "--", "-", "_"]
STRIPS = ["strip", "lstrip", "rstrip"]

CAUGHT_LENGTHS = """def f(xs, ys):
    try:
        return list(zip(xs, ys, strict=True))
    except ValueError:
        return 0
"""
TELLING = """def f(n):
    if isinstance(n, int) and n >= 0:
        return [n]
    message = f'no {n}'
    raise ValueError(message)
"""
CAUGHT = """def f(n):
    try:
        if n > 0:
            return [n]
        raise ValueError(n)
    except ValueError:
        return 7
"""
DECLARED = """def f(s: str, n=None):
    if s is None:
        return 1
    if n is None:
        return 2
    return 3
"""
MAPS = """A = {'x': 1}
B = {'x': 1}
C = {'x': 1}
D = dict(x=1)
def f(k):
    B['y'] = 2
    C = 3
    return A[k]
"""


def proved(source: str, **shapes: Shape) -> list[str]:
    given = {name: value_of(shape) for name, shape in shapes.items()}
    return [mutant.change for mutant in mutate(source, "f", given).mutants if mutant.proof]


# Pairs of a program and the mutants of it that are proved; what else is changed in it makes a difference.
CASES: list[tuple[str, dict[str, Shape], list[str]]] = [
    (
        "from typing import cast\ndef f(s):\n    return cast('Name', s)\n",
        {"s": TEXT},
        ["cast('Name', s) → cast('', s)", "cast('Name', s) → cast('Namex', s)"],
    ),
    ("def cast(t, s):\n    return t + s\ndef f(s):\n    return cast('Name', s)\n", {"s": TEXT}, []),
    ("def f(s):\n    return s.rsplit('/', 1)[-1]\n", {"s": TEXT}, ["s.rsplit('/', 1) → s.rsplit('/')"]),
    ("def f(s):\n    return s.split('/', 1)[0]\n", {"s": TEXT}, ["s.split('/', 1) → s.split('/')"]),
    ("def f(s):\n    return s.split('/', 1)[-1]\n", {"s": TEXT}, []),
    ("def f(s):\n    return s.rsplit('/', 2)[0]\n", {"s": TEXT}, []),
    ("def f(s):\n    return s.split('//')[0]\n", {"s": TEXT}, []),
    ("def f(s):\n    if '|' in s:\n        return s.split('/', 1)[-1]\n    return ''\n", {"s": TEXT}, []),
    (
        "T = {'a': 'x', 'b': 'y'}\ndef f(s):\n    return T.get(s, s)\n",
        {"s": TEXT},
        ["T.get(s, s) → T.get(s) or s"],
    ),
    ("T = {'a': 'x', 'b': ''}\ndef f(s):\n    return T.get(s, s)\n", {"s": TEXT}, []),
    (
        "T = {'a': 'x'}\ndef f(s):\n    g(T)\n    return T.get(s, s)\ndef g(t):\n    t['b'] = ''\n",
        {"s": TEXT},
        [],
    ),
    ("C = 'Vte'\ndef f(s):\n    return C.upper() + s\n", {"s": TEXT}, []),
    ("def f(s):\n    if not s or '|' not in s:\n        return 1\n    return 2\n", {}, []),
    (
        "def f(s):\n    if not s or '|' not in s:\n        return 1\n    return 2\n",
        {"s": UnionShape((TEXT, NoneShape()))},
        [],
    ),
    ("def f(s):\n    return s and s.startswith('a')\n", {"s": TEXT}, []),
    ("def f(s):\n    if not s or s[0] == 'a' or '|' not in s:\n        return 1\n    return 2\n", {"s": TEXT}, []),
    (
        "def f(xs):\n    return sum(a * b for a, b in zip(xs, [*xs[1:], 0], strict=True))\n",
        {"xs": ListShape(IntShape())},
        ["zip(xs, [*xs[1:], 0], strict=True) → zip(xs, [*xs[1:], 0], strict=False)"],
    ),
    (
        CAUGHT_LENGTHS,
        {},
        [],
    ),
    (
        "def f(n):\n    if n is None:\n        return n\n    return n + 1\n",
        {"n": UnionShape((IntShape(), NoneShape()))},
        ["return n → return None"],
    ),
    ("def f(n):\n    if n is None:\n        n = 0\n        return n\n    return n + 1\n", {}, []),
    (
        "import re\ndef f(s):\n    return bool(re.match(r'^a+', s))\n",
        {"s": TEXT},
        ["re.match('^a+', s) → re.search('^a+', s)"],
    ),
    ("import re\nP = re.compile(r'^a+|b', re.I)\ndef f(s):\n    return bool(P.match(s))\n", {"s": TEXT}, []),
    ("import re\nP = re.compile(r'^a+', re.M)\ndef f(s):\n    return bool(P.match(s))\n", {"s": TEXT}, []),
    (
        "import re\nP = re.compile(r'(^a|^-)b*\\Z', re.I)\ndef f(s):\n    return bool(P.match(s))\n",
        {"s": TEXT},
        ["P.match(s) → P.search(s)", "P.match(s) → P.fullmatch(s)"],
    ),
    (
        "def f(d):\n    d = d.copy()\n    d.pop('a', None)\n    return d\n",
        {"d": NUMBERS},
        ["d.pop('a', None) twice"],
    ),
    ("def f(xs):\n    xs.pop(0)\n    return xs\n", {}, []),
    (
        "def f(s):\n    while '--' in s:\n        s = s.replace('--', '-')\n    return s\n",
        {"s": TEXT},
        ["s.replace('--', '-') → s.replace('--', '-', 1)"],
    ),
    ("def f(s):\n    while 'ab' in s:\n        s = s.replace('ab', 'b')\n    return s\n", {"s": TEXT}, []),
    (
        TELLING,
        {},
        [
            "isinstance(n, int) and n >= 0 → isinstance(n, int) or n >= 0",
            "isinstance(n, int) and n >= 0 → n >= 0",
            "isinstance(n, int) and n >= 0 → isinstance(n, int)",
        ],
    ),
    (
        "def f(n):\n    if n > 0:\n        return [n]\n    raise ValueError(n)\n",
        {},
        ["n > 0 → n >= 0"],
    ),
    ("def f(n):\n    if n >= 0:\n        return [n]\n    raise ValueError(n)\n", {}, []),
    (
        CAUGHT,
        {},
        [],
    ),
    (
        "def f(s):\n    return s.strip() == '' or s.strip().startswith('#') or not s.rstrip('/')\n",
        {"s": TEXT},
        [
            "s.strip() → s.lstrip()",
            "s.strip() → s.lstrip()",
            "s.rstrip('/') → s.lstrip('/')",
        ],
    ),
    ("def f(s):\n    return s.strip().startswith('# '), s.strip() == '#', s.strip() or 1\n", {"s": TEXT}, []),
    ("def f(s):\n    return s.strip('#').startswith('a#'), s.strip().endswith('#')\n", {"s": TEXT}, []),
    ("def f(s):\n    return s.rstrip().endswith('#'), s.rstrip().startswith('#')\n", {"s": TEXT}, []),
    (
        "def f(xs):\n    for x in xs:\n        raise ValueError(x)\n    return 0\n",
        {},
        ["the first of xs left out", "the last of xs left out"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("source", "shapes", "expected"), CASES, ids=range(len(CASES)))
def test_what_is_proved_and_what_is_not(source: str, shapes: dict[str, Shape], expected: list[str]) -> None:
    assert proved(source, **shapes) == expected


class Writer:
    """Writes functions of a text and a map: the forms that the rules know, and others that look like them."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def part(self) -> str:
        return repr(self.rng.choice(PARTS))

    def test(self) -> str:
        choice, part = self.rng.choice, self.part
        plain = [
            f"s.{choice(STRIPS)}({choice(['', part()])}) == ''", f"not s.{choice(STRIPS)}()",
            f"s.{choice(STRIPS)}({choice(['', part()])}).{choice(['startswith', 'endswith'])}({part()})",
            f"{part()} in s", f"{part()} not in s", "not s", "s", f"s.startswith({part()})", f"s == {part()}",
            "s.isdigit()", "isinstance(k, int)", "k is None", "len(d) > 1", "k == 1", "k != 0", "bool(re.match(P, s))",
        ]  # fmt: skip
        tests = [choice(plain) for _ in range(choice([1, 1, 2, 2, 3]))]
        return f" {choice(['and', 'or'])} ".join(tests)

    def value(self) -> str:
        choice, part = self.rng.choice, self.part
        cut, number, end = choice(["split", "rsplit"]), choice(["", ", 1", ", 2"]), choice(["0", "-1", "1"])
        return choice(
            [
                f"s.{cut}({part()}{number})[{end}]", f"T.get({choice(['s', part()])}, s)", f"U.get({part()}, s)",
                "C.lower()", f"bool(Q.{choice(['match', 'search', 'fullmatch'])}(s))", "cast('str', s)", "k", "s",
                f"bool(re.{choice(['match', 'search'])}(P, s))", "list(zip(s, d, strict=True))",
            ]
        )  # fmt: skip

    def lines(self, depth: int) -> list[str]:
        choice, part = self.rng.choice, self.part
        plain = [
            f"k = {self.value()}", f"return [{self.value()}, k, list(found.items())]", "raise ValueError(s)",
            "message = f'no {s}'", f"d.pop({part()}, None)", f"found[{part()}] = k", "found[s] = 1",
        ]  # fmt: skip
        if not depth:
            return [choice(plain)]
        inner = ["    " + line for _ in range(choice([1, 2])) for line in self.lines(depth - 1)]
        old, new = choice(["--", "//", "ab"]), choice(["-", "/", "b", ""])
        heads = [
            [f"if {self.test()}:", *inner], [f"if {self.test()}:", *inner],
            [f"if {self.test()}:", "    return k", "raise ValueError(k)"],
            ["for key, value in d.items():", *inner, "    found[key] = value"],
            ["for key in sorted(d):", "    if key in found:", "        continue", "    found[key] = k", *inner],
            [f"while {old!r} in s:", f"    s = s.replace({old!r}, {new!r})"],
            ["try:", *inner, "except ValueError:", "    k = 3"], ["for x in s[:1]:", *inner],
        ]  # fmt: skip
        return choice([*heads, [choice(plain)]])

    def program(self) -> str:
        pattern = self.rng.choice(["^a", "^a|b", "a$", r"a\Z", r"^\W+\Z", "(^a|^b)b", "(?m)^a"])
        head = [
            "import re", "from typing import cast", f"P = {pattern!r}", f"Q = re.compile({pattern!r})", "C = 'vte'",
            f"T = {{'a': 'x', 'b': {self.rng.choice(['1', '0'])}}}", "U = {'a': 'x'}", "def f(s, d, k):",
        ]  # fmt: skip
        body = ["found = {}", *(line for _ in range(3) for line in self.lines(2)), "return [s, k, list(found.items())]"]
        return "\n".join([*head, *("    " + line for line in body)]) + "\n"


def inputs(rng: random.Random) -> list[list[object]]:
    """Texts of a few parts, maps of a few keys, numbers or nothing."""
    found: list[list[object]] = []
    for _ in range(60):
        text = "".join(rng.choice(PARTS) for _ in range(rng.randrange(5)))
        keys = [rng.choice(PARTS) for _ in range(rng.randrange(4))]
        found.append([text, {key: place for place, key in enumerate(keys)}, rng.choice([None, 0, 1, 2])])
    return found


@pytest.mark.parametrize("part", range(4))
def test_no_run_contradicts_a_proof(part: int, harness: Harness) -> None:
    shapes: dict[str, Shape] = {"s": TEXT, "d": NUMBERS, "k": UnionShape((IntShape(), NoneShape()))}
    given = {name: value_of(shape) for name, shape in shapes.items()}
    equivalent: set[str] = set()
    for seed in range(part * 80, part * 80 + 80):
        source = Writer(seed).program()
        program = mutate(source, "f", given)
        shown = [mutant for mutant in program.mutants if mutant.proof]
        equivalent |= {mutant.proof for mutant in shown}
        rows = inputs(random.Random(seed))
        space: dict[str, object] = {"__name__": "candidate"}
        exec(compile(f"{program.source}\n\n_ts_ENTRY = 'f'\n{harness.mutate}", "program", "exec"), space)
        plan = [[mutant.number, list(range(len(rows))), []] for mutant in shown]
        answers = space["_ts_mutate"](rows, plan, 99, "exact", 400)  # pyright: ignore[reportCallIssue]
        told = {number: killers for number, killers, *_ in answers if killers}
        assert not told, (seed, [(m, told[m.number]) for m in shown if m.number in told], source)
    assert len(equivalent) >= 8


def test_a_place_that_differs_refutes_no_proof_about_the_result() -> None:
    program = mutate("def f(s):\n    return s.rsplit('/', 1)[-1]\n", "f", {"s": value_of(TEXT)})
    (mutant,) = (mutant for mutant in program.mutants if mutant.proof)
    matrix = KillMatrix(program.mutants)
    matrix.prove(mutant.number, mutant.proof)
    matrix.watch(mutant, ['["a/b/c"]'], 1)
    assert matrix.exclusion(mutant) is not None and mutant.number in matrix.proofs
    matrix.add(mutant.number, ['["a/b/c"]'], 1)
    assert mutant.number not in matrix.proofs


def test_declared_kinds_decide_branches_and_undeclared_ones_do_not() -> None:
    source = DECLARED
    domain = InputDomain((ParameterDomain("s", TEXT), ParameterDomain("n", IntShape(), default=(None,))))
    given = given_values(domain)
    assert unreachable_reason(source, "f", 2, "if", "true", given=given)
    assert not unreachable_reason(source, "f", 4, "if", "true", given=given)
    assert not unreachable_reason(source, "f", 2, "if", "true")
    assert "s" not in given_values(InputDomain((ParameterDomain("s"),)))


def test_tables_are_maps_that_nothing_changes() -> None:
    source = MAPS
    assert ModuleFacts(ast.parse(source)).tables == {"A": {"x": 1}}
