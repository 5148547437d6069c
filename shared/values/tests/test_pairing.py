"""Which keys of two maps are partners where several could be."""

from hypothesis import given
from hypothesis import strategies as st

import touchstone_values as values

KEY = st.integers(-2, 2).flatmap(lambda number: st.sampled_from([str(number), str(float(number)), f"{number}.0000001"]))


@given(st.lists(KEY, unique=True, min_size=1, max_size=6), st.randoms(use_true_random=False), st.booleans())
def test_a_map_meets_itself_in_whatever_order_though_its_keys_are_equal_numbers(keys, random, boxed):
    """No Python program says such a map; a program of another language may, and 1 and 1.0 keep their own values."""
    write = '[{{"$":"tuple","v":[{}]}},{}]' if boxed else "[{},{}]"
    rows = [write.format(key, number) for number, key in enumerate(keys)]
    expected = f'{{"$":"map","v":[{",".join(rows)}]}}'
    random.shuffle(rows)
    assert values.compare(expected, f'{{"$":"map","v":[{",".join(rows)}]}}', "portable") is None


NOTHING = st.sampled_from(
    ['{"$":"float","v":"nan"}', '{"$":"decimal","v":"NaN"}', '{"$":"tuple","v":[{"$":"float","v":"nan"},1.5]}', "1.5"]
)


@given(
    st.lists(NOTHING, min_size=1, max_size=6), st.randoms(use_true_random=False), st.sampled_from(["exact", "portable"])
)
def test_a_map_whose_keys_are_not_a_number_meets_itself_in_whatever_order(keys, random, mode):
    """Of such keys a program may have several, and only their values tell them apart."""
    rows = [f"[{key},{number}]" for number, key in enumerate(keys) if key != "1.5" or number == 0]
    expected = f'{{"$":"map","v":[{",".join(rows)}]}}'
    random.shuffle(rows)
    assert values.compare(expected, f'{{"$":"map","v":[{",".join(rows)}]}}', mode) is None
    changed = [*rows[1:], f"{rows[0][:-1]}.5]"]
    assert values.compare(expected, f'{{"$":"map","v":[{",".join(changed)}]}}', mode) is not None
