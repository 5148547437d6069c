"""The control-flow graph: complexity, and which blocks control can come to."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingester.domain.control_flow import EXIT, ControlFlow, build_control_flow, count_complexity
from ingester.domain.grammar import python_parser
from ingester.domain.scope_builder import build_scope_graph


def flow_of(body: str) -> tuple[ControlFlow, int]:
    """The graph of a function with this body, and the complexity counted in the walk."""
    source = ("def f(a, b, c):\n" + textwrap.indent(textwrap.dedent(body), "    ") + "\n").encode()
    tree = python_parser().parse(source)
    assert not tree.root_node.has_error
    graph = build_scope_graph(tree, source)
    site = graph.sites[0]
    return build_control_flow(site.body, graph.decisions), count_complexity(site.branches)


COMPLEXITIES = [
    ("return a", 1),
    ("if a:\n    return b", 2),
    ("if a:\n    return b\nelif c:\n    return a\nelse:\n    return c", 3),
    ("for x in a:\n    if x:\n        continue\n    break\nelse:\n    b = 1\nreturn b", 3),
    ("while True:\n    if a:\n        return b", 3),
    ("return a and b or c", 3),
    ("return a if b else c", 2),
    ("return [x for x in a if x if b for y in x]", 5),
    ("try:\n    a()\nexcept A:\n    return b\nexcept B as e:\n    raise\nelse:\n    b = 1\nfinally:\n    c = 1", 3),
    ("assert a and b\nreturn c", 3),
    ("with a as x, b:\n    return x", 1),
    ("match a:\n    case 1:\n        return b\n    case [x]:\n        return x\n    case _:\n        return c", 3),
    ("match a:\n    case 1:\n        return b\n    case x if x > 1:\n        return x", 3),
    ("return lambda x: x if a else b", 2),
    ("def g(x):\n    return x and a\nreturn g", 1),
    ("return a\nif b:\n    return c", 2),
    ("if a:\n    raise ValueError\nreturn b", 2),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), COMPLEXITIES)
def test_complexity_is_edges_minus_nodes_plus_two(body: str, expected: int) -> None:
    flow, counted = flow_of(body)
    assert flow.edges - flow.nodes + 2 == flow.complexity == counted == expected


REACHES_END = [
    ("return a", False),
    ("a = 1", True),
    ("while True:\n    a()", False),
    ("while True:\n    if a:\n        break", True),
    ("while a:\n    return b", True),
    ("try:\n    return a\nexcept ValueError:\n    pass", True),
    ("try:\n    return a\nfinally:\n    b()", False),
    ("with a:\n    return b", True),
    ("if a:\n    return b\nelse:\n    raise c", False),
    ("for x in a:\n    return x\nelse:\n    return b", False),
    ("match a:\n    case 1:\n        return b", True),
    ("match a:\n    case 1:\n        return b\n    case _:\n        return c", False),
]


@pytest.mark.parametrize(("body", "expected"), REACHES_END)
def test_whether_the_text_can_end_without_a_return(body: str, expected: bool) -> None:
    flow, _ = flow_of(body)
    assert (flow.falls_off in flow.reachable()) is expected


def test_a_return_behind_a_jump_is_not_reached() -> None:
    flow, _ = flow_of("raise ValueError\nreturn a")
    ((block, _),) = flow.returns
    assert block not in flow.reachable()
    assert EXIT in flow.reachable()


def test_a_return_in_finally_is_reached() -> None:
    flow, _ = flow_of("try:\n    raise a\nfinally:\n    return b")
    ((block, _),) = flow.returns
    assert block in flow.reachable()


TEST = st.sampled_from(["a", "a and b", "not b or c", "a if b else c", "[x for x in a if x]", "any(x for x in a)"])
SIMPLE = st.one_of(
    TEST.map("b = {}".format), TEST.map("assert {}".format), TEST.map("return {}".format),
    st.sampled_from(["pass", "raise a", "return"]),
)  # fmt: skip


def _block(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[str]:
    body = inner.map(lambda lines: textwrap.indent("\n".join(lines), "    "))
    return st.one_of(
        st.builds("if {}:\n{}".format, TEST, body),
        st.builds("if {}:\n{}\nelif {}:\n{}\nelse:\n{}".format, TEST, body, TEST, body, body),
        st.builds("for x in {}:\n{}\n    continue".format, TEST, body),
        st.builds("while {}:\n{}\n    break".format, TEST, body),
        st.builds("try:\n{}\nexcept A:\n{}\nexcept B:\n{}".format, body, body, body),
        st.builds("try:\n{}\nfinally:\n{}".format, body, body),
        st.builds("with {}:\n{}".format, TEST, body),
        st.builds("def g(y):\n{}".format, body),
        st.builds(lambda body: "match a:\n    case 1:\n" + textwrap.indent(body, "    "), body),
    )


BODY = st.recursive(
    st.lists(SIMPLE, min_size=1, max_size=3),
    lambda inner: st.lists(st.one_of(SIMPLE, _block(inner)), min_size=1, max_size=3),
    max_leaves=10,
)


def by_hand(body: list[ast.stmt]) -> int:
    """Two-way branches by the interpreter's own tree, nested definitions left out."""
    total, stack = 1, list[ast.AST](body)
    while stack:
        node = stack.pop()
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                continue
            case ast.BoolOp():
                total += len(node.values) - 1
            case ast.comprehension():
                total += 1 + len(node.ifs)
            case ast.Try():
                total += len(node.handlers)
            case ast.If() | ast.IfExp() | ast.For() | ast.While() | ast.Assert() | ast.match_case():
                total += 1
            case _:
                pass
        stack.extend(ast.iter_child_nodes(node))
    return total


@settings(max_examples=100, deadline=None)
@given(BODY)
def test_graph_count_and_hand_count_agree_on_random_bodies(body: list[str]) -> None:
    text = "\n".join(body)
    flow, counted = flow_of(text)
    tree = ast.parse("def f(a, b, c):\n" + textwrap.indent(text, "    ")).body[0]
    assert isinstance(tree, ast.FunctionDef)
    assert flow.complexity == counted == by_hand(tree.body), text
    for successors in flow.successors:
        assert all(0 <= block < flow.nodes for block in successors)
