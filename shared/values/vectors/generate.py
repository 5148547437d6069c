"""Writes the test vectors that every language's codec must pass; run after changing them here."""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent
SHARED = ["python", "javascript", "typescript", "java", "go", "php"]


def _deep(levels: int) -> str:
    return "[" * levels + "]" * levels


# (name, canonical text). A program that returns its argument must give a value equal in portable mode;
# in Python the text itself must come back.
SHARED_VALUES: list[tuple[str, str]] = [
    ("null", "null"),
    ("true", "true"),
    ("false", "false"),
    ("zero", "0"),
    ("minus one", "-1"),
    ("32 bits", "2147483647"),
    ("33 bits", "-4294967297"),
    ("2^53", "9007199254740992"),
    ("-2^53", "-9007199254740992"),
    ("2^53+1", '{"$":"int","v":"9007199254740993"}'),
    ("2^63-1", '{"$":"int","v":"9223372036854775807"}'),
    ("-2^63", '{"$":"int","v":"-9223372036854775808"}'),
    ("2^63", '{"$":"int","v":"9223372036854775808"}'),
    ("100 digits", '{"$":"int","v":"' + "1234567890" * 10 + '"}'),
    ("one as float", "1.0"),
    ("tenth", "0.1"),
    ("minus zero", "-0.0"),
    ("large float", "1e+300"),
    ("largest float", "1.7976931348623157e+308"),
    ("smallest float", "5e-324"),
    ("seventeen digits", "0.30000000000000004"),
    ("nan", '{"$":"float","v":"nan"}'),
    ("infinity", '{"$":"float","v":"inf"}'),
    ("minus infinity", '{"$":"float","v":"-inf"}'),
    ("empty text", '""'),
    ("ascii", '"plain text"'),
    ("quotes and backslash", '"\\"\\\\/\\n\\t\\r\\b\\f"'),
    ("control characters", '"\\u0000\\u0001\\u001f"'),
    ("delete and line separators", '"\x7f\u2028\u2029"'),
    ("umlauts", '"Grüße"'),
    ("beyond the basic plane", '"😀𝒳"'),
    ("combining", '"e\u0301 \u0915\u094d\u0937"'),
    ("lone high surrogate", '{"$":"str","v":[55357]}'),
    ("lone low surrogate in text", '{"$":"str","v":[97,56832,98]}'),
    ("empty list", "[]"),
    ("list", "[1,2,3]"),
    ("list of floats", "[0.5,1.5,-2.25]"),
    ("mixed list", '[1,2.5,"x",null,true,[],{}]'),
    ("matrix", "[[1,2],[3,4]]"),
    ("deep list", _deep(100)),
    ("deepest list", _deep(200)),
    ("long list", json.dumps(list(range(5000)), separators=(",", ":"))),
    ("empty map", "{}"),
    ("map", '{"a":1,"b":[2]}'),
    ("map with odd keys", '{"":0," ":1,"é":2,"__proto__":3,"constructor":4,"0":5}'),
    ("map with the key $", '{"$":"map","v":[["$",1]]}'),
    ("map with a surrogate key", '{"$":"map","v":[[{"$":"str","v":[55296]},1]]}'),
    ("map with integer keys", '{"$":"map","v":[[1,"a"],[-2,"b"]]}'),
    ("map with boolean keys", '{"$":"map","v":[[true,1],[false,0]]}'),
    ("map with tuple keys", '{"$":"map","v":[[{"$":"tuple","v":[1,2]},"x"]]}'),
    ("empty tuple", '{"$":"tuple","v":[]}'),
    ("tuple", '{"$":"tuple","v":[1,"a",null]}'),
    ("nested tuples", '{"$":"tuple","v":[{"$":"tuple","v":[{"$":"float","v":"nan"}]},[1.5]]}'),
    ("empty set", '{"$":"set","v":[]}'),
    ("set", '{"$":"set","v":["a","b"]}'),
    ("set of numbers", '{"$":"set","v":[1,2,3]}'),
    ("frozen set", '{"$":"frozenset","v":[1]}'),
    ("empty bytes", '{"$":"bytes","v":""}'),
    ("bytes", '{"$":"bytes","v":"AP+AQQ=="}'),
]

PYTHON_VALUES: list[tuple[str, str]] = [
    ("bytearray", '{"$":"bytearray","v":"AP8="}'),
    ("ordered map", '{"$":"ordered_map","v":[["b",1],["a",2]]}'),
    ("counter", '{"$":"counter","v":[["a",2]]}'),
    ("default map", '{"$":"default_map","factory":"list","v":[["a",[1]]]}'),
    ("deque", '{"$":"deque","maxlen":null,"v":[1,2]}'),
    ("bounded deque", '{"$":"deque","maxlen":3,"v":[1,2]}'),
    ("complex", '{"$":"complex","v":[1.0,{"$":"float","v":"nan"}]}'),
    ("decimal", '{"$":"decimal","v":"1.50"}'),
    ("decimal nan", '{"$":"decimal","v":"NaN"}'),
    ("fraction", '{"$":"fraction","v":["-1","3"]}'),
    ("date", '{"$":"date","v":"2024-02-29"}'),
    ("datetime", '{"$":"datetime","v":"2024-02-29T12:30:00.000001","zone":null,"fold":0}'),
    ("datetime in UTC", '{"$":"datetime","v":"2024-02-29T12:30:00+00:00","zone":null,"fold":0}'),
    ("time", '{"$":"time","v":"12:30:00","zone":null,"fold":0}'),
    ("timedelta", '{"$":"timedelta","v":[-1,86399,1]}'),
    ("path", '{"$":"path","v":"a/b.txt","pure":false}'),
    ("pure path", '{"$":"path","v":"/a","pure":true}'),
    ("range", '{"$":"range","v":[10,0,-2]}'),
    ("record", '{"$":"record","name":"Point","fields":[["x",1],["y",[2.0]]]}'),
    ("array of integers", '{"$":"ndarray","dtype":"<i8","shape":[2,2],"v":[1,2,3,4]}'),
    ("array of floats", '{"$":"ndarray","dtype":"<f8","shape":[2],"v":[0.5,{"$":"float","v":"nan"}]}'),
    ("array without dimensions", '{"$":"ndarray","dtype":"<f4","shape":[],"v":[0.5]}'),
    ("empty array", '{"$":"ndarray","dtype":"<f8","shape":[0,3],"v":[]}'),
    ("array of booleans", '{"$":"ndarray","dtype":"|b1","shape":[1],"v":[true]}'),
    ("array of texts", '{"$":"ndarray","dtype":"<U2","shape":[2],"v":["a","bc"]}'),
    ("array of complex", '{"$":"ndarray","dtype":"<c16","shape":[1],"v":[{"$":"complex","v":[0.0,1.0]}]}'),
    ("array of moments", '{"$":"ndarray","dtype":"<M8[D]","shape":[2],"v":[0,null]}'),
    ("array of objects", '{"$":"ndarray","dtype":"|O","shape":[2],"v":[null,[1]]}'),
    ("scalar", '{"$":"scalar","dtype":"<f8","v":0.5}'),
    (
        "series",
        '{"$":"series","name":"x","dtype":"float64","index":{"$":"index","class":"RangeIndex","dtype":"int64",'
        '"names":[null],"v":[0,2,1]},"v":[1.0,{"$":"float","v":"nan"}]}',
    ),
    (
        "frame",
        '{"$":"frame","columns":{"$":"index","class":"Index","dtype":"str","names":[null],"v":["a","b"]},'
        '"dtypes":["int64","bool"],"index":{"$":"index","class":"RangeIndex","dtype":"int64","names":[null],'
        '"v":[0,2,1]},"v":[[1,2],[true,false]]}',
    ),
    (
        "index of two levels",
        '{"$":"index","class":"MultiIndex","dtype":"object","names":["p","q"],'
        '"v":[{"$":"tuple","v":[1,"a"]},{"$":"tuple","v":[2,"b"]}]}',
    ),
]

MALFORMED: list[tuple[str, str]] = [
    ("nothing", ""),
    ("two texts", "1 2"),
    ("bare NaN", "NaN"),
    ("bare infinity", "[Infinity]"),
    ("overflowing number", "1e400"),
    ("plain integer beyond 2^53", "9007199254740993"),
    ("repeated key", '{"a":1,"a":2}'),
    ("escaped repeated key", '{"a":1,"\\u0061":2}'),
    ("lone surrogate in plain text", '"\\ud800"'),
    ("lone surrogate in a plain key", '{"\\udc00":1}'),
    ("unknown kind", '{"$":"object","v":1}'),
    ("kind that is no text", '{"$":["int"],"v":"1"}'),
    ("missing v", '{"$":"tuple"}'),
    ("additional key", '{"$":"tuple","v":[],"x":1}'),
    ("int that is none", '{"$":"int","v":"12x"}'),
    ("int with other digits", '{"$":"int","v":"١٢"}'),
    ("int as number", '{"$":"int","v":12}'),
    ("int too long", '{"$":"int","v":"' + "1" * 4301 + '"}'),
    ("float with another word", '{"$":"float","v":"infinity"}'),
    ("code unit too large", '{"$":"str","v":[65536]}'),
    ("pair of three", '{"$":"map","v":[[1,2,3]]}'),
    ("bytes that are not base64", '{"$":"bytes","v":"a"}'),
    ("too deep", _deep(201)),
    ("shape that does not fit", '{"$":"ndarray","dtype":"<f8","shape":[3],"v":[1.0]}'),
    ("dtype with fields", '{"$":"ndarray","dtype":"[(\'a\', \'<f8\')]","shape":[0],"v":[]}'),
    ("cells of another type", '{"$":"ndarray","dtype":"<f8","shape":[1],"v":["x"]}'),
    ("unterminated", "[1,2"),
    ("comment", "[1] // one"),
    ("trailing comma", "[1,]"),
]

# (expected, actual, equal in portable mode, equal in exact mode); the other way round the same
COMPARISONS: list[tuple[str, str, bool, bool]] = [
    ("1", "1", True, True),
    ("1", "1.0", True, False),
    ("1", "true", False, False),
    ("0", "false", False, False),
    ("null", "0", False, False),
    ("null", '""', False, False),
    ("1.0", "1.0000005", True, True),
    ("1.0", "1.00001", False, False),
    ("1000000.0", "1000000.5", True, True),
    ("1000000000", "1000000001", False, False),
    ("0.0", "-0.0", True, True),
    ("0.0", "9e-07", True, True),
    ('{"$":"float","v":"nan"}', '{"$":"float","v":"nan"}', True, True),
    ('{"$":"float","v":"nan"}', "0.0", False, False),
    ('{"$":"float","v":"inf"}', '{"$":"float","v":"-inf"}', False, False),
    ('{"$":"float","v":"inf"}', "1.7976931348623157e+308", False, False),
    ('{"$":"int","v":"9007199254740993"}', "9007199254740992", False, False),
    ("[1,2]", '{"$":"tuple","v":[1,2]}', True, False),
    ("[1,2]", "[2,1]", False, False),
    ("[1,2]", "[1,2,3]", False, False),
    ("[]", "null", False, False),
    ("[]", "{}", False, False),
    ('{"a":1,"b":2}', '{"b":2,"a":1}', True, True),
    ('{"a":1}', '{"a":1,"b":null}', False, False),
    ('{"$":"map","v":[[1,"a"],[2,"b"]]}', '{"$":"map","v":[[2,"b"],[1,"a"]]}', True, True),
    ('{"$":"map","v":[[1,"a"]]}', '{"1":"a"}', False, False),
    ('{"a":1}', '{"$":"map","v":[["a",1]]}', True, True),
    ('{"a":1}', '{"$":"counter","v":[["a",1]]}', True, False),
    ('{"$":"set","v":[1,2]}', '{"$":"set","v":[2,1]}', True, True),
    ('{"$":"set","v":[1,2]}', "[1,2]", False, False),
    ('{"$":"set","v":[1.0,2.0]}', '{"$":"set","v":[2.0000000001,1.0]}', True, True),
    ('{"$":"set","v":[1]}', '{"$":"frozenset","v":[1]}', True, False),
    ('"a"', '"A"', False, False),
    ('{"$":"bytes","v":"QQ=="}', '"A"', False, False),
    ('{"$":"scalar","dtype":"<f8","v":0.5}', "0.5", True, True),
    (
        '{"$":"ndarray","dtype":"<i8","shape":[1],"v":[1]}',
        '{"$":"ndarray","dtype":"<f8","shape":[1],"v":[1.0]}',
        True,
        True,
    ),
    (
        '{"$":"ndarray","dtype":"<i8","shape":[2],"v":[1,2]}',
        '{"$":"ndarray","dtype":"<i8","shape":[2,1],"v":[1,2]}',
        False,
        False,
    ),
    ('{"$":"ndarray","dtype":"<i8","shape":[1],"v":[1]}', "[1]", False, False),
    ('{"$":"decimal","v":"1.50"}', '{"$":"decimal","v":"1.5"}', True, True),
    ('{"$":"decimal","v":"1.5"}', "1.5", True, False),
    ('[1,"a"]', '{"$":"record","name":"Pair","fields":[["a",1],["b","a"]]}', True, False),
    ('[1,"a"]', '{"$":"record","name":"Pair","fields":[["a","a"],["b",1]]}', False, False),
    ('{"a":1,"b":2}', '{"$":"record","name":"Pair","fields":[["b",2],["a",1]]}', True, False),
    ('{"a":1,"b":2}', '{"$":"record","name":"Pair","fields":[["A",1],["B",2]]}', False, False),
    (
        '{"$":"set","v":[{"$":"tuple","v":[1,2]}]}',
        '{"$":"set","v":[{"$":"record","name":"P","fields":[["a",1],["b",2]]}]}',
        True,
        False,
    ),
    ("-7", "-7.0", True, False),
    ('{"$":"int","v":"1152921504606846976"}', "1.152921504606846976e+18", True, False),
    ('{"$":"fraction","v":["1","3"]}', '{"$":"fraction","v":["333333333","1000000000"]}', False, False),
    ('{"$":"fraction","v":["1","3"]}', '{"$":"fraction","v":["2","6"]}', True, True),
    ('{"$":"decimal","v":"1.5"}', '{"$":"decimal","v":"1.5000001"}', False, False),
    ('{"$":"decimal","v":"0.5"}', '{"$":"fraction","v":["1","2"]}', True, False),
    ('{"$":"decimal","v":"NaN"}', '{"$":"decimal","v":"sNaN"}', False, False),
    ('{"$":"decimal","v":"-NaN12"}', '{"$":"decimal","v":"NaN"}', True, True),
    (
        '{"$":"ndarray","dtype":"|O","shape":[1],"v":[1]}',
        '{"$":"ndarray","dtype":"|O","shape":[1],"v":[1.0]}',
        True,
        False,
    ),
    (
        '{"$":"ndarray","dtype":"|O","shape":[1],"v":[[1]]}',
        '{"$":"ndarray","dtype":"|O","shape":[1],"v":[{"$":"tuple","v":[1]}]}',
        True,
        False,
    ),
    ('{"$":"set","v":[1,2]}', '{"$":"set","v":[2.0,1.0]}', True, False),
    ('{"$":"str","v":[65]}', '"A"', True, True),
    (
        '{"$":"datetime","v":"2024-02-29T12:30:00+00:00","zone":null,"fold":0}',
        '{"$":"datetime","v":"2024-02-29T12:30:00.000+00:00","zone":"UTC","fold":1}',
        True,
        True,
    ),
    (
        '{"$":"datetime","v":"2024-02-29T12:30:00+00:00","zone":null,"fold":0}',
        '{"$":"datetime","v":"2024-02-29T13:30:00+01:00","zone":null,"fold":0}',
        False,
        False,
    ),
    (
        '{"$":"datetime","v":"2024-02-29T12:30:00+00:00","zone":null,"fold":0}',
        '{"$":"datetime","v":"2024-02-29T12:30:00","zone":null,"fold":0}',
        False,
        False,
    ),
    (
        '{"$":"ndarray","dtype":"<M8[D]","shape":[2],"v":[1,null]}',
        '{"$":"ndarray","dtype":"<M8[s]","shape":[2],"v":[86400,null]}',
        True,
        True,
    ),
    (
        '{"$":"ndarray","dtype":"<m8[M]","shape":[1],"v":[12]}',
        '{"$":"ndarray","dtype":"<m8[D]","shape":[1],"v":[365]}',
        False,
        False,
    ),
]

# As above, but only this way round: a tolerance belongs to the expected float
DIRECTED: list[tuple[str, str, bool, bool]] = [
    ("500000.0", "500000", True, False),
    ("500000.5", "500000", True, False),
    ("500000", "500000.5", False, False),
    ("3", "3.0000001", False, False),
    ('{"$":"int","v":"1234567890123456789"}', "1.2345678901234568e+18", False, False),
    ('{"$":"set","v":[1000000,2]}', '{"$":"set","v":[2,1000000.5]}', False, False),
    (
        '{"$":"ndarray","dtype":"<i8","shape":[1],"v":[1000000]}',
        '{"$":"ndarray","dtype":"<f8","shape":[1],"v":[1000000.5]}',
        False,
        False,
    ),
    ("2.0", '{"$":"decimal","v":"2.0000001"}', True, False),
    ('{"$":"decimal","v":"2.0000001"}', "2.0", False, False),
    ('{"$":"fraction","v":["1","3"]}', "0.3333333333333333", False, False),
    ("0.3333333333333333", '{"$":"fraction","v":["1","3"]}', True, False),
    ('{"$":"complex","v":[1.0,0.0]}', "1", True, False),
    ("1", '{"$":"complex","v":[1.0,1e-9]}', False, False),
    ('{"$":"float","v":"inf"}', '{"$":"decimal","v":"1E+990000"}', False, False),
    ('{"$":"float","v":"nan"}', '{"$":"decimal","v":"NaN"}', True, False),
    (
        '{"$":"ndarray","dtype":"<f8","shape":[1],"v":[1000000.5]}',
        '{"$":"ndarray","dtype":"<i8","shape":[1],"v":[1000000]}',
        True,
        True,
    ),
]


def main() -> None:
    """Write the three files."""
    values = [{"name": n, "text": t, "languages": SHARED} for n, t in SHARED_VALUES]
    values += [{"name": n, "text": t, "languages": ["python"]} for n, t in PYTHON_VALUES]
    malformed = [{"name": n, "text": t} for n, t in MALFORMED]
    both_ways = [*COMPARISONS, *((a, e, portable, exact) for e, a, portable, exact in COMPARISONS if a != e)]
    comparisons = [
        {"expected": e, "actual": a, "portable": portable, "exact": exact}
        for e, a, portable, exact in (*both_ways, *DIRECTED)
    ]
    for name, rows in (("values", values), ("malformed", malformed), ("comparisons", comparisons)):
        (HERE / f"{name}.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
