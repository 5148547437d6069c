"""Inputs that no caller sends stay out of suites where nobody declares anything and no caller is known."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest

from pbt_generator.domain.inputs.domains.domain import input_domain
from pbt_generator.domain.inputs.inference.signature import Program, input_shape, read_program
from pbt_generator.domain.inputs.noise import mixes_kinds
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    FloatShape,
    InputShape,
    IntShape,
    ListShape,
    MapShape,
    NoneShape,
    ParameterShape,
    TextShape,
    options_of,
)
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.refusals import Reason
from pbt_generator.ports import Harness, Sandbox
from pbt_generator.usecases.build import Candidate, RefusedSuite, Workshop, build_suite
from pbt_generator.usecases.explore import Effort, Explorer

LIGHT = Effort(drawn=30, batch=120, chunk=60, least_rounds=1, most_rounds=5, pool=200, edges=120)


def program(head: str, body: str) -> Program:
    return read_program(f"def f({head}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n", (), "f")


def kinds(head: str, body: str, name: str) -> set[type]:
    shape = next(each.shape for each in input_shape(program(head, body)).parameters if each.name == name)
    return {type(option) for option in options_of(shape)}


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        ("return at in (204, 304)", True),
        ("return 100 <= at < 200 or at == 204", True),
        ("return at % 7 == 3", True),
        ("return at + 1 != 10", True),
        # Ends of ranges are asked of fractions, too.
        ("return 1 if at == 0 else 1 / at", False),
        ("return at > 100", False),
        ("return at == 2 or at / 3 > 1", False),
        ("return at in (1.5, 2)", False),
        ("return at == 2.5 or at == 3", False),
    ],
)
def test_a_code_among_whole_numbers_is_a_whole_number(body: str, *, whole: bool) -> None:
    found = kinds("at", body, "at")
    assert found == {IntShape} if whole else FloatShape in found


@pytest.mark.parametrize(
    "body",
    [
        "return xs[1:] if at >= len(xs) else xs",
        "n = len(xs)\nreturn n - at if n else 0",
        "end = n = len(xs)\nfor i in range(3): end = end * (n - i) // 2\nreturn xs if at > end else []",
        "return [x for place, x in enumerate(xs) if place != at]",
        "first = (at - 1) * 10\nreturn [] if first > len(xs) else xs",
        "while at < xs.count(1): at += 1\nreturn at",
        "return max(0, at) if min(at, len(xs)) == len(xs) else 1",
        "k = min(at, len(xs) - at)\nreturn 1 if k < 0 or at > len(xs) else k",
    ],
)
@pytest.mark.parametrize("name", ["at", "zz"])
def test_what_meets_a_length_is_a_whole_number(body: str, name: str) -> None:
    assert kinds(f"xs, {name}", re.sub(r"\bat\b", name, body), name) == {IntShape}


@pytest.mark.parametrize(
    "body",
    [
        "return at * len(xs) > 3",
        "return at / 2 > len(xs)",
        "return round(at) > len(xs)",
        "return at > 0.5 and len(xs) > at",
        "at = at * 1.5\nreturn len(xs) > at",
        "return at + 1 > 10",
        "rate = at * len(xs)\nreturn rate > 10",
    ],
)
def test_what_may_be_a_fraction_stays_one(body: str) -> None:
    assert FloatShape in kinds("xs, at", body, "at")


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("xs, flag=None", "return [x for x in xs if x != flag]"),
        ("xs, skip=None", "return [x for x in xs if skip is None or x > skip]"),
        ("x, keep", "return x if keep >= x else keep"),
    ],
)
def test_what_is_compared_is_no_flag_whatever_its_name(head: str, body: str) -> None:
    name = head.split(", ")[1].partition("=")[0]
    assert "BoolShape" not in {kind.__name__ for kind in kinds(head, body, name)}


@pytest.mark.parametrize(
    "used",
    ["f'<{url}>'", "'<%s>' % url", "'<%s %s>' % (x, url)", "'<{}>'.format(url)", "'<' + url", "'<{u}>'.format(u=url)"],
)
@pytest.mark.parametrize("default", ["", "=None", "=''"])
def test_what_is_written_into_a_text_is_no_flag(used: str, default: str) -> None:
    found = kinds(f"x, url{default}", f"return {used} if url else x", "url")
    assert TextShape in found and "BoolShape" not in {kind.__name__ for kind in found}


@pytest.mark.parametrize("test", ["skip", "not skip", "skip and xs", "skip is True", "skip == True"])
def test_what_is_tested_is_a_flag(test: str) -> None:
    assert "BoolShape" in {kind.__name__ for kind in kinds("xs, skip", f"return [] if {test} else xs", "skip")}


@pytest.mark.parametrize(
    "body",
    [
        "return sorted(xs, key=by)",
        "if by:\n    return sorted(xs, key=by)\nreturn xs",
        "xs.sort(key=by)\nreturn xs",
        "return list(map(by, xs)) if by else xs",
        "by = by or (lambda x: x)\nreturn [by(x) for x in xs]",
        "if by is None:\n    by = str\nreturn max(xs, key=by)",
    ],
)
def test_what_is_called_is_left_to_its_default(body: str) -> None:
    last = input_shape(program("xs, by=None", body))
    assert [each.name for each in last.parameters] == ["xs"]
    named = input_shape(program("xs, *, by=None, end=1", body))
    assert [each.name for each in named.parameters] == ["xs", "end"]
    inside = program("xs, by=None, end=1", body)
    shape = input_shape(inside)
    assert [each.name for each in shape.parameters] == ["xs", "by", "end"]
    assert shape.parameters[1].shape == NoneShape()
    domain = input_domain(inside, shape)
    assert domain.holds(([], None, 1)) and not domain.holds(([], True, 1)) and not domain.holds(([], "a", 1))


@pytest.mark.parametrize(
    "body",
    [
        "if isinstance(by, str):\n    return by\nreturn by(xs)",
        "if callable(by):\n    return by(xs)\nreturn by",
        "if by == 'first':\n    return xs[0]\nreturn by(xs)",
        "by = TABLE[by]\nreturn by(xs)",
    ],
)
def test_what_may_be_something_else_than_called_takes_data(body: str) -> None:
    assert [each.name for each in input_shape(program("xs, by=None", body)).parameters] == ["xs", "by"]


def test_members_of_several_kinds_are_noise_where_nothing_is_known_of_them() -> None:
    def shape(part: object) -> InputShape:
        return InputShape((ParameterShape("xs", part),))  # pyright: ignore[reportArgumentType]

    unknown = shape(ListShape(AnyShape()))
    assert mixes_kinds(([1, "a"],), unknown) and mixes_kinds(([True, 1],), unknown)
    assert mixes_kinds(([[1, 2], [1, "a"]],), unknown) and mixes_kinds(({"a": [1, "a"]},), shape(AnyShape()))
    assert not mixes_kinds(([1, 2.5, None],), unknown) and not mixes_kinds(({"a": 1, "b": "x"},), shape(AnyShape()))
    known = ListShape(IntShape()), MapShape(TextShape(), ListShape(TextShape())), ListShape(ListShape(TextShape()))
    assert not any(mixes_kinds(([1, "a"],), shape(part)) for part in known)


SEARCHED = {
    "an index": ("xs, index", "n = len(xs)\nif index < 0: index += n\nif index >= n: return None\nreturn xs[index:]"),
    "bounds": ("v, lo, hi", "if v < lo: return lo\nreturn hi if v > hi else v"),
    "a filler": (
        "x, width, mark",
        "missing = width - len(x)\nif width > 90: return x\nreturn x if missing <= 0 else mark * missing + x",
    ),
    "members": ("xs", "seen = []\nfor x in xs:\n    if x not in seen: seen.append(x)\nreturn seen"),
}  # fmt: skip


@pytest.mark.parametrize("name", SEARCHED)
async def test_a_search_keeps_what_callers_would_send(name: str, sandbox: Sandbox, harness: Harness) -> None:
    read = program(*SEARCHED[name])
    shape = input_shape(read)
    explorer = Explorer(
        sandbox, harness, instrument(read.source, "f"), "f", shape, 3, portable=True, effort=LIGHT,
        domain=input_domain(read, shape, portable=True),
    )  # fmt: skip
    found = await explorer.search()
    assert not found.missing() and len(found.returned) > 40
    odd = 0
    for run in found.returned:
        *first, last = run.given
        if name == "an index":
            odd += type(last) is not int
        elif name == "bounds":
            odd += not all(type(value) in (int, float) for value in run.given)
        elif name == "a filler":
            odd += not (type(first[0]) is type(last) is str and type(first[1]) is int)
        else:
            odd += len({type(value) for value in run.given[0] if value is not None}) > 1  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType, reportUnknownArgumentType]
    assert odd == 0


async def test_a_branch_that_only_a_function_could_reach_gives_no_task(workshop: Workshop) -> None:
    code = "def f(xs, key=None):\n    if key:\n        return sorted(xs, key=key)\n    return xs[::-1]\n"
    refused = await build_suite(Candidate("id", "f", "f", code, (), "SC"), replace(workshop, effort=LIGHT))
    assert isinstance(refused, RefusedSuite)
    assert refused.refusal.reason in (Reason.COVERAGE_INCOMPLETE, Reason.UNCONSTRUCTIBLE_INPUT), refused.refusal.words


def test_what_a_body_shows_is_the_same_in_every_process() -> None:
    code = (
        "from pbt_generator.domain.inputs.inference.signature import input_shape, read_program\n"
        "for head, body in (('a, b, c', 'a <= b <= c if a else b < c'), ('c, v, s', 'v if s > v else c < s'),\n"
        "                   ('xs, n, by=None, c=0', 'xs[n - len(xs):] if by == c else [by, c, n > c]')):\n"
        "    print(input_shape(read_program(f'def f({head}):\\n    return {body}', (), 'f')))\n"
    )
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": "/usr/bin:/bin"}
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (0, 1, 2, 3)
    }
    assert len(found) == 1
