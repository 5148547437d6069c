"""The best slots, equal scores by id, as sorting all of them gives them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retriever.adapters.held_order import IdOrder

# Ids that share their beginning, ids shorter than it, and what numbers of bytes could order otherwise than texts.
ALIKE = st.text("01", max_size=3).map("same-beginning-".__add__)
IDS = st.lists(st.one_of(st.text("ab", max_size=3), ALIKE, st.text(max_size=10)), unique=True, max_size=30)


@given(ids=IDS, data=st.data(), most=st.integers(1, 12))
def test_the_best_slots_are_those_of_sorting_all(ids, data, most):
    order = IdOrder(ids)
    slots = data.draw(
        st.permutations(range(len(ids))).map(lambda all_of_them: all_of_them[: len(all_of_them) // 2 + 1])
    )
    scores = data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=len(slots), max_size=len(slots)))
    wanted = sorted(zip(slots, scores, strict=True), key=lambda one: (-one[1], ids[one[0]]))[:most]
    given_slots, given_scores = np.array(slots, dtype=np.int64), np.array(scores)
    assert order.top(given_slots, given_scores, most) == wanted
    assert set(order.best(given_slots, given_scores, most).tolist()) == {slot for slot, _ in wanted}
    assert set(order.least(given_slots, most).tolist()) == set(sorted(slots, key=ids.__getitem__)[:most])
    assert order.by_id(given_slots).tolist() == sorted(slots, key=ids.__getitem__)
