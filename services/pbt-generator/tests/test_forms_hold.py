"""Random programs of forms that few functions have: what returns is no error, and what it computes has mutants.

Every number of such a program is its own, and inputs lie beside them, so that it can be seen which numbers decide.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.ports import Harness

PROGRAMS = 40
# Forms of statements; `{}` is a number, and a line that is a name in capitals is a block.
TRY_ELSE = """
try:
    INNER
except ValueError:
    ARM
else:
    ARM
"""
TRY_ELSE_FINALLY = TRY_ELSE + "finally:\n    got.append({})"
WHILE_ELSE = """
while n < {}:
    n += 90
    INNER
else:
    ARM
"""
FOR_ELSE = """
for x in xs:
    INNER
else:
    ARM
"""
LEFT = (TRY_ELSE, TRY_ELSE_FINALLY, WHILE_ELSE, FOR_ELSE)
ITERATOR = """
class Each:
    def __init__(self):
        self.at = {}
    def __iter__(self):
        return self
    def __next__(self):
        self.at += 1
        if self.at > n or self.at == {}:
            raise StopIteration
        return self.at + {}
got.extend(Each())
"""
HELPED = ITERATOR.replace(
    "        if self.at > n or self.at == {}:\n            raise StopIteration\n", "        end(self.at)\n"
)
HELPED = f"def end(x):\n    if x > n or x == {{}}:\n        raise StopIteration\n{HELPED.strip()}"
ROW = """
class Row:
    def __getitem__(self, at):
        if at > n - {}:
            raise IndexError(at)
        return at + {}
got.extend(Row())
"""
TAKEN = """
def take(x):
    if x > {}:
        raise StopIteration
    return x + {}
got.extend(map(take, xs))
"""
ASKED = """
class Box:
    @property
    def size(self):
        if n > {}:
            raise AttributeError
        return n + {}
got.append(getattr(Box(), 'size', {}))
"""
MAPPED = """
class Own(Mapping):
    def __getitem__(self, key):
        if key > {}:
            raise KeyError(key)
        return key + {}
    def __iter__(self):
        return iter(xs)
    def __len__(self):
        return len(xs)
got.append(Own().get(n, {}))
"""
YIELDED = """
def each(x):
    for y in xs:
        if y > {}:
            yield y + {}
        yield from [x, {}][y - {}:]
got.extend(each(n))
"""
NOTED = "if (m := n + {}) > {}:\n    got.append(m)"
SPREAD = "got.append(max(*xs, *[n + {}], {}))"
MATCHED = """
match [n + {}, n - {}]:
    case [{} | {}, _]:
        ARM
    case [_, {}]:
        ARM
"""
WRITTEN = """
table = [n] * 2000
table[n + {}:n + {}] = [{}]
table[n - {}] += {}
table[{}], one = n, 1
del table[:n + {}]
got.append([at for at, held in enumerate(table) if held != n])
"""
CHOSEN = "got.append([abs, str][n > {}](n - {}))"
ASSERTED = """
try:
    INNER
    assert n > {} and n != {}
    got.append({})
except AssertionError:
    ARM
"""
CHECKED = """
def checked(x):
    assert x < {}
    return x + {}
try:
    got.append(checked(n))
except Exception:
    ARM
"""
CAUGHT = (ASSERTED, CHECKED)
# What stands before a line of dashes stands outside of the function.
NAMED = """
_key = lambda x: x + {} if x > {} else {}
---
got.append(_key(n))
"""
TABLE = """
_TABLE = {'a': lambda x: x + {}, 'b': [lambda x: x - {}]}
---
got.append(_TABLE['a'](n) + _TABLE['b'][0](n))
"""
OWNED = """
class _Kept:
    size = property(lambda self: self.n + {})
    def __init__(self, n, key=lambda x: x + {}):
        self.n = key(n)
---
got.append(_Kept(n).size)
"""
CONDITIONAL = """
try:
    import json
except ImportError:
    json = None
if json is not None:
    def _weight(x):
        if x > {}:
            return x + {}
        return {}
---
got.append(_weight(n))
"""
KEPT = (NAMED, TABLE, OWNED, CONDITIONAL)
COMPUTED = (YIELDED, NOTED, SPREAD, MATCHED, WRITTEN, CHOSEN)
ANSWERED = (ITERATOR, HELPED, ROW, TAKEN, ASKED, MAPPED)
FORMS = {"left": LEFT, "answered": ANSWERED, "computed": COMPUTED, "kept": KEPT, "caught": CAUGHT}


class Writer:
    """Writes a function of a number and a list of numbers, made of some forms."""

    def __init__(self, forms: tuple[str, ...], seed: int) -> None:
        self.forms = forms
        self.rng = random.Random(seed)
        self.numbers = 100
        self.outside: list[str] = []

    def filled(self, text: str) -> str:
        while "{}" in text:
            self.numbers += 20
            text = text.replace("{}", str(self.numbers), 1)
        return text

    def block(self, depth: int, names: tuple[str, ...], *, loop: bool = False) -> list[str]:
        lines = [line for _ in range(self.rng.randrange(1, 3)) for line in self.statement(depth, names, loop=loop)]
        return [*lines, *self.left(names, loop=loop)] if self.rng.random() < 0.3 else lines

    def left(self, names: tuple[str, ...], *, loop: bool) -> list[str]:
        ends = ["return [got, {}]", "raise ValueError({})", "raise KeyError({})", "got.append({})"]
        return [self.filled(self.rng.choice([*ends, *(["break", "continue"] if loop else [])]))]

    def statement(self, depth: int, names: tuple[str, ...], *, loop: bool) -> list[str]:
        name, roll = self.rng.choice(names), self.rng.random()
        if not depth or roll < 0.2:
            return [self.filled(f"got.append({name} + {{}})")]
        if roll < 0.6:
            test = self.filled(self.rng.choice([f"{name} > {{}}", f"{name} == {{}}", f"not {name} < {{}}"]))
            lines = [f"if {test}:", *indented(self.left(names, loop=loop))]
            return lines if roll < 0.5 else [*lines, "else:", *indented(self.block(depth - 1, names, loop=loop))]
        outside, _, form = self.filled(self.rng.choice(self.forms).strip()).rpartition("---\n")
        self.outside += outside.splitlines()
        inside = (*names, "x") if "for x in" in form else names
        lines: list[str] = []
        for line in form.splitlines():
            shift = line[: len(line) - len(line.lstrip())]
            match line.strip():
                case "INNER":
                    again = loop or form.startswith(("for", "while"))
                    lines += [shift + each for each in self.block(depth - 1, inside, loop=again)]
                case "ARM":
                    arm = self.left(names, loop=loop) if self.rng.random() < 0.7 else self.block(0, names, loop=loop)
                    lines += [shift + each for each in arm]
                case _:
                    lines.append(line)
        return lines

    def program(self) -> str:
        body = ["got = []", *(line for _ in range(3) for line in self.statement(3, ("n",), loop=False))]
        imports = ["from collections.abc import Mapping"] if any("Mapping" in line for line in body) else []
        return "\n".join(
            [*imports, "def f(n, xs):", *indented([*body, *self.left(("n",), loop=False), "return [n, got]"]), ""]
        )


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def numbers_in(source: str) -> list[int]:
    """The numbers of a program that are its own."""
    found = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    return [value for value in found if type(value) is int and value >= 100]


def inputs_for(source: str) -> list[list[Any]]:
    beside = [number + step for number in numbers_in(source) for step in (-1, 0, 1)]
    return [[0, []], [0, beside[:4]], *([n, [beside[place // 2], n]] for place, n in enumerate(beside))]


def results(source: str, inputs: list[list[Any]]) -> list[str]:
    """What a program returns for each input; empty where it raises, or ends after too long."""
    space: dict[str, Any] = {"__name__": "candidate"}
    exec(compile(source, "program", "exec"), space)
    entry: Callable[..., object] = space["f"]
    found: list[str] = []
    for given in copy.deepcopy(inputs):
        try:
            found.append(repr(entry(*given)))
        except Exception:  # noqa: BLE001  whatever it is, the input is no case
            found.append("")
    return found


def reached(source: str, inputs: list[list[Any]], harness: Harness) -> list[tuple[int, str, str]]:
    """The goals that only errors are said to reach, and that a run which returns does."""
    rewritten = instrument(source, "f")
    space: dict[str, Any] = {"__name__": "candidate"}
    exec(compile(with_harness(rewritten.source, "f", harness.explore), "program", "exec"), space)
    rows = space["_ts_explore"](copy.deepcopy(inputs), [], 20_000)
    returning = {goal for row in rows if row[0] == 0 for goal in row[1]}
    return [
        (goal.line, goal.kind, goal.outcome) for goal in rewritten.branches if goal.raises and goal.number in returning
    ]


def lacking(source: str, inputs: list[list[Any]]) -> list[str]:
    """Numbers that decide a result, where no mutant has the one above or the one below in their place."""
    before = results(source, inputs)
    mutants = [mutant for mutant in mutate(source, "f").mutants if not mutant.reading and not mutant.proof]
    found: list[str] = []
    for place in range(len(numbers_in(source))):
        for step in (1, -1):
            module = ast.parse(source)
            nodes = [node for node in ast.walk(module) if isinstance(node, ast.Constant)]
            node = [each for each in nodes if type(each.value) is int and each.value >= 100][place]
            node.value += step
            after = results(ast.unparse(module), inputs)
            # That a refusal refuses one value more has a mutant of another form.
            decides = any(one and other and one != other for one, other in zip(before, after, strict=True))
            if decides and not any(
                mutant.line == node.lineno and str(node.value) in mutant.change for mutant in mutants
            ):
                found.append(f"line {node.lineno}: {node.value}")
    return found


@pytest.mark.parametrize("forms", FORMS.values(), ids=FORMS)
def test_no_form_hides_what_a_returning_run_comes_to(forms: tuple[str, ...], harness: Harness) -> None:
    for seed in range(PROGRAMS):
        source = Writer(forms, seed).program()
        inputs = inputs_for(source)
        assert not reached(source, inputs, harness), (seed, source)
        assert not lacking(source, inputs), (seed, source)
