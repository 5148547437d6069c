"""What counts as killed: what the judge would tell apart, by its own comparator, and loops that never end."""

from __future__ import annotations

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.ports import Harness

AGAIN = """
def f(xs, k):
    n = 0
    for x in xs:
        while True:
            if k > 3:
                n = 1
            break
        x = 0
    return n
"""


def answers(
    source: str, harness: Harness, inputs: list[list[object]], mode: str = "portable", *, first: int = 99
) -> dict[str, list[object]]:
    """Per change of a program: killers, inputs tried, inputs on which it was stopped."""
    program = mutate(source, "f")
    space: dict[str, object] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    places = list(range(len(inputs)))
    plan = [[mutant.number, places[:first], places[first:]] for mutant in program.mutants]
    found = space["_ts_mutate"](inputs, plan, 4, mode, 40)
    return {program.mutants[number - 1].change: rest for number, *rest in found}


def test_many_steps_alone_do_not_kill(harness: Harness) -> None:
    # Without its first line the loop goes round 3,000 times instead of 30, and gives the same.
    source = "def f(n):\n    step = 1\n    step = 100\n    i = 0\n    while i < n:\n        i += step\n    return n\n"
    found = answers(source, harness, [[3000]])
    killers, tried, stopped = found["step = 100 left out"]
    assert (killers, tried) == ([], 1) and stopped == 1


def test_a_loop_that_is_in_the_same_state_again_kills(harness: Harness) -> None:
    source = "def f(n):\n    i = 0\n    while i < n:\n        i += 1\n    return i\n"
    assert answers(source, harness, [[3]])["i += 1 left out"][0] == [0]


@pytest.mark.parametrize("first", [0, 99])
def test_an_endless_loop_that_is_never_in_the_same_state_kills(first: int, harness: Harness) -> None:
    # A list or a number that grows in every round; also where the search came upon the input late.
    table = "[(5, 'v'), (1, 'i')]"
    source = f"def f(n):\n    out = []\n    for value, sign in {table}:\n        while n >= value:\n"
    source += "            out.append(sign)\n            n -= value\n    return ''.join(out)\n"
    found = answers(source, harness, [[7], [3]], first=first)
    for change in ("n -= value left out", "n -= value → +=", "(1, 'i') → (0, 'i')"):
        assert found[change][0] and not found[change][2]


def test_a_million_steps_are_granted_once(harness: Harness) -> None:
    program = mutate("def f(n):\n    i = 0\n    while i < n:\n        i += 1\n    return 0\n", "f")
    space: dict[str, object] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    number = next(mutant.number for mutant in program.mutants if mutant.change == "i += 1 → -=")
    assert space["_ts_mutate"]([[3]], [[number, [], [0], True]], 4, "portable", 40) == [[number, [], 1, 1]]
    assert space["_ts_mutate"]([[3]], [[number, [], [0], False]], 4, "portable", 40) == [[number, [0], 1, 0]]


def test_a_loop_that_goes_on_in_another_is_not_taken_for_endless(harness: Harness) -> None:
    found = answers(AGAIN, harness, [[[0] * 1500, 1]])
    # The changed test makes no difference here, and the variables are the same in every round of the outer loop.
    assert found["k > 3 → k > 2"][0] == []


@pytest.mark.parametrize(
    ("expected", "given", "mode", "killed"),
    [
        ("(1, 2)", "[1, 2]", "portable", False),
        ("[1.0]", "[1]", "portable", False),
        ("[1.0]", "[1]", "exact", True),
        ("True", "1", "portable", True),
        ("{1: 2}", "{'1': 2}", "portable", True),
        ("1.0", "1.0000001", "portable", False),
        ("10 ** 20", "10 ** 20 + 1", "portable", True),
        ("[1]", "print", "portable", True),
        # Whose bytes are the same: kinds and shapes are not.
        ("bytearray(b'a')", "b'a'", "exact", True),
        ("[bytearray(b'a')]", "[b'a']", "exact", True),
        ("np.zeros(4)", "np.zeros((2, 2))", "exact", True),
        ("[np.zeros(4)]", "[np.zeros((4, 1))]", "exact", True),
        ("np.float64(0)", "np.int64(0)", "exact", True),
    ],
)
def test_results_are_compared_as_the_judge_does(
    expected: str, given: str, mode: str, *, killed: bool, harness: Harness
) -> None:
    head = "import numpy as np\n" if "np." in expected else ""
    found = answers(f"{head}def f(n):\n    return {expected} if n else {given}\n", harness, [[1]], mode)
    assert bool(found[f"{expected} if n else {given} → {given} if n else {expected}"][0]) is killed


def test_a_loop_that_fills_the_memory_kills(harness: Harness) -> None:
    source = "def f(s):\n    while '--' in s:\n        s = s.replace('--', '-')\n    return s\n"
    found = answers(source, harness, [["a--b"], ["a-b"]])
    # It doubles in every round; where nothing grows the same mutant gives the same.
    assert found["s.replace('--', '-') → s.replace('-', '--')"] == [[0], 2, 0]
    assert found["s.replace('--', '-') → s.replace('', '-')"] == [[0], 2, 0]
    source = "def f(n):\n    while n > 9:\n        n = n * n if n % 2 else n // 10\n    return n\n"
    assert answers(source, harness, [[12]])["n // 10 → n // 11"][0] == []
    assert answers(source, harness, [[12]])["n * n if n % 2 else n // 10 → n // 10 if n % 2 else n * n"][0] == [0]


def test_what_the_ground_truth_has_as_large_is_no_growth(harness: Harness) -> None:
    loop = "    while k < 20:\n        k += 1\n        if k > 50:\n            s += 'y'\n"
    found = answers(f"def f(n):\n    s, k = 'x' * n, 0\n{loop}    return k\n", harness, [[2**22 + 5]])
    # Only what changes the result kills.
    assert found["k > 50 → k > 51"] == [[], 1, 1] and found["k += 1 twice"][0] == []


# A loop that ends after a while, whose counter is in none of its function's variables; `n` bounds it.
BEHIND = [
    "def start(n):\n    left = n\n    def more():\n        nonlocal left\n        left -= 1\n        return left > 0\n"
    "    return more",
    "def start(n):\n    left = [0] * n\n    return left.pop\n"
    "def more_of(more):\n    return len(more.__self__) and not more()",
    "from collections import deque\ndef start(n):\n    left = deque([1] * (n - 1) + [0])\n    return left.popleft",
    "LEFT = [0]\ndef more():\n    LEFT[0] -= 1\n    return LEFT[0] > 0\n"
    "def start(n):\n    LEFT[0] = n\n    return more",
    "def more():\n    global LEFT\n    LEFT -= 1\n    return LEFT > 0\n"
    "def start(n):\n    global LEFT\n    LEFT = n\n    return more",
    "class Left:\n    n = 0\n    @classmethod\n    def more(cls):\n        cls.n -= 1\n        return cls.n > 0\n"
    "def start(n):\n    Left.n = n\n    return Left.more",
    "def more(left=[0]):\n    left[0] -= 1\n    return left[0] > 0\n"
    "def start(n):\n    more.__defaults__[0][0] = n\n    return more",
    "def more():\n    more.left -= 1\n    return more.left > 0\ndef start(n):\n    more.left = n\n    return more",
    "import random\ndef more():\n    return random.random() > 0.0005\n"
    "def start(n):\n    random.seed(n)\n    return more",
    "class Left:\n    def __init__(self, n):\n        self.n = n\n    def more(self):\n        self.n -= 1\n"
    "        return self.n > 0\ndef start(n):\n    return Left(n).more",
]


@pytest.mark.parametrize("before", BEHIND)
def test_a_loop_whose_state_lies_behind_a_function_is_not_the_same_again(before: str, harness: Harness) -> None:
    asked = "more_of(more)" if "more_of" in before else "more()"
    source = f"{before}\ndef f(n, x):\n    if n > 5:\n        n = 5\n    more = start(n)\n    while {asked}:\n"
    source += "        x = min(x, 10)\n    return min(x, 10)\n"
    killers, _, _ = answers(source, harness, [[3000, 20]])["if n > 5 → if False"]
    assert killers == []


@pytest.mark.parametrize(
    "before",
    [
        "STEPS = {'up': 1}\ndef step(i):\n    return i + STEPS['up']",
        "import math\ndef step(i):\n    return math.floor(i + 1)",
        "import re\nDIGITS = re.compile('[0-9]+')\ndef step(i):\n    return i + bool(DIGITS.match('1'))",
        "class Step:\n    up = 1\n    @staticmethod\n    def on(i):\n        return i + Step.up\nstep = Step.on",
        "from functools import cache\n@cache\ndef step(i):\n    return i + 1",
        "import enum\nclass Step(enum.Enum):\n    UP = 1\ndef step(i):\n    return i + Step.UP.value",
    ],
)
def test_a_loop_that_asks_a_function_without_state_is_in_the_same_state_again(before: str, harness: Harness) -> None:
    source = f"{before}\ndef f(n):\n    i = 0\n    while i < n:\n        i = step(i)\n    return i\n"
    killers, _, stopped = answers(source, harness, [[3]])["i = step(i) left out"]
    assert killers == [0] and not stopped
