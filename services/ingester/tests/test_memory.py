# ruff: noqa: E501  programs, one a line
"""Functions that remember: what one call leaves to the next is no program of its arguments."""

from __future__ import annotations

import pytest

TAIL = "    return len(acc) if x > 0 else 0\n"
DEFAULTS = {
    "more": "def f(x, acc=[]):\n    acc += [x]\n" + TAIL,
    "joined": "def f(x, acc={}):\n    acc |= {x: 1}\n" + TAIL,
    "deque": "import collections\ndef f(x, acc=collections.deque()):\n    acc.append(x)\n" + TAIL,
    "heap": "import heapq\ndef f(x, acc=[]):\n    heapq.heappush(acc, x)\n" + TAIL,
    "another name": "def f(x, acc=[]):\n    kept = acc\n    kept.append(x)\n" + TAIL,
    "inside": "def f(x, acc=([],)):\n    acc[0].append(x)\n" + TAIL,
    "a function inside": "def f(x, acc=[]):\n    def note(y):\n        acc.append(y)\n    note(x)\n" + TAIL,
    "by name only": "def f(x, *, acc: list = []):\n    acc.append(x)\n" + TAIL,
    "counter": "import itertools\ndef f(x, c=itertools.count()):\n    return x + next(c) if x > 0 else 0\n",
    "iterator": "def f(x, c=iter('abc')):\n    for each in c:\n        if x:\n            return each\n    return x\n",
    "lambda": "def f(x):\n    return note(x) if x > 0 else 0\nnote = lambda x, seen=[]: seen.append(x) or len(seen)\n",
    "a helper": "def note(x, seen=set()):\n    seen |= {x}\n    return len(seen)\n"
    "def f(x):\n    return note(x) if x > 0 else 0\n",
    "a method": "class Acc:\n    def add(self, x, seen=[]):\n        seen.append(x)\n        return len(seen)\n"
    "def f(x):\n    return Acc().add(x) if x > 0 else 0\n",
    "a field": "class Acc:\n    def __init__(self, seen=[]):\n        self.seen = seen\n    def add(self, x):\n"
    "        self.seen.append(x)\n        return len(self.seen)\n"
    "def f(x):\n    return Acc().add(x) if x > 0 else 0\n",
}
ON_ITSELF = {
    "set": "def f(x):\n    if not hasattr(f, 'n'):\n        setattr(f, 'n', 0)\n    setattr(f, 'n', f.n + 1)\n    return f.n + x\n",
    "read": "def f(x):\n    return x if x > getattr(f, 'least', 0) else 0\nf.least = 5\n",
    "another name": "def f(x):\n    me = f\n    me.n = x if x else 1\n    return me.n\n",
    "of a helper": "def g(x):\n    return x + 1\ndef f(x):\n    return g(x) if x > getattr(g, 'least', 0) else 0\n",
    "module": "def f(x):\n    return f.__module__ if x else ''\n",
}
ITERATORS = {
    "zip": "zip('ab', 'cd')",
    "map": "map(list, 'ab')",
    "filter": "filter(None, [[1, 2]])",
    "reversed": "reversed([[1, 2]])",
    "enumerate": "enumerate('ab')",
    "generator": "((i, i) for i in range(9))",
    "cycle": "itertools.cycle([(1, 2)])",
    "inside": "[iter('ab')][0] if 0 else (zip('ab', 'cd'))",
    "of a function": "pairs()",
}


@pytest.mark.parametrize("text", [*DEFAULTS.values(), *ON_ITSELF.values()], ids=[*DEFAULTS, *ON_ITSELF])
def test_what_remembers_is_no_candidate(candidates, text):
    assert candidates(text) == {}


@pytest.mark.parametrize("made", ITERATORS.values(), ids=ITERATORS)
def test_what_reading_uses_up_is_no_constant(candidates, made):
    head = "import itertools\n\ndef pairs():\n    yield 1, 2\n\n"
    text = f"{head}PAIRS = {made}\ndef f(x):\n    for a, b in PAIRS:\n        if a == x:\n            return b\n    return x\n"
    assert candidates(text) == {}
    assert candidates(text.replace(f"PAIRS = {made}", "PAIRS = (('a', 'b'),)"))


SET_BY_TEXT = {
    "one": ('globals()["LIMIT"] = n', 'globals()["OTHER"] = n'),
    "several": ("globals().update(LIMIT=n)", "globals().get(n)"),
    "a computed name": ("globals()[n] = n", "x = globals()[n]"),
    "handed on": ("fill(globals())", "x = 'LIMIT' in globals()"),
    "the helper": ('globals()["g"] = n', 'print(globals()["g"])'),
    "deleted": ('del globals()["LIMIT"]', "x = list(globals().items())"),
}


@pytest.mark.parametrize(("sets", "reads"), SET_BY_TEXT.values(), ids=SET_BY_TEXT)
def test_what_a_function_sets_by_its_name_as_a_text_is_no_constant(candidates, sets, reads):
    text = "LIMIT = 3\ndef g(x):\n    return x + 1\ndef f(x):\n    return g(x) if x < LIMIT else LIMIT\ndef set_it(n):\n    "
    assert candidates(text + sets + "\n") == {}
    assert set(candidates(text + reads + "\n")) == {"slice"}


READ = {
    "read": "def f(x, acc=[], table={1: 2}):\n    return table.get(x, len(acc)) if x > 0 else [*acc]\n",
    "copied": "def f(x, acc=()):\n    acc = list(acc)\n    acc.append(x)\n" + TAIL,
    "copied from a list": "def f(x, acc=[]):\n    acc = list(acc)\n    acc.append(x)\n" + TAIL,
    "a function": "def f(x, key=len, scale=2.0, name='a', of=None, at=-1, kinds=(int, str)):\n    return key(x) * scale if x else at\n",
    "of a function inside": "def f(x):\n    def note(y, seen=[]):\n        seen.append(y)\n        return len(seen)\n"
    "    return note(x) + note(x) if x else 0\n",
    "itself": "def f(x):\n    return list(map(f, x)) if isinstance(x, list) else f.__name__ + str(x)\n",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_what_only_reads_stays_one(candidates, text):
    assert set(candidates(text)) == {"function"}
