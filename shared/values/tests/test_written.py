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
