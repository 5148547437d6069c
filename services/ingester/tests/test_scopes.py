"""The scope graph against the interpreter's own account, on written cases, on the standard library and on noise."""

from __future__ import annotations

import re
import symtable
import sysconfig
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingester.domain.agreement import compare_with_symtable
from ingester.domain.grammar import python_parser
from ingester.domain.scope_builder import build_scope_graph

CASES = dict(
    re.findall(r"^### (.*)\n((?:(?!### ).*\n)*)", (Path(__file__).parent / "data/scopes.txt").read_text(), re.MULTILINE)
)


def disagreements(text: str) -> list[str]:
    source = text.encode()
    graph = build_scope_graph(python_parser().parse(source), source)
    return [str(each) for each in compare_with_symtable(graph).disagreements]


@pytest.mark.parametrize("name", CASES)
def test_written_cases_agree_with_the_interpreter(name: str) -> None:
    assert disagreements(CASES[name]) == []


def test_the_comparison_can_fail() -> None:
    source = b"def f(x):\n    return x\n"
    graph = build_scope_graph(python_parser().parse(source), source)
    graph.scopes[1].bindings.clear()
    assert [each.name for each in compare_with_symtable(graph).disagreements] == ["x"]


def test_the_standard_library_agrees() -> None:
    folder = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(folder.glob("*.py"))[::4]
    bindings, found = 0, []
    for path in files:
        source = path.read_bytes()
        graph = build_scope_graph(python_parser().parse(source), source)
        agreement = compare_with_symtable(graph)
        bindings += agreement.bindings
        found += [(path.name, each) for each in agreement.disagreements]
    assert found == []
    assert bindings > 5000


# Programs made of every construct that binds or reads a name, over few names, so that they collide.

NAMES = st.sampled_from(["a", "b", "c", "super", "__p"])


def _expression(depth: int) -> st.SearchStrategy[str]:
    leaf = st.one_of(NAMES, st.just("1"))
    if depth == 0:
        return leaf
    inner = st.deferred(lambda: _expression(depth - 1))
    return st.one_of(
        leaf,
        st.builds("{}.{}".format, leaf, NAMES),
        st.builds("({} + {})".format, inner, inner),
        st.builds("[{} for {} in {} if {}]".format, inner, NAMES, inner, inner),
        st.builds("{{{}: 1 for {} in {} for {} in {}}}".format, inner, NAMES, inner, NAMES, inner),
        st.builds("(lambda {}={}: {})".format, NAMES, inner, inner),
        st.builds("({} := {})".format, NAMES, inner),
        st.builds("f'{{{}}}'".format, NAMES),
        st.builds("g({}, {}={})".format, inner, NAMES, inner),
    )


EXPRESSION = _expression(2)
SIMPLE = st.one_of(
    st.builds("{} = {}".format, NAMES, EXPRESSION),
    st.builds("{} += {}".format, NAMES, EXPRESSION),
    st.builds("{}: {} = {}".format, NAMES, NAMES, EXPRESSION),
    st.builds("{}: {}".format, NAMES, NAMES),
    st.builds("{}, *{} = {}".format, NAMES, NAMES, EXPRESSION),
    st.builds("del {}".format, NAMES),
    st.builds("import {}.x".format, NAMES),
    st.builds("from m import {} as {}".format, NAMES, NAMES),
    st.builds("global {}".format, NAMES),
    st.builds("nonlocal {}".format, NAMES),
    st.builds("assert {}".format, EXPRESSION),
    EXPRESSION,
)


def _indent(body: list[str]) -> str:
    return "\n".join("    " + line for block in body for line in block.split("\n"))


def _compound(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[str]:
    body = inner.map(_indent)
    return st.one_of(
        st.builds("def {}({}, {}={}) -> {}:\n{}".format, NAMES, st.just("a"), st.just("b"), EXPRESSION, NAMES, body),
        st.builds("@{}\nclass {}({}):\n{}".format, NAMES, NAMES, NAMES, body),
        st.builds("for {} in {}:\n{}".format, NAMES, EXPRESSION, body),
        st.builds("with {} as {}:\n{}".format, EXPRESSION, NAMES, body),
        st.builds("try:\n{}\nexcept {} as {}:\n    pass".format, body, NAMES, NAMES),
        st.builds("if {}:\n{}".format, EXPRESSION, body),
        st.builds("match {}:\n    case [{}, *{}]:\n        {}".format, NAMES, st.just("a"), st.just("b"), EXPRESSION),
    )


BODY = st.recursive(
    st.lists(SIMPLE, min_size=1, max_size=3),
    lambda inner: st.lists(st.one_of(SIMPLE, _compound(inner)), min_size=1, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(BODY)
@example(["def f():\n    super += 1\n    del super"])
@example(["class C:\n    def f(self):\n        super += super\n        global a"])
@example(["[(lambda super=1: super) for a in a if (lambda super=1: 1)]"])
def test_random_programs_agree_with_the_interpreter(body: list[str]) -> None:
    text = "\n".join(body) + "\n"
    try:
        compile(text, "noise", "exec")
        # Names in annotations that a later `global` declares: the compiler lets them pass, its own tables do not.
        symtable.symtable(text, "noise", "exec")
    except SyntaxError:
        return
    assert disagreements(text) == [], text
