"""Random small programs on inputs of a small domain: what is proved never happens is never seen to happen.

`pytest services/pbt-generator/tests/test_proofs_hold.py --programs 5000` tries more of them.
"""

from __future__ import annotations

import ast
import copy
import itertools
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import Mutant, mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.declared import SHARED
from pbt_generator.domain.oracle.proofs.reachability import RaisingWays
from pbt_generator.domain.oracle.proofs.unreachable import Unreachable
from pbt_generator.domain.oracle.proofs.unread import checks_alone, of_errors_alone
from pbt_generator.domain.oracle.proofs.unused import ONLY_ERRORS
from pbt_generator.ports import Harness

PROGRAMS = 120
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
PARTS = 5
NUMBERS = [-2, 0, 1, 3]
LISTS: list[list[int]] = [[], [0], [1, 1], [3, 0, 2]]
TEXTS = ["", "a", "ab ", " b", "1", "aa", "b\n"]
MAPS: list[dict[str, int]] = [{}, {"a": 1}, {"b": 0, "a": 2}]
DOMAIN = [list(given) for given in itertools.product(NUMBERS, LISTS, TEXTS, MAPS)]
INPUTS = 16
PARAMETERS = ("a", "xs", "s", "d")
DECLARED = {"a": frozenset({"int"}), "xs": frozenset({"list"}), "s": frozenset({"str"}), "d": frozenset({"dict"})}

NUMBER = """a; n; len(xs); len(ys); len(s); len(d); abs(a); n % 3; n // 2; 0; 1; 2; -1; a + 1; n - 1; round(n); int(a)
min(a, n); max(n, 0); sum(xs); s.count('a'); s.find('a'); d.get('a', 0); len(s.split()); xs.count(1); len(set(xs))
len(sorted(ys)); sum(d.values())"""
TEXT = """s; t; s.strip(); t.rstrip(); s.lstrip(); s[:1]; t[1:]; s.lower(); 'a'; ''; str(n); s + t; s.replace('a', 'b')
f'{n}{s}'; s.partition('a')[0]; '-'.join(sorted(d)); re.sub('a', '', s); re.sub('^a', 'c', s); P.sub('', t)
re.sub('^ +| +$', '', s); (s or 'x')"""
TEST = """xs; not xs; not ys; n; ys; k is None; isinstance(a, int); s; not s; s.strip() == ''; s == t; s == ''
s.isdigit(); s.strip().startswith('a'); s.lstrip().startswith('a'); s.rstrip().endswith('b'); s.startswith('a')
'a' in d; s in d; n in xs; d; not d; t; re.match('^a', s); re.search('^a', s); re.search('^a|b', s)
re.search(r'a\\Z', s); n is not None; re.match(r'a+\\Z', s); P.search(s); P.match(t); k; len(xs) > 0; len(s) > 1
0 < n < 3; isinstance(k, (int, str)); flag; isinstance(s, bytes); isinstance(s, str); isinstance(xs, (str, list))
not isinstance(d, dict); xs is None; isinstance(a, int | bool); isinstance(s, bytes) or n; xs and isinstance(a, str)
not flag; bool(xs); s is None; any(x > n for x in xs); xs or d; s and xs; len(d) >= 1"""
# What plain values are not, alone and beside what they are.
FOREIGN = """callable(s); hasattr(xs, 'read'); isinstance(a, (bytes, bytearray)); isinstance(d, re.Pattern) or n > 0
isinstance(xs, K); callable(d) and n > 0; hasattr(d, 'keys') and xs; isinstance(s, memoryview) and t
hasattr(s, 'strip')
not isinstance(a, (complex, type)); n > 0 and isinstance(s, bytes); isinstance(a, (int, K)) and xs; hasattr(a, 'real')
not (callable(a) or hasattr(s, 'read')) or flag; isinstance(xs, (set, frozenset)) or isinstance(s, str)
isinstance(xs, Sized) and n > 1; isinstance(d, (Mapping, bytes)); isinstance(s, Sequence) and not xs
isinstance(a, Integral) or n; not isinstance(xs, Iterable)
len(xs) > 1 and callable(s); s.strip() and isinstance(d, E)"""
# A class that may be unused, an error that may be only raised, and words that only an error may read.
BESIDE = """k = K.__name__; ys.append(K(n).size()); n = len(K(2)); raise E(n, s); k = E.__name__; k = str(E(n))
k = K(a); k = E; ys = [K]; k = isinstance(n, K); checked(n); checked(k, t); checked(ys, n, most=2); k = checked(n, n)"""
WORDS = """w = f'{{n}}: {{s}}'; w = 'bad'; w = 'bad' + f'{{t}}' + 'x'; raise ValueError(w); raise KeyError(w)
if not xs: raise ValueError(w)
if n < 0: raise TypeError(w); t = w; w = w + 'x'"""
CLASSES = """class K:
    def __init__(self, n=0):
        self.n = n
    def __len__(self):
        return 3 if isinstance(self.n, str) else 1
    def size(self):
        return 1 if self.n else 2
class E(ValueError, metaclass=ABCMeta):
    def __init__(self, *args):
        super().__init__(*args)
        self.n = len(args)
    def __str__(self):
        return helped(self.n) if self.n else 'none'
def helped(n):
    return 'one' if n == 1 else 'more'
def checked(n, s='', *, most=3):
    if n is None or len(str(s)) > most:
        raise ValueError(n)
    if isinstance(s, int) and s > 2:
        return repr(s)
    assert not isinstance(n, list) or n"""
# The same, and making an error runs no code: whoever is caught unnamed is gone unread.
PLAIN_ERROR = CLASSES.replace(
    """    def __init__(self, *args):
        super().__init__(*args)
        self.n = len(args)
""",
    "",
).replace("self.n) if self.n else 'none'", "len(self.args)) if self.args else 'none'")
ANY: list[Any] = [None, 1.5, True, "x", 2, [1], {"a": 2}, ()]
STATEMENT = """n = {0}; n += 1; n -= {0}; n |= 1; ys.append({0}); ys = list(xs); ys = [x + 1 for x in xs]; k = n
k = None; k = s; ys = [x for x in xs if x > n]; zs = ys; zs.clear(); xs = ys; ys = sorted(set(xs)); return n
return [n, k]; return t; raise ValueError(n); raise KeyError(s); t = {1}; t += {1}; flag = bool({2}); flag = not flag
e['a'] = n; e[s] = {0}
d.pop('a', None); del ys[:1]; ys[0] = n; ys.pop(); ys.pop(0); n = xs[0]; n = d['a']; n = int(s); n, m = m, n; ys.sort()
ys.insert(0, n); ys.extend(xs); e.setdefault(s, n); assert n >= 0; m = max(m, n); n = len(ys); k = {0} if flag else None
t, r = s.split('a'); pass; ys = ys[::-1]; e = dict(d)"""
SOURCE = "xs; list(ys); (1, 2, 3); range(n); range(len(xs)); range(1, 4); sorted(xs); d.values(); reversed(xs)"
CAUGHT = "ValueError; Exception; TypeError; KeyError; (KeyError, IndexError); LookupError"
CASE = "0; 1 | 2; str(); None; [x]; []; int(); 'a'"


def parts(text: str) -> list[str]:
    return [part.strip() for line in text.splitlines() for part in line.split("; ")]


class Writer:
    """Writes functions of a number, a list of numbers, a text and a map."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.helper = ""
        self.seed = seed
        self.loops = 0
        # What only checks does so where nothing catches.
        self.plain = seed % 5 == 2
        self.beside = self.rng.sample([each for each in parts(BESIDE) if not self.plain or "checked" in each], 3)
        self.words = self.rng.sample(parts(WORDS), 4)

    def one(self, text: str) -> str:
        return self.rng.choice(parts(text))

    def number(self) -> str:
        if self.rng.random() < 0.2:
            return f"({self.one(NUMBER)} {self.rng.choice('+-*')} {self.one(NUMBER)})"
        return self.one(NUMBER)

    def test(self) -> str:
        plain = f"{self.one(NUMBER)} {self.rng.choice(['<', '<=', '>', '>=', '==', '!='])} {self.one(NUMBER)}"
        simple = plain if self.rng.random() < 0.3 else self.one(TEST)
        simple = self.one(FOREIGN) if self.rng.random() < 0.1 else simple
        if self.rng.random() < 0.2:
            return f"{simple} {self.rng.choice(['and', 'or'])} {plain}"
        return simple

    def block(self, depth: int, *, loop: bool) -> list[str]:
        return [line for _ in range(self.rng.randrange(1, 4)) for line in self.statement(depth, loop=loop)]

    def inner(self, depth: int, *, loop: bool) -> list[str]:
        return ["    " + line for line in self.block(max(0, depth), loop=loop)]

    def statement(self, depth: int, *, loop: bool) -> list[str]:
        roll = self.rng.random()
        if not depth or roll > 0.72 or (self.plain and 0.5 <= roll < 0.68):
            return self.simple(loop=loop)
        if roll < 0.34:
            other = ["else:", *self.inner(depth - 1, loop=loop)] if self.rng.random() < 0.4 else []
            return [f"if {self.test()}:", *self.inner(depth - 1, loop=loop), *other]
        if roll < 0.44:
            head = f"for x in {self.one(SOURCE)}:" if self.rng.random() < 0.8 else "for i, x in enumerate(xs):"
            return [head, *self.inner(depth - 1, loop=True)]
        if roll < 0.5:
            self.loops += 1
            count = f"c{self.loops}"
            test = self.rng.choice([self.test(), "True", "n > 0", "ys"])
            ends = [f"    {count} += 1", f"    if {count} > 5:", "        break"]
            return [f"{count} = 0", f"while {test}:", *ends, *self.inner(depth - 1, loop=True)]
        if roll < 0.6:
            lines = [
                "try:",
                *self.inner(depth - 1, loop=loop),
                f"except {self.one(CAUGHT)}:",
                *self.inner(0, loop=loop),
            ]
            lines += ["else:", *self.inner(0, loop=loop)] if self.rng.random() < 0.2 else []
            return lines + (["finally:", *self.inner(0, loop=loop)] if self.rng.random() < 0.2 else [])
        if roll < 0.64:
            return ["try:", *self.inner(depth - 1, loop=loop), "finally:", *self.inner(0, loop=loop)]
        if roll < 0.68:
            return [
                f"with suppress({self.one(CAUGHT)}):".replace("((", "(").replace("))", ")"),
                *self.inner(depth - 1, loop=loop),
            ]
        cases = [f"case {self.one(CASE)}:", *self.inner(0, loop=loop), "case _:", *self.inner(0, loop=loop)]
        return [f"match {self.rng.choice(['n', 's', 'k', 'xs'])}:", *("    " + line for line in cases)]

    def simple(self, *, loop: bool) -> list[str]:
        choices = parts(STATEMENT)
        choices += ["break", "continue"] * 2 if loop else []
        choices += [*self.beside, *self.words * 2]
        choices += [f"n = {self.helper}({{0}}, {{1}})"] * 3 if self.helper else []
        return [self.rng.choice(choices).format(self.number(), self.one(TEXT), self.test())]

    def function(self, head: str, depth: int, given: str) -> list[str]:
        begin = "k, ys, zs, e, flag, m, n, t = None, [], [], {}, False, 0, a, s"
        end = "return [n, k, len(ys), len(zs), t, flag, m, sorted(e)]" if given else "return n"
        own = [] if given else ["xs, d = [a], {s: a}"]
        return [head, *("    " + line for line in [begin, *own, *self.block(depth, loop=False), end])]

    def of_one(self) -> list[str]:
        """A body that looks at one parameter alone: runs on a few of its values may decide."""
        name = self.rng.choice(["a", "xs", "s", "d"])
        tests = f"{name}; not {name}; len({name}) > 0; len({name}) >= 1; {name} is None; {name} and len({name}) > 1"
        if name == "a":
            tests = "a; not a; a > 0; a >= 1; a < 3; 0 <= a <= 2; a == -2; a in (0, 3); a is None; isinstance(a, bool)"
        own = {
            "xs": "list(xs); [x + 1 for x in xs]; sum(xs); xs[:1]; []",
            "s": "s.strip(); s[:1]; s + s; ''; s.split()",
            "a": "a; a + 1; -a; max(a, 0); min(a, 3); abs(a); 1; 3; -2; [a]; str(a)",
        }
        results = f"{own.get(name, 'sorted(d); dict(d); {}')}; 0; {name}; None" + (
            "" if name == "a" else f"; len({name})"
        )
        arms = [f"if {self.one(tests)}:", f"    return {self.one(results)}"] * self.rng.randrange(1, 3)
        changes = {"xs": "xs.clear(); ys = xs; ys[:] = []; xs.pop()", "d": "d.clear(); e = d; e.clear()", "a": "a = 0"}
        if name in changes and self.rng.random() < 0.3:
            first = f"if {self.one(tests)}:", f"    {self.one(changes[name])}"
            if "is None" not in first[0]:
                arms = [*self.one(changes[name]).splitlines(), *arms]
            arms = [*first, *arms] if self.rng.random() < 0.5 else arms
        choice = f"return {self.one(results)} if {self.one(tests)} else {self.one(results)}"
        return ["    " + line for line in [*arms, choice]]

    def program(self) -> str:
        lines = ["import re", "P = re.compile('^b')"]
        lines += ["from abc import ABCMeta", "from collections.abc import Iterable, Mapping, Sequence, Sized"]
        lines += ["from numbers import Integral", PLAIN_ERROR if self.seed % 2 else CLASSES]
        if self.rng.random() < 0.4:
            lines += self.function("def h(a, s):", 2, "")
            self.helper = "h"
        head = "def f(a: int, xs: list[int], s: str, d: dict[str, int]):"
        if self.rng.random() < 0.3:
            head = "def f(a, xs, s, d):"
        if self.seed % 3 == 0:
            return "\n".join([head, *self.of_one()]) + "\n"
        body = self.function(head, 3, "d")
        suppressed = any("suppress(" in line for line in [*lines, *body])
        first = ["from contextlib import suppress"] if suppressed else []
        return "\n".join([*first, *lines, *body]) + "\n"


def loaded(source: str, harness: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "candidate"}
    exec(compile(with_harness(source, "f", harness), "program", "exec"), space)
    return space


def given_to(seed: int) -> Mapping[str, frozenset[str]]:
    """Declared kinds, what five languages share, or nothing."""
    return DECLARED if seed % 2 else dict.fromkeys(PARAMETERS, SHARED) if seed % 4 == 2 else {}


def drawn(seed: int) -> list[list[Any]]:
    """Inputs of a program; some of other kinds where these may come."""
    rng = random.Random(seed)
    inputs = [list(given) for given in rng.sample(DOMAIN, INPUTS)]
    if seed % 4 == 2:
        inputs += [[rng.choice(ANY) if rng.random() < 0.4 else value for value in given] for given in inputs]
    return inputs


def ended(source: str, inputs: Sequence[Sequence[Any]]) -> list[str]:
    """What a program returns for each input; empty where it raises."""
    space: dict[str, Any] = {"__name__": "candidate"}
    exec(compile(source, "program", "exec"), space)
    found: list[str] = []
    for given in copy.deepcopy(inputs):
        try:
            # Where an object lies in memory is no part of it.
            found.append(_ADDRESS.sub("", repr(space["f"](*given))))
        except Exception:  # noqa: BLE001  whatever it is, the input is no case
            found.append("")
    return found


def unread(source: str, inputs: Sequence[Sequence[Any]], seed: int) -> int:
    """How many assignments only errors read; fails where an input that returns tells another value from one."""
    count = 0
    while True:
        module = ast.parse(source)
        entry = module.body[-1]
        assert isinstance(entry, ast.FunctionDef)
        alone = of_errors_alone(module, RaisingWays(module, entry))
        places = [node for node in ast.walk(module) if id(node) in alone and isinstance(node, ast.Assign)]
        if count == len(places):
            return count
        places[count].value = ast.Constant("other")
        other = ast.unparse(module)
        places[count].targets = [ast.Name("never_read", ast.Store())]
        for changed in (other, ast.unparse(module)):
            pairs = zip(ended(source, inputs), ended(changed, inputs), strict=True)
            assert all(before in ("", after) for before, after in pairs), (seed, changed, source)
        count += 1


def checking(source: str, inputs: Sequence[Sequence[Any]], seed: int) -> int:
    """How many statements only check; fails where an input that returns tells one left out, or run twice, from it."""
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)]
    count = 0
    for place in range(len(statements)):
        module = ast.parse(source)
        statement = [node for node in ast.walk(module) if isinstance(node, ast.Expr)][place]
        if id(statement) in checks_alone(module):
            count += 1
            call, statement.value = statement.value, ast.Constant(0)
            left_out = ast.unparse(module)
            statement.value = ast.Tuple([call, call], ast.Load())
            for changed in (left_out, ast.unparse(module)):
                pairs = zip(ended(source, inputs), ended(changed, inputs), strict=True)
                assert all(before in ("", after) for before, after in pairs), (seed, changed, source)
    return count


def tried(space: Mapping[str, Any], mutants: Sequence[Mutant]) -> set[int]:
    """Mutants that are proved by running them on all values of a parameter on which their place differs."""
    plan: list[list[Any]] = []
    for mutant in mutants:
        if mutant.differs_on is None or mutant.proof:
            continue
        name, values = mutant.differs_on
        place = PARAMETERS.index(name)
        kind = type(DOMAIN[0][place])
        if any(type(value) is kind for value in mutant.differs_beyond):
            continue
        free = [other for other in range(len(PARAMETERS)) if other != place]
        inputs = [[value if at == place else None for at in range(len(PARAMETERS))] for value in values]
        plan.append([mutant.number, [[given, free] for given in inputs]])
    return set(space["_ts_exhaust"](plan, "exact"))


def proved_in(seed: int, harness: Harness) -> Counter[str]:
    """How much is proved of a program; fails where a run contradicts one of the proofs."""
    source = Writer(seed).program()
    inputs = drawn(seed)
    rewritten = instrument(source, "f")
    rows = loaded(rewritten.source, harness.explore)["_ts_explore"](copy.deepcopy(inputs), [], 2000)
    hit = {goal for row in rows for goal in row[1]}
    returning = {goal for row in rows if row[0] == 0 for goal in row[1]}
    given = given_to(seed)
    proofs = Unreachable(source, "f", given)
    found = Counter(unread=unread(source, inputs, seed), checks=checking(source, inputs, seed))
    for goal in rewritten.branches:
        reason = proofs.reason(goal.line, goal.kind, goal.outcome)
        found["dead"] += bool(reason)
        # What only errors run may be seen where a run ends with one.
        seen = returning if reason == ONLY_ERRORS else hit
        assert not (reason and goal.number in seen), (seed, goal, reason, source)
        found["errors"] += reason == ONLY_ERRORS
        assert not (goal.raises and goal.number in returning), (seed, goal, source)
    program = mutate(source, "f", given)
    space = loaded(program.source, harness.mutate)
    proved = [mutant.number for mutant in program.mutants if mutant.proof]
    same = tried(space, program.mutants)
    found += Counter(equivalent=len(proved), tried=len(same))
    plan = [[number, list(range(len(inputs))), []] for number in sorted({*proved, *same})]
    answers = space["_ts_mutate"](copy.deepcopy(inputs), plan, 99, "exact", 400)
    told = {number for number, killers, *_ in answers if killers}
    assert not told, (seed, [m for m in program.mutants if m.number in told], source)
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_no_run_contradicts_a_proof(part: int, harness: Harness, request: pytest.FixtureRequest) -> None:
    programs = int(request.config.getoption("--programs", default=PROGRAMS))
    found = Counter[str]()
    for seed in range(part * programs // PARTS, (part + 1) * programs // PARTS):
        found += proved_in(seed, harness)
    assert (
        found["dead"] > 1 and found["equivalent"] > 5 and found["unread"] and found["checks"] and found["errors"]
    ) or programs < PROGRAMS


def test_no_run_contradicts_what_a_few_values_decided(harness: Harness) -> None:
    found = sum((proved_in(seed, harness) for seed in range(999, 999 + 3 * PROGRAMS, 3)), Counter[str]())
    assert found["tried"] > 5
