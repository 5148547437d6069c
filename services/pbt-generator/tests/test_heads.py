"""What a head says is what cases give: defaults, arguments by name, and further ones, in five languages."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbt_generator.domain.exercises.heads import renamed_heads
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.leaving_out import shorter_calls
from pbt_generator.domain.inputs.portable import arguments_text
from pbt_generator.domain.refusals import Reason
from pbt_generator.domain.task.naming import public
from pbt_generator.domain.task.record import BuiltTask, Kind, Subject
from pbt_generator.domain.task.wording.heads import signatures
from pbt_generator.domain.task.wording.instruction import compose
from pbt_generator.domain.task.wording.observed import Observed, observe
from pbt_generator.domain.task.wording.prose import Prose
from pbt_generator.domain.task.wording.told import Told
from pbt_generator.usecases.build import BuiltSuite, Candidate, RefusedSuite, Workshop, build_suite
from pbt_generator.usecases.explore import Effort
from pbt_generator.usecases.tasks import TaskBuilder, observed_types, told_parameters
from touchstone_values import decode

LIGHT = Effort(drawn=30, batch=160, chunk=80, least_rounds=1, most_rounds=8, pool=200)
TEXT, COUNT = Observed("text"), Observed("int")
DEFAULTS: list[object] = [None, True, 0, -3, 2.5, "", "a, (b", 'it\'s "so"', (), (1, "x"), ["a"], {"k": [1]}, b"x"]


@st.composite
def heads(draw: st.DrawFn) -> list[Told]:
    """Parameters as Python allows them: places, then further ones, then names."""
    names = iter("abcdefgh")
    told: list[Told] = []
    seen = st.sampled_from([TEXT, COUNT, Observed("list", TEXT), Observed("any", kinds=("int", "text"))])
    default = st.sampled_from(DEFAULTS).map(repr)
    for _ in range(draw(st.integers(0, 3))):
        told.append(Told(next(names), draw(seen), default=draw(st.just("") | default)))
    kind = draw(st.sampled_from(["places", "further", "names"]))
    if kind == "further":
        told.append(Told(next(names), Observed("list", draw(seen)), variadic=True))
    if kind == "names":
        told += [Told(next(names), draw(seen), default=draw(st.just("") | default), named=True) for _ in range(2)]
    return told


@given(heads())
def test_a_python_head_has_every_default_that_python_lets_it_have(told: list[Told]) -> None:
    space: dict[str, Any] = {}
    head = signatures("f", told, TEXT)["python"]
    exec(compile(f"{head}: return locals()", "head", "exec"), space)
    parameters = inspect.signature(space["f"]).parameters
    assert list(parameters) == [each.name for each in told]
    places = [each for each in told if not each.named and not each.variadic]
    for each in told:
        own = parameters[each.name]
        assert (own.kind == own.VAR_POSITIONAL) == each.variadic and (own.kind == own.KEYWORD_ONLY) == each.named
        behind = places[places.index(each) :] if each in places else [each]
        if each.default and all(one.default for one in behind):
            assert own.default == each.value and type(own.default) is type(each.value)
        else:
            assert own.default is own.empty


@given(heads())
def test_heads_of_all_languages_keep_their_parameters_under_other_names(told: list[Told]) -> None:
    if any(each.named for each in told):
        return
    new = {each.name: f"arg_{place}" for place, each in enumerate(told)}
    renamed = [replace(each, name=new[each.name]) for each in told]
    assert renamed_heads(signatures("f", told, TEXT), "f", "g", new) == signatures("g", renamed, TEXT)


def test_a_default_stands_where_a_language_can_write_it() -> None:
    told = [
        Told("text", TEXT), Told("sep", TEXT, default="None"), Told("raw", TEXT, default="b'x'"),
        Told("by", COUNT, default="(1, 2)", named=True),
    ]  # fmt: skip
    found = signatures("f", told, TEXT)
    assert found["python"] == (
        "def f(text: str, sep: str | None = None, raw: object = b'x', *, by: int | list[object] = (1, 2)) -> str"
    )
    assert found["typescript"] == (
        "function f(text: string, sep: string | null = null, raw: string, by: number | unknown[] = [1, 2]): string"
    )
    assert found["javascript"].endswith("function f(text, sep = null, raw, by = [1, 2])")
    assert found["java"].endswith("static String f(String text, String sep, String raw, long by)")
    assert found["go"].endswith("func f(text string, sep string, raw string, by int64) string")
    further = signatures(
        "f", [Told("xs", Observed("list", Observed("any", kinds=("int", "text"))), variadic=True)], TEXT
    )
    assert further["python"] == "def f(*xs: int | str) -> str"
    assert further["typescript"] == "function f(...xs: (number | string)[]): string"
    assert further["java"].endswith("f(Object... xs)") and further["go"].endswith("f(xs ...any) string")


def test_words_say_how_arguments_are_given() -> None:
    told = [Told("text", TEXT), Told("sep", TEXT, default="None"), Told("by", COUNT, default="True", named=True)]
    shared = compose("f", "SC", Prose(), told, TEXT, [])
    assert "- `sep`: a text, default nothing (null)" in shared and "- `by`: an integer, default `true`" in shared
    assert "In Python arguments are given by their names, in other languages in this order." in shared
    assert "Every case gives all arguments, also those with a default." in shared
    own = compose("f", "WSC", Prose(), [*told[:1], replace(told[1], left_out=True)], TEXT, [])
    assert "default `None`" in own and "Cases may leave out arguments that have a default." in own
    assert "default" not in compose("f", "WSC", Prose(), told[:1], TEXT, [])


@pytest.mark.parametrize(
    ("head", "calls", "given_texts", "wanted"),
    [
        ("x, a=1, b=None", ("f(2)",), ["[2,1,null]", "[2,1,3]", "[2,5,null]"], ["[2]", "", "[2,5]"]),
        ("x, a=1, b=None", ("f(2, 1)", "f(2, b=3)"), ["[2,1,null]", "[2,1,3]"], ["[2]", ""]),
        ("x, a=1, b=None", ("f(2, 1, 3)",), ["[2,1,null]"], [""]),
        ("x, a=1, *xs", ("f(2)",), ["[2,1]", "[2,1,4]"], ["[2]", ""]),
        ("x, *, a=1, b=0", ("f(2, b=4)",), ['{"x":2,"a":1,"b":0}', '{"x":2,"a":3,"b":0}'], ['{"x":2,"b":0}', ""]),
        ("x, a=1", ("f(2)",), ["[2,true]", "[2,1.0]"], ["", ""]),
        # A function may change what it is handed, and the next call finds the default changed.
        ("x, a=[]", ("f(2)",), ["[2,[]]"], [""]),
        ("x, a=([], 1), b=2", ("f(2)",), ['[2,{"$":"tuple","v":[[],1]},2]'], ['[2,{"$":"tuple","v":[[],1]}]']),
        ("x, *, a={}, b=0", ("f(2)",), ['{"x":2,"a":{},"b":0}'], ['{"x":2,"a":{}}']),
    ],
)  # fmt: skip
def test_defaults_that_callers_leave_out_are_left_out(
    head: str, calls: tuple[str, ...], given_texts: list[str], wanted: list[str]
) -> None:
    shape = input_shape(read_program(f"def f({head}):\n    return x", (), "f"))
    found = shorter_calls(given_texts, shape, calls, "f")
    assert [found.get(text, "") for text in given_texts] == wanted


@pytest.mark.parametrize(
    "head",
    [
        "x: int, y: int = 2", "x: int, /, y: int = 2", "*xs: int, by: int = 2",
        "x: int, /, y: int = 1, *, by: int = 2", "x: int, *, by: int, to: int = 2",
        "x: int, y: int = 2, *xs: int", "x: int, **more", "x: int, key=len, y: int = 1",
    ],
)  # fmt: skip
@settings(max_examples=5)
@given(data=st.data())
def test_what_cases_give_binds_to_the_function_and_to_its_head(head: str, data: st.DataObject) -> None:
    shape = input_shape(read_program(f"def f({head}):\n    return 1", (), "f"))
    numbers = st.integers(0, 9)
    values = tuple(
        tuple(data.draw(st.lists(numbers, max_size=3))) if each.variadic else data.draw(numbers)
        for each in shape.parameters
    )
    arguments = decode(arguments_text(shape, values))
    told = [
        Told(each.name, observe([[1]] if each.variadic else [1]), default=repr(each.default[0]) if each.default else "",
             variadic=each.variadic, named=each.keyword_only)
        for each in shape.parameters
    ]  # fmt: skip
    for own in (f"def f({head})", signatures("f", told, COUNT)["python"]):
        space: dict[str, Any] = {}
        exec(compile(f"{own}: return locals()", "head", "exec"), space)
        bound = space["f"](*arguments) if isinstance(arguments, list) else space["f"](**arguments)
        assert {each.name: bound[each.name] for each in shape.parameters} == dict(
            zip([each.name for each in shape.parameters], values, strict=True)
        )


@pytest.mark.parametrize("default", ["1e999", "-1e999", "(1e999, 2)", "[1, 2, ...]"])
def test_a_default_that_no_literal_says_is_unknown(default: str) -> None:
    shape = input_shape(read_program(f"def f(x: int, y={default}):\n    return x", (), "f"))
    assert [each.default for each in shape.parameters] == [(), ()]
    told = [Told(each.name, COUNT, default=repr(each.default[0]) if each.default else "") for each in shape.parameters]
    assert signatures("f", told, COUNT)["python"] == "def f(x: int, y: int) -> int"


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("text, width=3, fill=FILL, *, left=False", {"text": 1, "width": 3, "fill": 0}),
        ("text, width=1e999, fill=2, *, left=False", {"text": 1, "width": 0}),
        ("text, width=3, fill=2, *, left=False", {"text": 1}),
        ("text, width=3, *, fill=FILL, left=False", {"text": 1, "fill": 0}),
    ],
)
def test_a_shorter_call_binds_to_the_head_that_a_solver_reads(head: str, wanted: dict[str, Any]) -> None:
    shape = input_shape(read_program(f"def f({head}):\n    return text", ("from a import FILL",), "f"))
    whole = {"text": 1} | {each.name: each.default[0] if each.default else 0 for each in shape.parameters[1:]}
    text = json.dumps(whole, separators=(",", ":"))
    shorter = json.loads(shorter_calls([text], shape, ("f(1)",), "f").get(text, text))
    told = [
        Told(each.name, COUNT, default=repr(each.default[0]) if each.default else "", named=each.keyword_only)
        for each in shape.parameters
    ]
    space: dict[str, Any] = {}
    exec(compile(f"{signatures('f', told, COUNT)['python']}: return locals()", "head", "exec"), space)
    assert shorter == wanted and space["f"](**shorter) == whole


async def test_what_must_be_given_by_place_and_by_name_is_refused(workshop: Workshop) -> None:
    refused = await build_suite(Candidate("id", "f", "f", "def f(*xs, by):\n    return by", (), "WSC"), workshop)
    assert isinstance(refused, RefusedSuite) and refused.refusal.reason == Reason.INEXPRESSIBLE_SIGNATURE


@pytest.mark.parametrize("kind", ["WSC", "SC"])
async def test_a_suite_leaves_out_what_callers_leave_out_where_all_languages_can(
    kind: Kind, workshop: Workshop
) -> None:
    code = (
        "def label(name: str, size: int = 3, mark: str = '...') -> str:\n"
        "    return name if len(name) <= size else name[:size] + mark\n"
    )
    calls = ("label('Zanzibar')", "label('Wien', 2)", "label('Ulm', 3, '!')")
    candidate = Candidate("id", "label", "label", code, (), kind, calls=calls)
    built = await build_suite(candidate, replace(workshop, effort=LIGHT))
    assert isinstance(built, BuiltSuite), built.refusal.words
    found = {case.arguments: case.expected for case in built.cases}
    assert len(found) == len(built.cases) == len(built.rank)
    parameters, _ = observed_types(built)
    told = told_parameters(Subject("id", "label", "label", kind, code), built, parameters)
    assert [each.default for each in told] == ["", "3", "'...'"]
    if kind == "SC":
        assert all(len(json.loads(text)) == 3 for text in found) and not any(each.left_out for each in told)
        return
    assert found['["Zanzibar"]'] == found['["Zanzibar",3,"..."]'] == '"Zan..."'
    assert found['["Wien",2]'] == '"Wi..."' and [each.left_out for each in told] == [False, True, True]


async def test_a_default_that_the_function_changes_is_given_in_every_case(workshop: Workshop) -> None:
    code = "def gather(x: int, acc: list = []) -> list:\n    acc.append(x if x > 3 else -x)\n    return acc\n"
    candidate = Candidate("id", "gather", "gather", code, (), "WSC", calls=("gather(1)", "gather(5)", "gather(2, [7])"))
    built = await build_suite(candidate, replace(workshop, effort=LIGHT))
    assert isinstance(built, BuiltSuite), built.refusal.words
    assert all(len(json.loads(case.arguments)) == 2 for case in built.cases)


@pytest.mark.parametrize(
    ("kind", "head", "value", "said"),
    [
        (
            "WSC", "*xs: int, k: int = 5, scale: int = 3", "sum(xs) if len(xs) > 1 else 7",
            ["`k` is always `5`.", "`scale` is always `3`."],
        ),
        ("SC", "x: int, /, *, k: int = 5, scale: int = 3", "x", ["`k` is always `5`.", "`scale` is always `3`."]),
        ("WSC", "x: int, *, k: int = 5, scale: int = 3", "x", []),
    ],
)  # fmt: skip
async def test_words_say_what_the_parameters_are_that_no_case_can_give(
    kind: Kind, head: str, value: str, said: list[str], workshop: Workshop, blobs: Any
) -> None:
    code = f"def drift({head}) -> int:\n    base = {value}\n    return base * scale if base > k else base - k\n"
    subject = Subject("id", "drift", "drift", kind, code)
    task = await TaskBuilder(replace(workshop, effort=LIGHT), blobs).build(subject)
    assert isinstance(task, BuiltTask), task
    assert [part for part in task.instruction.split("\n\n") if " is always " in part] == said


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("map", {"go"}),
        ("type", {"go"}),
        ("new", {"go", "java", "javascript", "typescript"}),
        ("string", {"go"}),
        ("len", {"go"}),
        ("default", {"go", "java", "javascript", "typescript"}),
        ("text", set[str]()),
    ],
)
def test_no_head_uses_a_word_of_its_language_for_a_parameter(name: str, kept: set[str]) -> None:
    """`func pop(map map[string]any)` cannot be compiled: whoever copies the head fails by it."""
    heads = signatures("f", [Told(name, TEXT)], TEXT)
    assert {language for language, head in heads.items() if f"{name}_" in head} == kept
    assert heads["python"] == f"def f({name}: str) -> str"
    comment = heads["javascript"]
    assert comment.count(f"{name}_") == (2 if "javascript" in kept else 0)


def test_a_list_or_nothing_inside_of_a_result_is_anything_in_go() -> None:
    """A nil slice in a map is an empty list: a result of `map[string][]string` could not hold nothing."""
    words = Observed("list", TEXT, optional=True)
    heads = signatures("f", [Told("xs", TEXT)], Observed("map", words))
    assert heads["go"].endswith(") map[string]any")
    assert signatures("f", [Told("xs", TEXT)], words)["go"].endswith(") []string")
    assert signatures("f", [Told("xs", TEXT)], Observed("list", replace(words, optional=False)))["go"].endswith(
        "[][]string"
    )


@pytest.mark.parametrize(
    ("name", "entry"),
    [("_map", "map_"), ("select", "select_"), ("init", "init_"), ("_string", "string_"), ("len", "len"), ("f", "f")],
)
def test_a_function_of_five_languages_has_a_name_that_each_of_them_takes(name: str, entry: str) -> None:
    code = f"def {name}(x):\n    return x\n"
    assert public(name, code, portable=True) == (entry, f"def {entry}(x):\n    return x\n")
    assert public(name, code)[0] == name.strip("_")
