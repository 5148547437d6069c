"""What every store of the embedder does."""

from embedder.adapters.records import unit_of
from embedder.domain.units import Place


async def test_callers_are_found_by_the_place_they_want(store, fakes):
    caller = unit_of(fakes.make_function("report", "def report(rows):\n    return render(rows)"))
    elsewhere = unit_of(fakes.make_function("report", "def report():\n    return render()", version_id="s1v2"))
    await store.save({caller: ("report.render", "render"), elsewhere: ("render",)})
    callee = unit_of(fakes.make_function("render", "def render(rows):\n    return 'é\\x00' * len(rows)"))
    await store.save({callee: ()})
    assert await store.callers_of([callee]) == [caller]
    assert await store.callers_of([callee, caller]) == []
    place = Place("s1v1", "shapes/core.py", "render")
    assert await store.code_at({place, Place("s1v1", "shapes/core.py", "absent")}) == {place: callee.code}
    assert await store.code_at(set()) == {}


async def test_nesting_is_spelt_in_two_ways_and_means_one_place(store, fakes):
    inner = unit_of(fakes.make_function("outer.<locals>.inner", form="nested"))
    await store.save({inner: ()})
    place = Place("s1v1", "shapes/core.py", "outer.inner")
    assert await store.code_at({place}) == {place: inner.code}


async def test_of_two_definitions_at_one_place_the_first_by_line_is_taken(store, fakes):
    late = unit_of(fakes.make_function("f", "def f(): return 2", function_id="a", line_start=9))
    early = unit_of(fakes.make_function("f", "def f(): return 1", function_id="b", line_start=3))
    await store.save({late: (), early: ()})
    place = Place("s1v1", "shapes/core.py", "f")
    assert await store.code_at({place}) == {place: early.code}


async def test_saving_again_changes_nothing(store, fakes):
    unit = unit_of(fakes.make_function("f"))
    await store.save({unit: ("g",)})
    await store.mark_embedded({unit.function_id: "k1:x"})
    await store.save({unit: ("g",)})
    assert await store.embedded_with([unit.function_id, "nobody"]) == {unit.function_id: "k1:x"}
    assert await store.counts() == (1, 1)


async def test_what_other_models_embedded_is_found_by_page(store, fakes):
    units = [unit_of(fakes.make_function(name)) for name in "abcd"]
    await store.save(dict.fromkeys(units, ()))
    await store.mark_embedded({unit.function_id: f"k1:{unit.function_id}" for unit in units[:3]})
    assert await store.not_embedded_by(["k1"], "", 10) == []
    assert await store.not_embedded_by(["k2"], "", 2) == units[:2]
    assert await store.not_embedded_by(["k2", "k"], units[0].function_id, 5) == units[1:3]
    assert await store.not_embedded_by(["k2", "k1"], "", 10) == []
    await store.mark_embedded({unit.function_id: "k2:y" for unit in units[:2]})
    assert await store.not_embedded_by(["k2"], "", 2) == units[2:3]
    assert await store.counts() == (4, 3)
    assert [await store.embedded_by(key) for key in ("k1", "k2", "k")] == [(1, 3), (2, 3), (0, 3)]


async def test_one_at_a_time_has_its_turn(store):
    async with store.turn() as mine, store.turn() as other:
        assert mine and not other
    async with store.turn() as again:
        assert again


async def test_the_first_vector_of_a_text_is_kept(store):
    assert await store.save_vectors("m:1", {"t1": b"\x01\x02", "t2": b"\x03"}) == {"t1": b"\x01\x02", "t2": b"\x03"}
    assert await store.save_vectors("m:1", {"t1": b"\xff", "t3": b"\x04"}) == {"t1": b"\x01\x02", "t3": b"\x04"}
    assert await store.vectors("m:1", ["t1", "t4"]) == {"t1": b"\x01\x02"}
    assert await store.vectors("m:2", ["t1"]) == {}
    assert await store.save_vectors("m:1", {}) == {}
    for identity in ("m:2", "m-big:1", "m_x:1"):
        await store.save_vectors(identity, {"t1": b"\x05"})
    assert await store.identities("m") == ["m:1", "m:2"] and await store.identities("other") == []


async def test_batches_larger_than_a_statement_are_taken(store, fakes):
    units = [unit_of(fakes.make_function(f"f{number}")) for number in range(2100)]
    await store.save({unit: (f"{unit.qualname}.g", "g") for unit in units})
    assert await store.counts() == (2100, 0)
    callee = unit_of(fakes.make_function("g"))
    await store.save({callee: ()})
    assert len(await store.callers_of([callee])) == 2100
