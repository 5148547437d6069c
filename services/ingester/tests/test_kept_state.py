"""What one call of a slice or a sequence would leave to the next is not cut out."""

from __future__ import annotations

import pytest

KEEPING = {
    "a counter": "def _make():\n    n = 0\n    def count():\n        nonlocal n\n        n += 1\n        return n\n"
    "    return count\ncount = _make()\ndef f(x):\n    return count() if x else 0\n",
    "a list": "def _make():\n    seen = []\n    def count(x):\n        seen.append(x)\n        return len(seen)\n"
    "    return count\ncount = _make()\ndef f(x):\n    return count(x) if x else 0\n",
    "one of two": "def _make():\n    seen = {}\n    def put(x):\n        seen[x] = 1\n    def count():\n"
    "        return sorted(seen)\n    return put, count\nput, count = _make()\ndef f(x):\n    put(x)\n"
    "    return count() if x else 0\n",
    "a lambda": "def _make():\n    seen = []\n    return lambda x: (seen.append(x), len(seen))[1]\ncount = _make()\n"
    "def f(x):\n    return count(x) if x else 0\n",
    "what it is made with": "def _make(seen):\n    def count(x):\n        return seen(x)\n    return count\n"
    "def _fill(x, all=[]):\n    all.append(x)\n    return len(all)\ncount = _make(_fill)\n"
    "def f(x):\n    return count(x) if x else 0\n",
    "in a table": "def _make():\n    seen = []\n    def count(x):\n        seen.append(x)\n        return len(seen)\n"
    "    return count\nT = {'a': _make()}\ndef f(x):\n    return T['a'](x) if x else 0\n",
    "a part of a function": "import functools\ndef _add(seen, x):\n    seen.append(x)\n    return len(seen)\n"
    "add = functools.partial(_add, [])\ndef f(x):\n    return add(x) if x else 0\n",
    "what it lacks": "from collections import defaultdict\nD = defaultdict(list, a=[1])\ndef f(x):\n"
    "    return len(D[x]) + len(D) if x else 0\n",
    "matches": "import re\nP = re.compile('a').finditer('aaa')\ndef f(x):\n    return len(list(P)) if x else 0\n",
    "objects' class": "class N:\n    n = 0\n    def __init__(self):\n        type(self).n += 1\n"
    "        self.i = self.n\ndef f(x):\n    return N().i if x else 0\n",
    "objects' class, by name": "class N:\n    n = 0\n    def __init__(self):\n        self.__class__.n += 1\n"
    "        self.i = self.n\ndef f(x):\n    return N().i if x else 0\n",
    "objects' class, by any name": "class N:\n    n = 0\n    def __init__(self):\n"
    "        setattr(type(self), 'n', self.n + 1)\n        self.i = self.n\ndef f(x):\n    return N().i if x else 0\n",
    "a base's": "class B:\n    n = 0\nclass N(B):\n    def __init__(self):\n        type(self).n += 1\n"
    "        self.i = self.n\ndef f(x):\n    return N().i if x else 0\n",
    "at the first byte": "class N:\n    seen = []\n    def add(self, x):\n        self.seen.append(x)\n"
    "        return len(self.seen)\ndef f(x):\n    return N().add(x) if x else 0\n",
}
SPECIAL = {
    "__str__(self)": "f'{held}'", "__repr__(self)": "repr(held)", "__len__(self)": "len(held)",
    "__add__(self, other)": "held + 1", "__radd__(self, other)": "1 + held", "__getitem__(self, key)": "held[x]",
    "__contains__(self, key)": "x in held", "__bool__(self)": "not held", "__eq__(self, other)": "held == x",
    "__hash__(self)": "{held}", "__iter__(self)": "list(held)", "__enter__(self)": "held.n", "__neg__(self)": "-held",
    "__getattr__(self, name)": "held.more", "__format__(self, how)": "f'{held:x}'",
}  # fmt: skip
OBJECT = """class Held:
    def __init__(self):
        self.n = 0
    def {}:
        {}
        return self.n
held = Held()
def f(x):
    return {} if x else 0
"""
GIVING = {
    "a function": "def _adds(n):\n    def add(x):\n        return x + n\n    return add\nadd = _adds(3)\n"
    "def f(x):\n    return add(x) if x else 0\n",
    "a lambda": "def _adds(n):\n    return lambda x: x + n\nadd = _adds(3)\ndef f(x):\n    return add(x) if x else 0\n",
    "a part of a function": "import functools\ndef _add(n, x):\n    return x + n\nadd = functools.partial(_add, 3)\n"
    "def f(x):\n    return add(x) if x else 0\n",
    "what calls itself": "def _powers(n):\n    def power(x):\n        return power(x - 1) * n if x else 1\n"
    "    return power\npower = _powers(2)\ndef f(x):\n    return power(x) if x else 0\n",
    "a number": "def _count(words):\n    n = 0\n    for word in words:\n        n += len(word)\n    return n\n"
    "N = _count('abc')\ndef f(x):\n    return N + x if x else 0\n",
    "the name of a class": "class N:\n    def __init__(self, n):\n        self.n = n\n    def __repr__(self):\n"
    "        return f'{type(self).__name__}({self.n})'\n    def more(self):\n        return type(self)(self.n + 1)\n"
    "def f(x):\n    return repr(N(x).more()) if x else ''\n",
}


@pytest.mark.parametrize("case", KEEPING)
def test_what_keeps_something_between_calls_is_not_taken_along(candidates, case):
    assert candidates(KEEPING[case]) == {}


@pytest.mark.parametrize("method", SPECIAL)
def test_an_object_that_changes_where_it_is_read_is_not_taken_along(candidates, method):
    assert candidates(OBJECT.format(method, "self.n += 1", SPECIAL[method])) == {}


@pytest.mark.parametrize("method", [each for each in SPECIAL if each not in ("__enter__(self)", "__iter__(self)")])
def test_an_object_that_its_methods_read_alone_is_taken_along(candidates, method):
    assert "slice" in candidates(OBJECT.format(method, "pass", SPECIAL[method]))


def test_a_map_that_keeps_what_it_lacks_is_not_taken_along(candidates):
    text = "class M(dict):\n    def __missing__(self, key):\n        self[key] = len(self)\n        return self[key]\n"
    assert candidates(text + "m = M()\ndef f(x):\n    return m[x] if x else 0\n") == {}


@pytest.mark.parametrize("case", GIVING)
def test_what_gives_the_same_at_every_call_is_taken_along(candidates, ran, case):
    found = candidates(GIVING[case])["slice"]
    space = ran(found)
    assert space["f"](4) == space["f"](4)


STACK = """class Stack:
{}
    def __init__(self):
        self.items = []
    def push(self, x):
        {}
        self.items.append(x)
        return {}
    def size(self):
        return len(self.items) if self.items else 0
"""
LEFT = {
    "its class": ("    count = 0", "type(self).count += 1", "self.count"),
    "its class, by name": ("    count = 0", "self.__class__.count += 1", "self.count"),
    "its class, by any name": ("    count = 0", "setattr(Stack, 'count', Stack.count + 1)", "self.count"),
    "an alias": ("    CACHE = {}", "c = self.CACHE; c[x] = len(c)", "len(self.CACHE)"),
    "an alias by the class": ("    POOL = []", "p = Stack.POOL; p.append(x)", "len(Stack.POOL)"),
    "a parameter": ("    CACHE = {}", "fill(self.CACHE, x)", "len(self.CACHE)"),
    "inside of a tuple": ("    POOL = ([],)", "self.POOL[0].append(x)", "len(self.POOL[0])"),
    "inside of a map": ("    ON = {'a': [1]}", "[v.append(x) for v in self.ON.values()]", "len(self.ON['a'])"),
    "a class method": ("    n = 0\n    @classmethod\n    def more(cls):\n        cls.n += 1", "self.more()", "self.n"),
}


@pytest.mark.parametrize("first", ["", "\n"], ids=["at the first byte", "later"])
@pytest.mark.parametrize("case", LEFT)
def test_a_class_that_leaves_something_to_the_next_case_is_no_sequence(sequences, case, first):
    fill = "def fill(c, x):\n    c[len(c)] = x\n"
    assert sequences(first + STACK.format(*LEFT[case]) + fill) == {}
    assert sequences(first + STACK.format("    LIMIT = 3", "x = x or self.LIMIT", "x") + fill) != {}
