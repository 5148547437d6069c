"""Which wanted functions a function of an earlier version is: the same ones as by comparing all with all, and soon."""

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from ingester.domain.dating import Fingerprint, Wanted

SHINGLES = st.frozensets(st.integers(0, 24), max_size=20)
FINGERPRINTS = st.builds(Fingerprint, st.sampled_from("abc"), SHINGLES)


def plainly(wanted, found):
    """Keys of what has the tree, or four fifths of the shingles of both where both have twelve."""
    same = [key for key, each in wanted.items() if each.tree == found.tree]
    for key, each in wanted.items():
        shared, union = len(found.shingles & each.shingles), len(found.shingles | each.shingles)
        if min(len(found.shingles), len(each.shingles)) >= 12 and shared >= 0.8 * union and key not in same:
            same.append(key)
    return same


@st.composite
def alike(draw):
    """Functions that differ in a few shingles, and some that are unlike."""
    core = draw(st.frozensets(st.integers(0, 40), min_size=10, max_size=30))
    kinds = st.one_of(
        FINGERPRINTS,
        st.builds(
            Fingerprint,
            st.sampled_from("abcdef"),
            st.frozensets(st.integers(0, 40), max_size=8).map(lambda others: core ^ others),
        ),
    )
    return draw(st.lists(kinds, min_size=1, max_size=12))


@given(alike(), alike())
def test_an_index_finds_what_comparing_all_with_all_finds(wanted, earlier):
    by_key = {f"f{place}": each for place, each in enumerate(wanted)}
    made = Wanted(by_key)
    for found in [*earlier, *wanted]:
        assert made.held_by(found) == plainly(by_key, found)


def test_a_thousand_alike_functions_are_looked_up_in_seconds():
    drawn = random.Random(1)
    core = [drawn.getrandbits(64) for _ in range(900)]
    alike = {
        str(place): Fingerprint(str(place), frozenset(core + [drawn.getrandbits(64) for _ in range(100)]))
        for place in range(1000)
    }
    began = time.process_time()
    wanted = Wanted(alike)
    assert all(len(wanted.held_by(each)) == len(alike) for each in alike.values())
    # Comparing all with all took 52 s and more.
    assert time.process_time() - began < 20
