"""SC, WSC or discarded: what a function needs when its text stands alone."""

from __future__ import annotations

import builtins
import dis
import re
import sysconfig
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingester.domain.analysis import FoundFunction, analyse_file
from ingester.domain.builtin_names import BUILTIN_NAMES

# What a module's or a class's own text defines without saying so.
_MADE_BY_THE_COMPILER = {"__module__", "__qualname__", "__annotations__"}
Analyse = Callable[[str], dict[str, FoundFunction]]

CASES = re.findall(
    r"^### (.*)\n((?:(?!### ).*\n)*)", (Path(__file__).parent / "data/dependencies.txt").read_text(), re.MULTILINE
)


def cases(kind: str) -> list[Any]:
    """Cases of one class: what is expected, and the text."""
    split = [(header.split(" | "), text) for header, text in CASES]
    return [pytest.param(*parts[2:], text, id=parts[1]) for parts, text in split if parts[0] == kind]


@pytest.mark.parametrize("text", cases("SC"))
def test_self_contained(analyse: Analyse, text: str) -> None:
    found = analyse(text)["f"]
    assert (found.classification, found.reasons, found.imports) == ("SC", (), ())


@pytest.mark.parametrize(("imports", "libraries", "text"), cases("WSC"))
def test_weakly_self_contained_with_exactly_its_imports(
    analyse: Analyse, imports: str, libraries: str, text: str
) -> None:
    found = next(each for each in analyse(text).values() if each.name == "f")
    assert (found.classification, "; ".join(found.imports), "; ".join(found.libraries)) == ("WSC", imports, libraries)


@pytest.mark.parametrize(("reference", "line", "why", "text"), cases("DISCARDED"))
def test_discarded_with_reference_line_and_reason(
    analyse: Analyse, reference: str, line: str, why: str, text: str
) -> None:
    found = [each for each in analyse(text).values() if each.name == "f"][-1]
    assert found.classification == "DISCARDED"
    assert [(each.reference, str(each.line)) for each in found.reasons if why in each.why] == [(reference, line)]


def test_only_annotations_need_the_library(analyse: Analyse) -> None:
    text = """
        from typing import List
        import math
        def a(x: List[int]) -> List[int]:
            return x
        def b(x: List[int]):
            return math.pi
        def c(x):
            return List
    """
    found = analyse(text)
    assert [found[name].annotation_only for name in "abc"] == [True, False, False]


def test_methods_see_neither_class_names_nor_a_missing_class(analyse: Analyse) -> None:
    text = """
        class A:
            k = 1
            def own(self):
                return self.k
            def bare(self):
                return k
            def up(self):
                return super().up()
            def default(self, x=k):
                return x
            def cell(self):
                return __class__
    """
    found = analyse(text)
    assert found["A.own"].classification == "SC"
    assert "is defined nowhere" in found["A.bare"].reasons[0].why
    assert "needs the class" in found["A.up"].reasons[0].why
    assert "of the class A" in found["A.default"].reasons[0].why
    assert "needs the class" in found["A.cell"].reasons[0].why


def test_every_reason_is_kept_once_with_its_first_line(analyse: Analyse) -> None:
    found = analyse("def f(x):\n    a(x)\n    b(x)\n    a(b)\n")["f"]
    assert [(each.reference, each.line) for each in found.reasons] == [("a", 2), ("b", 3)]


def test_the_table_of_built_ins_is_that_of_the_interpreter() -> None:
    site = {"exit", "quit", "help", "copyright", "credits", "license"}
    module = {
        name
        for name in dir(builtins)
        if name in ("__name__", "__doc__", "__package__", "__loader__", "__spec__", "__builtins__")
    }
    assert set(dir(builtins)) - site - module - BUILTIN_NAMES <= {"PythonFinalizationError", "_"}


def _globals(code: types.CodeType) -> set[str]:
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _globals(constant)
    return names


def _stored(code: types.CodeType) -> set[str]:
    names = {step.argval for step in dis.get_instructions(code) if step.opname.startswith("STORE_")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _stored(constant)
    return names


@pytest.mark.parametrize("module", ["textwrap", "statistics", "heapq", "difflib", "calendar", "inspect", "argparse"])
def test_the_compiler_finds_no_unresolved_name_in_what_is_said_to_stand_alone(module: str) -> None:
    path = Path(sysconfig.get_paths()["stdlib"]) / f"{module}.py"
    found = analyse_file(path.read_bytes(), path.name, sketch=False).functions
    alone = [each for each in found if each.classification in ("SC", "WSC")]
    for each in alone:
        code = compile("\n".join((*each.imports, each.code)), each.qualname, "exec", dont_inherit=True)
        unresolved = _globals(code) - _stored(code) - set(dir(builtins)) - _MADE_BY_THE_COMPILER
        assert not unresolved, (each.qualname, unresolved)
    assert alone
