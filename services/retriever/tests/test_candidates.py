"""Candidates whose ids are fetched when they are asked for."""

import numpy as np
import pytest

from retriever.domain.candidates import Column, OrderedIds
from retriever.domain.ensemble import Near, Weights, ranked


@pytest.fixture
def fetched():
    return []


@pytest.fixture
def ids(fetched):
    names = ["a", "b", "c", "d"]

    def id_at(place):
        fetched.append(names[place])
        return names[place]

    return OrderedIds(id_at, len(names))


def test_only_ids_of_what_is_shown_are_fetched(ids, fetched):
    near = Near(ids, {}, {"m": Column(ids, np.array([0.1, 0.4, 0.3, 0.2]))})
    found = ranked({"m": np.zeros(2, np.float32)}, near, {}, Weights({"m": 1.0}), {"m"})
    assert len(found) == 4 and not fetched
    [best, second] = found[:2]
    assert (best.function_id, best.parts[0].value, second.function_id) == ("b", 0.4, "c")
    assert best.score == pytest.approx(best.parts[0].contribution, abs=1e-6)
    assert set(fetched) == {"b", "c"}
    assert [one.function_id for one in found] == ["b", "c", "d", "a"] and found[-1].function_id == "a"


def test_they_are_a_set_in_order_with_a_number_of_each(ids):
    column = Column(ids, np.array([0.1, 0.4, 0.3, 0.2]))
    assert list(ids) == list(column) == ["a", "b", "c", "d"] and ids == {"d", "c", "b", "a"}
    assert ids & {"a", "x"} == {"a"} == {"a", "x"} & ids and {"a"} <= ids
    assert "x" not in ids and None not in ids and "x" not in column and column.get("x") is None
    assert column["c"] == 0.3 and dict(column) == {"a": 0.1, "b": 0.4, "c": 0.3, "d": 0.2} and len(column) == 4
    with pytest.raises(KeyError):
        column["x"]
