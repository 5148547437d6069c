"""What several tests of the ingester share."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from ingester.domain.analysis import FoundFunction, analyse_file
from ingester.domain.grammar import python_parser
from ingester.domain.scope_builder import build_scope_graph
from ingester.domain.scopes import ScopeGraph

Analyse = Callable[[str], dict[str, FoundFunction]]


@pytest.fixture(scope="session")
def analyse() -> Analyse:
    """Functions of a source text by qualified name; the text must parse."""

    def run(text: str) -> dict[str, FoundFunction]:
        found = analyse_file(textwrap.dedent(text).encode(), "package/module.py", sketch=False)
        assert not found.problem, found.problem
        return {function.qualname: function for function in found.functions}

    return run


@pytest.fixture(scope="session")
def graph() -> Callable[[str], ScopeGraph]:
    """The scope graph of a source text."""

    def run(text: str) -> ScopeGraph:
        source = textwrap.dedent(text).encode()
        return build_scope_graph(python_parser().parse(source), source)

    return run
