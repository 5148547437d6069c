"""Codec and comparator: the shared vectors, laws by Hypothesis, and what must be refused."""

import collections
import contextlib
import dataclasses
import datetime
import decimal
import fractions
import json
import math
import pathlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import touchstone_values as values

VECTORS = pathlib.Path(__file__).parent.parent / "vectors"


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text())


@pytest.mark.parametrize("row", vectors("values"), ids=lambda row: row["name"])
def test_vector_comes_back_as_the_same_text(row):
    assert values.encode(values.decode(row["text"])) == row["text"]


@pytest.mark.parametrize("row", vectors("malformed"), ids=lambda row: row["name"])
def test_malformed_vector_is_refused(row):
    with pytest.raises(values.MalformedValueError):
        values.parse(row["text"])
    assert values.compare("1", row["text"], "portable") is not None


@pytest.mark.parametrize("row", vectors("comparisons"), ids=lambda row: f"{row['expected']} {row['actual']}")
@pytest.mark.parametrize("mode", ["portable", "exact"])
def test_comparison_vector(row, mode):
    assert (values.compare(row["expected"], row["actual"], mode) is None) is row[mode]
    trees = values.parse(row["expected"]), values.parse(row["actual"])
    assert (values.compare_trees(*trees, mode) is None) is row[mode]
    with contextlib.suppress(values.UnportableError):
        assert (values.compare_values(*map(values.build, trees), mode) is None) is row[mode]


def test_vector_files_are_what_the_generator_writes(tmp_path):
    before = {path.name: path.read_text() for path in VECTORS.glob("*.json")}
    script = (VECTORS / "generate.py").read_text()
    (tmp_path / "generate.py").write_text(script)
    subprocess.run([sys.executable, str(tmp_path / "generate.py")], check=True)
    assert before == {path.name: path.read_text() for path in tmp_path.glob("*.json")}


text = st.text(alphabet=st.characters(), max_size=8) | st.sampled_from(["$", "\ud83d", "a\udc00b", "\x00", "é😀"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**60), 10**60)
    | st.floats()
    | text
    | st.binary(max_size=5)
    | st.complex_numbers()
    | st.decimals(allow_nan=True)
    | st.fractions()
    | st.dates()
    | st.datetimes()
    | st.datetimes(timezones=st.just(datetime.UTC))
    | st.times()
    | st.timedeltas()
)
hashables = st.recursive(
    st.none() | st.booleans() | st.integers() | text | st.floats(allow_nan=False),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
anything = st.recursive(
    scalars | hashables,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(hashables, inner, max_size=3)
        | st.dictionaries(text, inner, max_size=3)
        | st.sets(hashables, max_size=3)
        | st.lists(inner, max_size=3).map(collections.deque)
        | st.dictionaries(text, inner, max_size=3).map(collections.OrderedDict)
    ),
    max_leaves=12,
)


def same(left, right):
    """Equality that looks at kinds, too, and takes NaN for NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return (math.isnan(left) and math.isnan(right)) or (
            left == right and math.copysign(1, left) == math.copysign(1, right)
        )
    if isinstance(left, complex):
        return same(left.real, right.real) and same(left.imag, right.imag)
    if isinstance(left, decimal.Decimal):
        return str(left) == str(right)
    if isinstance(left, list | tuple | collections.deque):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return len(left) == len(right) and all(
            same(a, b) and same(left[a], right[b]) for a, b in zip(left, right, strict=True)
        )
    return left == right


@given(anything)
def test_decode_inverts_encode_in_value_and_kind(value):
    try:
        written = values.encode(value)
    except values.UnportableError:
        # Only a decimal of absurd size; the laws are about everything else.
        assume(False)
    read = values.decode(written)
    assert same(value, read)
    assert values.encode(read) == written
    assert values.compare(written, written + " ", "exact") is None
    assert values.compare(written, written + " ", "portable") is None


@given(anything, anything)
def test_different_texts_of_the_exact_comparison_are_symmetric(left, right):
    try:
        a, b = values.encode(left), values.encode(right)
    except values.UnportableError:
        return
    for mode in ("portable", "exact"):
        if values.compare(a, b, mode, 0.0) is None:
            assert values.compare(b, a, mode, 0.0) is None
    if values.compare(a, b, "exact") is None:
        assert values.compare(a, b, "portable") is None


json_like = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(["int", "float", "nan", "tuple", "set", "<f8", "12"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$", "v", "dtype", "shape", "a", "index", "name"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=400)
@given(json_like)
def test_any_json_is_read_or_refused_but_never_breaks_the_reader(tree):
    candidate = json.dumps(tree)
    with contextlib.suppress(values.MalformedValueError):
        values.decode(candidate)
    for expected in ("[1.0]", '{"$":"set","v":[1]}', '{"$":"ndarray","dtype":"<f8","shape":[1],"v":[1.0]}'):
        values.compare(expected, candidate, "portable")


class Liar(int):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


class LyingList(list):
    def __iter__(self):
        return iter([1])


class LyingType(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(int)


class Disguised(metaclass=LyingType):
    pass


@pytest.mark.parametrize(
    "value",
    [
        Liar(1),
        [Liar(1)],
        {"a": LyingList([1])},
        {Liar(1): 2},
        object(),
        len,
        int,
        iter([1]),
        (i for i in [1]),
        Disguised(),
        [Disguised()],
        10**4300,
        memoryview(b"a"),
        np.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")]),
        np.ma.array([1]),
        pd.Series([1], dtype="category"),
        np.longdouble(1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_exactly_a_value_is_refused(value):
    with pytest.raises(values.UnportableError):
        values.encode(value)


def test_error_names_the_place():
    with pytest.raises(values.UnportableError) as caught:
        values.encode({"a": [1, object()]})
    assert (caught.value.path, caught.value.type_name) == ("$.a[1]", "object")


def test_cycles_depth_and_shared_references_end_in_an_error():
    loop = []
    loop.append(loop)
    bomb = [0]
    for _ in range(60):
        bomb = [bomb] * 10
    for value in (loop, bomb):
        with pytest.raises(values.UnportableError):
            values.encode(value)


@dataclasses.dataclass
class Point:
    x: int
    y: object

    def __eq__(self, other):
        return True


def test_records_carry_name_and_fields():
    pair = collections.namedtuple("Pair", "a b")
    assert values.decode(values.encode(pair(1, [2]))) == values.Record("Pair", (("a", 1), ("b", [2])))
    assert values.encode(Point(1, None)) == '{"$":"record","name":"Point","fields":[["x",1],["y",null]]}'
    assert values.compare(values.encode(Point(1, 2)), values.encode(Point(1, 3)), "exact") is not None


@given(st.lists(st.floats(allow_nan=True), max_size=5), st.sampled_from(["f4", "f8", "c16"]))
def test_arrays_agree_with_numpy(items, dtype):
    with np.errstate(all="ignore"):
        array = np.array(items, dtype=dtype)
        other = array * (1 + 1e-8)
        equal = np.allclose(array, other, rtol=1e-6, atol=1e-6, equal_nan=True)
    if dtype != "c16":
        assert (values.compare(values.encode(array), values.encode(other), "exact") is None) == equal
    np.testing.assert_array_equal(values.decode(values.encode(array)), array)


def nested(kind, depth):
    value = 1.5
    for _ in range(depth):
        value = kind(value)
    return value


@dataclasses.dataclass(frozen=True)
class Box:
    inner: object


NESTS = {
    "list": lambda inner: [inner],
    "tuple": lambda inner: (inner,),
    "map": lambda inner: {"k": inner},
    "integer-keyed map": lambda inner: {1: inner},
    "frozenset": lambda inner: frozenset([inner]),
    "dataclass": Box,
    "deque": lambda inner: collections.deque([inner]),
    "default map": lambda inner: collections.defaultdict(list, {"k": inner}),
    "object array": lambda inner: np.array([inner, None], dtype=object)[:1],
}


@pytest.mark.parametrize("kind", NESTS)
@pytest.mark.parametrize("depth", [2, 100, 198, 199, 200, 201, 400])
def test_every_depth_is_a_value_or_refused_by_name(kind, depth):
    value = nested(NESTS[kind], depth)
    try:
        text = values.encode(value)
    except values.UnportableError:
        assert depth > 200 // (2 if kind == "object array" else 1)
        return
    assert depth <= 200
    other = text.replace("1.5", "2.5")
    for mode in ("portable", "exact"):
        assert values.compare(text, text + " ", mode) is None
        assert values.compare(text, other, mode) is not None
        assert values.compare(text, text.replace("1.5", "1.5000001"), mode) is None
    assert values.encode(values.decode(text)) == text


@pytest.mark.parametrize("depth", [150, 250, 300, 400, 450, 600, 1000, 5000, 100_000])
@pytest.mark.parametrize(
    "form",
    [
        "[",
        '{"$":"tuple","v":[',
        '{"a":',
        '{"$":"set","v":[',
        '{"$":"map","v":[[1,',
        '{"$":"record","name":"r","fields":[["a",',
    ],
)
def test_deep_texts_are_read_or_refused_never_more(form, depth):
    closing = {"[": "]", "{": "}"}
    text = form * depth + "1" + "".join(closing[c] for c in reversed(form) if c in closing) * depth
    try:
        values.parse(text)
    except values.MalformedValueError:
        assert depth > 200
    assert values.compare("1", text, "portable") is not None


def index(stop, **changes):
    parts = {"$": "index", "class": "RangeIndex", "dtype": "int64", "names": [None], "v": [0, stop, 1]}
    return {**parts, **changes}


def test_ranges_beyond_memory_are_compared_by_their_ends():
    endless = json.dumps(index(2**53))
    for expected in (index(2**53 - 1), index(2, **{"class": "Index", "v": [0, 1]}), index(0)):
        assert values.compare(json.dumps(expected), endless, "exact") is not None
        assert values.compare(endless, json.dumps(expected), "exact") is not None
    assert values.compare(endless, endless + " ", "exact") is None
    frame = {"$": "frame", "columns": index(0), "dtypes": [], "index": index(2**53), "v": []}
    assert values.compare(json.dumps(frame), json.dumps({**frame, "index": index(2**53 - 1)}), "exact") is not None
    stored = index(3, **{"class": "Index", "v": [0, 1, 2]})
    assert values.compare(json.dumps(stored), json.dumps(index(3)), "exact") is None


NUMBERS = [
    '{"$":"decimal","v":"sNaN"}', '{"$":"decimal","v":"-sNaN7"}', '{"$":"decimal","v":"NaN"}',
    '{"$":"decimal","v":"1E+999999"}', '{"$":"decimal","v":"1E-999999"}', '{"$":"decimal","v":"Infinity"}',
    '{"$":"complex","v":[1.0,{"$":"float","v":"nan"}]}', '{"$":"complex","v":[{"$":"float","v":"inf"},0.0]}',
    '{"$":"fraction","v":["' + "9" * 4299 + '","7"]}', '{"$":"int","v":"' + "9" * 4300 + '"}',
    '{"$":"float","v":"-inf"}', '{"$":"float","v":"nan"}', "1.7976931348623157e+308", "5e-324", "-0.0", "0",
    '{"$":"scalar","dtype":"<f8","v":0.5}', '{"$":"scalar","dtype":"<i8","v":3}',
]  # fmt: skip


@pytest.mark.parametrize("mode", ["portable", "exact"])
def test_every_number_meets_itself_and_no_pair_breaks_the_comparator(mode):
    for expected in NUMBERS:
        assert values.compare(expected, expected + " ", mode) is None
        for actual in NUMBERS:
            alone = values.compare(expected, actual, mode) is None
            boxes = (f'{{"$":"set","v":[{text}]}}' for text in (expected, actual))
            assert (values.compare(*boxes, mode) is None) == alone, (expected[:60], actual[:60])


def test_arrays_that_would_not_fit_are_refused():
    wide = '{"$":"ndarray","dtype":"<U9999999","shape":[2000],"v":[' + ",".join(['"a"'] * 2000) + "]}"
    with pytest.raises(values.MalformedValueError):
        values.decode(wide)


@given(st.integers(-(2**80), 2**80), st.floats(allow_nan=False))
def test_an_integer_is_met_by_that_integer_only(integer, real):
    same = real == integer
    assert (values.compare(values.encode(integer), values.encode(real), "portable") is None) == same
    assert (values.compare_values({integer}, {real}, "portable") is None) == same
    assert values.compare(values.encode(integer), values.encode(real), "exact") is not None
    if abs(integer) < 2**50:
        assert values.compare(values.encode(integer), values.encode(integer + 0.5), "portable") is not None
        assert values.compare(values.encode(integer), values.encode(float(integer)), "portable") is None


def test_plain_values_are_compared_by_the_rules_of_texts():
    assert values.compare_values([1, (2.0, None)], ([1, [2.0000001, None]])[:2], "portable") is None
    assert values.compare_values((1,), [1], "exact") is not None
    assert values.compare_values(1, True, "portable") is not None
    assert "no portable form" in values.compare_values(1, object(), "portable").reason
    with pytest.raises(values.UnportableError):
        values.compare_values(object(), 1, "portable")


def test_huge_numbers_are_compared_without_overflow():
    huge = values.encode(10**4000)
    assert values.compare(huge, "1.0", "portable") is not None
    assert values.compare(huge, '{"$":"float","v":"inf"}', "portable") is not None
    assert values.compare(values.encode(decimal.Decimal("1e990000")), "1.0", "portable") is not None
    assert values.compare(values.encode(fractions.Fraction(10**4000, 3)), values.encode(0.5), "portable") is not None


def test_difference_says_where():
    difference = values.compare('{"a":[1,{"b":2}]}', '{"a":[1,{"b":3}]}', "exact")
    assert difference is not None
    assert (difference.path, difference.expected, difference.actual) == ("$.a[1].b", "2", "3")
    with pytest.raises(values.MalformedValueError):
        values.compare("nonsense", "1", "exact")


def test_codec_does_not_load_numpy_by_itself():
    code = (
        "import sys, touchstone_values as v; v.encode([1, (2,)]); v.decode('[1]');"
        "assert 'numpy' not in sys.modules and 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


RECORD_OF_PAIR = '{"$":"record","name":"P","fields":[["x",1.5],["y",AT]]}'


@pytest.mark.parametrize("other", ['{"x":1.5,"y":AT}', '{"y":AT,"x":1.5}', "[1.5,AT]", RECORD_OF_PAIR])
def test_records_in_sets_meet_what_they_meet_elsewhere(other):
    """A set of records may be one of maps, or of pairs, in another language; beside other maps, too."""

    def of(element, order, beside=""):
        elements = [element.replace("AT", str(at)) for at in order]
        return f'{{"$":"set","v":[{",".join([*elements, *([beside] if beside else [])])}]}}'

    for beside in ("", '{"k":[1]}', '[2,{"k":1}]'):
        expected = of(RECORD_OF_PAIR, (1, 2, 3), beside)
        assert values.compare(expected, of(other, (3, 1, 2), beside), "portable") is None
        assert values.compare(expected, of(other, (3, 1, 4), beside), "portable") is not None
    many = range(1000)
    assert values.compare(of(RECORD_OF_PAIR, many), of(other, reversed(many)), "portable") is None


@pytest.mark.parametrize("written", ["\ud800", "\\ud800"], ids=["raw", "escaped"])
@pytest.mark.parametrize(
    "form",
    [
        '"HERE"',
        '{"HERE":1}',
        '{"$":"path","v":"HERE","pure":true}',
        '{"$":"record","name":"HERE","fields":[]}',
        '{"$":"record","name":"A","fields":[["HERE",1]]}',
        '{"$":"index","class":"HERE","dtype":"str","names":[null],"v":["a"]}',
        '{"$":"index","class":"Index","dtype":"str","names":["HERE"],"v":["a"]}',
    ],
)
def test_no_text_of_any_form_holds_a_lone_surrogate(form, written):
    values.parse(form.replace("HERE", "x"))
    with pytest.raises(values.MalformedValueError, match="surrogate"):
        values.parse(form.replace("HERE", written))
