"""An id, or how it begins, means the same thing everywhere."""

import pytest

from touchstone_runtime.errors import NotFoundError
from touchstone_runtime.meant import meant, the_one

RUNS = [{"id": "ab"}, {"id": "abc"}, {"id": "b"}]


def one(beginning):
    found = meant(beginning, RUNS, lambda run: run["id"])
    return the_one(beginning, found, ("run", f"{len(found)} runs"), NotFoundError, way_out="look")


@pytest.mark.parametrize(("beginning", "identity"), [("abc", "abc"), ("b", "b"), ("ab", "ab")])
def test_a_whole_id_is_meant_also_where_another_one_begins_with_it(beginning, identity):
    assert one(beginning) == {"id": identity}


@pytest.mark.parametrize(
    ("beginning", "words"), [("", "no run has this id"), ("c", "no run has this id"), ("a", "2 runs have ids")]
)
def test_what_means_nothing_or_several_is_refused_in_the_same_words(beginning, words):
    with pytest.raises(NotFoundError, match=words) as refused:
        one(beginning)
    assert (refused.value.thing, refused.value.way_out) == (beginning, "look")
