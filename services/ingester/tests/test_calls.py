"""What a source's own tests call."""

from __future__ import annotations

import textwrap

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
