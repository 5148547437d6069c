"""Moments and spans of time are compared by what they say, whatever object says it."""

import datetime
import zoneinfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import touchstone_values as values

UTC = datetime.UTC
ZONED_UTC = zoneinfo.ZoneInfo("UTC")
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
HOUR = datetime.timezone(datetime.timedelta(hours=1))
NOON = datetime.datetime(2026, 1, 31, 12)


def equal(expected: object, actual: object, mode: values.Mode = "exact") -> bool:
    found = values.compare(values.encode(expected), values.encode(actual), mode)
    assert (values.compare_values(expected, actual, mode) is None) == (found is None)
    # In a set they are paired by their shapes, which must agree; another element keeps it from being the only one.
    texts = (f'{{"$":"set","v":[{values.encode(one)},"a"]}}' for one in (expected, actual))
    assert (values.compare(*texts, mode) is None) == (found is None)
    return found is None


SAME = {
    "kinds of UTC": (NOON.replace(tzinfo=UTC), NOON.replace(tzinfo=ZONED_UTC)),
    "names of UTC": (NOON.replace(tzinfo=zoneinfo.ZoneInfo("Etc/UTC")), NOON.replace(tzinfo=ZONED_UTC)),
    "an offset and a zone": (NOON.replace(tzinfo=HOUR), NOON.replace(tzinfo=BERLIN)),
    "zones of one offset": (NOON.replace(tzinfo=zoneinfo.ZoneInfo("Europe/Paris")), NOON.replace(tzinfo=BERLIN)),
    "a fold that turns no clock": (NOON.replace(fold=1), NOON),
    "a fold in a zone": (NOON.replace(tzinfo=BERLIN, fold=1), NOON.replace(tzinfo=BERLIN)),
    "a time of day": (datetime.time(12, tzinfo=UTC, fold=1), datetime.time(12, tzinfo=datetime.UTC)),
    "timestamps": (pd.Timestamp(NOON, tz="UTC"), pd.Timestamp(NOON, tz=ZONED_UTC)),
    "a series": (pd.Series([pd.Timestamp(NOON, tz="UTC")]), pd.Series([pd.Timestamp(NOON, tz=ZONED_UTC)])),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_a_moment_is_the_same_whatever_object_says_where(name: str) -> None:
    expected, actual = SAME[name]
    for mode in ("portable", "exact"):
        assert equal(expected, actual, mode)
        assert equal(actual, expected, mode)


TURNED = datetime.datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
OTHER = {
    "none and UTC": (NOON, NOON.replace(tzinfo=UTC)),
    "none and UTC of a day": (datetime.time(12), datetime.time(12, tzinfo=UTC)),
    "another moment": (NOON.replace(tzinfo=UTC), NOON.replace(tzinfo=HOUR)),
    "another offset": (NOON.replace(tzinfo=UTC), NOON.replace(tzinfo=UTC).astimezone(HOUR)),
    "the hour that comes twice": (TURNED, TURNED.replace(fold=1)),
    "a microsecond": (NOON, NOON.replace(microsecond=1)),
    "another kind": (NOON, pd.Timestamp(NOON)),
    "a nanosecond": (pd.Timestamp(NOON), pd.Timestamp(NOON) + pd.Timedelta(1)),
}


@pytest.mark.parametrize("name", OTHER)
def test_another_moment_or_offset_is_another_answer(name: str) -> None:
    expected, actual = OTHER[name]
    for mode in ("portable", "exact"):
        assert not equal(expected, actual, mode)
        assert not equal(actual, expected, mode)


ZONES = st.sampled_from([None, UTC, HOUR, BERLIN, *map(zoneinfo.ZoneInfo, ("UTC", "Europe/Paris", "Asia/Kathmandu"))])
MOMENTS = st.datetimes(timezones=ZONES) | st.sampled_from([TURNED, TURNED.replace(fold=1), NOON])


@given(MOMENTS, ZONES, st.integers(0, 1))
def test_moments_that_are_equal_and_of_one_offset_are_one(moment, zone, fold) -> None:
    other = moment.replace(tzinfo=zone, fold=fold)
    assert equal(moment, other) == (moment.isoformat() == other.isoformat())
    if equal(moment, other):
        # In the hour that comes twice Python calls moments of two zones unequal, whatever they are.
        assert moment.timestamp() == other.timestamp() and moment.utcoffset() == other.utcoffset()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("12:00:00.000+00:00", True),
        ("12:00+00:00", True),
        ("12:00:00-00:00", True),
        ("12:00:00+00:00:00.000000", True),
        ("12:00:00.0010+00:00", False),
        ("12:00:00-00:01", False),
        ("12:00:00", False),
    ],
)
def test_a_moment_may_be_written_in_several_ways(text, same) -> None:
    form = '{{"$":"datetime","v":"2026-01-31T{}","zone":null,"fold":0}}'
    assert (values.compare(form.format("12:00:00+00:00"), form.format(text), "portable") is None) == same


UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "25s", "2M"]


@given(st.sampled_from("Mm"), st.sampled_from(UNITS), st.sampled_from(UNITS), st.integers(-(10**4), 10**4))
def test_arrays_of_any_units_are_equal_where_numpy_says_so(letter, unit, other, count) -> None:
    array = np.array([count, 1, 0, -1, "NaT"], dtype=f"{letter}8[{unit}]")
    with np.errstate(all="ignore"):
        try:
            cast = array.astype(f"{letter}8[{other}]")
            back = cast.astype(f"{letter}8[{unit}]")
            same = np.array_equal(array, cast, equal_nan=True) and np.array_equal(array, back, equal_nan=True)
        except (TypeError, OverflowError):
            # Months have no length in days.
            cast, same = array.view("i8").view(f"{letter}8[{other}]"), False
    assert (values.compare_values(array, cast, "exact") is None) == same
    assert equal(array, array.copy())


def test_units_of_one_moment_are_no_difference_and_counts_are() -> None:
    day = np.array(["2026-01-01", "NaT"], dtype="M8[D]")
    assert equal(day, day.astype("M8[ns]")) and equal(day[0], day[0].astype("M8[us]"))
    assert equal(np.datetime64("NaT"), np.datetime64("NaT", "ns"))
    assert not equal(np.timedelta64(1, "M"), np.timedelta64(30, "D"))
    assert not equal(np.timedelta64(1), np.timedelta64(1, "s"))
    found = values.compare_values(day, np.array(["2026-01-01", "2026-01-01"], dtype="M8[s]"), "exact")
    assert found is not None and (found.path, found.expected) == ("$[1]", "null")
