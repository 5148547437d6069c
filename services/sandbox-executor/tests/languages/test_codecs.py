"""The codec of every language against the shared vectors: decoded and encoded again, each value stays what it was."""

import decimal
import fractions
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from sandbox_executor.domain.frames import fault
from touchstone_values import UnportableError, compare, encode

VECTORS = Path(__file__).resolve().parents[4] / "shared" / "values" / "vectors" / "values.json"

IDENTITY = {
    "javascript": "function identity(x) { return x; }",
    "typescript": "export function identity<T>(x: T): T { return x; }",
    "java": "class Echo { static Object identity(Object x) { return x; } }",
    "go": "package main\n\nfunc identity(x any) any { return x }\n",
    "php": "<?php function identity($x) { return $x; }",
}
# PHP has one kind of array: an empty one is read back as a list.
AMBIGUOUS = {"php": {"empty map", "mixed list"}}


@pytest.mark.parametrize("language", IDENTITY)
def test_every_shared_value_survives(language: str, harness: Callable) -> None:
    vectors = [vector for vector in json.loads(VECTORS.read_text()) if language in vector["languages"]]
    assert len(vectors) > 50
    answers = harness(language, IDENTITY[language], "identity", [f"[{vector['text']}]" for vector in vectors])
    assert answers.exit_code == 0, answers.stderr
    wrong = {}
    for vector, value in zip(vectors, answers.values, strict=True):
        difference = compare(vector["text"], value, "portable")
        if difference is not None:
            wrong[vector["name"]] = str(difference)
    assert set(wrong) == AMBIGUOUS.get(language, set()), wrong


@pytest.mark.parametrize("language", IDENTITY)
def test_keys_stay_what_they_are_whatever_was_read_before(language: str, harness: Callable) -> None:
    # An engine that remembers the keys of the maps before takes one that is written with an escape for one of those.
    keys = ["\\", "\t", '"', "\\\\", "\\t", "x\\", "x\t", 'x"', "\x01", "é\\", "é\n", "a", "$$", "__proto__"]
    maps = [
        {"q": 0, key: 1} if led else {key: 1} for led in (False, True) for pair in product(keys, keys) for key in pair
    ]
    maps += [{"outer": {first: 1}, second: [{second: 2}]} for first, second in product(keys, keys)]
    texts = [json.dumps(each, ensure_ascii=False) for each in maps]
    answers = harness(language, IDENTITY[language], "identity", [f"[{text}]" for text in texts])
    assert answers.exit_code == 0, answers.stderr
    wrong = [
        (text, value) for text, value in zip(texts, answers.values, strict=True) if compare(text, value, "portable")
    ]
    assert not wrong[:3]


PARSING = """
function f(texts) {
  const tried = (what) => { try { return what(); } catch (error) { return `${error.name}: ${error.message}`; } };
  const doubled = (key, value) => (typeof value === 'number' ? 2 * value : key === 'gone' ? undefined : value);
  const whole = (text) => tried(() => JSON.stringify(JSON.parse(text)));
  return texts.map((text) => [whole(text), tried(() => JSON.stringify(JSON.parse(text, doubled))), JSON.parse.length]);
}
"""


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_a_program_reads_json_as_the_language_says(language: str, harness: Callable) -> None:
    texts = {
        r'{"\\":1}': ('{"\\\\":1}', '{"\\\\":2}'),
        r'{"\t":1}': (r'{"\t":1}', r'{"\t":2}'),
        r'{"\"":[1,{"\n":"\u0041\\"}]}': (r'{"\"":[1,{"\n":"A\\"}]}', r'{"\"":[2,{"\n":"A\\"}]}'),
        r' {"a" : "\t", "gone":"x", "a":[ -0.5]} ': ('{"a":[-0.5],"gone":"x"}', '{"a":[-1]}'),
        r'{"__proto__":{"\t":1},"constructor":"\t"}': (
            r'{"__proto__":{"\t":1},"constructor":"\t"}', r'{"__proto__":{"\t":2},"constructor":"\t"}',
        ),
        r'"\ud800\n"': (r'"\ud800\n"', r'"\ud800\n"'),
    }  # fmt: skip
    answers = harness(language, PARSING, "f", [json.dumps([[*texts]])])
    assert [tuple(row[:2]) for row in json.loads(answers.values[0])] == list(texts.values())
    assert {row[2] for row in json.loads(answers.values[0])} == {2}


def test_what_is_no_json_fails_with_the_words_of_the_engine(harness: Callable) -> None:
    pairs = [('{"a" 1}', r'{"\t" 1}'), ('["a",]', r'["\t",]'), ("[1", r'["\t"'), ("", "\\")]
    answers = harness("javascript", PARSING, "f", [json.dumps([[text for pair in pairs for text in pair]])])
    rows = json.loads(answers.values[0])
    assert len(rows) == 8
    for parsed, revived, _ in rows:
        assert parsed.startswith("SyntaxError: ") and parsed == revived
    deep = "[" * 30_000 + '"\\t"' + "]" * 30_000
    count = "function f(t) { let n = 0, v = JSON.parse(t); while (Array.isArray(v)) { v = v[0]; n++; } return [n, v]; }"
    assert harness("javascript", count, "f", [json.dumps([deep])]).values == ['[30000,"\\t"]']


@pytest.mark.parametrize("language", IDENTITY)
def test_a_kind_of_python_only_is_refused(language: str, harness: Callable) -> None:
    answers = harness(language, IDENTITY[language], "identity", ['[{"$":"decimal","v":"1.5"}]'])
    if language == "go":
        # Go's `any` takes it as it is: nothing can be done with it but to give it back.
        assert answers.values == ['{"$":"decimal","v":"1.5"}']
    else:
        ((kind, _),) = answers.raised
        assert kind in ("UnportableError", "ArgumentError")


@pytest.mark.parametrize("language", ["javascript", "java", "go", "php"])
def test_large_results_are_written_whole(language: str, harness: Callable) -> None:
    sources = {
        "javascript": "function f(n) { return Array.from({ length: n }, (_, i) => `é${i}`); }",
        "java": "import java.util.*; class A { static List<String> f(int n) { List<String> all = new ArrayList<>();"
        ' for (int i = 0; i < n; i++) all.add("é" + i); return all; } }',
        "go": 'import "strconv"\nfunc f(n int) []string { var all []string; for i := range n '
        '{ all = append(all, "é"+strconv.Itoa(i)) }; return all }',
        "php": '<?php function f($n) { $all = []; for ($i = 0; $i < $n; $i++) $all[] = "é$i"; return $all; }',
    }
    (value,) = harness(language, sources[language], "f", ["[200000]"]).values
    assert json.loads(value) == [f"é{i}" for i in range(200000)]


@pytest.mark.parametrize("language", ["javascript", "java", "go", "php"])
def test_endless_nesting_is_refused(language: str, harness: Callable) -> None:
    sources = {
        "javascript": "function f() { const all = []; all.push(all); return all; }",
        "java": "import java.util.*; class A { static Object f() "
        "{ List<Object> all = new ArrayList<>(); all.add(all); return all; } }",
        "go": "func f() any { all := make([]any, 1); all[0] = all; return all }",
        "php": "<?php function f() { $all = []; for ($i = 0; $i < 300; $i++) $all = [$all]; return $all; }",
    }
    ((kind, message),) = harness(language, sources[language], "f", ["[]"]).raised
    assert kind == "UnportableError"
    assert "nesting deeper than 200" in message


JAVA = "import java.math.*; class A { static Object f() { return %s; } }"
GO = """package main
import ("math/big"; "time")
var _ = time.UTC
func n(e int64, by int64) *big.Int {
    x := new(big.Int).Exp(big.NewInt(10), big.NewInt(e), nil)
    return x.Add(x, big.NewInt(by))
}
func f() any { return %s }
"""
# What fits, and what is one too large.
LARGEST = {
    "javascript int": (
        "javascript",
        "function f() { return -(10n**4300n - 1n); }",
        "function f() { return 10n**4300n; }",
    ),
    "javascript huge int": ("javascript", "function f() { return 1n; }", "function f() { return 10n**100000n; }"),
    "javascript negative int": (
        "javascript",
        "function f() { return 1n; }",
        "function f() { return [-(10n**4300n)]; }",
    ),
    "typescript int": ("typescript", "function f() { return 10n**4300n - 1n; }", "function f() { return 10n**4300n; }"),
    "javascript date": (
        "javascript",
        "function f() { return new Date(Date.UTC(9999, 1)); }",
        "function f() { return new Date(Date.UTC(10000, 1)); }",
    ),
    "javascript early date": (
        "javascript",
        "function f() { return new Date(0); }",
        "function f() { return new Date(Date.UTC(-1, 1)); }",
    ),
    "java int": (
        "java",
        JAVA % "BigInteger.TEN.pow(4300).subtract(BigInteger.ONE).negate()",
        JAVA % "BigInteger.TEN.pow(4300)",
    ),
    "java decimal": ("java", JAVA % 'new BigDecimal("-1.5E+900000")', JAVA % 'new BigDecimal("1E+2000000")'),
    "java long decimal": ("java", JAVA % "BigDecimal.TEN", JAVA % "new BigDecimal(BigInteger.TEN.pow(4300))"),
    "go int": ("go", GO % "new(big.Int).Neg(n(4300, -1))", GO % "n(4300, 0)"),
    "go fraction": ("go", GO % "big.NewRat(-1, 3)", GO % "new(big.Rat).SetFrac(n(0, 0), n(4300, 0))"),
    "go time": ("go", GO % "time.Unix(0, 0).UTC()", GO % "time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)"),
}


@pytest.mark.parametrize("name", LARGEST)
def test_what_is_too_large_has_no_portable_form_and_what_is_not_is_read(name: str, harness: Callable) -> None:
    language, fits, exceeds = LARGEST[name]
    (value,) = harness(language, fits, "A.f" if language == "java" else "f", ["[]"]).values
    assert fault(value) == ""
    ((kind, message),) = harness(language, exceeds, "A.f" if language == "java" else "f", ["[]"]).raised
    assert (kind, "has no portable form" in message) == ("UnportableError", True)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_of_python_is_read_and_what_is_larger_has_no_portable_form(sign: int) -> None:
    bound = sign * 10**4300
    for value in (bound - sign, fractions.Fraction(bound - sign, 7), decimal.Decimal(sign) / 7):
        assert fault(encode(value)) == ""
    for value in (bound, fractions.Fraction(bound, 7), decimal.Decimal(f"{sign}E+2000000")):
        with pytest.raises(UnportableError):
            encode(value)


# Text of a caller's own: half of a pair alone, and what is no JSON.
BROKEN = [
    '"\\ud800"', '"a\\udc00"', '"\\ud800\\ud800"', '"\\ud800x\\udc00"', '{"\\udc00":1}', "1,", "01", "NaN", "[1 2]",
    '"\\x"', '{"a" 1}', "{1:2}", "+1", "9223372036854775808",
]  # fmt: skip
WHOLE = [
    '"\\ud83d\\ude00"',
    '"\\\\ud800"',
    '"\\\\\\ud83d\\ude00"',
    " [ 1 , 2 ] ",
    '{ "a" : -0 }',
    "1E2",
    '"\\u0041/\\/"',
]


def test_go_reads_what_is_json_and_nothing_else(harness: Callable) -> None:
    answers = harness("go", IDENTITY["go"], "identity", [f"[{text}]" for text in [*BROKEN, *WHOLE]])
    found = [json.loads(text) for text in answers.frames[1:]]
    assert {(answer["o"], answer.get("t")) for answer in found[: len(BROKEN)]} == {("raised", "MalformedValueError")}
    for text, answer in zip(WHOLE, found[len(BROKEN) :], strict=True):
        assert answer["v"] == json.loads(text)
