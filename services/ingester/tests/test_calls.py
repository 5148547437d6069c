"""What a source's own tests call."""

from __future__ import annotations

import textwrap

import pytest

from ingester.domain.calls import MOST_CHARACTERS, literal_calls

CLAMP = "def clamp(x, low, high):\n    return low if x < low else high if x > high else x\n"


def texts(source: str) -> list[str]:
    return [call.text for call in literal_calls(textwrap.dedent(source).encode())]


def test_calls_with_literals_are_kept_and_others_are_not():
    assert texts(
        """
        import shelf
        from shelf import clamp
        def test_it(fixture, other):
            assert clamp(3, -1, high=[2]) == 2
            assert shelf.clamp("a", None, {"k": (1,)})
            fixture.clamp(1, 2, 3)
            clamp(other, 1, 2)
            clamp(*[1, 2])
            clamp()
        """
    ) == ["clamp(3, -1, high=[2])", "clamp('a', None, {'k': (1,)})"]


def test_rows_of_parametrized_tests_are_calls():
    assert texts(
        """
        from shelf import clamp, sign
        @pytest.mark.parametrize(("x", "want"), [(1, 0), pytest.param(5, 3, id="high"), (object(), 1)])
        def test_rows(x, want):
            assert clamp(x, 0, 3) == want
        @pytest.mark.parametrize("x", ["a", "b"])
        def test_one(x):
            assert sign(x)
        """
    ) == ["clamp(1, 0, 3)", "clamp(5, 0, 3)", "sign('a')", "sign('b')"]


def test_what_is_no_python_or_too_long_tells_nothing():
    assert texts("def (") == []
    assert texts(f"f('{'x' * MOST_CHARACTERS}')") == []


def named(source: str, path: str = "tests/test_a.py") -> list[str]:
    return [call.text for call in literal_calls(textwrap.dedent(source).encode(), path, ["pkg"])]


OWN = {
    "from a module": ("from pkg.a import clip", "clip(1)", ["clip(1)"]),
    "by another name": ("from pkg.a import clip as ours", "ours(1)", ["clip(1)"]),
    "of a module": ("import pkg.a", "pkg.a.clip(1)", ["clip(1)"]),
    "of a module by another name": ("import pkg.a as a", "a.clip(1)", ["clip(1)"]),
    "all names": ("from pkg.a import *", "clip(1)", ["clip(1)"]),
    "inside": ("if 1:\n    from pkg import clip", "clip(1)", ["clip(1)"]),
    "a library": ("import numpy as np", "np.clip([1, 9], 'low')", []),
    "of a library": ("from other import clip", "clip(1)", []),
    "of a library by the name": ("from other import theirs as clip\nfrom pkg import clip", "clip(1)", []),
    "of a library beside all names": ("from other import clip\nfrom pkg import *", "clip(1)", []),
    "of the test itself": ("from pkg.a import *\ndef clip(x):\n    return x", "clip(1)", []),
    "given": ("from pkg.a import clip\ndef test_it(clip):\n    pass", "clip(1)", []),
    "of the tests": ("from pkg.tests.helpers import clip", "clip(1)", []),
    "nowhere": ("import pkg", "clip(1)", []),
    "of an object": ("from pkg import Box\nbox = Box(1)", "box.clip(1)", ["Box(1)"]),
    "beside it": ("from .helpers import clip", "clip(1)", []),
}


@pytest.mark.parametrize(("imports", "call", "found"), OWN.values(), ids=OWN)
def test_a_call_is_of_the_source_where_the_test_imports_it_from_there(imports, call, found):
    assert named(f"{imports}\ndef test_one():\n    assert {call}\n") == found


def test_a_relative_import_leads_out_of_the_tests():
    assert named("from ..a import clip\nclip(1)", "pkg/tests/test_a.py") == ["clip(1)"]
    assert named("from .a import clip\nclip(1)", "pkg/a_test.py") == ["clip(1)"]


async def test_a_file_that_ends_as_a_test_is_one(world):
    test = "from pkg import core\ndef expected(x, y):\n    return x if x > y else y\nassert core.largest(1, 2) == 2\n"
    core = "def largest(a, b):\n    return a * 2 if a > b else b * 2\n"
    world.shelf.files = {"pkg/__init__.py": "", "pkg/core_test.py": test, "pkg/core.py": core}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    told = {item.found.qualname: item for item in world.heard.functions}
    assert set(told) == {"largest"}
    assert told["largest"].found.calls == ("largest(1, 2)",)


async def test_candidates_carry_how_tests_call_them(world):
    world.shelf.files = {
        "a.py": CLAMP + "def twice(x):\n    return x * 2 if x else 0\n",
        "b.py": "class K:\n    def twice(self, x):\n        return x\n",
        "tests/test_a.py": "from a import clamp, twice\ndef test():\n    clamp(9, 0, 3)\n    twice(4)\n",
    }
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    told = {item.found.qualname: item.found.calls for item in world.heard.functions}
    # Which `twice` the test means, its name does not tell.
    assert told["clamp"] == ("clamp(9, 0, 3)",) and told["twice"] == ()
