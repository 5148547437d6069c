"""What is written of values that could not be read back as they stand."""

import collections

import pytest

import touchstone_values as values


def test_a_default_maps_own_factory_stays_behind():
    made = collections.defaultdict(lambda: 1, a=2)
    assert values.encode(made) == '{"$":"default_map","factory":null,"v":[["a",2]]}'
    assert values.compare('{"a":2}', values.encode(made), "portable") is None
    assert values.compare(values.encode(collections.defaultdict(int, a=2)), values.encode(made), "exact") is None


@pytest.mark.parametrize("name", ["", "a" * 201, "a\nb", "\ud800"])
def test_a_record_is_written_only_where_it_can_be_read(name):
    for made in (
        values.Record(name, (("a", 1),)),
        values.Record("R", ((name, 1),)),
        values.Record("R", (("a", 1), ("a", 2))),
    ):
        with pytest.raises(values.UnportableError):
            values.encode(made)
    assert values.parse(values.encode(values.Record("a" * 200, (("é\x7f", 1),))))


def test_a_long_path_leaves_the_reason_in_sight():
    deep = "[" * 150
    difference = values.compare(f"{deep}1{']' * 150}", f"{deep}2{']' * 150}", "exact")
    assert difference is not None and len(difference.path) < 120
    assert (difference.path[:10], difference.path[-6:]) == ("$[0][0][0]", "[0][0]")
    nested: list[object] = []
    nested.append(nested)
    with pytest.raises(values.UnportableError) as caught:
        values.encode(nested)
    assert str(caught.value)[:200].endswith("nesting deeper than 200 has no portable form")
