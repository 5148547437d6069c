"""A missing value of a column is one, whatever its type calls it."""

import numpy as np
import pandas as pd
import pytest

import touchstone_values as values

# Columns of one class, each with the mark that its type has.
MISSING = {
    "texts": [
        pd.Series(["a", None], dtype="str"),
        pd.Series(["a", None], dtype="string"),
        pd.Series(["a", None], dtype=object),
        pd.Series(["a", np.nan], dtype=object),
    ],
    "numbers": [pd.Series([1, None], dtype="Int64"), pd.Series([1, None]), pd.Series([1, None], dtype="Float64")],
}


def equal(expected: object, actual: object) -> bool:
    return values.compare(values.encode(expected), values.encode(actual), "exact") is None


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_value_is_one_whatever_its_column_calls_it(name: str) -> None:
    for expected in MISSING[name]:
        for actual in MISSING[name]:
            # In two columns of objects kinds count, as everywhere.
            objects = expected.dtype == object and actual.dtype == object
            same = not objects or expected[1] is actual[1]
            for made in (lambda column: column, pd.Index, lambda column: pd.DataFrame({"k": column})):
                assert equal(made(expected), made(actual)) == same, (expected.dtype, actual.dtype)
            assert not equal(expected, actual.iloc[::-1].reset_index(drop=True))
            assert not equal(expected, actual.fillna(actual[0]))


def test_a_range_is_never_written_out() -> None:
    endless = f'{{"$":"index","class":"RangeIndex","dtype":"int64","names":[null],"v":[0,{2**53},1]}}'
    stored = '{"$":"index","class":"Index","dtype":"float64","names":[null],"v":[0.0,1.0]}'
    assert values.compare(endless, stored, "exact") is not None
    assert values.compare(stored, endless.replace(str(2**53), "2"), "exact") is None
