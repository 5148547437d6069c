"""Table programs without running them: notation, keys, twins."""

import json

import pytest

from pbt_generator.domain.task.tables import TABLES, InexpressibleError, table_program
from pbt_generator.domain.task.tables.notation import arities, key_of, rows, write
from touchstone_values import decode, encode, parse

CASES = [("[1]", "true"), ('[{"$":"tuple","v":[1.0]}]', '"x"'), ('{"a":1,"b":null}', "[2.5]")]


def key(text: str) -> str:
    return key_of([parse(text)])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1", "1.0"),
        ("0", "-0.0"),
        ("[1]", '{"$":"tuple","v":[1]}'),
        ('{"$":"set","v":[1,2]}', '{"$":"frozenset","v":[2,1]}'),
        ('{"a":1,"b":2}', '{"b":2,"a":1}'),
        ('{"a":1}', '{"$":"counter","v":[["a",1]]}'),
        ('"é"', '"\\u00e9"'),
    ],
)
def test_inputs_that_some_language_cannot_tell_apart_have_one_key(first: str, second: str) -> None:
    assert key(first) == key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1", '"1"'),
        ("1", "true"),
        ("null", "false"),
        ("[]", "{}"),
        ("[]", '{"$":"set","v":[]}'),
        ("0.1", "0.10000000000000002"),
        ("1e+300", "1e+299"),
        ('"a;n"', '["a",null]'),
        ('"%"', '"%0025"'),
        ('["ab"]', '["a","b"]'),
        ('[["a"],"b"]', '[["a","b"]]'),
        ('{"$":"map","v":[[1,2]]}', '{"1":2}'),
        ('{"$":"bytes","v":"QQ=="}', '"A"'),
        ('{"$":"int","v":"9007199254740993"}', "9007199254740992.0"),
    ],
)
def test_different_inputs_have_different_keys(first: str, second: str) -> None:
    assert key(first) != key(second)


def test_no_sign_of_the_notation_needs_quoting() -> None:
    nasty = "".join(map(chr, range(0x20, 0x100))) + "\n\r\0\u2028😀\\\"'`$;%"
    text = write(nasty)
    assert text.isascii() and text.isprintable()
    assert not set(text[:-1]) & set("\\\"'`$;")


def test_results_keep_what_keys_forget() -> None:
    assert write(parse("1")) == "i1;"
    assert write(parse("1.0")) == "d3ff0000000000000"
    assert write(parse("-0.0")) == "d8000000000000000"
    assert write(parse('{"$":"float","v":"nan"}')) == "d7ff8000000000000"


def test_a_twin_answers_one_input_differently() -> None:
    plain, twin = rows(CASES, broken=False), rows(CASES, broken=True)
    assert [a == b for a, b in zip(plain, twin, strict=True)] == [True, False, True]
    assert [name for name, _ in plain] == [name for name, _ in twin]


def test_kinds_of_python_only_are_refused() -> None:
    for kind in ('{"$":"decimal","v":"1"}', '{"$":"range","v":[0,1,1]}', '{"$":"record","name":"P","fields":[]}'):
        with pytest.raises(InexpressibleError, match="exists in Python only"):
            rows([("[1]", kind)], broken=False)
    # An argument may be one, if it can be told apart.
    assert rows([('[{"$":"record","name":"P","fields":[["x",1]]}]', "1")], broken=False) == [("[<sx;i1;>]", "i1;")]


def test_numbers_of_arguments() -> None:
    assert arities(CASES) == [1, 2]


def test_python_tables_hold_every_kind() -> None:
    cases = [
        ('[{"$":"decimal","v":"1.50"}]', '{"$":"date","v":"2024-02-29"}'),
        ('{"a":{"$":"tuple","v":[1]}}', '{"$":"record","name":"P","fields":[["x",1]]}'),
        ('[{"$":"float","v":"nan"},"é"]', '{"$":"deque","maxlen":3,"v":[1]}'),
    ]
    space: dict[str, object] = {}
    exec(table_program("python", "f", cases), space)
    call = space["f"]
    for arguments, expected in cases:
        given = decode(arguments)
        result = call(**given) if isinstance(given, dict) else call(*given)
        assert encode(result) == expected
    with pytest.raises(KeyError):
        call(2)


@pytest.mark.parametrize("language", TABLES)
def test_programs_define_the_entry_point(language: str) -> None:
    program = table_program(language, "some_name", CASES)
    assert "some_name(" in program
    assert program != table_program(language, "some_name", CASES, broken=True)
    assert table_program(language, "some_name", [])


def test_long_texts_do_not_exceed_what_java_takes_as_one_constant() -> None:
    program = table_program("java", "f", [("[1]", json.dumps("x" * 200_000))])
    assert max(map(len, program.split('"'))) <= 16_000
