"""What is written down as an input holds all of it, or has no form."""

import collections

import pytest

import touchstone_values as values


def test_a_map_with_a_factory_of_its_own_is_an_answer_and_no_input() -> None:
    own = collections.defaultdict(lambda: 7, a=1)
    kept = '{"$":"default_map","factory":null,"v":[["a",1]]}'
    assert values.encode(own) == kept and values.dump(values.tree_of(own)) == kept
    for whole in (own, [own], {"a": (own,)}, collections.OrderedDict(a=collections.deque([own]))):
        with pytest.raises(values.UnportableError, match="factory"):
            values.tree_of(whole, whole=True)
    for whole in (collections.defaultdict(int, a=1), collections.defaultdict(None, a=1), {"a": [1, {2}]}):
        assert values.tree_of(whole, whole=True) == values.tree_of(whole)
