# ruff: noqa: E501  programs, one a line
"""What annotations mean when a program runs: a slice or a function is the file's with or without evaluating them."""

from __future__ import annotations

import sys
import textwrap
import types

import pytest

LAZY = "from __future__ import annotations\n"
POINT = "from dataclasses import dataclass, InitVar, KW_ONLY, asdict, fields\nimport dataclasses\nimport typing\nfrom typing import ClassVar, NamedTuple, TypedDict\nfrom typing import ClassVar as Shared\n"
END = "\ndef f(x, y):\n    if x > y:\n        return repr(P(x))\n    return repr(P(y))\n"
# Candidates that must do as the file does.
SAME = {
    "ClassVar": POINT + "@dataclass\nclass P:\n    x: int\n    LIMIT: ClassVar[int] = 5\n" + END,
    "typing.ClassVar": POINT + "@dataclass\nclass P:\n    x: int\n    LIMIT: typing.ClassVar[int] = 5\n" + END,
    "another name": POINT + "@dataclass\nclass P:\n    x: int\n    LIMIT: Shared[int] = 5\n" + END,
    "KW_ONLY": POINT + "@dataclass\nclass P:\n    x: int\n    _: KW_ONLY\n    y: int = 3\n" + END,
    "InitVar": POINT
    + "@dataclass\nclass P:\n    x: int\n    y: InitVar[int] = 3\n    def __post_init__(self, y):\n        self.x += y\n"
    + END,
    "dataclasses.KW_ONLY": POINT
    + "@dataclass\nclass P:\n    x: int\n    _: dataclasses.KW_ONLY\n    y: int = 3\n"
    + END,
    "inside": POINT
    + "def f(a, b):\n    @dataclass\n    class P:\n        x: int\n        K: ClassVar[int] = 3\n    return asdict(P(a)) if a > b else asdict(P(b))\n",
    "fields": POINT
    + "@dataclass\nclass P:\n    x: int\n    y: str = ''\ndef f(x, y):\n    return [str(each.type) for each in fields(P)] if x else []\n",
    "annotations": POINT
    + "class P(NamedTuple):\n    x: int\n    y: float\ndef f(x, y):\n    return [str(t) for t in P.__annotations__.values()] if x else []\n",
    "no type": "def f(x, y, key: callable | None = None):\n    if x > 3:\n        return x\n    return y\n",
    "texts": "def f(x: 'int' | None, y):\n    if x:\n        return x\n    return y\n",
    "parameters": "def f(x: int[str], y: callable[[int], str]) -> len('a'):\n    if x:\n        return x\n    return y\n",
}


def both(candidates, text):
    """What the file gives, and what each candidate gives."""
    module = types.ModuleType("whole")
    sys.modules["whole"] = module
    exec(compile(text, "whole", "exec", dont_inherit=True), module.__dict__)
    given = {}
    for form, found in candidates(text).items():
        alone = types.ModuleType("alone")
        sys.modules["alone"] = alone
        code = "\n".join((*found.imports, found.code))
        exec(compile(code, "alone", "exec", dont_inherit=True), alone.__dict__)
        given[form] = alone.__dict__["f"](1, 2)
    return module.__dict__["f"](1, 2), given


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_annotations_that_a_file_does_not_evaluate(candidates, text):
    found, given = both(candidates, LAZY + text)
    assert given
    assert set(given.values() if isinstance(found, str) else map(str, given.values())) == {str(found)}


def test_a_plain_annotation_needs_no_statement(candidates):
    text = (
        LAZY
        + "def f(x: list[int] | None, y: dict[str, 'A'] = (), *a: None) -> tuple[int, ...]:\n    z: 'q' | None = 2\n    fields = [x]\n    return fields if x else z\n"
    )
    assert candidates(text)["function"].classification == "SC"


READ = """
    from dataclasses import dataclass, fields
    from typing import NamedTuple
    class Source:
        def __init__(self, n):
            self.n = n
    @dataclass
    class P:
        x: int
    class Q(NamedTuple):
        x: int
    def f(row: Source, raw):
        if not raw:
            return []
        return {}
"""


@pytest.mark.parametrize("reads", ["[e.type(raw) for e in fields(P)]", "[t(raw) for t in Q.__annotations__.values()]"])
def test_annotations_that_are_read_are_not_made_texts(candidates, reads):
    assert candidates(textwrap.dedent(READ).format(reads)) == {}
    assert "slice" in candidates(textwrap.dedent(READ).format("P(raw).x"))
    assert "slice" in candidates(textwrap.dedent(READ).format(reads).replace("row: Source", "row"))


def test_a_file_that_does_not_evaluate_beside_one_whose_annotations_are_read(candidates):
    other = LAZY + "def g(x):\n    return x + 1 if x else 0\n"
    text = "from pkg.other import g\nfrom dataclasses import dataclass, fields\n@dataclass\nclass P:\n    x: int\ndef f(x):\n    return [e.type(g(x)) for e in fields(P)] if x else []\n"
    assert candidates(text, other=other) == {}
    assert "slice" in candidates(text, other=other.removeprefix(LAZY))


MODULE = {
    "hints": "from typing import Optional, get_type_hints\ndef f(a: Optional[int], b: int):\n    return sorted(map(str, get_type_hints(f).values())) if a else []\n",
    "hints of another": "from typing import Optional, get_type_hints\nclass P:\n    x: Optional[int]\ndef f(a, b):\n    return sorted(map(str, get_type_hints(P).values())) if a else []\n",
    "name of a module": "class P:\n    pass\ndef f(x):\n    return P.__module__ if x else ''\n",
    "of an object": "def f(x):\n    return type(x).__module__ if x else ''\n",
}


@pytest.mark.parametrize("text", MODULE.values(), ids=MODULE)
def test_what_asks_for_its_module_is_no_candidate(candidates, text):
    assert candidates(text) == {}
    assert candidates(LAZY + text) == {}
