"""Functions cut out with what they need of their own module."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from ingester.domain.analysis import FoundFunction, analyse_file, fingerprint_of
from ingester.domain.dependencies import Dependencies

PRICES = """
    import math
    import os
    from enum import Enum

    RATE, FEE = 0.2, 3
    LIMITS: dict[str, int] = {"a": 1, "b": 2}

    class Kind(Enum):
        NEW = "new"
        OLD = "old"

    def _rounded(value, digits=2):
        if digits < 0:
            raise ValueError("digits")
        return math.floor(value * 10**digits) / 10**digits

    def unrelated(x):
        return x + FEE

    def price(items, kind):
        total = sum(items)
        if kind == Kind.NEW.value and total > LIMITS["a"]:
            total -= total * RATE
        return _rounded(total)
"""


@pytest.fixture
def slices() -> Callable[[str], dict[str, FoundFunction]]:
    def run(text: str) -> dict[str, FoundFunction]:
        found = analyse_file(textwrap.dedent(text).encode(), "package/module.py")
        assert not found.problem
        return {each.qualname: each for each in found.functions if each.form == "slice"}

    return run


def test_a_slice_takes_along_exactly_what_is_needed_in_the_order_of_the_file(slices):
    cut = slices(PRICES)["price"]
    assert [(part.kind, part.name) for part in cut.parts] == [
        ("constant", "RATE, FEE"), ("constant", "LIMITS"), ("class", "Kind"), ("function", "_rounded"),
    ]  # fmt: skip
    assert (cut.classification, cut.imports) == ("WSC", ("from enum import Enum", "import math"))
    assert "unrelated" not in cut.code
    space = {}
    exec("\n".join((*cut.imports, cut.code)), space)
    assert space["price"]([10, 5], "new") == 12.0
    # Its branches are those of all of it: `if`, `and`, and the helper's.
    assert cut.complexity == 4
    assert (cut.line_start, cut.line_end) == (21, 25)


def test_the_function_itself_stays_what_the_method_calls_it(slices):
    found = analyse_file(textwrap.dedent(PRICES).encode(), "a.py").functions
    plain = next(each for each in found if each.qualname == "price" and each.form == "function")
    assert (plain.classification, plain.rejected_by) == ("DISCARDED", "dependencies")
    cut = next(each for each in found if each.form == "slice" and each.qualname == "price")
    assert fingerprint_of(cut) == fingerprint_of(plain)
    assert cut.tree_key


@pytest.mark.parametrize(
    "text",
    [
        "T = {}\ndef fill(k):\n    T[k] = 1\ndef f(x):\n    return T if x else 0\n",
        "T = []\nT.append(3)\ndef f(x):\n    return T if x else 0\n",
        "T = []\nfor n in range(3):\n    T += [n]\ndef f(x):\n    return T if x else 0\n",
        "T = []\ndef g():\n    global T\n    T = 3\ndef f(x):\n    return T if x else 0\n",
        "T = []\ndef g(other):\n    del T[0]\ndef f(x):\n    return T if x else 0\n",
        "T = {}\ndef g(k):\n    T.setdefault(k, []).append(1)\ndef f(x):\n    return T if x else 0\n",
        "T = {}\ndef load(t):\n    t[1] = 2\nload(T)\ndef f(x):\n    return T if x else 0\n",
        "if 1:\n    T = 1\nelse:\n    T = 2\ndef f(x):\n    return T if x else 0\n",
        "try:\n    import json\n    T = 1\nexcept ImportError:\n    T = 0\ndef f(x):\n    return T if x else 0\n",
        "T = 1\nT = T + 1\ndef f(x):\n    return T if x else 0\n",
        "from . import other\ndef g(x):\n    return other.h(x)\ndef f(x):\n    return g(x) if x else 0\n",
        "import functools\n@functools.lru_cache\ndef g(x):\n    return x\ndef f(x):\n    return g(x) if x else 0\n",
        "def keep(h):\n    return h\n@keep\ndef g(x):\n    return x\ndef f(x):\n    return g(x) if x else 0\n",
        "T = 1\ndef keep(h):\n    return h\n@keep\ndef f(x):\n    return T if x else 0\n",
        "import functools\nT = 1\n@functools.singledispatch\ndef f(x):\n    return T if x else 0\n",
        "def g(x):\n    print(x)\n    return x\ndef f(x):\n    return g(x) if x else 0\n",
        "import random\nT = random.random()\ndef f(x):\n    return T if x else 0\n",
        "import time\ndef now():\n    return time.time()\ndef f(x):\n    return now() if x else 0\n",
        "T = open('x').read()\ndef f(x):\n    return T if x else 0\n",
        "T: int\ndef f(x):\n    return T if x else 0\n",
        "def g(x):\n    return x\ndef f(x):\n    return g(x) if x else 0\ndef f(x):\n    return g(x) if x else 1\n",
        "class K:\n    def m(self):\n        return __name__\ndef f(x):\n    return K().m() if x else 0\n",
        "async def g(x):\n    return x\ndef f(x):\n    return g(x) if x else 0\n",
    ],
)
def test_what_cannot_be_cut_out_exactly_is_no_slice(slices, text):
    assert "f" not in slices(text)


@pytest.mark.parametrize(
    "reads", ["load(T)", "for t in T:\n    print(t)", "if T:\n    print(len(T))", "assert T == {}"]
)
def test_a_table_that_is_read_while_its_file_is_imported_is_as_it_was_written(slices, ran, reads):
    found = slices(f"T = {{}}\ndef load(t):\n    return len(t)\n{reads}\ndef f(x):\n    return T if x else 0\n")
    assert ran(found["f"])["f"](1) == {}


def test_what_annotations_name_comes_along_or_is_not_evaluated(slices):
    cut = slices(
        """
        from typing import Union
        from .types import Remote
        Number = Union[int, float]
        TABLE = {}
        class Session:
            def __init__(self):
                TABLE[id(self)] = self
        def half(x: Number, session: Session) -> Number:
            return x / 2 if x else 0
        """
    )["half"]
    assert [part.name for part in cut.parts] == ["Number"]
    assert cut.imports[0] == "from __future__ import annotations"
    exec("\n".join((*cut.imports, cut.code)), {})


def test_helpers_may_call_each_other_and_the_function(slices):
    cut = slices(
        """
        def even(n):
            return True if n == 0 else odd(n - 1)
        def odd(n):
            return False if n == 0 else even(n - 1)
        def parity(n):
            return "even" if even(n) else ["odd", parity(n - 1)]
        """
    )
    assert cut["parity"].classification == "SC"
    assert [part.name for part in cut["parity"].parts] == ["even", "odd"]
    assert set(cut) == {"even", "odd", "parity"}


async def test_a_slice_is_published_beside_its_function_and_counted_once(world):
    world.shelf.files = {"a.py": textwrap.dedent(PRICES)}
    source = await world.ingestion.add("package", "shelf")
    summary = await world.ingestion.ingest(source.source_id)
    told = {(item.found.form, item.found.name): item for item in world.heard.functions}
    cut, plain = told["slice", "price"], told["function", "price"]
    assert cut.task_candidate and not plain.task_candidate
    assert cut.function_id != plain.function_id
    assert cut.dating.first_seen == world.shelf.version.released_at
    assert (summary.functions, summary.reasons["dependencies"]) == (3, 2)
    stages, _ = await world.store.funnel()
    assert (stages["functions"], stages["SC"], stages["slices"]) == (3, 0, 1)


async def test_the_code_of_a_slice_is_as_old_as_its_function(world):
    world.shelf.files = {"a.py": textwrap.dedent(PRICES)}
    old = textwrap.dedent(PRICES).replace("0.2, 3", "0.3, 3")
    world.shelf.past = {"0.1": (world.now.replace(year=2020), {"a.py": old})}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    told = {item.found.name: item.rejected_by for item in world.heard.functions if item.found.form == "slice"}
    assert told == {"price": "outside_window"}


def test_what_needs_nothing_of_its_module_is_no_slice(slices):
    assert slices("def f(x):\n    return x + missing if x else 0\n") == {}
    assert slices("def f(x):\n    return x if x else 0\n") == {}
    assert Dependencies("SC").kind == "SC"


def test_a_class_whose_annotations_name_it_does_not_evaluate_them(slices):
    cut = slices(
        """
        from __future__ import annotations

        class Point:
            def __init__(self, x):
                self.x = x

            def moved(self, by) -> Point:
                return Point(self.x + by)

        def far(x, by):
            return Point(x).moved(by).x if by > 1 else x
        """
    )["far"]
    assert cut.imports == ("from __future__ import annotations",) and cut.annotation_only
    space = {}
    exec(compile("\n".join((*cut.imports, cut.code)), "alone", "exec", dont_inherit=True), space)
    assert space["far"](3, 4) == 7
