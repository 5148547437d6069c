"""Series, frames and indexes come back as they were, and differences between them are found."""

import pandas as pd
import pytest

import touchstone_values as values

# What pandas itself would take for columns of other types.
OBJECTS = [["a", None], ["a", float("nan")], ["a", "b"], [1, 2], [True], [pd.Timestamp("2024")], [pd.Timedelta(1)], []]
ZONES = ["UTC", "Europe/Berlin", "+02:30", "-03:30", "America/Argentina/ComodRivadavia"]
FRAMES = [
    pd.Series([1, 2.5, None], name="x"),
    pd.Series(["a", None], index=["p", "q"]),
    pd.Series([1, None], dtype="Int64"),
    pd.Series(pd.to_datetime(["2024-01-01", None])),
    pd.Series(pd.to_datetime(["2024-01-01"]).tz_localize("UTC")),
    pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [True, False]}),
    pd.DataFrame([[1, 2], [3, 4]], columns=["same", "same"]),
    pd.DataFrame({"o": [[1], {"k": (1,)}]}),
    pd.DataFrame(),
    pd.DataFrame({"v": [1.0]}, index=pd.MultiIndex.from_tuples([(1, "a")], names=["p", "q"])),
    *(pd.Series(items, dtype=object) for items in OBJECTS),
    *(pd.Series(range(len(items)), index=pd.Index(items, dtype=object)) for items in OBJECTS),
    *(pd.DataFrame({"o": pd.Series(items, dtype=object)}) for items in OBJECTS),
    *(pd.DataFrame([range(len(items))], columns=pd.Index(items, dtype=object, name="n")) for items in OBJECTS),
    *(pd.Series(pd.to_datetime(["2024-01-01", None]).tz_localize(zone)) for zone in ZONES),
    *(pd.Series([1], index=pd.to_datetime(["2024-01-01"]).tz_localize(zone)) for zone in ZONES),
]


@pytest.mark.parametrize("value", FRAMES, ids=range(len(FRAMES)))
def test_pandas_objects_come_back(value):
    text = values.encode(value)
    read = values.decode(text)
    (pd.testing.assert_frame_equal if isinstance(value, pd.DataFrame) else pd.testing.assert_series_equal)(value, read)
    assert values.encode(read) == text


def test_frame_differences_are_found():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    text = values.encode(frame)
    assert values.compare(text, values.encode(frame + pd.DataFrame({"a": [1e-9, 0], "b": ["", ""]})), "exact") is None
    for other in (
        frame.rename(columns={"a": "z"}),
        frame[["b", "a"]],
        frame.assign(a=[1.0, 2.1]),
        frame.iloc[::-1],
        frame.set_index("b"),
        frame.assign(a=["1.0", "2.0"]),
    ):
        assert values.compare(text, values.encode(other), "exact") is not None
