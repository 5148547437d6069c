"""What a package's tests leave is hostile: it is bounded and checked, and the rest becomes inputs."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from pbt_generator.domain.inputs import traced
from pbt_generator.domain.inputs.inference.real_inputs import traced_inputs
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.traced import MalformedTraceError, Trace, TracedCall, TracedFunction, read_trace


def record(calls: object, **more: object) -> bytes:
    entry: dict[str, Any] = {"file": "shelf/words.py", "name": "cut", "seen": 3, "calls": calls, "kinds": {}}
    return json.dumps({"tests": {"passed": 2}, "functions": [entry | more]}).encode()


def test_a_record_is_read_and_written() -> None:
    trace = read_trace(
        record([{"a": '{"text": "abc", "size": 2}', "r": '"ab"'}], kinds={"text": {"str": 2, "a.Text": 3}})
    )
    assert trace.functions[0].calls == (TracedCall('{"text":"abc","size":2}', '"ab"'),)
    assert trace.functions[0].kind_words == {"text": "a.Text (3), str (2)"}
    assert (trace.note, read_trace(trace.to_json())) == ("tests ran: 2 passed", trace)


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b"[" * 100_000, b'{"a": ' * 5000])
def test_what_is_no_record_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(MalformedTraceError):
        read_trace(data)


def test_a_record_that_is_too_long_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traced, "MOST_BYTES", 10)
    with pytest.raises(MalformedTraceError, match="longer"):
        read_trace(b'{"tests":{}}')


def test_what_is_written_can_be_read_again_however_much_it_grew() -> None:
    # A letter is two bytes where it was left and six where it is written.
    calls = [{"a": json.dumps({"x": "é" * 3900 + str(number)}, ensure_ascii=False)} for number in range(30)]
    listed = [{"file": "a.py", "name": f"f{number}", "seen": 1, "calls": calls} for number in range(60)]
    trace = read_trace(json.dumps({"functions": listed}, ensure_ascii=False).encode())
    again = read_trace(trace.to_json())
    assert 30 < len(again.functions) < 60 and again.functions == trace.functions[: len(again.functions)]


@pytest.mark.parametrize(
    "calls",
    [
        None, "x", [None, 3, "a", []], [{"a": 3}], [{"a": "{"}], [{"a": "[1]"}], [{"a": '{"no name": 1}'}],
        [{"a": '{"$": "evil", "v": 1}'}], [{"a": '{"x": {"$": "nothing such"}}'}], [{"a": f'{{"x": "{"y" * 5000}"}}'}],
        [{"a": '{"x":' + "[" * 2000 + "]" * 2000 + "}"}], [{"a": '{"x": 1, "x": 2}'}],
    ],
)  # fmt: skip
def test_calls_that_are_none_are_left_out(calls: object) -> None:
    (function,) = read_trace(record(calls)).functions
    assert function.calls == ()


def test_counts_names_and_words_are_bounded() -> None:
    many = [{"a": json.dumps({"x": number})} for number in range(200)]
    kinds = {f"p{number}": {"int": 1} for number in range(100)} | {"bad name": {"int": 1}, "q": {"a\nb": 1, "c": -1}}
    (function,) = read_trace(record(many, kinds=kinds)).functions
    assert len(function.calls) == 30 and len(function.kinds) == 40
    assert read_trace(record([], seen=-1)).functions == () == read_trace(record([], file="a\nb")).functions
    told = read_trace(b'{"tests": {"passed": true, "failed": 1, "evil": 3}, "cpu_s": 1e99, "functions": 3}')
    assert (told.tests, told.cpu_s, told.functions) == ({"failed": 1}, 0.0, ())
    words = read_trace(json.dumps({"problem": "a\x1b[31m"}).encode())
    assert words.problem == ""


def test_a_function_is_found_by_its_name_and_the_end_of_its_path() -> None:
    call = TracedCall('{"x":1}')
    trace = Trace((TracedFunction("shelf/words.py", "cut", 1, (call,)),), {"passed": 1})
    assert trace.seen("shelf-1.0/src/shelf/words.py", "cut").calls == (call,)
    assert trace.seen("shelf/words.py", "cut").calls == (call,)
    for path, name in (("bookshelf/words.py", "cut"), ("shelf/words.py", "cut.<locals>.f"), ("words.py", "cut")):
        assert trace.seen(path, name).calls == ()
    assert trace.seen("words.py", "cut").note == "tests ran: 1 passed"
    assert Trace(problem="tests ended early: memory", tests={"passed": 3}).note.endswith("until then 3 passed")


def test_forms_that_are_not_drawn_give_no_input_and_others_do() -> None:
    assert TracedCall('{"day":{"$":"date","v":"2024-02-29"}}').values == {"day": date(2024, 2, 29)}
    array = '{"x":[{"$":"ndarray","dtype":"<i8","shape":[1],"v":[1]}]}'
    assert TracedCall(array).values is None
    assert TracedCall('{"x":{"$":"map","v":[[{"$":"range","v":[0,9,1]},1]]}}').values is None


def test_calls_become_inputs_in_the_order_of_the_parameters() -> None:
    code = "def f(a, *rest, end=', ', key=len):\n    return end.join(map(str, (a, *rest)))\n"
    calls = (
        TracedCall('{"a":1,"end":"-","key":null,"rest":[2,"x"]}'),
        TracedCall('{"rest":[],"a":3}'),
        TracedCall('{"rest":[]}'),
        TracedCall('{"a":1,"rest":7}'),
    )
    program = read_program(code, (), "f", (), calls)
    shape = input_shape(program)
    # What is given by name alone beside further arguments keeps its default.
    assert [given for _, given in traced_inputs(calls, shape)] == [(1, (2, "x")), (3, ())]
    assert shape.examples[:2] == ((1, (2, "x")), (3, ()))


def test_fields_of_an_object_become_the_parameters_of_its_record() -> None:
    code = "def shelf_place(width, kept, own_size, size):\n    return [width, kept, own_size, size]\n"
    calls = (
        TracedCall(
            '{"self":{"_Shelf__kept":[1],"_size":3,"other":{"$":"range","v":[0,9,1]},"width":7},"size":2}', owner="self"
        ),
        TracedCall('{"self":{"width":7},"size":2}', owner="self"),
        TracedCall('{"width":{"kept":1},"kept":0,"own_size":1,"size":2}', owner="width"),
        TracedCall('{"self":{"width":7,"_kept":0,"_size":1},"size":2}'),
    )
    program = read_program(code, (), "shelf_place", (), calls)
    # Fields that are missing, an object in place of a value, and a map that nobody calls an object give no input.
    assert [given for _, given in traced_inputs(calls, input_shape(program))] == [(7, [1], 3, 2)]


def test_only_what_holds_fields_is_an_object() -> None:
    listed = [{"a": '{"x": {"y": 1}}', "o": name} for name in ("x", "y", "no name", 3)] + [{"a": '{"x": 1}', "o": "x"}]
    trace = read_trace(record(listed))
    assert [call.owner for call in trace.functions[0].calls] == ["x", "", "", "", ""]
    assert read_trace(trace.to_json()) == trace
