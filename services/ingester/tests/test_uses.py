"""Tables, registries and objects that something fills after their definition are not cut out as they were before."""

from __future__ import annotations

import pytest

REGISTRY = """
    class Registry:
        def __init__(self):
            self.items = {}
        def register(self, name):
            def keep(g):
                self.items[name] = g
                return g
            return keep
        def get(self, name):
            return self.items.get(name)
    REG = Registry()
"""
ASKS = """
    def f(name, x):
        found = REG.get(name)
        if found is None:
            return x
        return found(x)
"""
LOOKS = "\ndef f(x):\n    if x in T:\n        return T[x]\n    return 0\n"


@pytest.mark.parametrize(
    "fills",
    [
        "T = {}\ndef fill(t):\n    t[1] = 2\ndef start():\n    fill(T)\nstart()",
        "T = {}\ndef fill(t):\n    t[1] = 2\nx = fill(T)",
        "T = {}\ndef fill(t):\n    t.update(a=1)\nx = [fill(t=T)]",
        "T = {}\ndef fill(*t):\n    t[0][1] = 2\nx = fill(1, T)",
        "T = {}\ndef fill(**t):\n    t['t'][1] = 2\nx = fill(t=T)",
        "T = {}\ndef fill(t):\n    def deep():\n        t[1] = 2\n    deep()\nx = fill(T)",
        "T = {}\ndef fill(t):\n    other(t)\ndef other(t):\n    t.pop(1, 2)\nx = fill(T)",
        "T = {}\ndef same(t):\n    return t\ndef fill():\n    same(T)[1] = 2",
        "T = {}\ndef table():\n    return T\ndef fill():\n    table()[1] = 2",
        "T = {}\ndef fill():\n    t = T\n    t[1] = 2",
        "T = {}\nU = T\ndef fill():\n    U[1] = 2",
        "T = {}\nU = V = T\ndef fill():\n    U[1] = 2",
        "T = U = {}\ndef fill(t):\n    t[1] = 2\nx = fill(U)",
        "def make(x):\n    return [x]\nT = tuple(map(make, range(9)))\ndef fill(x):\n    T[0].append(x)",
        "T = {1: []}\ndef fill(x):\n    match T:\n        case {1: inner}:\n            inner.append(x)",
        "T = {}\ndef fill(t=T):\n    t[1] = 2",
        "T = {}\ndef fill():\n    for t in (T, {}):\n        t[1] = 2",
        "T = {}\ndef fill():\n    (t := T)[1] = 2",
        "T = {}\ndef fill():\n    push = T.update\n    push({1: 2})",
        "T = {1: []}\ndef fill():\n    for each in T.values():\n        each.append(2)",
        "T = {1: []}\ndef fill():\n    T.get(1).append(2)",
        "T = {1: []}\ndef fill(inner):\n    inner.append(2)\nx = fill(T[1])",
        "T = [3, 1]\nimport heapq\ndef start():\n    heapq.heapify(T)",
        "T = [3, 1]\nfrom bisect import insort\ndef start():\n    insort(T, 2)",
        "T = {}\nclass K:\n    def __init__(self, t):\n        self.t = t\n    def fill(self):\n        self.t[1] = 2\n"
        "k = K(T)",
        "T = {}\nclass K:\n    t = T\n    def fill(self):\n        self.t[1] = 2",
        "T = {}\nclass K:\n    def fill(self, t):\n        t[1] = 2\ndef start(k):\n    k.fill(T)",
        "T = {}\ndef rule(t, n):\n    def keep(g):\n        t[n] = g\n        return g\n    return keep\n"
        "@rule(T, 1)\ndef g(x):\n    return x",
        "T = {}\ndef start(unknown):\n    unknown(T)",
        "T = {}\nfrom elsewhere import fill\nx = fill(T)",
        "T = {}\nx = (lambda t: t.update(a=1))(T)",
        "T = set()\ndef fill(others):\n    T.symmetric_difference_update(others)",
        "from collections import deque\nT = deque()\ndef fill():\n    T.extendleft([1])",
        "T = {}\ndef fill():\n    dict.update(T, a=1)",
        "T = dict.fromkeys([1], [])\ndef fill():\n    for each in T.values():\n        each.append(1)",
        "T = {}\ndef fill():\n    setattr(T, 'x', 1)",
        "T = iter([1, 2])\ndef fill():\n    return next(T)",
    ],
)
def test_a_table_that_something_fills_by_another_way_is_not_taken_along(candidates, fills):
    assert candidates(fills + LOOKS) == {}


@pytest.mark.parametrize(
    "reads",
    [
        "T = {1: 2}\ndef show(t):\n    return sorted(t.items())\nx = show(T)",
        "T = {1: 2}\ndef show(t):\n    t = dict(t)\n    t[3] = 4\n    return t\nx = show(T)",
        "T = {1: 2}\nimport json\ndef text():\n    return json.dumps(T)",
        "T = {1: 2}\ndef names():\n    return [str(k) for k in T], list(T), len(T), {**T}, f'{T}'",
        "T = {1: 2}\ndef fill():\n    t = dict(T)\n    t[3] = 4\n    return t",
        "T = {1: 2}\ndef fill():\n    t = T.copy()\n    t[3] = 4\n    return t",
        "T = {1: 2}\ndef fill(out):\n    out.update(T)\n    out.extend(T)\n    return out",
        "T = {1: 2}\ndef g(x, t=T):\n    return t.get(x) if t else None",
        "T = {1: 2}\nclass K:\n    t = T\n    def get(self, x):\n        return self.t.get(x)",
        "T = {1: 2}\nclass K:\n    def __init__(self, t):\n        self.table_of = t\n    def get(self, x):\n"
        "        return self.table_of[x]\nk = K(T)",
        "T = {1: 2}\ndef g(text):\n    return text.translate(T), ' '.join(T)",
        "T = {1: 2}\ndef g(t, x):\n    return x if x not in t else g(t, t[x])\ndef h(x):\n    return g(T, x)",
        "T = (1, 2)\nfrom elsewhere import show\nx = show(T)",
        "import re\nT = re.compile('a')\nfrom elsewhere import show\nx = show(T)\ndef g(x):\n    return T.sub('', x)",
        "import html\nT = {k.strip(): v for k, v in html.entities.html5.items()}\nclass K:\n    def g(self, x):\n"
        "        self.h = T[x]\n    def k(self):\n        self.h.fill(1)",
        "U = {1: 'a'}\nT = {  # One more.\n    **{k: f'{v}' for k, v in U.items()}, 2: 'b'}\ndef g(out, x):\n"
        "    out.append(T[x])",
        "T = tuple(map(chr, range(9)))\ndef g(out, x):\n    out.append(T[x])",
        "U = {1: 'a'}\nT = {k: v.upper() for k, v in U.items()}\ndef g(x, unknown):\n    unknown(T[x])",
        "T = {1: 2}\nALL = [T, {}]\ndef g(x):\n    return [x in t for t in ALL]",
        "T = {1: 2}\ndef g():\n    x = T[1]\n    x += 1\n    return x",
    ],
)
def test_a_table_that_is_only_read_is_taken_along(candidates, reads):
    look = LOOKS if "re.compile" not in reads else "\ndef f(x):\n    return T.sub('', x) if x else 0\n"
    assert "slice" in candidates(reads + look), candidates(reads + look)


def test_a_registry_that_decorators_fill_is_not_taken_along(candidates):
    assert "slice" in candidates(REGISTRY + ASKS)
    double = "    @REG.register('double')\n    def double(x):\n        return 2 * x\n"
    assert candidates(REGISTRY + double + ASKS) == {}
    # In whatever file.
    rules = "    from .reg import REG\n" + double
    for main in ("    from .reg import REG\n" + ASKS, "    from . import reg\n" + ASKS.replace("REG.", "reg.REG.")):
        assert "slice" in candidates(main, reg=REGISTRY)
        assert candidates(main, reg=REGISTRY, rules=rules) == {}
        assert candidates(main, reg=REGISTRY, rules=rules.replace(".reg import REG", ".reg import REG as R")
                          .replace("@REG", "@R")) == {}  # fmt: skip
        more = "    from . import reg as r\n    @r.REG.register('d')\n    def d(x):\n        return x\n"
        assert candidates(main, reg=REGISTRY, rules=more) == {}


def test_a_table_that_another_file_hands_on_is_not_taken_along(candidates):
    table, look = "T = {'a': 1}\n", "from .table import T\n" + LOOKS
    fill = "def fill(t):\n    t['b'] = 2\n"
    assert "slice" in candidates(look, table=table, fill=fill)
    for hands in (
        "from . import table\nfrom .fill import fill\n_ = fill(table.T)\n",
        "from .table import T\nfrom .fill import fill\ndef start():\n    fill(\n        T\n    )\n",
        "from .table import T as t\nfrom . import fill\n_ = [fill.fill(t)]\n",
        "from .table import *\nfrom .fill import *\n_ = fill(T)\n",
        "try:\n    from .table import T\nexcept ImportError:\n    T = {}\nfrom .fill import fill\nx = fill(T)\n",
        "from .fill import fill\nfrom .table import *\nfrom elsewhere import *\nx = fill(T)\n",
        "def start():\n    from .fill import fill\n    from . import table\n    fill(table.T)\n",
        "import pkg.table\nfrom .fill import fill\nx = fill(pkg.table.T)\n",
        "from .table import T\nU = T\ndef start():\n    U['b'] = 2\n",
    ):
        assert candidates(look, table=table, fill=fill, more=hands) == {}, hands
    # Another table of the same name.
    for other in (
        "from .fill import fill\nT = {}\n_ = fill(T)\n",
        "from .others import T\nfrom .fill import fill\n_ = fill(T)\n",
        "from . import others\nfrom .fill import fill\n_ = fill(others.T)\n",
    ):
        assert "slice" in candidates(look, table=table, fill=fill, others=table, more=other), other


SCALE = """
class Scale:
    UNITS = {"m": 1}
    def __init__(self, unit):
        self.unit = unit
    def f(self, x):
        if self.unit in self.UNITS:
            return x * self.UNITS[self.unit]
        return -1
"""
FILL = "def fill(t):\n    t['km'] = 1000\n"


def test_what_a_class_holds_for_all_its_objects_counts_alike(candidates):
    assert "record" in candidates(SCALE + FILL)
    for call in ("_ = fill(Scale.UNITS)\n", "def start():\n    fill(Scale('m').UNITS)\n"):
        assert candidates(SCALE + FILL + call) == {}, call
    assert candidates(FILL + SCALE.replace('{"m": 1}', '{"m": 1}\n    _ = fill(UNITS)')) == {}
    more = "from .fill import fill\nfrom .main import Scale\nx = fill(Scale.UNITS)\n"
    assert candidates(SCALE, more=more, fill=FILL) == {}
    uses = SCALE.replace("def f", "def g") + FILL + "def f(unit, x):\n    return Scale(unit).g(x) if unit else 0\n"
    assert "slice" in candidates(uses)
    assert candidates(uses + "_ = fill(Scale.UNITS)\n") == {}


@pytest.mark.parametrize(
    ("method", "filled"),
    [
        ("@classmethod\n            def add(cls, unit):\n                cls.UNITS[unit] = 1", True),
        ("@staticmethod\n            def add(unit):\n                Scale.UNITS[unit] = 1", True),
        ("@classmethod\n            def add(cls, unit):\n                cls.last = unit", True),
        ("def add(self, unit):\n                self.UNITS[unit] = 1", True),
        ("@classmethod\n            def add(cls, unit):\n                return cls.UNITS.get(unit)", False),
    ],
)
def test_a_class_that_keeps_what_its_methods_are_given_is_not_taken_along(candidates, method, filled):
    text = f"""
        class Scale:
            UNITS = {{"m": 1}}
            {method}
            def known(self, unit):
                return unit in self.UNITS
        def f(unit, x):
            return x if Scale().known(unit) else 0
    """
    assert ("slice" in candidates(text)) is not filled


def test_objects_that_nothing_changes_are_taken_along_wherever_they_go(candidates):
    text = """
        class _Missing:
            def __repr__(self):
                return "missing"
        MISSING = _Missing()
        def other(x, unknown, default=MISSING):
            return unknown(MISSING) if x is MISSING else unknown.call(default)
        def f(x, y=MISSING):
            return x if y is MISSING else y
    """
    assert "slice" in candidates(text)
    changes = text + "        def more():\n            MISSING.name = 1\n"
    assert candidates(changes) == {}
